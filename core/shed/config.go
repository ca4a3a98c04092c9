package shed

import (
	"errors"
	"fmt"
	"time"
)

// Config holds a shedder's numbers. A field that is zero has its default,
// except Scheduler.
type Config struct {
	// Target is the mean wait in our own queue above which we are overloaded.
	// 0 is 20ms, DAGOR's: short beside the 500 ms in which its tasks must end,
	// and long beside a healthy queue.
	Target time.Duration

	// Window is how often the wait is judged. 0 is 250ms: long enough for a
	// judgement where a hundred requests a second are served, and short enough
	// that a step to ten times the load is answered within a second.
	Window time.Duration

	// Requests ends a window sooner, after so many requests that came. 0 is
	// 2000, as DAGOR has it.
	Requests int

	// Shrink is how far below what was served the cut aims while we are
	// overloaded, so that the queue drains. 0 is 5 %, DAGOR's step down.
	Shrink float64

	// Grow is by how much more is let in after a window without overload, at
	// the least. 0 is 1 %, DAGOR's step up.
	Grow float64

	// Scheduler is the latency of Go's scheduler above which we are
	// overloaded, whatever the queue says. 0: it is not looked at.
	Scheduler time.Duration
}

const (
	defaultTarget   = 20 * time.Millisecond
	defaultWindow   = 250 * time.Millisecond
	defaultRequests = 2000
	defaultShrink   = 0.05
	defaultGrow     = 0.01

	minTarget   = 10 * time.Microsecond
	maxTarget   = time.Minute
	minWindow   = 10 * time.Millisecond
	maxWindow   = time.Minute
	minRequests = 100
	maxRequests = 1_000_000
)

// Validate reports every field that cannot be used, one error a field, joined.
func (c Config) Validate() error {
	return errors.Join(
		between("Target", c.Target, minTarget, maxTarget),
		between("Window", c.Window, minWindow, maxWindow),
		c.checkRequests(),
		share("Shrink", c.Shrink, 0.5),
		share("Grow", c.Grow, 1),
		between("Scheduler", c.Scheduler, minTarget, maxTarget),
	)
}

func (c Config) checkRequests() error {
	if c.Requests != 0 && (c.Requests < minRequests || c.Requests > maxRequests) {
		return bad("Requests", "is %d; give a number such as 2000, from %d to %d",
			c.Requests, minRequests, maxRequests)
	}
	return nil
}

// withDefaults returns c with its defaults written in.
func (c Config) withDefaults() Config {
	set(&c.Target, defaultTarget)
	set(&c.Window, defaultWindow)
	set(&c.Requests, defaultRequests)
	set(&c.Shrink, defaultShrink)
	set(&c.Grow, defaultGrow)
	return c
}

// set writes a default into a field that is zero.
func set[T int | float64 | time.Duration](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}

func between(field string, d, least, most time.Duration) error {
	if d != 0 && (d < least || d > most) {
		return bad(field, "is %v; give a time from %v to %v, or leave it out", d, least, most)
	}
	return nil
}

func share(field string, x, most float64) error {
	if !(x >= 0 && x <= most) {
		return bad(field, "is %v; give a share from 0 to %v", x, most)
	}
	return nil
}

// bad is the problem of one field, which the text begins with.
func bad(field, format string, args ...any) error {
	return fmt.Errorf(field+": "+format, args...)
}
