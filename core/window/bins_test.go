package window

import (
	"math"
	"testing"
	"time"
)

// What is taken apart into buckets and put together again has the quantiles of
// the whole.
func TestBinsAddUp(t *testing.T) {
	var h Histogram
	for i := range 10_000 {
		h.Record(time.Duration(i) * 37 * time.Microsecond)
	}
	whole := h.Snapshot()
	var parts [2]Quantiles
	whole.Each(func(bin int, n uint64) {
		parts[0].Add(bin, n/3)
		parts[1].Add(bin, n-n/3)
	})
	again := parts[0].Merge(parts[1])
	if again.Count != whole.Count {
		t.Fatalf("%d of %d", again.Count, whole.Count)
	}
	for _, p := range []float64{0, 0.5, 0.9, 0.99, 0.999} {
		a, _ := again.Quantile(p)
		w, _ := whole.Quantile(p)
		if off := math.Abs(float64(a - w)); off > 0.016*float64(w) { // the end of the last bucket is lost
			t.Errorf("p%g is %v, not %v", 100*p, a, w)
		}
	}
	if off := math.Abs(float64(again.Sum-whole.Sum)) / float64(whole.Sum); off > 0.016 {
		t.Errorf("the sum is %.3f off", off)
	}
	if off := math.Abs(float64(again.Max-whole.Max)) / float64(whole.Max); off > 0.016 {
		t.Errorf("the longest is %.3f off", off)
	}
}

func TestBinsBounds(t *testing.T) {
	var q Quantiles
	q.Add(-1, 5)
	q.Add(Bins, 5)
	q.Add(3, 0)
	if q.Count != 0 || q.counts != nil {
		t.Errorf("%+v", q)
	}
	q.Add(Bins-1, math.MaxUint64)
	if q.Sum != math.MaxInt64 || q.Count != math.MaxUint64 {
		t.Errorf("%+v", q.Sum)
	}
}
