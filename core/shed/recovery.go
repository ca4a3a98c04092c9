package shed

import (
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/seakeep/seakeep/core"
)

// State says where a service is on its way into a collapse and out of it.
type State uint8

const (
	// Healthy: nothing is held back.
	Healthy State = iota
	// Suspected: work is wasted although demand is normal; not for long
	// enough yet to act.
	Suspected
	// Cut: admission is held low until work is useful again.
	Cut
	// Returning: admission is on its way back to all.
	Returning
)

// String returns the state's name in lower case.
func (s State) String() string {
	names := [...]string{"healthy", "suspected", "cut", "returning"}
	if int(s) < len(names) {
		return names[s]
	}
	return "invalid"
}

// Order is what Recovery wants of the Shedder: Reduce(now, Share, Ramp). From
// and To are the states before and after.
type Order struct {
	Share    float64
	Ramp     time.Duration
	From, To State
}

// Recovery sees a collapse that keeps itself up and leads the way out. It is
// safe for use by many goroutines. Make one with NewRecovery.
type Recovery struct {
	mu     sync.Mutex
	latest core.Instant
	m      recovery
}

// NewRecovery returns a Recovery that knows nothing yet, or the errors of
// c.Validate.
func NewRecovery(c RecoveryConfig) (*Recovery, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("shed: %w", err)
	}
	return &Recovery{latest: math.MinInt64, m: newRecovery(c.withDefaults())}, nil
}

// Arrived says that a request came, before anything was decided about it, and
// whether it says of itself that it is another try. A request whose caller
// does not say counts as a first one, so that where nobody says, retries look
// like demand and a collapse is not seen.
func (r *Recovery) Arrived(now core.Instant, retry bool) {
	r.lock(now)
	r.m.arrived(r.latest, retry)
	r.mu.Unlock()
}

// Ended says that a request that was let in is over. It was useful if it was
// answered in time to somebody who still waited, with whatever answer: an
// error of a dependency that comes in time is a matter for breakers. It was
// not if it expired, was dropped after waiting, or was abandoned by its
// caller. A request that was refused on arrival is not told: it cost nothing.
func (r *Recovery) Ended(now core.Instant, useful bool) {
	r.lock(now)
	r.m.ended(r.latest, useful)
	r.mu.Unlock()
}

// Sweep judges the windows that are over. It must be called about as often as
// a window is long. If changed is true, the state has changed and the order is
// to be carried out; it may be the same share as before.
func (r *Recovery) Sweep(now core.Instant) (act Order, changed bool) {
	r.lock(now)
	defer r.mu.Unlock()
	return r.m.sweep(r.latest)
}

// RecoverySnapshot is a Recovery at one moment.
type RecoverySnapshot struct {
	State  State
	Useful float64 // answers in time a second, in the last window
	Normal float64 // first attempts a second, when healthy; 0: not known yet
	Best   float64 // answers in time a second, when healthy; 0: not known yet
	Share  float64 // that was last ordered
	Cuts   uint64  // since NewRecovery, deeper ones included
}

// Snapshot returns the recovery as it is at now.
func (r *Recovery) Snapshot(now core.Instant) RecoverySnapshot {
	r.lock(now)
	defer r.mu.Unlock()
	return r.m.snapshot()
}

func (r *Recovery) lock(now core.Instant) {
	r.mu.Lock()
	r.latest = max(r.latest, now)
}
