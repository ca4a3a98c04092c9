package slo

import (
	"math"
	"time"

	"github.com/seakeep/seakeep/core"
)

// Counts are events.
type Counts struct{ Bad, Total uint64 }

// Ratio returns the share of bad events; it reports false if there were none.
func (c Counts) Ratio() (ratio float64, ok bool) {
	if c.Total == 0 {
		return 0, false
	}
	return float64(c.Bad) / float64(c.Total), true
}

func (c *Counts) add(d Counts) { c.Bad, c.Total = c.Bad+d.Bad, c.Total+d.Total }

// slices is how many a ring has: a window that fills its ring is wrong by 0.14 %
// of its length at most.
const slices = 720

// finest is the width of the finest slices. All others are multiples of it.
const finest = 5 * time.Second

// widths are those of the rings that do not depend on the period.
var widths = [...]time.Duration{finest, time.Minute, 10 * time.Minute}

// rings are all of an objective's: the last is the period's.
const rings = len(widths) + 1

// slice is what happened in [number × width, (number+1) × width).
type slice struct {
	number int64
	Counts
}

// never is the number of a slice that nothing was counted in.
const never = math.MinInt64

// ring holds the latest slices of one width.
type ring struct {
	width  time.Duration
	slices []slice // the one of number n is at n modulo the length
}

func newRing(width time.Duration, n int) ring {
	r := ring{width: width, slices: make([]slice, n)}
	for i := range r.slices {
		r.slices[i].number = never
	}
	return r
}

// numberOf returns the number of the slice that t is in.
func numberOf(t core.Instant, width time.Duration) int64 {
	n := int64(t) / int64(width)
	if int64(t)%int64(width) < 0 {
		n--
	}
	return n
}

func (r *ring) at(number int64) *slice {
	i := number % int64(len(r.slices))
	if i < 0 {
		i += int64(len(r.slices))
	}
	return &r.slices[i]
}

// add counts what happened at t. What is older than the ring remembers is lost.
func (r *ring) add(t core.Instant, c Counts) {
	n := numberOf(t, r.width)
	s := r.at(n)
	switch {
	case s.number < n:
		*s = slice{n, c}
	case s.number == n:
		s.add(c)
	}
}

// sum returns what happened in (from, to], the slice that from falls into left
// out.
func (r *ring) sum(from, to core.Instant) (c Counts) {
	last := numberOf(to, r.width)
	first := max(numberOf(from, r.width)+1, last-int64(len(r.slices))+1)
	for n := first; n <= last; n++ {
		if s := r.at(n); s.number == n {
			c.add(s.Counts)
		}
	}
	return c
}

// begins returns when a slice of r begins.
func (r *ring) begins(s slice) core.Instant { return core.Instant(s.number * int64(r.width)) }

// each visits what was counted, the oldest first.
func (r *ring) each(visit func(slice)) {
	last := int64(never)
	for i := range r.slices {
		last = max(last, r.slices[i].number)
	}
	if last == never {
		return
	}
	for n := last - int64(len(r.slices)) + 1; n <= last; n++ {
		if s := r.at(n); s.number == n {
			visit(*s)
		}
	}
}
