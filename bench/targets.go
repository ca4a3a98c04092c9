package main

import (
	"fmt"
	"slices"
)

// target is a bound that one of our variants must keep.
type target struct {
	what         string
	row, variant string
	bound        float64
	// value reads the number from the results of a run with so many procs; ok
	// is false if it was not measured.
	value func(result) (v float64, ok bool)
	unit  string
	open  bool // the bound itself is not good enough
}

func targets() []target {
	const eighth, third = 1. / 8, 1. / 3
	const openDo = "seakeep Do, breaker alone"
	return []target{
		{what: "full stack: at most 1/8 of failsafe-go's time", row: "f", variant: stackTotal,
			bound: eighth, value: against(outermost)},
		{what: "full stack: at most 1/8 of failsafe-go's time, ctx per call", row: "f",
			variant: stackTotal, bound: eighth, value: against(outermostCtx)},
		{what: "full stack, limit of an attempt: at most 1/8 of failsafe-go's time", row: "f",
			variant: stackAttempt, bound: eighth, value: against(failsafeName)},
		{what: "full stack, limit of an attempt: at most 1/8 of failsafe-go's time, ctx per call",
			row: "f", variant: stackAttempt, bound: eighth, value: against(failsafeCtx)},
		{what: "full stack: at most 1 allocation with a timeout", row: "f", variant: stackTotal,
			bound: 1, value: allocations, unit: "allocs"},
		{what: "full stack: no allocation where the caller's deadline is earlier", row: "f2",
			variant: stackAttempt, value: allocations, unit: "allocs"},
		{what: "open breaker, now given: under 1/3 of gobreaker's time", row: "b",
			variant: "seakeep, now given", bound: third, value: against(gobreakerName),
			open: true},
		{what: "open breaker, clock read: under 1/3 of gobreaker's time", row: "b",
			variant: "seakeep, clock read", bound: third, value: against(gobreakerName),
			open: true},
		{what: "open breaker, whole Do: under 1/3 of gobreaker's time", row: "b",
			variant: openDo, bound: third, value: against(gobreakerName),
			open: true},
		{what: "open breaker, whole Do: no allocation", row: "b",
			variant: openDo, value: allocations, unit: "allocs"},
		{what: "RoundTripper: adds at most 600 ns to a stubbed transport", row: "h1",
			variant: httpName, bound: 600, value: adds, unit: "ns"},
		{what: "a refusal: under 1/20 of the time of serving a page", row: "g",
			variant: pageRefused, bound: 1. / 20, value: against(pageBare), open: true},
	}
}

func against(peer string) func(result) (float64, bool) {
	return func(r result) (float64, bool) {
		i := slices.IndexFunc(r.Ratios, func(x ratio) bool { return x.Peer == peer })
		if i < 0 {
			return 0, false
		}
		return r.Ratios[i].CPU, true
	}
}

// allocations rounds to a hundredth: a few belong to the measuring itself.
func allocations(r result) (float64, bool) { return float64(int(r.Allocs*100+0.5)) / 100, true }

func adds(r result) (float64, bool) {
	if r.Adds == nil {
		return 0, false
	}
	return *r.Adds, true
}

// verdict is a target and what was reached, one value for each number of procs.
type verdict struct {
	What    string          `json:"what"`
	Bound   float64         `json:"bound"`
	Values  map[int]float64 `json:"values"` // by procs
	Reached bool            `json:"reached"`

	unit string
}

// judge compares the results with the targets whose rows were measured.
func judge(results []result) (out []verdict) {
	for _, t := range targets() {
		v := verdict{What: t.what, Bound: t.bound, Values: map[int]float64{}, Reached: true,
			unit: t.unit}
		for _, r := range results {
			if r.Row != t.row || r.Variant != t.variant {
				continue
			}
			if n, ok := t.value(r); ok {
				v.Values[r.Procs] = n
				v.Reached = v.Reached && (n < t.bound || !t.open && n == t.bound)
			}
		}
		if len(v.Values) > 0 {
			out = append(out, v)
		}
	}
	return out
}

// show writes a value of the verdict for people.
func (v verdict) show(n float64) string {
	if v.unit == "" {
		return share(n)
	}
	return fmt.Sprintf("%.4g %s", n, v.unit)
}
