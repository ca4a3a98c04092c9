package study

import (
	"math"

	"github.com/seakeep/seakeep/core/window"
	"github.com/seakeep/seakeep/sim/stats"
)

// Level is how often an interval holds the truth.
const Level = 0.95

// Figure is a figure over all runs, and how far it can be believed.
type Figure struct {
	Key  string
	Name string // the last part of the key
	Unit Unit
	// Mean is over the runs; a share or a quantile is of the requests of all
	// runs together. NaN if no run has it.
	Mean float64
	// Half is the larger distance from Mean to an end of the interval, which
	// goes from Low to High. It is infinite where there is none: of a rate in
	// a single run, or a p99.9 of few requests.
	Half      float64
	Low, High float64
	Runs      []float64 // run by run; NaN where one has none
}

// Covers reports whether the interval holds x.
func (f Figure) Covers(x float64) bool {
	const rounding = 1e-9
	by := rounding * max(1, math.Abs(x))
	return f.Low <= x+by && x-by <= f.High
}

// figure gathers one measure of all runs.
func figure(key string, of []measure) Figure {
	f := Figure{Key: key + "." + of[0].name, Name: of[0].name, Unit: of[0].unit}
	var known []float64
	for _, m := range of {
		f.Runs = append(f.Runs, m.value)
		if !math.IsNaN(m.value) {
			known = append(known, m.value)
		}
	}
	e := stats.Mean(known, Level)
	f.Mean, f.Low, f.High = e.Mean, e.Low(), e.High()
	switch {
	case len(known) == 0:
		f.Low, f.High, f.Half = math.NaN(), math.NaN(), math.NaN()
		return f
	case of[0].counted:
		f.counted(of)
	case of[0].latency != nil:
		f.quantile(of)
	}
	f.Low = max(f.Low, 0) // nothing that is counted here can be less
	if f.Unit == Share {
		f.High = min(f.High, 1)
	}
	f.Half = max(f.High-f.Mean, f.Mean-f.Low)
	return f
}

// widen lets the interval hold another one too. With a single run there is no
// spread between runs, and the other one is all there is.
func (f *Figure) widen(low, high float64) {
	if len(f.Runs) < 2 || math.IsInf(f.Half, 1) || math.IsInf(f.High, 1) {
		f.Low, f.High = low, high
		return
	}
	f.Low, f.High = min(f.Low, low), max(f.High, high)
}

// counted makes a share that of all requests, with Wilson's interval.
func (f *Figure) counted(of []measure) {
	var some, all uint64
	for _, m := range of {
		some += m.some
		all += m.all
	}
	n := float64(all)
	f.Mean = float64(some) / n
	f.widen(wilson(f.Mean, n))
}

// wilson is the interval of a share p of n.
func wilson(p, n float64) (low, high float64) {
	const z = 1.959963984540054 // of 95 %
	const zz = z * z
	middle := p + zz/(2*n)
	spread := float64(z * math.Sqrt(float64(p*(1-p)/n)+zz/(4*n*n)))
	by := 1 + zz/n
	return max((middle-spread)/by, 0), min((middle+spread)/by, 1)
}

// quantile makes a quantile that of all requests, with the interval between
// two of them.
func (f *Figure) quantile(of []measure) {
	var all window.Quantiles
	for _, m := range of {
		all = all.Merge(*m.latency)
	}
	at := func(rank int) float64 {
		d, _ := all.Quantile((float64(rank) - 0.5) / float64(all.Count))
		return d.Seconds()
	}
	n := int(all.Count)
	low, mid, high := stats.Ranks(n, of[0].p, Level)
	f.Mean = at(mid)
	const width = 0.016 // of a bucket: the histogram's answer is off by that at most
	from, to := 0.0, math.Inf(1)
	if low > 0 {
		from = at(low) * (1 - width)
	}
	if high <= n {
		to = at(high) * (1 + width)
	}
	f.widen(min(from, f.Mean), max(to, f.Mean))
}
