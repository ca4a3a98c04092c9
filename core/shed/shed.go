package shed

import (
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/seakeep/seakeep/core"
)

// Shedder decides which requests are let in. It is safe for use by many
// goroutines. Make one with New.
type Shedder struct {
	mu     sync.Mutex
	latest core.Instant
	m      machine
}

// New returns a shedder that lets everything in, or the errors of c.Validate.
func New(c Config) (*Shedder, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("shed: %w", err)
	}
	return &Shedder{latest: math.MinInt64, m: newMachine(c.withDefaults())}, nil
}

// Admit decides about one request of level l. It returns NoReason to let it
// in, Shed if it is below the cut and somebody waits already, or
// AdmissionReduced if Reduce keeps it out. Requests that are refused are
// counted as well, because the cut is drawn through the whole demand.
func (s *Shedder) Admit(now core.Instant, l Level) core.Reason {
	s.lock(now)
	reason := s.m.admit(s.latest, l.clamp())
	s.mu.Unlock()
	return reason
}

// Report says that a request left our queue after wait and is being served. A
// request that found a free slot waited for 0. Tell of those that left the
// queue unserved with Dropped, or what we can do is taken for more than it is.
func (s *Shedder) Report(now core.Instant, wait time.Duration) {
	s.lock(now)
	s.m.left(s.latest, wait, true)
	s.mu.Unlock()
}

// Dropped says that a request that was let in left our queue after wait and
// was not served: it was evicted, it expired, its caller went away, or there
// was no place for it.
func (s *Shedder) Dropped(now core.Instant, wait time.Duration) {
	s.lock(now)
	s.m.left(s.latest, wait, false)
	s.mu.Unlock()
}

// Scheduler tells the latency of Go's scheduler, as the driver has measured
// it. It counts until the end of the window.
func (s *Shedder) Scheduler(now core.Instant, latency time.Duration) {
	s.lock(now)
	s.m.scheduler(s.latest, latency)
	s.mu.Unlock()
}

// Busy tells how many of our slots are in use and how many requests wait for
// one. Tell it after every change: while nobody waits, less is shed,
// because a refusal would only leave a slot idle. A limit of 0 says that
// nothing is known of slots.
func (s *Shedder) Busy(now core.Instant, inUse, limit, queued int) {
	s.lock(now)
	s.m.busy(s.latest, inUse, limit, queued)
	s.mu.Unlock()
}

// Reduce lets in only a share of what comes, from now on, the lowest levels
// being refused first; then more and more until, after ramp, everything is let
// in again. With a ramp of 0 the share stays until Reduce is called again. It
// is the lever of an operator and of Recovery, and it holds while slots are
// free. A share of 1 lifts it at once; shares outside 0 to 1 are taken for the
// nearest, and NaN for 1, because no mistake should close a service.
func (s *Shedder) Reduce(now core.Instant, share float64, ramp time.Duration) {
	s.lock(now)
	s.m.reduce(s.latest, share, ramp)
	s.mu.Unlock()
}

// RetryAfter returns how long a refused caller should stay away: the longer
// the more are refused, so that those who come back are no second overload. It
// is 0 while nothing is refused. The driver spreads it at random.
func (s *Shedder) RetryAfter(now core.Instant) time.Duration {
	s.lock(now)
	defer s.mu.Unlock()
	return s.m.retryAfter(s.latest)
}

// Class is what one class asked for and did not get, since New.
type Class struct {
	Offered uint64 // requests that came
	Refused uint64 // of those, not let in, for whichever reason
}

// Snapshot is a shedder at one moment.
type Snapshot struct {
	Cut        Level         // what is below is shed while somebody waits; 0: nothing
	Share      float64       // of recent demand that is let in, by the cut and by Reduce
	Reduced    float64       // the share that Reduce allows at present; 1: all
	Overloaded bool          // by the judgement of the last window
	Wait       time.Duration // mean wait in the queue, in the last window with any
	Classes    [core.Criticalities]Class
}

// Snapshot returns the shedder as it is at now.
func (s *Shedder) Snapshot(now core.Instant) Snapshot {
	s.lock(now)
	defer s.mu.Unlock()
	return s.m.snapshot(s.latest)
}

// lock locks and keeps the latest now, so that the machine never sees time go
// back although goroutines read the clock before they queue for the lock.
func (s *Shedder) lock(now core.Instant) {
	s.mu.Lock()
	s.latest = max(s.latest, now)
}
