package live

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
)

// Clock tells the time since a run began. It is started once all is ready:
// what setting up takes on a busy machine must not reach the figures.
type Clock struct{ began atomic.Int64 } // a core.Instant; 0: not yet

// Start begins the run now.
func (c *Clock) Start() { c.StartAt(seakeep.Now()) }

// StartAt begins the run at a moment, which is not zero.
func (c *Clock) StartAt(t core.Instant) { c.began.Store(int64(t)) }

// Started reports whether the run has begun.
func (c *Clock) Started() bool { return c.began.Load() != 0 }

// Now returns the time since the run began; before that it is negative.
func (c *Clock) Now() time.Duration {
	if !c.Started() {
		return -1
	}
	return c.Since(seakeep.Now())
}

// Since returns how long after the beginning of the run t is.
func (c *Clock) Since(t core.Instant) time.Duration { return t.Sub(core.Instant(c.began.Load())) }

// Instant is the inverse of Since.
func (c *Clock) Instant(at time.Duration) core.Instant {
	return core.Instant(c.began.Load()).Add(at)
}

// Time returns when it is so long after the beginning of the run.
func (c *Clock) Time(at time.Duration) time.Time { return seakeep.TimeOf(c.Instant(at)) }

// Pause waits, and reports false if whoever asked has left before.
func Pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
