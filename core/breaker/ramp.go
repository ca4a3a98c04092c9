package breaker

import (
	"math/bits"
	"time"

	"github.com/seakeep/seakeep/core"
)

// ramp lets a rising share of calls pass. The zero value lets all pass.
type ramp struct {
	start, end core.Instant
	length     time.Duration
	credit     uint64 // in millionths of a call
}

const (
	whole = 1_000_000  // one call, or all calls
	floor = whole / 10 // the share let through at first
	rise  = whole - floor
)

func newRamp(now core.Instant, length time.Duration) ramp {
	if length == 0 {
		return ramp{}
	}
	// The first call passes, so that a quiet caller is not refused at once.
	return ramp{start: now, end: now.Add(length), length: length, credit: rise}
}

func (r *ramp) over(now core.Instant) bool { return r.length == 0 || now >= r.end }

// share is what is let through at now, in millionths.
func (r *ramp) share(now core.Instant) uint64 {
	if r.over(now) {
		return whole
	}
	hi, lo := bits.Mul64(uint64(now.Sub(r.start)), rise)
	part, _ := bits.Div64(hi, lo, uint64(r.length))
	return floor + part
}

// admit spreads the share evenly: it adds up shares, and lets a call pass each
// time they make a whole one. Integers keep this the same on every machine.
func (r *ramp) admit(now core.Instant) bool {
	if r.over(now) {
		return true
	}
	r.credit += r.share(now)
	if r.credit < whole {
		return false
	}
	r.credit -= whole
	return true
}
