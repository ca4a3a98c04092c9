package outlier

import (
	"math"
	"math/bits"
	"time"
)

const (
	// fine is the power of two of the buckets within one power of two: a
	// quantile is within 6 % of its true value, which a factor does not feel.
	fine = 3
	// topBits is where the buckets end: 2^27 us are 134 s.
	topBits = 27
	buckets = (topBits-fine)<<fine + 1<<fine
)

// spread counts the latencies of one endpoint in one interval, in microseconds.
type spread struct {
	n      int
	counts [buckets]uint32
}

func (s *spread) add(d time.Duration) {
	const linear = 1<<(fine+1) - 1 // up to here each microsecond has its own bucket
	us := uint64(max(d, 0) / time.Microsecond)
	shift := bits.Len64(us|linear) - fine - 1
	s.counts[min(shift<<fine+int(us>>shift), buckets-1)]++
	s.n++
}

// quantile returns the latency that the share p did not exceed; 0 if there is
// none.
func (s *spread) quantile(p float64) time.Duration {
	rank := max(1, int(math.Ceil(p*float64(s.n))))
	for i, n := range s.counts {
		if rank -= int(n); rank <= 0 {
			return middleOf(i)
		}
	}
	return 0
}

func middleOf(i int) time.Duration {
	if i < 1<<(fine+1) {
		return time.Duration(i) * time.Microsecond
	}
	shift := i>>fine - 1
	low := time.Duration(i-shift<<fine) << shift
	return (low + time.Duration(1)<<shift/2) * time.Microsecond
}
