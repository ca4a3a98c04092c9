package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestStop(t *testing.T) {
	e := func(n int, mean, half float64) Estimate { return Estimate{N: n, Mean: mean, Half: half} }
	tests := []struct {
		name string
		stop Stop
		e    Estimate
		want bool
	}{
		{"too few, though narrow", Stop{Half: 1}, e(4, 10, 0), false},
		{"narrow enough", Stop{Half: 1}, e(5, 10, 1), true},
		{"too wide", Stop{Half: 1}, e(5, 10, 1.01), false},
		{"a share of the mean", Stop{Share: 0.1}, e(5, 10, 1), true},
		{"too large a share", Stop{Share: 0.1}, e(5, 9, 1), false},
		{"the mean may be negative", Stop{Share: 0.1}, e(5, -10, 1), true},
		{"both wishes hold", Stop{Half: 2, Share: 0.1}, e(5, 10, 1.5), false},
		{"no wish", Stop{}, e(5, 10, 99), true},
		{"given up", Stop{Half: 1, Max: 7}, e(7, 10, 99), true},
		{"fewer asked for", Stop{Half: 1, Min: 2}, e(2, 10, 1), true},
	}
	for _, test := range tests {
		if got := test.stop.Done(test.e); got != test.want {
			t.Errorf("%s: done is %v", test.name, got)
		}
	}
}

func TestStopNeeds(t *testing.T) {
	half := Stop{Half: 1}
	for _, test := range []struct {
		stop Stop
		e    Estimate
		want int
	}{
		{half, Estimate{N: 10, Mean: 5, Half: 2}, 40}, // half the width, four times the runs
		{half, Estimate{N: 10, Mean: 5, Half: 0.1}, 5},
		{half, Estimate{N: 10, Mean: 5, Half: 100}, 1000},
		{half, Estimate{N: 1, Mean: 5, Half: math.Inf(1)}, 1000},
		{Stop{}, Estimate{N: 10, Mean: 5, Half: 2}, 5},
		{Stop{Share: 0.1}, Estimate{N: 5}, 5}, // all zero: as exact as can be
	} {
		if got := test.stop.Needs(test.e); got != test.want {
			t.Errorf("%+v after %+v: needs %d, want %d", test.stop, test.e, got, test.want)
		}
	}
}

func TestReplicate(t *testing.T) {
	var seeds []uint64
	xs, e := Replicate(Stop{Half: 0.1}, 100, func(seed uint64) float64 {
		seeds = append(seeds, seed)
		return rand.New(rand.NewPCG(seed, 0)).Float64()
	})
	if e.Half > 0.1 || e.N != len(xs) || !e.Covers(0.5) {
		t.Errorf("%+v of %d", e, len(xs))
	}
	for i, s := range seeds {
		if s != 100+uint64(i) {
			t.Fatalf("seeds are %v", seeds)
		}
	}
	if prior := Mean(xs[:len(xs)-1], 0.95); len(xs) > 5 && prior.Half <= 0.1 {
		t.Errorf("%d replications would have done", len(xs)-1)
	}
	xs, _ = Replicate(Stop{Half: 1e-9, Max: 12}, 0, func(seed uint64) float64 {
		return rand.New(rand.NewPCG(seed, 0)).Float64()
	})
	if len(xs) != 12 {
		t.Errorf("%d replications, want to give up after 12", len(xs))
	}
}
