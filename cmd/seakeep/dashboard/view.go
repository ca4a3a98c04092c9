package dashboard

import (
	"encoding/json"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/cmd/seakeep/dashboard/schema"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/bulkhead"
	"github.com/seakeep/seakeep/core/call"
	corewindow "github.com/seakeep/seakeep/core/window"
	"github.com/seakeep/seakeep/telemetry"
)

// fresh is how old a snapshot may be that is told again: as many watch, it is
// made four times a second at most.
const fresh = 200 * time.Millisecond

type cached struct {
	mu   sync.Mutex
	at   time.Time
	v    *schema.Snapshot
	text []byte
}

// forget has the next one who asks see what is true then.
func (c *cached) forget() {
	c.mu.Lock()
	c.v = nil
	c.mu.Unlock()
}

// snapshot returns the state of everything, and the same as JSON.
func (d *Dashboard) snapshot(p *Program) (*schema.Snapshot, []byte) {
	c := &d.cached
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); c.v == nil || now.Sub(c.at) >= fresh || now.Before(c.at) {
		c.v, c.at = d.build(p, now), now
		c.text, _ = json.Marshal(c.v) // strings and finite numbers: it cannot fail
	}
	return c.v, c.text
}

// sums returns what was counted in the window up to now, and what is true now.
func (d *Dashboard) sums(p *Program, now time.Time) (sum *frame, r *reading) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r = d.read(p, now)
	if d.last == nil {
		d.last = r
	}
	sum = &frame{from: d.last.at, of: map[string]*sample{}}
	if len(d.recent) > 0 {
		sum.from = d.recent[0].from
	}
	for _, f := range d.recent {
		sum.add(f)
	}
	latest := r.since(d.last)
	sum.add(latest)
	for name, s := range sum.of { // what is true now, and not the worst of the window
		if now := latest.of[name]; now != nil {
			for f := range fields {
				if f.isState() {
					s.n[f] = now.n[f]
				}
			}
		}
	}
	return sum, r
}

func (d *Dashboard) build(p *Program, now time.Time) *schema.Snapshot {
	sum, r := d.sums(p, now)
	file := p.Set.File()
	v := &schema.Snapshot{Version: schema.Version, AtMS: unixMS(now), Service: file.Service,
		WindowMS: schema.Millis(sum.to.Sub(sum.from)), Ready: p.Ready == nil || p.Ready(),
		Dependencies: []schema.Dependency{}, SLO: objectives(p.Set), Faults: faults(p.Set),
		Levers: d.guard.enabled(), Demo: len(p.Demo) > 0, Policy: policyFile(p)}
	t := &tiles{sum: sum, seconds: sum.to.Sub(sum.from).Seconds(), state: &r.state, program: p, v: v}
	for _, dep := range file.Dependencies {
		v.Dependencies = append(v.Dependencies, t.tile(dep))
	}
	schema.WorstFirst(v.Dependencies)
	v.Serve = t.serve()
	return v
}

// tiles makes the wall.
type tiles struct {
	sum     *frame
	seconds float64
	state   *telemetry.State
	program *Program
	v       *schema.Snapshot
}

func (t *tiles) rate(n uint64) float64 {
	if t.seconds <= 0 {
		return 0
	}
	return digits(float64(n) / t.seconds)
}

// digits leaves four, which is more than a rate of some seconds has.
func digits(x float64) float64 {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	scale := math.Pow(10, 4-math.Ceil(math.Log10(math.Abs(x))))
	return math.Round(x*scale) / scale
}

// some are the numbers that are not zero, as rates; nil if none is.
func (t *tiles) some(numbers map[string]uint64) (rates map[string]float64) {
	for name, n := range numbers {
		if n == 0 {
			continue
		}
		if rates == nil {
			rates = map[string]float64{}
		}
		rates[name] = t.rate(n)
	}
	return rates
}

func (t *tiles) tile(dep *config.Dependency) schema.Dependency {
	s := t.sum.of[dep.Name]
	if s == nil {
		s = &sample{}
	}
	v := schema.Dependency{Name: dep.Name, Kind: dep.Kind.String(), Rate: t.rate(s.calls()),
		Success: share(s.n[fSuccess], s.telling()), Outcomes: map[string]float64{},
		Answered: share(s.n[fSuccess]+s.n[fFallback], s.telling()), Latency: latencyOf(s.took),
		InFlight: int(s.n[gInFlight]), HedgeWins: t.rate(s.n[fHedgeWins]),
		NoFallback: t.rate(s.n[fNoFallback]), Endpoints: t.endpoints(dep.Name)}
	for word, f := range outcomeField {
		v.Outcomes[word] = t.rate(s.n[f])
	}
	v.Rejected = t.some(map[string]uint64{"circuit-open": s.n[fOpen], "bulkhead-full": s.n[fFull],
		"throttled": s.n[fThrottled], "deadline": s.n[fNoTime], "other": s.n[fOtherRefusal]})
	if calls := s.calls(); calls > 0 {
		per := func(n uint64) float64 { return digits(float64(n) / float64(calls)) }
		v.Attempts = per(s.n[fFirst] + s.n[fRetry] + s.n[fHedge])
		v.RetryRatio, v.HedgeRatio, v.Fallback = per(s.n[fRetry]), per(s.n[fHedge]), per(s.n[fFallback])
	}
	v.Deadline = t.deadline(s, map[string]uint64{"before": s.n[fBefore], "attempt": s.n[fAttempt],
		"retry": s.n[fRetryLate], "caller": s.n[fCaller]})
	t.states(&v, s)
	for _, f := range t.v.Faults {
		if f.Dependency == dep.Name {
			v.Faults++
		}
	}
	for _, o := range t.v.SLO {
		if o.Dependency == dep.Name && (v.SLOLeft == nil || o.Left < *v.SLOLeft) {
			left := o.Left
			v.SLOLeft = &left
		}
	}
	v.Badness = digits(schema.Badness(&v))
	return v
}

// states adds what the policies of a dependency and of its operations are like.
func (t *tiles) states(v *schema.Dependency, s *sample) {
	for i := range t.state.Policies {
		p := &t.state.Policies[i]
		if name, op, ok := strings.Cut(p.Name, "/"); ok && name == v.Name {
			o := schema.Operation{Name: op}
			if !p.Shared.Has(call.RungBreaker) {
				o.Breaker = breakerOf(p.Breaker, p.Keyed)
			}
			if !p.Shared.Has(call.RungBulkhead) {
				o.Bulkhead = slotsOf(p.Bulkhead)
			}
			v.Operations = append(v.Operations, o)
		}
		if p.Name != v.Name {
			continue
		}
		v.Breaker, v.Bulkhead = breakerOf(p.Breaker, p.Keyed), slotsOf(p.Bulkhead)
		if p.Budget != nil {
			v.RetryBudget = &schema.Budget{Left: p.Budget.Available, Denied: t.rate(s.n[fBudgetDenied])}
		}
		if p.Throttle != nil {
			most := 0.0
			for _, c := range p.Throttle.Classes {
				most = max(most, c.Refusal)
			}
			v.Throttle = &most
		}
	}
	for _, f := range t.state.Failovers {
		if f.Dependency == v.Name {
			v.Failover = f.State.String()
		}
	}
}

// deadline is nil of what came without deadlines.
func (t *tiles) deadline(s *sample, passed map[string]uint64) *schema.Deadline {
	exceeded := t.some(passed)
	if len(s.left) == 0 && exceeded == nil {
		return nil
	}
	q := quantiles(s.left)
	at := func(p float64) float64 {
		left, _ := q.Quantile(p)
		return schema.Millis(left)
	}
	return &schema.Deadline{LeftP1MS: at(0.01), LeftP50MS: at(0.5), Dead: t.rate(s.n[fDead]),
		Exceeded: exceeded}
}

func quantiles(bins []bin) (q corewindow.Quantiles) {
	for _, b := range bins {
		q.Add(b.at, b.n)
	}
	return q
}

func latencyOf(bins []bin) *schema.Latency { return distribution(quantiles(bins)) }

func distribution(q corewindow.Quantiles) *schema.Latency {
	mean, ok := q.Mean()
	if !ok {
		return nil
	}
	at := func(p float64) float64 {
		d, _ := q.Quantile(p)
		return schema.Millis(d)
	}
	return &schema.Latency{Count: q.Count, MeanMS: schema.Millis(mean), P50MS: at(0.5), P99MS: at(0.99),
		P999MS: at(0.999), MaxMS: schema.Millis(q.Max)}
}

func breakerOf(s *breaker.Snapshot, keyed []breaker.Snapshot) *schema.Breaker {
	if s == nil {
		return nil
	}
	v := &schema.Breaker{State: s.State.String(), Mode: s.Mode.String(), Calls: s.Window.Calls,
		Failed: s.Window.Failed, Slow: s.Window.Slow}
	if s.Since != core.Instant(math.MinInt64) {
		since := unixMS(seakeep.TimeOf(s.Since))
		v.SinceMS = &since
	}
	if s.RetryAfter > 0 {
		ms := schema.Millis(s.RetryAfter)
		v.RetryMS = &ms
	}
	for i := range keyed {
		if v.Keys == nil {
			v.Keys = map[string]int{}
		}
		v.Keys[keyed[i].State.String()]++
	}
	return v
}

func slotsOf(s *bulkhead.Snapshot) *schema.Slots {
	if s == nil {
		return nil
	}
	return &schema.Slots{InUse: s.InUse, Limit: s.Limit, Queued: s.Queued, QueueLimit: s.Queue}
}
