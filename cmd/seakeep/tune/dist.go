package tune

import (
	"math"
	"slices"
	"sort"
	"time"

	"github.com/seakeep/seakeep/sim/stats"
)

// bin counts latencies above low and up to high, in seconds. Where a latency is
// known exactly both are the same. High is infinite where a call was cut off.
type bin struct {
	low, high float64
	count     int
}

// Dist is a distribution of latencies.
type Dist struct {
	bins []bin // by high, then low
	upTo []int // how many are in this bin and those before
}

// newDist sorts the bins, which it keeps, and leaves out those that are empty.
func newDist(bins []bin) *Dist {
	d := &Dist{bins: slices.DeleteFunc(bins, func(b bin) bool { return b.count <= 0 })}
	slices.SortFunc(d.bins, byHigh)
	return d.counted()
}

func byHigh(a, b bin) int {
	if a.high != b.high {
		return order(a.high, b.high)
	}
	return order(a.low, b.low)
}

// together are the latencies of two distributions.
func together(a, b *Dist) *Dist {
	d := &Dist{bins: make([]bin, 0, len(a.bins)+len(b.bins))}
	x, y := a.bins, b.bins
	for len(x) > 0 && len(y) > 0 {
		if byHigh(x[0], y[0]) <= 0 {
			d.bins, x = append(d.bins, x[0]), x[1:]
		} else {
			d.bins, y = append(d.bins, y[0]), y[1:]
		}
	}
	d.bins = append(append(d.bins, x...), y...)
	return d.counted()
}

// counted is the distribution with its sums, for bins in order. Those that are
// the same become one.
func (d *Dist) counted() *Dist {
	all := d.bins[:0]
	for _, b := range d.bins {
		if n := len(all); n > 0 && all[n-1].low == b.low && all[n-1].high == b.high {
			all[n-1].count += b.count
		} else {
			all = append(all, b)
		}
	}
	d.bins = all
	d.upTo = make([]int, len(d.bins))
	n := 0
	for i, b := range d.bins {
		n += b.count
		d.upTo[i] = n
	}
	return d
}

func order(a, b float64) int {
	if a < b {
		return -1
	}
	if a > b {
		return 1
	}
	return 0
}

// N is how many latencies there are.
func (d *Dist) N() int {
	if d == nil || len(d.upTo) == 0 {
		return 0
	}
	return d.upTo[len(d.upTo)-1]
}

// at is the bin of the k-th latency, counted from 1, and how far within it.
func (d *Dist) at(k int) (b bin, share float64) {
	k = min(max(k, 1), d.N())
	i := sort.SearchInts(d.upTo, k)
	b = d.bins[i]
	return b, float64(k-(d.upTo[i]-b.count)) / float64(b.count)
}

// Quantile is the latency that a share q of calls does not exceed, with bounds
// that hold the true one in 95 of 100 cases; infinite where the sample has none.
// Within a bucket it is interpolated, and the bounds are the bucket's own. With
// few calls beyond it the value is that of a fitted tail, where one fits.
func (d *Dist) Quantile(q float64) stats.Quantile {
	n := d.N()
	if n == 0 {
		return stats.Quantile{Value: math.NaN(), Low: 0, High: math.Inf(1)}
	}
	low, at, high := stats.Ranks(n, q, 0.95)
	out := stats.Quantile{Low: 0, High: math.Inf(1)}
	b, share := d.at(at)
	if out.Value = b.high; b.low < b.high && !math.IsInf(b.high, 1) {
		out.Value = b.low + share*(b.high-b.low)
	}
	if low >= 1 {
		b, _ := d.at(low)
		out.Low = b.low
	}
	if high <= n {
		b, _ := d.at(high)
		out.High = b.high
	}
	out.Value = d.smooth(q, out)
	return out
}

// Beyond is the share of calls that take longer than a time. Within a bucket it is
// interpolated, as in Quantile; calls that were cut off earlier may have taken so
// long, and count.
func (d *Dist) Beyond(seconds float64) float64 {
	if d.N() == 0 {
		return 0
	}
	over := 0.0
	for i := len(d.bins) - 1; i >= 0 && d.bins[i].high > seconds; i-- {
		b := d.bins[i]
		if part := (b.high - seconds) / (b.high - b.low); b.low < seconds && !math.IsInf(b.high, 1) {
			over += part * float64(b.count)
		} else {
			over += float64(b.count)
		}
	}
	return over / float64(d.N())
}

// enough reports whether there are calls enough beyond a quantile, and how many
// calls that needs.
func enough(n int, q float64) (need int, ok bool) {
	need = int(math.Ceil(leastBeyond/(1-q) - 1e-6))
	return need, n >= need
}

// leastBeyond is how many calls must lie beyond a quantile on average. The true
// share beyond it is then within a factor of two in 97 of 100 samples, and in 99
// where a tail can be fitted.
const leastBeyond = 10

// Sample is what a source has about one dependency.
type Sample struct {
	Dependency string   // empty: the source does not say
	Operation  string   // empty: all of them
	All        *Dist    // attempts that were answered, and those cut off as longer than they took
	Halves     [2]*Dist // of the time measured; nil: unknown
	Calls      int      // all of them
	Failed     int      // of them: cut off too
	Cut        int      // of them: cut off by a timeout
	Seconds    float64  // over what time; 0: unknown
	Rate       float64  // calls a second; 0: unknown
	Notes      []string
}

// logged is one attempt of a log.
type logged struct {
	at      float64 // seconds since whenever; NaN: unknown
	latency float64 // seconds
	outcome outcome
}

type outcome uint8

const (
	fine   outcome = iota
	failed         // with an answer or without; its latency tells nothing of healthy calls
	cutOff         // by a timeout: it would have taken longer
	left           // by the caller: nobody knows how long it would have taken
)

// mostCalls is how many lines of a log are taken. It is what fits into 100 MB.
const mostCalls = 4_000_000

// sampleOf sums up the calls of a log.
func sampleOf(dependency string, calls []logged) Sample {
	s := Sample{Dependency: dependency, Calls: len(calls)}
	first, last, timed := math.Inf(1), math.Inf(-1), true
	for _, c := range calls {
		switch c.outcome {
		case failed:
			s.Failed++
		case cutOff:
			s.Failed++
			s.Cut++
		}
		timed = timed && !math.IsNaN(c.at)
		first, last = math.Min(first, c.at), math.Max(last, c.at)
	}
	if timed && len(calls) > 1 && last > first {
		s.Seconds = last - first
		s.Rate = float64(len(calls)-1) / s.Seconds
		byTime := func(a, b logged) int { return order(a.at, b.at) }
		if !slices.IsSortedFunc(calls, byTime) {
			slices.SortStableFunc(calls, byTime)
		}
		if s.Seconds >= 2*minute {
			s.atPeak(busiest(calls))
		}
	}
	unit := resolution(calls)
	if unit > 0 {
		s.Notes = append(s.Notes, "latencies are in whole "+span(time.Duration(unit*float64(time.Second)))+
			": each may have taken up to that much longer")
	}
	half := len(calls) / 2
	s.Halves = [2]*Dist{distOf(calls[:half], unit), distOf(calls[half:], unit)}
	s.All = together(s.Halves[0], s.Halves[1])
	return s
}

const minute = 60.0 // seconds

// atPeak makes the rate that of the busiest minute, if that is more: slots must
// do for it.
func (s *Sample) atPeak(rate float64) {
	if rate <= s.Rate {
		return
	}
	s.Notes = append(s.Notes, "the rate is that of the busiest minute; on average it is "+
		perSecond(max(s.Rate, 0.0001)))
	s.Rate = rate
}

// busiest is the rate of the busiest minute of calls in order of time.
func busiest(calls []logged) float64 {
	most, first := 0, 0
	for i := range calls {
		for calls[i].at-calls[first].at >= minute {
			first++
		}
		most = max(most, i-first+1)
	}
	return float64(most) / minute
}

// distOf is the distribution of calls whose latencies are as fine as unit.
func distOf(calls []logged, unit float64) *Dist {
	bins := make([]bin, 0, len(calls))
	for _, c := range calls {
		switch c.outcome {
		case fine:
			low := c.latency
			if low <= noLatency && unit > 0 {
				low = 0
			}
			bins = append(bins, bin{low, low + unit, 1})
		case cutOff:
			bins = append(bins, bin{c.latency, math.Inf(1), 1})
		}
	}
	return newDist(bins)
}
