package limit

import (
	"math"
	"time"

	"github.com/seakeep/seakeep/core"
)

const (
	probeLimit    = 3  // in flight while Envoy measures its baseline
	probeSamples  = 50 // how many requests that takes
	probeInterval = 60 * time.Second
	probeJitter   = 0.15
	probePatience = 300 // windows, after which it makes do with what it has
	atFloor       = 5   // updates at the minimum after which it measures anew
)

// envoy compares the median latency with one that it measures while the limit
// is pinned to almost nothing.
type envoy struct {
	cfg       Config
	draws     draws
	base      float64
	probing   bool
	held      float64 // the limit to go back to
	due       core.Instant
	every     time.Duration // from one probe to the next, at least
	floor     int           // updates in a row that ended at the minimum
	published bool          // as it was published, see Departures in doc.go
}

func newEnvoy(c Config, seed uint64) *envoy {
	return &envoy{cfg: c, draws: draws(seed), every: probeInterval}
}

func (e *envoy) begin(limit float64) verdict { return e.probe(limit) }

// probe pins the limit. It never raises it.
func (e *envoy) probe(limit float64) verdict {
	e.probing, e.held = true, limit
	return verdict{limit: min(limit, probeLimit), why: "probe",
		next: rules{samples: probeSamples, fresh: true, patience: probePatience}}
}

func (e *envoy) step(limit float64, w *window) verdict {
	if e.probing {
		return e.measured(w)
	}
	if w.short || w.n == 0 {
		return verdict{limit: limit}
	}
	if w.now >= e.due {
		return e.probe(limit)
	}
	gradient := min(max(e.base*e.cfg.Tolerance/max(w.median(), 1), 0.5), 2)
	next := limit * gradient
	next = math.Floor(next + math.Sqrt(next))
	if !e.published {
		if gradient < 1 {
			next = min(next, limit)
		}
		if w.idle() {
			next = min(next, limit)
		}
	}
	next = min(max(next, float64(e.cfg.Min)), float64(e.cfg.Max))
	e.floor++
	if next > float64(e.cfg.Min) || next != limit {
		e.floor = 0
	}
	if e.floor >= atFloor {
		return e.probe(next)
	}
	return verdict{limit: next, why: moved(limit, next), gradient: gradient}
}

// measured ends a probe. One that saw too little leaves the baseline as it is,
// and if there is none, begins again.
func (e *envoy) measured(w *window) verdict {
	if w.some >= e.cfg.Samples {
		e.base = w.median()
	}
	if e.base == 0 {
		return e.probe(e.held)
	}
	e.probing, e.floor = false, 0
	wait := float64(e.every) * e.draws.between(1, 1+probeJitter)
	e.due = w.now.Add(time.Duration(wait))
	return verdict{limit: e.held, why: "measured"}
}

func (e *envoy) baseline() float64 { return e.base }
