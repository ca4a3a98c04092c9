package gallery

import (
	"math"
	"testing"
)

func near(a, b, by float64) bool { return math.Abs(a-b) <= by*max(1, math.Abs(b)) }

func TestLogarithmAndExponential(t *testing.T) {
	for _, x := range []float64{1e-300, 1e-9, 0.001, 0.3, 0.5, 0.999, 1, 1.001, 2, 10, 1e6, 1e300} {
		if got, want := ln(x), math.Log(x); !near(got, want, 1e-14) {
			t.Errorf("ln(%v) = %v, want %v", x, got, want)
		}
	}
	if !math.IsInf(ln(0), -1) {
		t.Errorf("ln(0) = %v", ln(0))
	}
	for _, x := range []float64{-800, -50, -3, -1, -0.1, 0, 1e-9, 0.5, 3, 50} {
		if got, want := exp(x), math.Exp(x); math.Abs(got-want) > 1e-14*want {
			t.Errorf("exp(%v) = %v, want %v", x, got, want)
		}
	}
}

func TestNormalTail(t *testing.T) {
	for x := -4.0; x < 9; x += 0.1 {
		want := math.Erfc(x/math.Sqrt2) / 2
		if got := beyond(x); math.Abs(got-want) > 1e-12*want+1e-15 {
			t.Errorf("beyond(%v) = %v, want %v", x, got, want)
		}
	}
}

func TestChooseNumbers(t *testing.T) {
	for _, test := range []struct {
		n, k int
		want float64
	}{{8, 0, 1}, {8, 2, 28}, {8, 8, 1}, {52, 5, 2_598_960}, {2048, 4, 730_862_190_080}} {
		if got := choose(test.n, test.k); got != test.want {
			t.Errorf("%d of %d: %v, want %v", test.k, test.n, got, test.want)
		}
	}
}

func TestSolvers(t *testing.T) {
	if got := fixedPoint(1, math.Cos); !near(got, 0.7390851332151607, 1e-12) {
		t.Errorf("x = cos x at %v", got)
	}
	if got := crossing(0, 10, 3, func(x float64) float64 { return 9 - x }); !near(got, 6, 1e-12) {
		t.Errorf("9 - x passes 3 at %v", got)
	}
}

func TestMersenneIsPythons(t *testing.T) {
	// random.Random(42): [random() for _ in range(3)].
	m := newMersenne(42)
	for i, want := range []float64{0.6394267984578837, 0.025010755222666936, 0.27502931836911926} {
		if got := m.random(); got != want {
			t.Errorf("draw %d is %v, Python's is %v", i, got, want)
		}
	}
}

func TestErlangC(t *testing.T) {
	// One server: the load. Two: 2 load^2 / (1 + load).
	for _, load := range []float64{0.1, 0.5, 0.9, 0.99} {
		if got := erlangC(1, load); !near(got, load, 1e-12) {
			t.Errorf("one server at %v: %v", load, got)
		}
		if got, want := erlangC(2, load), 2*load*load/(1+load); !near(got, want, 1e-12) {
			t.Errorf("two servers at %v: %v, want %v", load, got, want)
		}
	}
}
