package fault

import (
	"errors"
	"fmt"
	"time"
)

// Config is what may be hurt, and the rules that come with it. The zero Config
// hurts nothing and takes no orders.
type Config struct {
	// Name is told in events.
	Name string

	// Allow lets an operator start rules. It is off unless somebody has said
	// that this may be hurt: a fault is one typing mistake away from an outage.
	Allow bool

	// Share is the largest share of requests that all rules together may hurt,
	// those for marked requests apart, which hurt only who asks for it. 0 is
	// 0.2: a fifth of the requests shows what a fault does, and leaves four
	// fifths if what is tested does not work.
	Share float64

	// Concurrent is how many requests may be hurt at the same time. 0 is 100.
	// A fault that makes requests wait otherwise holds as many as come.
	Concurrent int

	// Abort ends all rules when too few calls succeed. The zero Abort does not.
	Abort Abort

	// Rules begin with the Config and need no order.
	Rules []Rule
}

// Abort is when to stop by itself.
type Abort struct {
	// Success is the least share of calls that must succeed, from 0 to 1; 0
	// never ends anything. Calls are judged after their retries.
	Success float64
	// Window is how long calls are remembered, in tenths. 0 is 10s: long enough
	// to divide by, and short enough to stop before people notice.
	Window time.Duration
	// Minimum is how many calls the window must hold. 0 is 20: the first failure
	// must not end what is meant to make calls fail.
	Minimum int
}

// Rule is one fault.
type Rule struct {
	Name  string        // letters, digits, dots, hyphens, underscores; at most 63
	Share float64       // of the requests in scope, over 0 and at most 1
	For   time.Duration // until it ends; 0 is 5m, and MaxFor is the longest
	Scope Scope
	Hurt  Hurt
}

// Scope is which requests a rule is about; what is empty is any.
type Scope struct {
	Operation string // of the dependency, by name
	Endpoint  string // an origin, as the policy file writes it
	Method    string
	Path      string // exact, or a prefix that ends in *
	Marked    bool   // only requests that carry the rule's name
}

// Hurt is what is done to a request. Which fields mean something depends on
// the Kind; the others are zero.
type Hurt struct {
	Kind   Kind
	Delay  time.Duration // Latency: added; Reset: after which; SlowBody: before each piece
	Jitter time.Duration // Latency: up to so much more or less
	Normal bool          // Latency: Jitter is the standard deviation instead
	Status int           // Error: of HTTP
	GRPC   int           // Error: of gRPC, in place of a status
	Bytes  int64         // SlowBody: of a piece; Bandwidth: a second
}

// Kind is a kind of fault.
type Kind uint8

const (
	// Latency makes a request wait before it is sent.
	Latency Kind = iota + 1
	// Error answers a request in the dependency's place.
	Error
	// Refused is a connection that nobody takes.
	Refused
	// Reset breaks the connection, at once or after a time, busy or not.
	Reset
	// NoAnswer lets a request hang until its limit, or until the rule ends.
	NoAnswer
	// SlowBody delivers the answer's body in pieces.
	SlowBody
	// Bandwidth delivers the answer's body at a rate.
	Bandwidth
)

var kindNames = [...]string{
	"none", "latency", "error", "refused", "reset", "no-answer", "slow-body", "bandwidth",
}

// String returns the kind's name as the policy file has it.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "invalid"
}

const (
	// MaxFor is the longest that a rule may run.
	MaxFor = time.Hour

	defaultFor        = 5 * time.Minute // a look at the screens, and a few tries
	defaultShare      = 0.2
	defaultConcurrent = 100
	defaultWindow     = 10 * time.Second
	defaultMinimum    = 20

	minFor         = time.Millisecond
	maxDelay       = time.Hour
	minWindow      = 10 * time.Millisecond
	maxWindow      = time.Hour
	mostConcurrent = 1_000_000
	mostMinimum    = 1_000_000
	mostBytes      = 1 << 40
	maxRules       = 32 // running ones, and ended ones that are still shown
	longestName    = 63
	longestScope   = 1024
	rounding       = 1e-9 // three times 0.1 may be 0.3
)

// Validate reports every field that cannot be used, one error a field, joined.
func (c Config) Validate() error {
	var errs []error
	if !(c.Share >= 0 && c.Share <= 1) {
		errs = append(errs, bad("Share", "is %v; give a share from 0 to 1, such as 0.2", c.Share))
	}
	if c.Concurrent < 0 || c.Concurrent > mostConcurrent {
		errs = append(errs, bad("Concurrent", "is %d; give a number of requests such as 100, "+
			"at most %d", c.Concurrent, mostConcurrent))
	}
	errs = append(errs, c.Abort.validate())
	if len(c.Rules) > maxRules {
		errs = append(errs, bad("Rules", "are %d; give at most %d", len(c.Rules), maxRules))
	}
	sum := 0.0
	for i, r := range c.Rules {
		if err := r.Validate(); err != nil {
			errs = append(errs, bad("Rules", "%q: %w", r.Name, err))
		}
		for _, earlier := range c.Rules[:i] {
			if earlier.Name == r.Name {
				errs = append(errs, bad("Rules", "%q: Name: is there twice; give another", r.Name))
			}
		}
		sum += r.reach()
	}
	if most := c.Filled().Share; sum > most+rounding {
		errs = append(errs, bad("Share", "is %s, and the rules may hurt %s; give the rules less, "+
			"or raise it", percent(most), percent(sum)))
	}
	return errors.Join(errs...)
}

func (a Abort) validate() error {
	var errs []error
	if !(a.Success >= 0 && a.Success <= 1) {
		errs = append(errs, bad("Abort.Success", "is %v; give a share from 0 to 1, such as 0.9",
			a.Success))
	}
	if a.Window != 0 && (a.Window < minWindow || a.Window > maxWindow) {
		errs = append(errs, bad("Abort.Window", "is %v; give a time such as 10s, from %v to %v",
			a.Window, minWindow, maxWindow))
	}
	if a.Minimum < 0 || a.Minimum > mostMinimum {
		errs = append(errs, bad("Abort.Minimum", "is %d; give a number of calls such as 20, "+
			"at most %d", a.Minimum, mostMinimum))
	}
	return errors.Join(errs...)
}

// Filled returns c with the defaults in place of its zeros, those of its rules
// included.
func (c Config) Filled() Config {
	if c.Share == 0 {
		c.Share = defaultShare
	}
	if c.Concurrent == 0 {
		c.Concurrent = defaultConcurrent
	}
	if c.Abort.Window == 0 {
		c.Abort.Window = defaultWindow
	}
	if c.Abort.Minimum == 0 {
		c.Abort.Minimum = defaultMinimum
	}
	rules := make([]Rule, len(c.Rules))
	for i, r := range c.Rules {
		rules[i] = r.filled()
	}
	c.Rules = rules
	return c
}

// bad is the problem of one field, which the text begins with.
func bad(field, format string, args ...any) error {
	return fmt.Errorf(field+": "+format, args...)
}
