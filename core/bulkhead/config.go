package bulkhead

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seakeep/seakeep/core/queue"
)

// Holds says what a slot stands for. It is carried here and acted upon by the
// call machine.
type Holds uint8

const (
	// Calls: the slot is held for the whole call, waits between attempts
	// included, as a thread or a request's memory would be. This is the zero
	// value because it bounds what a caller keeps alive.
	Calls Holds = iota
	// Attempts: the slot is given back while a retry waits for its turn, as a
	// connection would be, and acquired anew for the next attempt.
	Attempts
)

// String returns "calls" or "attempts".
func (h Holds) String() string {
	switch h {
	case Calls:
		return "calls"
	case Attempts:
		return "attempts"
	}
	return "invalid"
}

// Config sets the size of a bulkhead. Limit must be given; the rest may stay
// zero.
type Config struct {
	// Limit is how many calls may be in flight at once. It has no default: the
	// right number is the rate times the p99 latency plus headroom, which only
	// the owner of the traffic knows. Zero is an error and never "unlimited";
	// leave the bulkhead out to have none.
	Limit int
	// Queue is how many calls may wait for a slot. The default of zero refuses
	// at once: when a dependency is slow a queue only adds waiting, and the
	// fallback is better company. Use a short one to absorb bursts shorter
	// than the dependency's own latency.
	Queue int
	// Wait is how long a queued call waits for a slot before it is refused.
	// It is required when Queue is above zero, because a queue without a time
	// limit serves everybody too late. Without a queue it does nothing.
	Wait time.Duration
	// Holds says whether a slot stays taken while a retry waits.
	Holds Holds
	// Line says who of those that wait is next, and who has to go when the
	// queue is full. The zero value is first come, first served within each
	// class, and a full queue refuses.
	Line queue.Rules
	// FlowSlots is how many slots one flow, such as a tenant, may hold. The
	// default of 0 sets no bound but Limit. Flow 0, which stands for no tenant,
	// has none either.
	FlowSlots int
	// FlowQueue is how many calls of one flow may wait. The default of 0 sets
	// no bound but Queue. Flow 0 has none either.
	FlowQueue int
}

// Validate returns nil, or one error for each field at fault, joined. Each
// names the field first and says how to mend it.
func (c Config) Validate() error {
	var errs []error
	if c.Limit < 1 {
		errs = append(errs, fieldError("Limit", "is %d; give how many calls may be in flight "+
			"at once, at least 1, or leave the bulkhead out", c.Limit))
	}
	if c.Queue < 0 {
		errs = append(errs, fieldError("Queue", "is %d; give how many calls may wait, "+
			"or 0 for none", c.Queue))
	}
	if c.Wait < 0 {
		errs = append(errs, fieldError("Wait", "is %v; give a time such as 20ms", c.Wait))
	}
	if c.Queue > 0 && c.Wait == 0 {
		errs = append(errs, fieldError("Wait", "is 0 although Queue lets calls wait; "+
			"give how long they may, such as 20ms, or set Queue to 0"))
	}
	if c.Holds > Attempts {
		errs = append(errs, fieldError("Holds", "is %d; use Calls or Attempts", c.Holds))
	}
	if c.FlowSlots < 0 {
		errs = append(errs, fieldError("FlowSlots", "is %d; give how many slots one flow may "+
			"hold, or 0 for no bound of its own", c.FlowSlots))
	}
	if c.FlowQueue < 0 {
		errs = append(errs, fieldError("FlowQueue", "is %d; give how many calls of one flow may "+
			"wait, or 0 for no bound of its own", c.FlowQueue))
	}
	if err := c.Line.Validate(); err != nil {
		for line := range strings.Lines(err.Error()) {
			errs = append(errs, errors.New("Line."+strings.TrimSuffix(line, "\n")))
		}
	}
	return errors.Join(errs...)
}

// fieldError begins with the field, by which a policy file's line is found.
func fieldError(field, format string, args ...any) error {
	return errors.New(field + ": " + fmt.Sprintf(format, args...))
}
