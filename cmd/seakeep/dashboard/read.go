package dashboard

import (
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
	corewindow "github.com/seakeep/seakeep/core/window"
	"github.com/seakeep/seakeep/telemetry"
)

// reading is all that was counted since the start of the program.
type reading struct {
	at      time.Time
	of      map[string]*total // by dependency; the door has no name
	refused map[string]uint64 // at the door, by reason
	state   telemetry.State
}

type total struct {
	n          [fields]uint64
	took, left *[corewindow.Bins]uint64
}

// frame is what was added in a time, in the order of the policy file.
type frame struct {
	from, to time.Time
	names    []string
	of       map[string]*sample
	refused  map[string]uint64 // only of a frame that was never written down
}

// read takes what was counted up to now.
func (d *Dashboard) read(p *Program, now time.Time) *reading {
	r := &reading{at: now, of: map[string]*total{}, refused: map[string]uint64{}}
	p.Set.ReadState(&r.state)
	for _, dep := range p.Set.File().Dependencies {
		t := &total{}
		if m := d.meters.get(dep.Name); m != nil {
			if b := dep.Call.Breaker; b != nil {
				m.slow.Store(int64(b.Slow.Over))
			}
			t.took, t.left, t.n[fDead] = binned(&m.took), binned(&m.left), m.dead.Load()
		}
		r.of[dep.Name] = t
		if p.Endpoints != nil {
			t.endpoints(p, dep.Name)
		}
	}
	p.Metrics.Collect(r.count)
	for i := range r.state.Policies {
		s := &r.state.Policies[i]
		if t := r.of[s.Name]; t != nil {
			t.states(s)
		}
	}
	if r.state.Door != nil {
		r.door(&d.meters.door)
	}
	return r
}

func binned(h *corewindow.Histogram) *[corewindow.Bins]uint64 {
	q := h.Snapshot()
	if q.Count == 0 {
		return nil
	}
	counts := new([corewindow.Bins]uint64)
	q.Each(func(bin int, n uint64) { counts[bin] = n })
	return counts
}

var outcomeField = map[string]field{"success": fSuccess, "failure": fFailure, "timeout": fTimeout,
	"overloaded": fOverloaded, "cancelled": fCancelled, "ignored": fIgnored, "rejected": fRejected}

var attemptField = map[string]field{"first": fFirst, "retry": fRetry, "hedge": fHedge}

var phaseField = map[string]field{"before": fBefore, "attempt": fAttempt, "retry": fRetryLate,
	"caller": fCaller, "arrival": fArrival, "queue": fWaiting, "work": fWork}

var refusalField = map[string]field{core.CircuitOpen.String(): fOpen, core.BulkheadFull.String(): fFull,
	core.QueueTimeout.String(): fFull, core.Throttled.String(): fThrottled,
	core.DeadlineExceeded.String(): fNoTime, core.DeadlineTooShort.String(): fNoTime,
	core.WaitTooLong.String(): fNoTime}

// count adds one series of telemetry. Operations count with their dependency.
func (r *reading) count(s telemetry.Sample) {
	if len(s.Values) < 2 {
		return
	}
	name := s.Values[0]
	t := r.of[name]
	if t == nil {
		if s.Name == "seakeep_deadline_exceeded_total" && name == "" {
			t = r.doorTotal()
		} else {
			return
		}
	}
	n := uint64(s.Value)
	switch s.Name {
	case "seakeep_calls_total":
		t.add(outcomeField, s.Values[2], n)
	case "seakeep_calls_in_flight":
		t.n[gInFlight] += n
	case "seakeep_calls_rejected_total":
		f, known := refusalField[s.Values[2]]
		if !known {
			f = fOtherRefusal
		}
		t.n[f] += n
	case "seakeep_attempts_total":
		t.add(attemptField, s.Values[2], n)
	case "seakeep_hedge_wins_total":
		t.n[fHedgeWins] += n
	case "seakeep_retry_denied_total":
		if s.Values[2] == core.BudgetExhausted.String() {
			t.n[fBudgetDenied] += n
		}
	case "seakeep_fallback_total":
		switch s.Values[3] {
		case "answered":
			t.n[fFallback] += n
		case "failed", "full":
			t.n[fNoFallback] += n
		}
	case "seakeep_deadline_exceeded_total":
		t.add(phaseField, s.Values[3], n)
	}
}

// add counts what a word of telemetry stands for. One that is not known here counts
// for nothing, and not for the first of the fields.
func (t *total) add(fields map[string]field, word string, n uint64) {
	if f, known := fields[word]; known {
		t.n[f] += n
	}
}

func (r *reading) doorTotal() *total {
	if r.of[""] == nil {
		r.of[""] = &total{}
	}
	return r.of[""]
}

// states adds what the dependency's own policy is like now.
func (t *total) states(s *telemetry.PolicyState) {
	if b := s.Breaker; b != nil {
		switch t.n[gBreaker] = 1; b.State {
		case breaker.HalfOpen:
			t.n[gBreaker] = 2
		case breaker.Open:
			t.n[gBreaker] = 3
		}
		if b.Mode != breaker.Auto {
			t.n[gForced] = 1
		}
	}
	if b := s.Bulkhead; b != nil {
		t.n[gSlots], t.n[gLimit] = uint64(b.InUse), uint64(b.Limit)
		t.n[gQueued], t.n[gQueueLimit] = uint64(b.Queued), uint64(b.Queue)
	}
	if b := s.Budget; b != nil {
		t.n[gBudget] = uint64(max(b.Available, 0))
	}
}

func (t *total) endpoints(p *Program, name string) {
	s, ok := p.Endpoints(name)
	if !ok {
		return
	}
	all := countEndpoints(&s)
	t.n[gEndpoints], t.n[gUp], t.n[gEjected] = uint64(all.Total), uint64(all.Up), uint64(all.Ejected)
}

// door adds what is known of requests that come in.
func (r *reading) door(m *meter) {
	t, s := r.doorTotal(), r.state.Door
	t.took, t.left, t.n[fDead] = binned(&m.took), binned(&m.left), m.dead.Load()
	for i, c := range s.Classes {
		at := field(i)
		t.n[fOffered+at], t.n[fAdmitted+at], t.n[fShed+at] = c.Offered, c.Admitted, c.Refused
		t.n[fLeft+at], t.n[fInTime+at] = c.Left, c.Useful
	}
	for _, c := range s.Refused {
		r.refused[c.Reason.String()] = c.Count
	}
	if s.Limit != nil && s.Slots != nil {
		t.n[gLimit], t.n[gSlots] = uint64(s.Limit.Limit), uint64(s.Slots.InUse)
		t.n[gQueued], t.n[gQueueLimit] = uint64(s.Slots.Queued), uint64(s.Slots.Queue)
		for i, n := range s.Slots.Classes {
			t.n[gWaiting+field(i)] = uint64(n)
		}
	}
	if s.Degrade != nil {
		t.n[gDegrade] = uint64(s.Degrade.Level)
	}
	t.n[gAdmitted] = uint64(1000*min(max(s.Shed.Share, 0), 1) + 0.5)
}

// since returns what was added after an earlier reading.
func (r *reading) since(old *reading) *frame {
	f := &frame{from: old.at, to: r.at, of: map[string]*sample{}, refused: map[string]uint64{}}
	for name, t := range r.of {
		before := old.of[name]
		if before == nil {
			before = &total{}
		}
		s := &sample{took: added(t.took, before.took), left: added(t.left, before.left)}
		for i, n := range t.n {
			if !field(i).isState() {
				n -= min(n, before.n[i])
			}
			s.n[i] = n
		}
		f.of[name] = s
		f.names = append(f.names, name)
	}
	for reason, n := range r.refused {
		f.refused[reason] = n - min(n, old.refused[reason])
	}
	return f
}

func added(now, before *[corewindow.Bins]uint64) (bins []bin) {
	if now == nil {
		return nil
	}
	for i, n := range now {
		if before != nil {
			n -= min(n, before[i])
		}
		if n > 0 {
			bins = append(bins, bin{i, n})
		}
	}
	return bins
}
