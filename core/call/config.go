package call

import (
	"errors"
	"fmt"

	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/budget"
	"github.com/seakeep/seakeep/core/bulkhead"
	"github.com/seakeep/seakeep/core/deadline"
	"github.com/seakeep/seakeep/core/hedge"
	"github.com/seakeep/seakeep/core/retry"
	"github.com/seakeep/seakeep/core/throttle"
)

// Rungs is a set of rungs of the ladder.
type Rungs uint8

const (
	// RungTimeout is the deadline at the start and the limit of each attempt.
	RungTimeout Rungs = 1 << iota
	// RungRetry is every attempt after the first.
	RungRetry
	// RungBreaker is the circuit breaker.
	RungBreaker
	// RungBulkhead is the limit on calls in flight.
	RungBulkhead
	// RungThrottle is the client's own refusal of what would be refused anyway.
	RungThrottle
	// RungHedge is the copies of calls that are slow.
	RungHedge
)

// Has reports whether the set holds the rung.
func (r Rungs) Has(rung Rungs) bool { return r&rung != 0 }

// Config is the policy of one dependency or operation. A nil rung is off;
// there is no hidden default that switches one on.
type Config struct {
	Name     string           // as it appears in events and errors: "pricing" or "pricing/search"
	Timeout  deadline.Config  // limits; a zero field is off
	Retry    *retry.Config    // attempts after the first
	Budget   *budget.Config   // what limits those attempts over all calls; nil: nothing does
	Breaker  *breaker.Config  // stop calling what is broken
	Keys     int              // above zero: one breaker per Request.Key, at most this many
	Bulkhead *bulkhead.Config // limit on calls in flight
	Throttle *throttle.Config // hold back what the dependency refuses anyway
	Hedge    *hedge.Config    // send a copy of what is slow
	Observe  Rungs            // rungs that decide and report but let the call pass
}

// Validate reports every setting that cannot work, one error a field, joined.
func (c Config) Validate() error {
	var errs []error
	add := func(rung string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", rung, err))
		}
	}
	add("timeout", c.Timeout.Validate())
	if c.Retry != nil {
		add("retry", c.Retry.Validate())
	}
	if c.Budget != nil {
		add("budget", c.Budget.Validate())
	}
	if c.Breaker != nil {
		add("breaker", c.Breaker.Validate())
	}
	if c.Keys < 0 {
		add("breaker", fmt.Errorf("Keys: is %d; give the most keys to keep, such as 1000", c.Keys))
	}
	if c.Bulkhead != nil {
		add("bulkhead", c.Bulkhead.Validate())
	}
	if c.Throttle != nil {
		add("throttle", c.Throttle.Validate())
	}
	if c.Hedge != nil {
		add("hedge", c.Hedge.Validate())
	}
	return errors.Join(errs...)
}
