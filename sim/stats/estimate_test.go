package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func near(a, b, by float64) bool { return math.Abs(a-b) <= by }

func TestMeanOfFive(t *testing.T) {
	e := Mean([]float64{9.8, 10.2, 10.1, 9.9, 10.5}, 0.95)
	// Mean 10.1, standard deviation sqrt(0.075), t(4) 2.7764451.
	if !near(e.Mean, 10.1, 1e-12) || !near(e.SD, math.Sqrt(0.075), 1e-12) || e.N != 5 {
		t.Errorf("%+v", e)
	}
	if want := 2.77644511 * math.Sqrt(0.075/5); !near(e.Half, want, 1e-7) {
		t.Errorf("half-width %v, want %v", e.Half, want)
	}
	if !near(e.Error(), math.Sqrt(0.075/5), 1e-12) {
		t.Errorf("standard error %v", e.Error())
	}
	if !e.Covers(10) || e.Covers(9) || e.Covers(11) || !e.Covers(e.Low()) || !e.Covers(e.High()) {
		t.Errorf("%v to %v covers the wrong numbers", e.Low(), e.High())
	}
}

func TestMeanOfFewOrEqual(t *testing.T) {
	if e := Mean(nil, 0.95); !math.IsNaN(e.Mean) || !math.IsInf(e.Half, 1) {
		t.Errorf("of nothing: %+v", e)
	}
	e := Mean([]float64{3}, 0.95)
	if e.Mean != 3 || !math.IsInf(e.Half, 1) || !math.IsInf(e.Error(), 1) {
		t.Errorf("of one: %+v", e)
	}
	// 0.1 cannot be written exactly; the spread of equal values is none all the same.
	e = Mean([]float64{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, 0.95)
	if e.Mean != 0.1 || e.SD != 0 || e.Half != 0 {
		t.Errorf("of equals: %+v", e)
	}
	e = Mean([]float64{1e15 + 1, 1e15 + 2, 1e15 + 3}, 0.95)
	if e.Mean != 1e15+2 || e.SD != 1 {
		t.Errorf("of large numbers: %+v", e)
	}
}

// An interval at 95 % must hold the truth in about 95 of 100 cases. Over 4000
// cases the share strays by 1.4 points in 1 of 30,000.
func TestMeanCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	const cases = 4000
	for _, n := range []int{3, 5, 20} {
		held := 0
		xs := make([]float64, n)
		for range cases {
			for i := range xs {
				xs[i] = 7 + 3*random.NormFloat64()
			}
			if Mean(xs, 0.95).Covers(7) {
				held++
			}
		}
		if share := float64(held) / cases; !near(share, 0.95, 0.014) {
			t.Errorf("%d replications: the interval holds the truth in %.1f %%", n, 100*share)
		}
	}
}

func TestPairedCancelsWhatIsCommon(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	a, b := make([]float64, 10), make([]float64, 10)
	for i := range a {
		common := 100 * random.NormFloat64()
		a[i] = common + random.NormFloat64()
		b[i] = common + 5 + random.NormFloat64()
	}
	e := Paired(a, b, 0.95)
	if !e.Covers(5) || e.Covers(0) {
		t.Errorf("difference %v to %v, want one around 5 and without 0", e.Low(), e.High())
	}
	if alone := Mean(b, 0.95); alone.Half < 10*e.Half {
		t.Errorf("pairs gain nothing: %v beside %v", e.Half, alone.Half)
	}
	defer func() {
		if recover() == nil {
			t.Error("samples of unequal number are compared")
		}
	}()
	Paired(a, b[1:], 0.95)
}
