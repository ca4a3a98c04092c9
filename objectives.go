package seakeep

import (
	"fmt"
	"hash/fnv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/slo"
	"github.com/seakeep/seakeep/telemetry"
)

// Objectives are the promises of a policy file: what was counted of them, how
// much of each error budget is left, and what follows from that. It is safe for
// use by many goroutines and belongs to a Set, which it outlives reloads with. A
// nil Objectives has no objectives.
//
// seakeephttp.Handler and the proxy report what they answer, and policies report
// their calls. A program of another kind reports its own with Report.
type Objectives struct {
	set     *Set
	all     []*promise
	byCall  map[string][]*promise // by the dependency whose calls are counted
	cfg     *config.SLO
	sweepAt *atomic.Int64 // when to look again, in Unix nanoseconds

	mu *sync.Mutex // held while one looks, and acts
}

// promise is one objective.
type promise struct {
	cfg         config.Objective
	slo         *slo.SLO
	events, bad *atomic.Uint64 // since the start of the process
	mark        uint64         // of what a good event is: counts with another mean something else
}

// unix is now as objectives have it: what is counted outlives the process.
func unix() core.Instant { return core.Instant(time.Now().UnixNano()) }

// Objectives returns the objectives of the file in use; nil if it has none.
func (s *Set) Objectives() *Objectives { return s.table.Load().objectives }

// promised makes the objectives of a file, which take over what was counted of
// those that count the same.
func (s *Set) promised(old *Objectives, file *config.File, next *table) *Objectives {
	if file.SLO == nil {
		old.release(next)
		return nil
	}
	o := &Objectives{set: s, cfg: file.SLO, byCall: map[string][]*promise{}, mu: new(sync.Mutex),
		sweepAt: new(atomic.Int64)}
	if old != nil {
		o.mu, o.sweepAt = old.mu, old.sweepAt
	}
	for _, cfg := range file.SLO.Objectives {
		p := old.keep(cfg)
		o.all = append(o.all, p)
		if cfg.Place == config.PlaceCalls {
			o.byCall[cfg.Dependency] = append(o.byCall[cfg.Dependency], p)
		}
	}
	return o
}

// keep returns the promise of these settings, with what was counted before if
// that is still about the same.
func (o *Objectives) keep(cfg config.Objective) *promise {
	p := &promise{cfg: cfg, mark: markOf(&cfg), events: new(atomic.Uint64), bad: new(atomic.Uint64)}
	if before := o.find(cfg.Name); before != nil && before.mark == p.mark {
		p.slo, p.events, p.bad = before.slo, before.events, before.bad
		_ = p.slo.Reconfigure(unix(), cfg.Config) // the file's reader has checked it
		return p
	}
	p.slo, _ = slo.New(unix(), cfg.Config) // the file's reader has checked it
	return p
}

func (o *Objectives) find(name string) *promise {
	if o == nil {
		return nil
	}
	for _, p := range o.all {
		if p.cfg.Name == name {
			return p
		}
	}
	return nil
}

// markOf tells apart what objectives count.
func markOf(c *config.Objective) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, c.Latency, c.Freshness, c.Place, c.Dependency, c.Paths, c.Classes)
	return h.Sum64()
}

// Measure is one event that a user saw.
type Measure struct {
	Place   config.Place     // where it was seen; the zero value is at the door
	Path    string           // of the request, as sent
	Class   core.Criticality // of the request
	Outcome core.Outcome     // how it ended, to whoever asked
	Took    time.Duration    // until the answer began
	Age     time.Duration    // of what was answered; 0: it is fresh, or nobody knows
}

// Report counts one event for every objective that it belongs to.
func (o *Objectives) Report(m Measure) {
	if o == nil {
		return
	}
	for _, p := range o.all {
		if p.cfg.Place == m.Place && m.Place != config.PlaceCalls && p.cfg.Counts(m.Path, m.Class) {
			p.count(m)
		}
	}
	o.look()
}

func (p *promise) count(m Measure) {
	good, counts := p.cfg.Good(m.Outcome, m.Took, m.Age)
	if !counts {
		return
	}
	p.events.Add(1)
	if !good {
		p.bad.Add(1)
	}
	p.slo.Report(unix(), good)
}

// counted reads the counters. An event is counted before it is bad, and so it is
// read after: more bad ones than there are would be an alert.
func (p *promise) counted() (events, bad uint64) {
	bad = p.bad.Load()
	return p.events.Load(), bad
}

// Beacon counts events that a client tells of an objective that is counted by
// clients. It reports whether there is one of that name.
func (o *Objectives) Beacon(name string, c slo.Counts) bool {
	p := o.find(name)
	if p == nil || p.cfg.Place != config.PlaceBeacon {
		return false
	}
	c.Bad = min(c.Bad, c.Total)
	p.events.Add(c.Total)
	p.bad.Add(c.Bad)
	p.slo.Add(unix(), c)
	o.look()
	return true
}

// ObjectiveSnapshot is one objective at one moment.
type ObjectiveSnapshot struct {
	Objective *config.Objective
	slo.Snapshot
	Events, Bad uint64    // since the start of the process
	Begin       time.Time // of the curve
	Curve       []float64 // what was left since, at equal distances
}

// Snapshot reads every objective, in the order of the file, with so many points
// of its curve.
func (o *Objectives) Snapshot(points int) (all []ObjectiveSnapshot) {
	if o == nil {
		return nil
	}
	now := unix()
	for _, p := range o.all {
		s := ObjectiveSnapshot{Objective: &p.cfg, Snapshot: p.slo.Snapshot(now)}
		s.Events, s.Bad = p.counted()
		if points > 0 {
			begin, curve := p.slo.Curve(now, points)
			s.Begin, s.Curve = time.Unix(0, int64(begin)), curve
		}
		all = append(all, s)
	}
	return all
}

// readState adds the objectives to what gauges are made of.
func (o *Objectives) readState(to *telemetry.State) {
	if o == nil {
		return
	}
	now := unix()
	for _, p := range o.all {
		events, bad := p.counted()
		to.Objectives = append(to.Objectives, telemetry.ObjectiveState{Name: p.cfg.Name,
			Events: events, Bad: bad, Snapshot: p.slo.Snapshot(now)})
	}
}
