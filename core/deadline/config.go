package deadline

import (
	"errors"
	"fmt"
	"time"
)

// Config holds the limits of one dependency or operation. Zero switches the
// limit off that it stands for. There are no defaults, because a useful
// timeout comes from the dependency's measured latency (about its p99.9 at the
// caller) and a guess would be either a lost call or no limit at all.
type Config struct {
	// Request limits one attempt. 0: an attempt may use the whole call.
	Request time.Duration

	// Total limits the whole call: every attempt, and the waits between them.
	// 0: only the caller's deadline limits it.
	Total time.Duration

	// Reserve is kept back from the caller's deadline, for what we do after
	// the call returns. It is not taken from Total, which is ours already.
	// 0: nothing is kept back.
	Reserve time.Duration

	// Needs is what the operation usually takes, for example its p50. With
	// less than that left, work is refused before it starts. 0: only a call
	// whose time is up is refused.
	Needs time.Duration
}

// Validate reports every field that cannot be used, one error a field, joined.
func (c Config) Validate() error {
	return errors.Join(
		notNegative("Request", c.Request),
		notNegative("Total", c.Total),
		notNegative("Reserve", c.Reserve),
		notNegative("Needs", c.Needs),
	)
}

func notNegative(field string, d time.Duration) error {
	if d >= 0 {
		return nil
	}
	return fmt.Errorf("%s: is %v; give a time such as 250ms, or leave it out", field, d)
}

// Warnings names settings that are allowed but cannot do what they seem to.
// Each text starts with the field it is about.
func (c Config) Warnings() []string {
	var warnings []string
	warn := func(format string, args ...any) {
		warnings = append(warnings, fmt.Sprintf(format, args...))
	}
	if c.Total > 0 && c.Request > c.Total {
		warn("Request: %v is never reached, because Total ends the call after %v",
			c.Request, c.Total)
	}
	if c.Total > 0 && c.Request == c.Total {
		warn("Request: %v leaves no time for a second attempt within Total, %v", c.Request, c.Total)
	}
	if c.Total > 0 && c.Needs > c.Total {
		warn("Needs: every call is refused, because %v never fits in Total, %v", c.Needs, c.Total)
	}
	if c.Request > 0 && c.Needs > c.Request {
		warn("Needs: an attempt ends after Request, %v, sooner than it usually answers, %v",
			c.Request, c.Needs)
	}
	return warnings
}
