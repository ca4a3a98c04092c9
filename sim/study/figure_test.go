package study

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core/window"
)

func near(a, b, by float64) bool { return math.Abs(a-b) <= by }

// Values of Wilson's interval that textbooks have.
func TestWilson(t *testing.T) {
	for _, tc := range []struct{ p, n, low, high float64 }{
		{0.5, 10, 0.2366, 0.7634}, {0, 10, 0, 0.2775}, {1, 10, 0.7225, 1}, {0.9, 100, 0.8256, 0.9448},
	} {
		low, high := wilson(tc.p, tc.n)
		if !near(low, tc.low, 5e-5) || !near(high, tc.high, 5e-5) {
			t.Errorf("%v of %v: %.4f to %.4f, want %v to %v", tc.p, tc.n, low, high, tc.low, tc.high)
		}
	}
}

// Five runs without a failure do not prove that there are none.
func TestPerfectSharesHaveAnInterval(t *testing.T) {
	var of []measure
	for range 5 {
		of = append(of, share(Success, 200, 200))
	}
	f := figure("e", of)
	if f.Mean != 1 || f.High != 1 || !near(f.Low, 1-0.00383, 1e-4) || f.Half != f.Mean-f.Low {
		t.Errorf("%+v", f)
	}
	if f.Key != "e.success" || f.Name != "success" || len(f.Runs) != 5 {
		t.Errorf("%+v", f)
	}
}

// Where runs differ more than chance within a run explains, the spread of the
// runs decides; where a run has none, it does not count.
func TestShareTakesTheWiderInterval(t *testing.T) {
	wide := figure("e", []measure{share("x", 500, 1000), share("x", 900, 1000), share("x", 0, 0)})
	if !near(wide.Mean, 0.7, 1e-12) || wide.Low != 0 || wide.High != 1 {
		t.Errorf("%+v", wide)
	}
	if !math.IsNaN(wide.Runs[2]) {
		t.Errorf("a run without requests has the share %v", wide.Runs[2])
	}
	same := figure("e", []measure{share("x", 700, 1000), share("x", 700, 1000)})
	if low, high := wilson(0.7, 2000); same.Low != low || same.High != high {
		t.Errorf("%+v", same)
	}
}

func TestFiguresOfOneRun(t *testing.T) {
	if f := figure("e", []measure{rate("x", 500, 10)}); f.Mean != 50 || !math.IsInf(f.Half, 1) || f.Low != 0 {
		t.Errorf("a rate: %+v", f)
	}
	f := figure("e", []measure{share("x", 50, 100)})
	if low, high := wilson(0.5, 100); f.Low != low || f.High != high {
		t.Errorf("a share: %+v", f)
	}
	none := figure("e", []measure{ratio("x", Number, 1, 0)})
	if !math.IsNaN(none.Mean) || !math.IsNaN(none.Half) || none.Covers(0) {
		t.Errorf("nothing: %+v", none)
	}
}

func histogram(draw func() time.Duration, n int) *window.Quantiles {
	var h window.Histogram
	for range n {
		h.Record(draw())
	}
	q := h.Snapshot()
	return &q
}

// The interval of a quantile must hold the truth in at least 95 of 100 cases,
// for independent latencies and for runs that differ from each other.
func TestQuantileCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	const cases, n = 400, 400
	truth := -math.Log(0.01) // of an exponential with mean 1 ms
	for _, spread := range []float64{0, 0.2} {
		held := 0
		for range cases {
			var of []measure
			for range 5 {
				mean := 1e6 * (1 + spread*random.NormFloat64())
				of = append(of, quantile(P99, histogram(func() time.Duration {
					return time.Duration(mean * random.ExpFloat64())
				}, n), 0.99))
			}
			if f := figure("e", of); f.Low <= truth/1e3 && truth/1e3 <= f.High {
				held++
			}
		}
		if held < cases*95/100-9 {
			t.Errorf("spread %v: the interval holds the truth in %d of %d cases", spread, held, cases)
		}
	}
}

func TestQuantileOfFew(t *testing.T) {
	few := histogram(func() time.Duration { return time.Millisecond }, 50)
	f := figure("e", []measure{quantile(P999, few, 0.999), quantile(P999, few, 0.999)})
	if !math.IsInf(f.High, 1) || !math.IsInf(f.Half, 1) || !near(f.Mean, 0.001, 2e-5) {
		t.Errorf("p99.9 of 100: %+v", f)
	}
	f = figure("e", []measure{quantile(P50, few, 0.5), quantile(P50, few, 0.5)})
	if f.Half > 0.00005 || !f.Covers(0.001) {
		t.Errorf("p50 of 100 equal ones: %+v", f)
	}
	none := &window.Quantiles{}
	if f := figure("e", []measure{quantile(P50, none, 0.5)}); !math.IsNaN(f.Mean) {
		t.Errorf("p50 of none: %+v", f)
	}
}

// A share of 100 % and a rate of 0 stay within what is possible.
func TestIntervalsStayPossible(t *testing.T) {
	f := figure("e", []measure{rate("x", 0, 1), rate("x", 10, 1)})
	if f.Low != 0 || f.High < 5 {
		t.Errorf("%+v", f)
	}
	f = figure("e", []measure{{name: Open, unit: Share, value: 1}, {name: Open, unit: Share, value: 0.9}})
	if f.High != 1 || f.Low >= 0.9 {
		t.Errorf("%+v", f)
	}
}
