package window

import (
	"math"
	"math/bits"
	"time"
)

// Bins is how many buckets a distribution has. They are the same for all, so
// that what was counted in one place can be added up in another.
const Bins = buckets

// Each visits the buckets that have counts, those of short latencies first.
func (q Quantiles) Each(visit func(bin int, n uint64)) {
	for i, n := range q.counts {
		if n > 0 {
			visit(i, n)
		}
	}
}

// Add adds n latencies that were counted in a bucket, at its middle. A bucket
// outside 0 to Bins-1 adds nothing.
func (q *Quantiles) Add(bin int, n uint64) {
	if bin < 0 || bin >= buckets || n == 0 {
		return
	}
	if q.counts == nil {
		q.counts = make([]uint64, buckets)
	}
	q.counts[bin] += n
	q.Count += n
	middle := MiddleOf(bin)
	q.Max = max(q.Max, middle)
	high, low := bits.Mul64(n, uint64(middle))
	if high > 0 {
		low = math.MaxInt64
	}
	q.Sum = addSaturating(q.Sum, time.Duration(min(low, math.MaxInt64)))
}
