package schema

import (
	"cmp"
	"slices"
)

// Badness is what the wall is ordered by: how much there is to look at, from 0
// for nothing. It is the sum of
//
//   - the share of calls that were no success, and again that which no fallback
//     answered either,
//   - 1 for an open breaker or calls that go to the second provider, 0.5 on the
//     way back,
//   - how full the bulkhead is beyond 80 %, as a share of the last 20 %,
//   - the share of endpoints that are out,
//   - what is gone of the error budget, up to 1, and
//   - 0.25 for a fault that runs, or a breaker that somebody holds.
func Badness(d *Dependency) float64 {
	b := 0.0
	if d.Success != nil {
		b += 1 - *d.Success
	}
	if d.Answered != nil {
		b += 1 - *d.Answered
	}
	b += ofState(d.Breaker) + ofFailover(d.Failover)
	if s := d.Bulkhead; s != nil && s.Limit > 0 {
		b += min(max(float64(s.InUse)/float64(s.Limit)-0.8, 0)*5, 1)
	}
	if e := d.Endpoints; e != nil && e.Total > 0 {
		b += float64(e.Total-e.Up) / float64(e.Total)
	}
	if d.SLOLeft != nil {
		b += min(max(1-*d.SLOLeft, 0), 1)
	}
	if d.Faults > 0 || d.Breaker != nil && d.Breaker.Mode != "auto" {
		b += 0.25
	}
	return b
}

func ofState(b *Breaker) float64 {
	switch {
	case b == nil:
		return 0
	case b.State == "open":
		return 1
	case b.State == "half-open" || b.Keys["open"] > 0:
		return 0.5
	}
	return 0
}

func ofFailover(state string) float64 {
	switch state {
	case "second":
		return 1
	case "returning":
		return 0.5
	}
	return 0
}

// WorstFirst orders dependencies by their badness, then by rate, the busiest
// first, then by name.
func WorstFirst(all []Dependency) {
	slices.SortStableFunc(all, func(a, b Dependency) int {
		return cmp.Or(cmp.Compare(b.Badness, a.Badness), cmp.Compare(b.Rate, a.Rate),
			cmp.Compare(a.Name, b.Name))
	})
}
