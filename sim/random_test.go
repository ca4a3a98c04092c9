package sim

import (
	"math"
	"testing"
	"time"

	"github.com/seakeep/seakeep/config"
)

// A stream is a function of seed, names and position, on every machine.
func TestStreamsAreFixed(t *testing.T) {
	s := NewStream(1, "pricing", "work")
	of := s.Of(7, 3)
	got := []uint64{s.Uint64(), s.Uint64(), of.Uint64()}
	again := NewStream(1, "pricing", "work")
	same := again.Of(7, 3)
	if got[0] != again.Uint64() || got[1] != again.Uint64() || got[2] != same.Uint64() {
		t.Error("the same stream gave other numbers")
	}
	for _, other := range []*Stream{NewStream(2, "pricing", "work"), NewStream(1, "pricin", "gwork"),
		NewStream(1, "pricing", "luck")} {
		if other.Uint64() == got[0] {
			t.Error("two streams begin alike")
		}
	}
}

func TestUniformity(t *testing.T) {
	s := NewStream(3, "a", "b")
	const n, bins = 200_000, 50
	var count [bins]int
	for id := range uint64(n) {
		of := s.Of(id, 0)
		count[int(of.Float64()*bins)]++
	}
	chi := 0.0
	for _, c := range count {
		d := float64(c) - n/bins
		chi += d * d / (n / bins)
	}
	if chi > 94 { // 49 degrees of freedom, one in ten thousand
		t.Errorf("chi squared %v", chi)
	}
}

func TestDistributions(t *testing.T) {
	ms := time.Millisecond
	for name, c := range map[string]struct {
		l    config.Latency
		mean float64 // ms
	}{
		"constant":    {config.Latency{Floor: 7 * ms}, 7},
		"exponential": {config.Latency{Shape: config.Exponential, Floor: 5 * ms, Mean: 20 * ms}, 20},
		"uniform":     {config.Latency{Shape: config.Uniform, Floor: 1 * ms, Mean: 3 * ms}, 3},
		"lognormal": {config.Latency{Shape: config.LogNormal, Median: 10 * ms, Sigma: 0.5},
			10 * math.Exp(0.125)},
		"empirical": {config.Latency{Shape: config.Empirical, Points: []config.Point{
			{Quantile: 0, Value: 0}, {Quantile: 0.5, Value: 10 * ms}, {Quantile: 1, Value: 20 * ms}}}, 10},
		"mixture": {config.Latency{Shape: config.Mixture, Parts: []config.Part{
			{Share: 1, Latency: config.Latency{Floor: 10 * ms}},
			{Share: 3, Latency: config.Latency{Floor: 2 * ms}}}}, 4},
		"stalls": {config.Latency{Floor: 10 * ms, StallShare: 0.01, Stall: time.Second}, 20},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewStream(5, name, "x")
			sum := 0.0
			const n = 200_000
			for range n {
				sum += float64(sample(&c.l, s))
			}
			got := sum / n / 1e6
			if math.Abs(got-c.mean) > 0.02*c.mean {
				t.Errorf("mean %.3f ms, want %.3f", got, c.mean)
			}
			if est := float64(mean(&c.l)) / 1e6; math.Abs(est-c.mean) > 0.01*c.mean {
				t.Errorf("estimated mean %.3f ms, want %.3f", est, c.mean)
			}
		})
	}
}

// The checkout model's p99: 5 ms and an exponential of mean 15 ms.
func TestExponentialQuantile(t *testing.T) {
	l := config.Latency{Shape: config.Exponential, Floor: 5e6, Mean: 20e6}
	s := NewStream(6, "q", "x")
	over := 0
	const n = 200_000
	for range n {
		if sample(&l, s) > time.Duration(74.08e6) {
			over++
		}
	}
	if share := float64(over) / n; math.Abs(share-0.01) > 0.001 {
		t.Errorf("%.4f above the p99", share)
	}
}
