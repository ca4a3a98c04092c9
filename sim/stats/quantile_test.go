package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The ranks of the median are in the tables of the sign test.
func TestRanksAgainstTables(t *testing.T) {
	tests := []struct {
		n             int
		q             float64
		low, at, high int
	}{
		{6, 0.5, 1, 3, 6}, {10, 0.5, 2, 5, 9}, {20, 0.5, 6, 10, 15}, {25, 0.5, 8, 13, 18},
		{50, 0.5, 18, 25, 33}, {100, 0.5, 40, 50, 61},
		{5, 0.5, 0, 3, 6},        // 2/32 is more than 5 %: no interval
		{100, 0.99, 97, 99, 101}, // no upper bound
		{367, 0.99, 359, 364, 368},
		{368, 0.99, 360, 365, 368}, // the first n with an upper bound: 0.99^368 < 2.5 %
		{100, 0.01, 0, 1, 4},
	}
	for _, test := range tests {
		low, at, high := Ranks(test.n, test.q, 0.95)
		if low != test.low || at != test.at || high != test.high {
			t.Errorf("%d samples, quantile %v: ranks %d, %d, %d; want %d, %d, %d", test.n, test.q,
				low, at, high, test.low, test.at, test.high)
		}
	}
	for _, q := range []float64{0, 1, -1, 2, math.NaN()} {
		if low, at, high := Ranks(10, q, 0.95); low != 0 || at != 0 || high != 11 {
			t.Errorf("quantile %v: ranks %d, %d, %d", q, low, at, high)
		}
	}
	if low, at, high := Ranks(0, 0.5, 0.95); low != 0 || at != 0 || high != 1 {
		t.Errorf("no samples: ranks %d, %d, %d", low, at, high)
	}
}

// exact adds up the binomial distribution with logarithms of factorials.
func exact(n, from, below int, q float64) float64 {
	sum := 0.0
	all, _ := math.Lgamma(float64(n + 1))
	for k := from; k < below; k++ {
		a, _ := math.Lgamma(float64(k + 1))
		b, _ := math.Lgamma(float64(n - k + 1))
		sum += math.Exp(all - a - b + float64(k)*math.Log(q) + float64(n-k)*math.Log(1-q))
	}
	return sum
}

// The interval must reach the level, and the next narrower one on either side
// must not keep its half of the error.
func TestRanksAreTheNarrowest(t *testing.T) {
	for _, n := range []int{1, 2, 7, 40, 300, 2000} {
		for _, q := range []float64{0.01, 0.3, 0.5, 0.9, 0.99, 0.999} {
			low, _, high := Ranks(n, q, 0.95)
			if below := exact(n, 0, low, q); below > 0.025+1e-9 {
				t.Errorf("n %d, q %v: rank %d is too high in %v of cases", n, q, low, below)
			}
			if above := exact(n, high, n+1, q); above > 0.025+1e-9 {
				t.Errorf("n %d, q %v: rank %d is too low in %v of cases", n, q, high, above)
			}
			if exact(n, 0, low+1, q) <= 0.025-1e-9 {
				t.Errorf("n %d, q %v: rank %d could be higher", n, q, low)
			}
			if exact(n, high-1, n+1, q) <= 0.025-1e-9 {
				t.Errorf("n %d, q %v: rank %d could be lower", n, q, high)
			}
		}
	}
}

func TestQuantileOf(t *testing.T) {
	sorted := make([]float64, 1000)
	for i := range sorted {
		sorted[i] = float64(i + 1)
	}
	if got, want := QuantileOf(sorted, 0.9, 0.95), (Quantile{900, 881, 919}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	got := QuantileOf(sorted, 0.999, 0.95)
	if got.Value != 999 || !math.IsInf(got.High, 1) || got.Low != 997 {
		t.Errorf("p99.9 of 1000: %+v", got)
	}
	got = QuantileOf(nil, 0.5, 0.95)
	if !math.IsNaN(got.Value) || !math.IsInf(got.Low, -1) || !math.IsInf(got.High, 1) {
		t.Errorf("of nothing: %+v", got)
	}
}

// Nothing is assumed of the distribution, so a heavy tail is as good as any.
func TestQuantileCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	const cases, n, q = 3000, 500, 0.95
	truth := math.Exp(2 * 1.6448536269514722) // of a lognormal of shape 2
	held := 0
	xs := make([]float64, n)
	for range cases {
		for i := range xs {
			xs[i] = math.Exp(2 * random.NormFloat64())
		}
		slices.Sort(xs)
		if r := QuantileOf(xs, q, 0.95); r.Low <= truth && truth <= r.High {
			held++
		}
	}
	// The coverage of these ranks is 96.5 %, because they are whole.
	if share := float64(held) / cases; share < 0.95 || share > 0.98 {
		t.Errorf("the interval holds the truth in %.1f %% of cases", 100*share)
	}
}

func TestRanksOfMany(t *testing.T) {
	low, at, high := Ranks(10_000_000, 0.999, 0.95)
	// 1.96 standard deviations of a binomial, 99.95, to either side.
	if at != 9_990_000 || low < 9_989_802 || low > 9_989_806 || high < 9_990_194 || high > 9_990_198 {
		t.Errorf("ranks %d, %d, %d", low, at, high)
	}
}
