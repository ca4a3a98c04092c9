package retry

import (
	"math"
	"time"
)

// Jitter says how the wait is drawn.
type Jitter uint8

const (
	// Full draws from nothing to the whole wait. It is the default, because
	// it spreads callers the widest for the same mean load.
	Full Jitter = iota
	// Equal draws the upper half and keeps the lower.
	Equal
	// Decorrelated draws from Base to three times the wait before.
	Decorrelated
	// None waits exactly. Callers that failed together return together.
	None
)

var jitterNames = [...]string{"full", "equal", "decorrelated", "none"}

// String returns the jitter's name in lower case.
func (j Jitter) String() string {
	if int(j) < len(jitterNames) {
		return jitterNames[j]
	}
	return "invalid"
}

// Backoff is the curve of waits between attempts.
type Backoff struct {
	// Base is the wait before the second attempt, before jitter. 0 is 25ms:
	// about the time in which a neighbour in the same region recovers from a
	// blip, and Envoy's number. For no wait give 1ns.
	Base time.Duration

	// Cap bounds every wait. 0 is 1s, or Base if that is longer: a person who
	// waits for longer than a second has left.
	Cap time.Duration

	// Factor is by how much the wait grows from attempt to attempt. 0 is 2.
	Factor float64

	// Jitter says how the wait is drawn. Zero is Full.
	Jitter Jitter
}

const (
	defaultBase   = 25 * time.Millisecond
	defaultCap    = time.Second
	defaultFactor = 2
)

// Delay returns the wait before attempt k+1, where k counts from 1: it follows
// k attempts. prev is the wait before that one, 0 for none; only Decorrelated
// reads it. draw is uniform in [0, 1). The answer is never negative and never
// over the cap, whatever the arguments.
func (b Backoff) Delay(k int, prev time.Duration, draw float64) time.Duration {
	limit := b.limit()
	if !(draw >= 0) {
		draw = 0
	}
	draw = min(draw, 1)
	switch b.Jitter {
	case None:
		return clip(b.curve(k), limit)
	case Equal:
		half := min(b.curve(k), float64(limit)) / 2
		return clip(half+half*draw, limit)
	case Decorrelated:
		low := float64(b.base())
		high := 3 * float64(max(prev, b.base()))
		return clip(low+(high-low)*draw, limit)
	default:
		return clip(min(b.curve(k), float64(limit))*draw, limit)
	}
}

// curve is the wait without jitter and cap. It may be infinite.
func (b Backoff) curve(k int) float64 {
	factor := b.Factor
	if factor == 0 {
		factor = defaultFactor
	}
	return float64(b.base()) * math.Pow(factor, float64(max(k, 1)-1))
}

func (b Backoff) base() time.Duration {
	if b.Base == 0 {
		return defaultBase
	}
	return max(b.Base, 0)
}

func (b Backoff) limit() time.Duration {
	if b.Cap == 0 {
		return max(defaultCap, b.base())
	}
	return max(b.Cap, 0)
}

// clip turns a wait into a Duration. The comparison is made in floating point,
// before the conversion: a value out of range, or not a number, would convert
// to a negative wait, and that to a retry at once.
func clip(wait float64, limit time.Duration) time.Duration {
	if !(wait < float64(limit)) {
		return limit
	}
	return time.Duration(max(wait, 0))
}
