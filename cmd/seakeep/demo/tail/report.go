package tail

import (
	"io"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
)

// Report is what was measured. Its names in JSON are a promise to scripts.
type Report struct {
	Rate        float64 `json:"rate"`
	Replicas    int     `json:"replicas"`
	Stalls      int     `json:"stalling_replica"` // from 1 on
	Slow        int     `json:"slow_replica"`
	Seed        uint64  `json:"seed"`
	Interrupted bool    `json:"interrupted"`

	// Variants has none, outlier, hedge and both, as far as they have run.
	Variants map[string]*Variant `json:"variants"`
	// Beside has two_choices, of half as many requests.
	Beside map[string]*Variant `json:"beside"`
	// AllSlow is both, while every replica is slow. Budget is what its policy
	// file allows; null: it has not run.
	AllSlow *Variant    `json:"all_slow"`
	Budget  float64     `json:"hedge_budget"`
	Holds   []live.Hold `json:"holds"`
}

// Variant is one run.
type Variant struct {
	P50       float64    `json:"p50_ms"`
	P99       float64    `json:"p99_ms"`
	P999      float64    `json:"p999_ms"`
	Max       float64    `json:"max_ms"`
	Stalled   float64    `json:"over_500ms"` // a share of requests
	ExtraLoad float64    `json:"extra_load"` // attempts beyond first ones, as a share of those
	Ejected   []Ejection `json:"ejected"`
	Requests  int        `json:"requests"`
	Failed    int        `json:"failed"` // without a good answer; they count as 10s
	CountedS  float64    `json:"counted_s"`
	LateMS    float64    `json:"late_ms"` // how late the generator was at most
	Skipped   uint64     `json:"skipped"` // not made: too many were under way
	Repeats   int        `json:"repeats"` // other runs, which were later

	took  []time.Duration
	whole bool // it ran for as long as it should
}

func newReport(o Options) *Report {
	r := &Report{Rate: o.Rate, Replicas: replicas, Stalls: stalls, Slow: slow, Seed: o.Seed,
		Variants: map[string]*Variant{}, Beside: map[string]*Variant{}, Holds: []live.Hold{}}
	r.Budget = budget()
	return r
}

// budget returns what the policy file of both allows: copies as a share of
// calls.
func budget() float64 {
	f, err := read(variantOf("both").file(), make([]string, replicas))
	if err != nil {
		panic("tail: " + err.Error()) // it is part of the program
	}
	return f.Dependency(dependency).Call.Hedge.Budget
}

// add puts a run into the report.
func (r *Report) add(name string, o *outcome) {
	v := &Variant{P50: inMS(quantile(o.took, 0.5)), P99: inMS(quantile(o.took, 0.99)),
		P999: inMS(quantile(o.took, 0.999)), Max: inMS(o.took[len(o.took)-1]),
		Stalled: live.Round(over(o.took, stall/2), 6), ExtraLoad: live.Round(o.extra, 5),
		Ejected: o.ejected, Requests: len(o.took), Failed: o.failed,
		CountedS: live.Round(o.counted.Seconds(), 3), LateMS: o.lateMS, Skipped: o.skipped,
		Repeats: o.repeats, took: o.took, whole: o.whole}
	switch {
	case name == allSlow:
		r.AllSlow = v
	case variantOf(name).beside:
		r.Beside[name] = v
	default:
		r.Variants[name] = v
	}
}

func inMS(d time.Duration) float64 { return live.Round(float64(d)/1e6, 1) }

// whole returns a run, or nil if it did not take place or was ended early.
func (r *Report) whole(name string) *Variant {
	if v := r.find(name); v != nil && v.whole {
		return v
	}
	return nil
}

// find returns a run, or nil if it did not take place.
func (r *Report) find(name string) *Variant {
	switch {
	case name == allSlow:
		return r.AllSlow
	case variantOf(name).beside:
		return r.Beside[name]
	}
	return r.Variants[name]
}

// WriteJSON writes the report as one object.
func (r *Report) WriteJSON(w io.Writer) error { return live.WriteJSON(w, r) }

// Held reports whether all held that was promised.
func (r *Report) Held() bool { return live.AllHeld(r.Holds) }
