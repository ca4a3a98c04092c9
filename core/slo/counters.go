package slo

import "math"

// Counters turns two counters of another process, of bad events and of all,
// into what was added to them. A counter that is lower than before has begun
// again from nothing, as after a restart. The zero Counters is ready for use; it
// is not safe for concurrent use.
type Counters struct {
	bad, total float64
	owed       float64 // bad events whose total has not come yet
	seen       bool
}

// Next returns what was added since the last values. The first ones, and what is
// no number, add nothing. If the two begin again at different times the bad
// ones wait until they fit into the total.
func (c *Counters) Next(bad, total float64) Counts {
	if !(bad >= 0 && total >= 0) || math.IsInf(bad, 0) || math.IsInf(total, 0) {
		return Counts{}
	}
	if !c.seen {
		c.bad, c.total, c.seen = bad, total, true
		return Counts{}
	}
	more := step(c.total, total)
	c.owed += step(c.bad, bad)
	c.bad, c.total = bad, total
	fits := math.Min(c.owed, more)
	c.owed -= fits
	return Counts{Bad: uint64(fits), Total: uint64(more)}
}

// step is what was added between two values of a counter.
func step(before, after float64) float64 {
	if after < before {
		return after
	}
	return after - before
}
