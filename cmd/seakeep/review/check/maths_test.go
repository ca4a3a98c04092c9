package check

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seakeep/seakeep/config"
)

// A tail that is exponential between the quantiles goes through them, and of an
// exponential latency it is the truth.
func TestSlower(t *testing.T) {
	m := config.Measured{P50: 20 * time.Millisecond, P99: 75 * time.Millisecond, P999: 110 * time.Millisecond}
	for at, want := range map[time.Duration]float64{0: 1, m.P50: 0.5, m.P99: 0.01, m.P999: 0.001} {
		if got, ok := slower(m, at); !ok || math.Abs(got-want) > 1e-9 {
			t.Errorf("slower than %v: %v, want %v", at, got, want)
		}
	}
	mean := 15.0 // ms
	q := func(above float64) time.Duration { return millis(-mean * math.Log(above)) }
	exp := config.Measured{P50: q(0.5), P99: q(0.01)}
	for _, at := range []float64{1, 10, 40, 80, 150} {
		if got, _ := slower(exp, millis(at)); math.Abs(got/math.Exp(-at/mean)-1) > 1e-3 {
			t.Errorf("slower than %v ms: %v, want %v", at, got, math.Exp(-at/mean))
		}
	}
	if got := latency(exp, 0.001); math.Abs(float64(got-q(0.001))) > 1e5 {
		t.Errorf("p99.9: %v, want %v", got, q(0.001))
	}
	if _, ok := slower(config.Measured{Rate: 5}, time.Second); ok || latency(config.Measured{}, 0.01) != 0 {
		t.Error("of nothing something is known")
	}
}

// Quantiles that are the same time: the last of them says most.
func TestSlowerOfEqualQuantiles(t *testing.T) {
	m := config.Measured{P50: time.Second, P99: time.Second, P999: time.Second}
	if got, ok := slower(m, time.Second); !ok || math.Abs(got-0.001) > 1e-9 {
		t.Errorf("%v, %v", got, ok)
	}
	if got := latency(m, 0.001); got != time.Second {
		t.Errorf("p99.9 %v", got)
	}
}

// What others have measured comes to what others recommend: a p99.9 of 110 ms
// to a timeout of 150 to 250 ms.
func TestGoodTimeout(t *testing.T) {
	for p999, want := range map[time.Duration]time.Duration{
		110 * time.Millisecond: 200 * time.Millisecond, 60 * time.Millisecond: 100 * time.Millisecond,
		2 * time.Second: 3 * time.Second, 0: time.Second} {
		if got := goodTimeout(config.Measured{P999: p999}); got != want {
			t.Errorf("of %v: %v, want %v", p999, got, want)
		}
	}
	for d := time.Microsecond; d < time.Hour; d = d*7/5 + 1 {
		up, down := roundUp(d), roundDown(d)
		if up < d || up > 2*d+1 || d >= time.Microsecond && (down > d || down < d/2-1) {
			t.Errorf("%v is between %v and %v", d, down, up)
		}
	}
}

// The probability that chance opens a window, against the figure of a field
// report (44 % of failures reach 50 % of 20 in 36 of 100 windows) and by drawing.
func TestAtLeast(t *testing.T) {
	if got := atLeast(20, 10, 0.436); math.Abs(got-0.36) > 0.005 {
		t.Errorf("%v", got)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		n, k int
		p    float64
	}{{5, 2, 0.1}, {20, 5, 0.2}, {100, 20, 0.15}} {
		hits := 0
		for range 20000 {
			bad := 0
			for range c.n {
				if r.Float64() < c.p {
					bad++
				}
			}
			if bad >= c.k {
				hits++
			}
		}
		if got, want := atLeast(c.n, c.k, c.p), float64(hits)/20000; math.Abs(got-want) > 0.015 {
			t.Errorf("%+v: %v, drawn %v", c, got, want)
		}
	}
	if atLeast(5, 0, 0.1) != 1 || atLeast(5, 6, 0.5) != 0 || atLeast(5, 1, 0) != 0 || atLeast(5, 1, 1) != 1 {
		t.Error("the ends")
	}
}
