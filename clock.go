package seakeep

import (
	"context"
	"time"

	"github.com/seakeep/seakeep/core"
)

// epoch is the origin of the driver's clock. Only differences count, and
// time.Since of a fixed time reads the monotonic clock alone, which costs half
// of time.Now.
var epoch = time.Now()

// Now returns the driver's clock: nanoseconds on Go's monotonic clock, from an
// origin that means nothing.
func Now() core.Instant { return core.Instant(time.Since(epoch)) }

// TimeOf turns an Instant of Now into a time.
func TimeOf(t core.Instant) time.Time { return epoch.Add(time.Duration(t)) }

// InstantOf turns a time into an Instant of Now. A time without a monotonic
// reading, such as one that was read from a wire, is compared with the wall
// clock as it is now: it may have been set since the epoch.
func InstantOf(t time.Time) core.Instant { return instantOf(t, epoch) }

func instantOf(t, epoch time.Time) core.Instant {
	if t != t.Round(0) {
		return core.Instant(t.Sub(epoch))
	}
	now := time.Now()
	return core.Instant(now.Sub(epoch)).Add(t.Sub(now))
}

// deadlineOf returns the context's deadline, or core.Never.
func deadlineOf(ctx context.Context) core.Instant {
	if t, ok := ctx.Deadline(); ok {
		return InstantOf(t)
	}
	return core.Never
}
