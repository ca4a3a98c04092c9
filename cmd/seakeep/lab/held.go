package lab

import (
	"math"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/sim"
	"github.com/seakeep/seakeep/sim/stats"
	"github.com/seakeep/seakeep/sim/study"
)

// held is how many threads the requests of a route hold on average, warm-up
// left out.
type held struct {
	Route string   `json:"route"`
	Mean  float64  `json:"mean"`
	Half  *float64 `json:"half"` // of its interval; null: there was one run
}

// tally adds up for how long each thread is held by a route.
type tally struct {
	of      *threads // nil: nothing is counted
	per     int
	from    core.Instant
	to      core.Instant
	route   map[string]int
	workers []heldWorker
	area    []float64   // of this run, by route
	runs    [][]float64 // by route, run by run
}

type heldWorker struct {
	since core.Instant
	route int // -1: idle
}

func newTally(s *config.Scenario, of *threads) tally {
	t := tally{of: of, from: core.Instant(s.Warmup), to: core.Instant(s.For), route: map[string]int{},
		per: s.Service(of.Service).Workers, runs: make([][]float64, len(of.Routes))}
	for k, name := range of.Routes {
		t.route[name] = k
	}
	return t
}

func (t *tally) begin() {
	t.workers = make([]heldWorker, t.of.Workers)
	for k := range t.workers {
		t.workers[k].route = -1
	}
	t.area = make([]float64, len(t.runs))
}

func (t *tally) observe(c sim.WorkerChange) {
	w := &t.workers[c.Instance*t.per+c.Worker]
	t.count(w, c.At)
	*w = heldWorker{since: c.At, route: -1}
	if c.State != sim.WorkerIdle {
		w.route = t.route[c.Route]
	}
}

func (t *tally) count(w *heldWorker, until core.Instant) {
	if since := max(w.since, t.from); w.route >= 0 && until > since {
		t.area[w.route] += float64(until - since)
	}
}

func (t *tally) end() {
	for k := range t.workers {
		t.count(&t.workers[k], t.to)
	}
	for k, area := range t.area {
		t.runs[k] = append(t.runs[k], area/float64(t.to-t.from))
	}
}

func (t *tally) sum() (out []held) {
	if t.of == nil {
		return nil
	}
	for k, name := range t.of.Routes {
		e := stats.Mean(t.runs[k], study.Level)
		h := held{Route: name, Mean: e.Mean}
		if !math.IsInf(e.Half, 0) && !math.IsNaN(e.Half) {
			h.Half = &e.Half
		}
		out = append(out, h)
	}
	return out
}
