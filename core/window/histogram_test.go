package window

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// exact is the quantile by nearest rank of the values themselves.
func exact(sorted []time.Duration, p float64) time.Duration {
	rank := max(1, int(math.Ceil(p*float64(len(sorted)))))
	return sorted[rank-1]
}

func TestQuantilesAreWithinTheStatedError(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	var h Histogram
	var all []time.Duration
	var sum time.Duration
	for range 100_000 { // 5 ms and an exponential of 20 ms, and a long tail
		d := 5*time.Millisecond + time.Duration(rng.ExpFloat64()*20e6)
		if rng.IntN(500) == 0 {
			d = time.Duration(rng.Int64N(100e9))
		}
		h.Record(d)
		all = append(all, d)
		sum += d
	}
	slices.Sort(all)
	q := h.Snapshot()
	for _, p := range []float64{0, 0.01, 0.5, 0.9, 0.95, 0.99, 0.999, 0.9999, 1} {
		got, ok := q.Quantile(p)
		want := exact(all, p)
		if off := math.Abs(float64(got-want)) / float64(want); !ok || off > 1.0/64 {
			t.Errorf("quantile %v: %v, want %v (off by %.2f %%)", p, got, want, off*100)
		}
	}
	mean, _ := q.Mean()
	if q.Count != 100_000 || q.Sum != sum || q.Max != all[len(all)-1] || mean != sum/100_000 {
		t.Errorf("count %d sum %v max %v mean %v; want 100000, %v, %v, %v",
			q.Count, q.Sum, q.Max, mean, sum, all[len(all)-1], sum/100_000)
	}
}

// Every value is put into a bucket whose middle is near, and buckets go up.
func TestBucketsCoverTheRange(t *testing.T) {
	last := -1
	for d := time.Duration(0); d < 1<<topBits; d += max(1, d/300) {
		i := bucketOf(d)
		if i < last || i > last+1 && d > 0 || i >= buckets-1 {
			t.Fatalf("%v is in bucket %d after %d", d, i, last)
		}
		last = i
		if off := math.Abs(float64(MiddleOf(i) - d)); off > float64(d)/64 {
			t.Fatalf("%v: the middle of its bucket is %v", d, MiddleOf(i))
		}
	}
	if last != buckets-2 {
		t.Errorf("the last bucket met is %d of %d", last, buckets)
	}
	for _, d := range []time.Duration{1 << topBits, time.Hour, math.MaxInt64} {
		if bucketOf(d) != buckets-1 {
			t.Errorf("%v is in bucket %d, want the last", d, bucketOf(d))
		}
	}
}

func TestNoLatenciesHaveNoQuantile(t *testing.T) {
	var h Histogram
	q := h.Snapshot()
	if _, ok := q.Quantile(0.5); ok {
		t.Error("nothing has a median")
	}
	if _, ok := q.Mean(); ok {
		t.Error("nothing has a mean")
	}
	if _, ok := (Quantiles{}).Merge(Quantiles{}).Quantile(0.5); ok {
		t.Error("nothing and nothing have a median")
	}
}

func TestOddLatenciesAndShares(t *testing.T) {
	var h Histogram
	h.Record(-time.Second) // a clock that stepped back must not lower the sum
	h.Record(10)
	h.Record(time.Hour) // beyond the range
	q := h.Snapshot()
	if q.Count != 3 || q.Sum != time.Hour+10 || q.Max != time.Hour {
		t.Errorf("count %d sum %v max %v", q.Count, q.Sum, q.Max)
	}
	for p, want := range map[float64]time.Duration{
		-1: 0, 0: 0, 0.34: 10, 0.5: 10, 0.67: time.Hour, 1: time.Hour, 2: time.Hour,
		math.Inf(1): time.Hour,
	} {
		if got, ok := q.Quantile(p); !ok || got != want {
			t.Errorf("quantile %v: %v, want %v", p, got, want)
		}
	}
	if got, ok := q.Quantile(math.NaN()); !ok || got != 0 {
		t.Errorf("quantile NaN: %v, want the shortest", got)
	}
	for range 5 {
		h.Record(math.MaxInt64)
	}
	if q := h.Snapshot(); q.Sum != math.MaxInt64 {
		t.Errorf("sum %v wrapped", q.Sum)
	}
	h.Reset()
	if q := h.Snapshot(); q.Count != 0 || q.Sum != 0 || q.Max != 0 {
		t.Errorf("after reset: %d, %v, %v", q.Count, q.Sum, q.Max)
	}
}

func TestMergeIsTheSame(t *testing.T) {
	var a, b, both Histogram
	for i := range 1000 {
		d := time.Duration(i*i) * time.Microsecond
		h := &a
		if i%3 == 0 {
			h = &b
		}
		h.Record(d)
		both.Record(d)
	}
	m, w := a.Snapshot().Merge(b.Snapshot()), both.Snapshot()
	if m.Count != w.Count || m.Sum != w.Sum || m.Max != w.Max || !slices.Equal(m.counts, w.counts) {
		t.Error("merged is not what was recorded into one")
	}
	if e := w.Merge(Quantiles{}); e.Count != w.Count || !slices.Equal(e.counts, w.counts) {
		t.Error("merging nothing changed something")
	}
	before := slices.Clone(w.counts)
	w.Merge(w)
	if !slices.Equal(before, w.counts) {
		t.Error("merging changed its operand")
	}
}

func TestRecordFromManyGoroutines(t *testing.T) {
	var h Histogram
	var r Recent
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 2000 {
				d := time.Duration(g*2000+i) * time.Microsecond
				h.Record(d)
				r.Record(core.Instant(i), d)
				if i%500 == 0 {
					h.Snapshot()
					r.Snapshot(core.Instant(i))
				}
			}
		})
	}
	wg.Wait()
	q := h.Snapshot()
	if q.Count != 16000 || q.Sum != 16000*15999/2*time.Microsecond ||
		q.Max != 15999*time.Microsecond {
		t.Errorf("count %d sum %v max %v", q.Count, q.Sum, q.Max)
	}
	if q := r.Snapshot(2000); q.Count != 16000 {
		t.Errorf("recent count %d, want 16000", q.Count)
	}
}

func TestHistogramDoesNotAllocate(t *testing.T) {
	var h Histogram
	var r Recent
	now := core.Instant(0)
	if n := testing.AllocsPerRun(1000, func() {
		now = now.Add(time.Second)
		h.Record(time.Millisecond)
		r.Record(now, time.Millisecond)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
