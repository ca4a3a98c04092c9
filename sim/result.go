package sim

import (
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/serve"
	"github.com/seakeep/seakeep/core/window"
)

// Result is what one run came to. Counts and rates leave the warm-up out;
// maxima and timelines do not.
type Result struct {
	Seed         uint64
	For, Warmup  time.Duration
	Slice        time.Duration // width of the slices of time
	Events       uint64
	Endpoints    []EndpointResult
	Services     []ServiceResult
	Dependencies []DependencyResult
}

// EndpointResult is what users of one route saw.
type EndpointResult struct {
	Client, Service, Name string
	Outcomes
	Unended uint64 // still under way when the run ended
	Latency window.Quantiles
	Slices  []Outcomes
}

// ServiceResult is what one service did, all instances together.
type ServiceResult struct {
	Name                             string
	Workers                          int // of all instances; 0: no limit
	Arrived, Served, Failed, Refused uint64
	Expired, Dropped, Crashed, Hung  uint64
	Rate                             float64 // requests a second
	Busy, Queued, Here               float64 // means
	MostBusy, MostQueued             int
	Doors                            []serve.Snapshot // of the instances that have one, at the end
	Door                             *DoorResult      // nil: it never had one
	Samples                          []Sample
}

// Sample is the state of a service at the end of a slice of time.
type Sample struct {
	At      time.Duration
	Busy    int
	Queued  int
	Away    int           // instances that are down
	Arrived uint64        // since the start
	Served  uint64        // since the start, well
	Refused uint64        // since the start
	Full    time.Duration // when in the slice all workers were busy first; -1: never
	Turned  time.Duration // when in the slice one was refused first; -1: none was
	Gone    time.Duration // when in the slice an instance went down first; -1: none did
	Worked  time.Duration // by all workers together, since the start
	Waited  time.Duration // in the queues by all requests together, since the start
}

// DependencyResult is what the calls of one service or client to one
// dependency came to, all instances together.
type DependencyResult struct {
	By, Name      string
	Users         int // of the policy: instances, or members of a client
	Stats         call.StatsSnapshot
	Answered      uint64  // by a fallback
	Chained       uint64  // by another dependency
	Attempts      float64 // a second
	Calls         float64 // a second
	Amplification float64 // attempts for each call that made any
	Transitions   uint64  // of all breakers
	OpenShare     float64 // of the time; of that since the last 32 changes, if there were more
	Timeline      []Transition

	begun, launched uint64
}

// Transition is a change of one breaker.
type Transition struct {
	At     time.Duration
	User   int
	From   string
	To     string
	Reason core.Reason
	Counts window.Counts
}

// tally is what had been counted when the warm-up ended.
type tally struct {
	services []counts
	members  []memberTally
}

type memberTally struct {
	stats             call.StatsSnapshot
	begun, launched   uint64
	answered, chained uint64
	changes           uint64
}

func (w *World) tally() tally {
	var t tally
	for _, s := range w.services {
		s.count.here.add(w.now, 0)
		s.count.busy.add(w.now, 0)
		s.count.queued.add(w.now, 0)
		t.services = append(t.services, s.count)
	}
	for _, m := range w.members {
		t.members = append(t.members, m.tally(w.now))
	}
	return t
}

func (m *member) tally(now core.Instant) memberTally {
	s := m.plan.Snapshot(now)
	t := memberTally{stats: s.Stats, begun: m.begun, launched: m.launched, answered: m.answered,
		chained: m.chained}
	if s.Breaker != nil {
		t.changes = s.Breaker.Era - 1
	}
	for _, b := range m.past {
		t.changes += b.was.Era - 1
	}
	return t
}

func (w *World) result(base tally) *Result {
	r := &Result{Seed: w.seed, For: w.scenario.For, Warmup: w.scenario.Warmup,
		Slice: time.Duration(w.width), Events: w.Fired()}
	for _, c := range w.clients {
		for _, e := range c.routes {
			r.Endpoints = append(r.Endpoints, EndpointResult{Client: c.cfg.Name,
				Service: c.cfg.To, Name: e.route.cfg.Name, Outcomes: e.stats.total,
				Unended: e.stats.open, Latency: e.stats.latency.Snapshot(), Slices: e.stats.slices})
		}
	}
	now := w.tally()
	for k, s := range w.services {
		r.Services = append(r.Services, w.serviceResult(k, s, base.services[k], now.services[k]))
	}
	r.Dependencies = w.dependencies(base, now)
	return r
}

func (w *World) seconds() float64 { return float64(w.end-w.warm) / 1e9 }

func (w *World) serviceResult(k int, s *service, a, b counts) ServiceResult {
	t := float64(w.end - w.warm)
	r := ServiceResult{Name: s.cfg.Name, Workers: s.cfg.Workers * len(s.instances),
		Arrived: b.arrived - a.arrived, Served: b.served - a.served, Failed: b.failed - a.failed,
		Refused: b.refused - a.refused, Expired: b.expired - a.expired,
		Dropped: b.dropped - a.dropped, Crashed: b.crashed - a.crashed, Hung: b.hung - a.hung,
		Busy: float64(b.busy.area-a.busy.area) / t, Queued: float64(b.queued.area-a.queued.area) / t,
		Here: float64(b.here.area-a.here.area) / t, MostBusy: b.busy.most, MostQueued: b.queued.most}
	r.Rate = float64(r.Arrived) / w.seconds()
	for _, row := range w.samples {
		r.Samples = append(r.Samples, row[k])
	}
	for _, i := range s.instances {
		if i.door != nil {
			r.Doors = append(r.Doors, i.door.Snapshot(w.end))
		}
	}
	if w.hasDoor(s) {
		r.Door = a.doors.until(&b.doors)
	}
	return r
}

// dependencies adds up the members of each service or client.
func (w *World) dependencies(base, now tally) (out []DependencyResult) {
	for k, m := range w.members {
		d := find(&out, m.of.by, m.name)
		user := d.Users
		d.Users++
		a, b := base.members[k], now.members[k]
		subtract(&d.Stats, b.stats, a.stats)
		d.begun += b.begun - a.begun
		d.launched += b.launched - a.launched
		d.Answered += b.answered - a.answered
		d.Chained += b.chained - a.chained
		d.Transitions += b.changes - a.changes
		d.breakers(user, m, w.end)
	}
	for k := range out {
		d := &out[k]
		if made := d.begun - min(d.begun, d.Stats.Rejected); made > 0 {
			d.Amplification = float64(d.launched) / float64(made)
		}
		d.Calls = float64(d.begun) / w.seconds()
		d.Attempts = float64(d.launched) / w.seconds()
		d.OpenShare /= float64(d.Users)
	}
	return out
}

func find(all *[]DependencyResult, by, name string) *DependencyResult {
	for i := range *all {
		if d := &(*all)[i]; d.By == by && d.Name == name {
			return d
		}
	}
	*all = append(*all, DependencyResult{By: by, Name: name})
	return &(*all)[len(*all)-1]
}

func subtract(sum *call.StatsSnapshot, b, a call.StatsSnapshot) {
	sum.Succeeded += b.Succeeded - a.Succeeded
	sum.Failed += b.Failed - a.Failed
	sum.Rejected += b.Rejected - a.Rejected
	sum.Cancelled += b.Cancelled - a.Cancelled
	sum.Timeouts += b.Timeouts - a.Timeouts
	sum.Failures += b.Failures - a.Failures
	sum.Overloads += b.Overloads - a.Overloads
	sum.Retries += b.Retries - a.Retries
	sum.Late += b.Late - a.Late
	sum.RejectedFor = addReasons(sum.RejectedFor, b.RejectedFor, a.RejectedFor)
	sum.DeniedFor = addReasons(sum.DeniedFor, b.DeniedFor, a.DeniedFor)
}

func addReasons(sum, b, a []call.ReasonCount) []call.ReasonCount {
	count := func(list []call.ReasonCount, r core.Reason) (n uint64) {
		for _, x := range list {
			if x.Reason == r {
				n = x.Count
			}
		}
		return n
	}
	for _, x := range b {
		n := x.Count - count(a, x.Reason)
		for i := range sum {
			if sum[i].Reason == x.Reason {
				sum[i].Count += n
				n = 0
			}
		}
		if n > 0 {
			sum = append(sum, call.ReasonCount{Reason: x.Reason, Count: n})
		}
	}
	return sum
}

// breakers adds what the breakers of a member did, one after the other.
func (d *DependencyResult) breakers(user int, m *member, end core.Instant) {
	all := m.past
	if s := m.plan.Snapshot(end).Breaker; s != nil {
		all = append(all[:len(all):len(all)], oldBreaker{s, m.since, end})
	}
	open, known := time.Duration(0), time.Duration(end)
	for _, b := range all {
		o, forgotten := d.timeline(user, b)
		open += o
		known -= forgotten
	}
	d.OpenShare += float64(open) / float64(max(known, 1))
}

// timeline adds a breaker's last changes, and returns the time it was open
// between them, and for how long before them nothing is known.
func (d *DependencyResult) timeline(user int, b oldBreaker) (open, forgotten time.Duration) {
	s := b.was
	state, since, first := breaker.Closed, b.since, b.since
	if n := len(s.History); n > 0 && s.Era-1 > uint64(n) {
		first = s.History[0].At // what was before is forgotten
	}
	for _, t := range s.History {
		if state != breaker.Closed {
			open += t.At.Sub(since)
		}
		state, since = t.To, t.At
		d.Timeline = append(d.Timeline, Transition{time.Duration(t.At), user, t.From.String(),
			t.To.String(), t.Reason, t.Counts})
	}
	if state != breaker.Closed {
		open += b.end.Sub(since)
	}
	return open, first.Sub(b.since)
}

// Endpoint returns the first endpoint of that name, or nil.
func (r *Result) Endpoint(name string) *EndpointResult {
	for i := range r.Endpoints {
		if r.Endpoints[i].Name == name {
			return &r.Endpoints[i]
		}
	}
	return nil
}
