package core

import (
	"math"
	"time"
)

// Instant is a point on a driver's monotonic clock, in nanoseconds. Its origin
// means nothing and may be negative: only differences count. A driver in real
// time takes it from Go's monotonic reading, the simulator from its event
// queue.
type Instant int64

// Never is an Instant that no clock reaches: the wake-up time of a call that
// needs no timer, the deadline of a call that has none.
const Never Instant = math.MaxInt64

// Add returns t moved by d. It saturates: beyond the ends of the range it
// stays at the end, so that a huge wait can never wrap into the past.
func (t Instant) Add(d time.Duration) Instant {
	sum := t + Instant(d)
	if d > 0 && sum < t {
		return Never
	}
	if d < 0 && sum > t {
		return math.MinInt64
	}
	return sum
}

// Sub returns the time from u to t, saturating at the ends of a Duration.
func (t Instant) Sub(u Instant) time.Duration {
	d := t - u
	if t > u && d < 0 {
		return math.MaxInt64
	}
	if t < u && d > 0 {
		return math.MinInt64
	}
	return time.Duration(d)
}
