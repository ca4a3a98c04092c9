package window

import (
	"math"
	"math/bits"
	"sync/atomic"
	"time"
)

const (
	// subBits is the power of two of the buckets within one power of two.
	subBits = 5
	// topBits is where the histogram ends: 2^37 ns are 137 s.
	topBits = 37
	// buckets covers [0, 2^topBits) and one more for all that is longer.
	buckets = (topBits-subBits)<<subBits + 1<<subBits + 1
)

// Histogram counts latencies in buckets that grow with the latency. The zero
// value is empty and ready. It takes 8 kB and is safe for concurrent use.
type Histogram struct {
	sum    atomic.Uint64
	max    atomic.Int64
	counts [buckets]atomic.Uint64
}

// bucketOf returns the bucket of a latency that is not negative.
func bucketOf(d time.Duration) int {
	const linear = 1<<(subBits+1) - 1 // up to here each nanosecond has its own bucket
	shift := bits.Len64(uint64(d)|linear) - subBits - 1
	i := shift<<subBits + int(uint64(d)>>shift)
	return min(i, buckets-1)
}

// MiddleOf returns the latency in the middle of a bucket, which is within 1.6 %
// of all that are counted there.
func MiddleOf(i int) time.Duration {
	if i < 1<<(subBits+1) {
		return time.Duration(i)
	}
	shift := i>>subBits - 1
	low := time.Duration(i-shift<<subBits) << shift
	return low + time.Duration(1)<<shift/2
}

// Record counts one latency. A negative one counts as zero, so that a clock
// that stepped back never lowers the sum. It does not allocate.
func (h *Histogram) Record(d time.Duration) {
	d = max(d, 0)
	h.counts[bucketOf(d)].Add(1)
	h.sum.Add(uint64(d))
	for {
		top := h.max.Load()
		if int64(d) <= top || h.max.CompareAndSwap(top, int64(d)) {
			return
		}
	}
}

// Snapshot returns what was recorded up to now. Latencies recorded meanwhile
// may be in it or not.
func (h *Histogram) Snapshot() Quantiles {
	var q Quantiles
	h.addTo(&q)
	return q
}

func (h *Histogram) addTo(q *Quantiles) {
	if q.counts == nil {
		q.counts = make([]uint64, buckets)
	}
	for i := range h.counts {
		n := h.counts[i].Load()
		q.counts[i] += n
		q.Count += n
	}
	q.Sum = addSaturating(q.Sum, time.Duration(min(h.sum.Load(), math.MaxInt64)))
	q.Max = max(q.Max, time.Duration(h.max.Load()))
}

// Reset empties the histogram. A latency recorded at the same moment may stay.
func (h *Histogram) Reset() {
	for i := range h.counts {
		h.counts[i].Store(0)
	}
	h.sum.Store(0)
	h.max.Store(0)
}

// Quantiles is a distribution of latencies, read at one moment. The zero value
// is an empty one.
type Quantiles struct {
	Count  uint64
	Sum    time.Duration // of all latencies; stays at the end of the range
	Max    time.Duration // exact
	counts []uint64
}

// Mean returns the exact mean. Without latencies there is none: ok is false.
func (q Quantiles) Mean() (mean time.Duration, ok bool) {
	if q.Count == 0 {
		return 0, false
	}
	return time.Duration(uint64(q.Sum) / q.Count), true
}

// Quantile returns the latency that the share p of calls did not exceed, by
// nearest rank, within 1.6 % of its true value: 0.5 gives the median, 0.99 the
// 99th percentile, 0 the shortest and 1 the longest latency (the last one
// exactly). A p outside 0 to 1 counts as its nearest end. Without latencies
// there is none: ok is false.
func (q Quantiles) Quantile(p float64) (d time.Duration, ok bool) {
	if q.Count == 0 {
		return 0, false
	}
	rank := uint64(1)
	if p > 0 {
		rank = uint64(math.Ceil(min(p, 1) * float64(q.Count)))
	}
	if rank >= q.Count {
		return q.Max, true
	}
	var seen uint64
	for i, n := range q.counts {
		seen += n
		if seen >= rank {
			if i == buckets-1 {
				break
			}
			return min(MiddleOf(i), q.Max), true
		}
	}
	return q.Max, true
}

// Merge returns the distribution of the latencies of both.
func (q Quantiles) Merge(o Quantiles) Quantiles {
	sum := Quantiles{
		Count: q.Count + o.Count,
		Sum:   addSaturating(q.Sum, o.Sum),
		Max:   max(q.Max, o.Max),
	}
	if q.counts == nil && o.counts == nil {
		return sum
	}
	sum.counts = make([]uint64, buckets)
	copy(sum.counts, q.counts)
	for i, n := range o.counts {
		sum.counts[i] += n
	}
	return sum
}

func addSaturating(a, b time.Duration) time.Duration {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
