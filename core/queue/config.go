package queue

import (
	"errors"
	"fmt"
	"time"

	"github.com/seakeep/seakeep/core"
)

// Order says who of those that wait with the same standing is next.
type Order uint8

const (
	// FIFO serves the oldest first. It is the zero value, because it is what
	// everybody expects and is fair while there is no overload.
	FIFO Order = iota
	// LIFO serves the newest first: under overload a few are served in good
	// time and the others not at all, instead of all too late.
	LIFO
	// CoDel is FIFO with Controlled Delay (RFC 8289) at its head: while waits
	// have been above Target for all of an Interval, some are dropped, ever
	// more often, until waits are short again.
	CoDel
	// CoDelLIFO is FIFO whose entries wait for Interval at the most. Once a
	// class has had somebody waiting for all of an Interval, its newest is
	// served first and its newcomers wait for Target at the most.
	CoDelLIFO
)

// String returns the order's name as a policy file has it.
func (o Order) String() string { return name(o, "fifo", "lifo", "codel", "codel-lifo") }

// Full says who has to go when there is no place left for a newcomer.
type Full uint8

const (
	// Reject refuses the newcomer. It is the zero value, because it breaks no
	// promise to those who wait.
	Reject Full = iota
	// DropOldest evicts from the least important class that waits: the oldest
	// entry of its largest flow. A newcomer of a still lower class is refused.
	// No rule takes a place that is kept for a class: see Rules.Floors.
	DropOldest
	// DropLowest evicts from a class below the newcomer's, or from a flow of
	// its class that has at least two entries more than the newcomer's: of
	// the lowest such class's largest flow the entry that would be served
	// last. A newcomer that is itself the lowest is refused.
	DropLowest
)

// String returns the rule's name as a policy file has it.
func (f Full) String() string { return name(f, "reject", "drop-oldest", "drop-lowest") }

func name[E ~uint8](e E, names ...string) string {
	if int(e) < len(names) {
		return names[e]
	}
	return "invalid"
}

// Rules say who is next and who has to go. The zero value is a plain queue:
// by class, first in first out, and full is full.
type Rules struct {
	Order Order
	Full  Full
	// Target is the wait that the CoDel orders aim for. 0 is 5ms, which suits
	// work of about a millisecond: RFC 8289 and Facebook's queues both use it.
	// It must be above the time that one piece of work takes, or the queue
	// drops what it could have served; give about half of the normal latency
	// at least.
	Target time.Duration
	// Interval is how long waits may be too long before the CoDel orders act.
	// 0 is 100ms, as in RFC 8289: longer than an ordinary burst, shorter than
	// a user's patience. At least Target.
	Interval time.Duration
	// Floors is for each class, by its Index, the share of what is given out
	// that it gets at least while it waits, from 0 to 1, together at most 1.
	// The same share of the places, in whole ones, is kept for it, or it could
	// not wait at all beside a higher class that fills the queue. The default
	// of 0 for all is strict priority, under which a long overload starves the
	// lower classes; that is what they are for.
	Floors [core.Criticalities]float64
}

// Config holds a queue's bounds and its rules.
type Config struct {
	// Length is how many entries may wait. It has no default: 0 means that
	// nobody may, and unlimited does not exist.
	Length int
	// PerFlow is how many entries of one flow may wait, in all classes
	// together. The default of 0 sets no bound but Length. Flow 0, which
	// stands for no tenant, has none either.
	PerFlow int
	Rules
}

const (
	defaultTarget   = 5 * time.Millisecond
	defaultInterval = 100 * time.Millisecond
	whole           = 1_000_000 // a share of 1, in millionths
)

// Validate returns nil, or one error for each field at fault, joined. Each
// names the field first and says how to mend it.
func (c Config) Validate() error {
	var errs []error
	if c.Length < 0 {
		errs = append(errs, bad("Length", "is %d; give how many may wait, or 0 for none", c.Length))
	}
	if c.PerFlow < 0 {
		errs = append(errs, bad("PerFlow", "is %d; give how many of one flow may wait, "+
			"or 0 for no bound of its own", c.PerFlow))
	}
	return errors.Join(append(errs, c.Rules.Validate())...)
}

// Validate returns nil, or one error for each field at fault, joined.
func (r Rules) Validate() error {
	var errs []error
	if r.Order > CoDelLIFO {
		errs = append(errs, bad("Order", "is %d; use FIFO, LIFO, CoDel or CoDelLIFO", r.Order))
	}
	if r.Full > DropLowest {
		errs = append(errs, bad("Full", "is %d; use Reject, DropOldest or DropLowest", r.Full))
	}
	if r.Target < 0 {
		errs = append(errs, bad("Target", "is %v; give a time such as 5ms", r.Target))
	}
	if r.Interval < 0 {
		errs = append(errs, bad("Interval", "is %v; give a time such as 100ms", r.Interval))
	} else if d := r.defaults(); r.Target >= 0 && d.Target > d.Interval {
		errs = append(errs, bad("Target", "is %v, above the interval of %v; give at most that",
			d.Target, d.Interval))
	}
	return errors.Join(append(errs, r.checkFloors())...)
}

func (r Rules) checkFloors() error {
	sum := 0
	for i, f := range r.Floors {
		if !(f >= 0 && f <= 1) {
			return bad("Floors", "is %v for %v; give a share from 0 to 1", f, core.CriticalityAt(i))
		}
		sum += millionths(f)
	}
	if sum > whole {
		return bad("Floors", "are %d%% together; give at most 100%%", (sum+whole/100-1)/(whole/100))
	}
	return nil
}

// defaults returns the rules with what was left out.
func (r Rules) defaults() Rules {
	if r.Target == 0 {
		r.Target = defaultTarget
	}
	if r.Interval == 0 {
		r.Interval = defaultInterval
	}
	return r
}

func millionths(share float64) int { return int(share*whole + 0.5) }

// bad begins with the field, by which a policy file's line is found.
func bad(field, format string, args ...any) error {
	return errors.New(field + ": " + fmt.Sprintf(format, args...))
}
