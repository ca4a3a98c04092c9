package throttle

import (
	"sync"
	"time"

	"github.com/seakeep/seakeep/core"
)

// Throttle decides whether a request is worth sending. It is safe for use by
// many goroutines. Make one with New.
//
// Each request does Admit once. If it is let through, every attempt that is
// made for it does Report, unless how it ended says nothing about the backend.
type Throttle struct {
	mu   sync.Mutex
	last core.Instant // the latest time told, because the machine's never goes back
	m    machine
}

// New returns a throttle that follows c, with nothing counted.
func New(c Config) (*Throttle, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return &Throttle{last: longAgo, m: newMachine(c)}, nil
}

// Admit reports whether a request of this class may be sent. The draw is a
// random number in [0, 1): another for each request. A request that is refused
// counts as a request. It panics if there is no such class.
func (t *Throttle) Admit(now core.Instant, class core.Criticality, draw float64) bool {
	i := index(class)
	t.mu.Lock()
	ok := t.m.admit(t.clamp(now), i, draw)
	t.mu.Unlock()
	return ok
}

// Check is Admit for a throttle that only watches: the request is sent either
// way, so nothing is counted before its Report.
func (t *Throttle) Check(now core.Instant, class core.Criticality, draw float64) bool {
	i := index(class)
	t.mu.Lock()
	ok := t.m.check(t.clamp(now), i, draw)
	t.mu.Unlock()
	return ok
}

// Report says whether the backend accepted a request that was sent; Accepted
// tells it from a result. A request whose end is neutral is not reported. It
// panics if there is no such class.
func (t *Throttle) Report(now core.Instant, class core.Criticality, accepted bool) {
	i := index(class)
	t.mu.Lock()
	t.m.report(t.clamp(now), i, accepted)
	t.mu.Unlock()
}

// Accepted reports whether a result means that the backend took the request
// on: it answered, if only with an error of its own. It did not if it said that
// it has too much to do, if it gave no answer in time, and if the request, or
// the answer, did not make it through: a backend that cannot even refuse has
// not accepted either. Of a neutral result it means nothing.
func Accepted(r core.Result) bool {
	switch r.Outcome {
	case core.Success:
		return true
	case core.Failure:
		return r.Cause != core.Unsent && r.Cause != core.Reset && r.Cause != core.BadGateway
	}
	return false
}

// Reconfigure changes the throttle's numbers while it is in use. What was
// counted stays, judged by the new numbers. It changes nothing if c is not
// valid.
func (t *Throttle) Reconfigure(now core.Instant, c Config) error {
	if err := c.Validate(); err != nil {
		return err
	}
	t.mu.Lock()
	t.m.reconfigure(t.clamp(now), c)
	t.mu.Unlock()
	return nil
}

// Snapshot is a throttle at one moment.
type Snapshot struct {
	Window  time.Duration
	Classes [core.Criticalities]Class // by Criticality.Index
}

// Class is what a throttle knows of the requests of one criticality.
type Class struct {
	Requests int64   // in the window, those refused here included
	Accepts  int64   // in the window
	Refusal  float64 // the share that is refused now
	Refused  uint64  // since the throttle was made
}

// Snapshot returns the throttle as it is at now.
func (t *Throttle) Snapshot(now core.Instant) Snapshot {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m.advance(t.clamp(now))
	s := Snapshot{Window: t.m.cfg.Window}
	for i, c := range t.m.sum {
		s.Classes[i] = Class{c.requests, c.accepts, t.m.refusal(i), t.m.refused[i]}
	}
	return s
}

// clamp returns the latest time told so far: two goroutines may read the clock
// in one order and take the lock in the other.
func (t *Throttle) clamp(now core.Instant) core.Instant {
	t.last = max(t.last, now)
	return t.last
}

func index(class core.Criticality) int {
	i := class.Index()
	if i < 0 || i >= core.Criticalities {
		panic("throttle: no such criticality")
	}
	return i
}
