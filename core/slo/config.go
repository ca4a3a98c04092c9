package slo

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/seakeep/seakeep/core"
)

// Config says what a good event is, how many must be good and what follows
// from it. Only Objective has no default.
type Config struct {
	// Objective is the share of events that must be good, over 0 and under 1.
	// There is no default: what users do not notice only you can know.
	Objective float64

	// Latency is how long a good event takes at most. 0: it does not matter.
	Latency time.Duration

	// Freshness is how old what a good event answers is at most. 0: it does not
	// matter.
	Freshness time.Duration

	// Window is what the objective holds over.
	Window Window

	// Alerts are the pairs of windows that are watched; empty: none are.
	// Window.Pairs has the usual ones.
	Alerts []Pair

	// Guard keeps the alerts quiet while there is too little to judge by.
	Guard Guard

	// Maintenance are times whose events are not counted. At most 100.
	Maintenance []Span

	// Policy says what happens as the budget shrinks.
	Policy Policy
}

// Pair is an alert: two windows, and how much of the budget is spent in the
// longer one when it fires.
type Pair struct {
	Share float64       // of the budget, over 0 and at most 1
	Long  time.Duration // from 1m to the period
	Short time.Duration // 0 is Long/12, the usual share
	Page  bool          // somebody has to look now, and not just this week
}

// Guard is what the long window of a pair must hold for its alert to fire.
type Guard struct {
	Events uint64 // 0 is 10: of fewer no share says anything
	Bad    uint64 // 0 is 2: one bad event alone wakes nobody
}

// Span is the time in [From, To).
type Span struct{ From, To core.Instant }

// Policy is what was agreed for when the budget shrinks. The zero Policy does
// nothing.
type Policy struct {
	// Steps begin with the one for the most budget left. At most 8.
	Steps []Step

	// Back is how far above a step's Left the budget must be for the step to be
	// given back. 0 is 0.05: an hour of quiet in a month is not a recovery.
	Back float64
}

// Step is what happens from some amount of budget left on.
type Step struct {
	Left   float64 // the share of the budget, under 1; 0: it is spent
	Freeze bool    // no drill may begin, and those that run end
	Spare  float64 // retries and hedges get this share of their budgets; 0: nothing changes
	Level  int     // at least so many features of the degrade list are off
}

const (
	defaultEvents = 10
	defaultBad    = 2
	defaultBack   = 0.05

	minPeriod  = time.Hour
	maxPeriod  = 93 * 24 * time.Hour // a quarter, and a day for its clocks
	minLong    = time.Minute
	minShort   = 5 * time.Second // of the finest slices
	maxSpans   = 100
	maxPairs   = 16
	maxSteps   = 8
	mostLevels = 64

	lasts = 1e-9 // a factor may be this much under 1 by rounding
)

// Good reports whether an event was good. A neutral outcome says nothing: counts
// is false for it. Age is that of the answer; 0: it is fresh, or nobody knows.
func (c Config) Good(o core.Outcome, took, age time.Duration) (good, counts bool) {
	if o.Neutral() {
		return false, false
	}
	good = !o.Failed() && (c.Latency == 0 || took <= c.Latency) &&
		(c.Freshness == 0 || age <= c.Freshness)
	return good, true
}

// Budget is the share of events that may be bad.
func (c Config) Budget() float64 {
	const digits = 1e12 // 1-0.999 is not quite 0.001, and all spent would not be 0 left
	return math.Round((1-c.Objective)*digits) / digits
}

// Factor is how fast the budget burns when the pair fires.
func (c Config) Factor(p Pair) float64 {
	return p.Share * c.Window.Length().Seconds() / p.Long.Seconds()
}

// Filled returns c with the defaults in place of its zeros.
func (c Config) Filled() Config {
	fill(&c.Window.Period, defaultPeriod)
	fill(&c.Guard.Events, defaultEvents)
	fill(&c.Guard.Bad, defaultBad)
	fill(&c.Policy.Back, defaultBack)
	c.Alerts = append([]Pair(nil), c.Alerts...)
	for i := range c.Alerts {
		fill(&c.Alerts[i].Short, c.Alerts[i].Long/12)
	}
	return c
}

func fill[T comparable](v *T, with T) {
	var zero T
	if *v == zero {
		*v = with
	}
}

// Validate reports every field that cannot be used, one error a field, joined.
func (c Config) Validate() error {
	var errs []error
	add := func(field, format string, args ...any) {
		errs = append(errs, fmt.Errorf(field+": "+format, args...))
	}
	if !(c.Objective > 0 && c.Objective < 1 && c.Budget() > 0) {
		add("Objective", "is %v; give a share such as 99.9%%, over 0 and under 100%%", c.Objective)
	}
	if c.Latency < 0 {
		add("Latency", "is %v; give a time such as 300ms", c.Latency)
	}
	if c.Freshness < 0 {
		add("Freshness", "is %v; give a time such as 1m", c.Freshness)
	}
	errs = append(errs, c.Window.validate())
	c.checkAlerts(add)
	if len(c.Maintenance) > maxSpans {
		add("Maintenance", "has %d times; give at most %d", len(c.Maintenance), maxSpans)
	}
	for i, s := range c.Maintenance {
		if s.To <= s.From {
			add("Maintenance", "number %d ends before it begins; swap the two", i+1)
		}
	}
	c.Policy.check(add)
	return errors.Join(errs...)
}

func (c Config) checkAlerts(add func(field, format string, args ...any)) {
	if len(c.Alerts) > maxPairs {
		add("Alerts", "has %d pairs; give at most %d", len(c.Alerts), maxPairs)
	}
	for i, p := range c.Filled().Alerts {
		switch length := c.Window.Length(); {
		case !(p.Share > 0 && p.Share <= 1):
			add("Alerts", "number %d has the share %v; give one such as 2%%", i+1, p.Share)
		case p.Long < minLong || p.Long > length && length >= minLong:
			add("Alerts", "number %d has a window of %v; give one from %v to the period, %v",
				i+1, p.Long, minLong, length)
		case p.Short < minShort || p.Short > p.Long:
			add("Alerts", "number %d has a short window of %v; give one from %v to the long one, "+
				"%v", i+1, p.Short, minShort, p.Long)
		}
	}
}

func (p Policy) check(add func(field, format string, args ...any)) {
	if len(p.Steps) > maxSteps {
		add("Policy.Steps", "has %d steps; give at most %d", len(p.Steps), maxSteps)
	}
	if !(p.Back >= 0 && p.Back <= 1) {
		add("Policy.Back", "is %v; give a share such as 5%%", p.Back)
	}
	last := 1.0
	for i, s := range p.Steps {
		switch {
		case !(s.Left < last) || math.IsInf(s.Left, 0):
			add("Policy.Steps", "number %d begins at %v, not below the one before, %v; "+
				"begin with the most budget left", i+1, s.Left, last)
		case !(s.Spare >= 0 && s.Spare <= 1):
			add("Policy.Steps", "number %d leaves %v of the budgets; give a share such as 50%%",
				i+1, s.Spare)
		case s.Level < 0 || s.Level > mostLevels:
			add("Policy.Steps", "number %d drops %d features; give up to %d", i+1, s.Level,
				mostLevels)
		}
		last = s.Left
	}
}

// Doubts returns what can be used and hardly is meant, each like an error of
// Validate. c is valid.
func (c Config) Doubts() (doubts []error) {
	most := 1 / c.Budget()
	for i, p := range c.Filled().Alerts {
		switch f := c.Factor(p); {
		case f >= most:
			doubts = append(doubts, fmt.Errorf("Alerts: number %d can never fire: it waits for "+
				"the budget to burn %.4g times too fast, and with nothing but errors it burns "+
				"%.4g times too fast; raise the objective, or give a smaller share", i+1, f, most))
		case f < 1-lasts:
			doubts = append(doubts, fmt.Errorf("Alerts: number %d fires at a burn rate of %.4g, "+
				"at which the budget lasts longer than the period; give a larger share, or a "+
				"shorter window", i+1, f))
		}
	}
	return doubts
}
