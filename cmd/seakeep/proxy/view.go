package proxy

import (
	"math"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/window"
)

// What follows is the shape of /v1/dependencies. Keys are in snake case, times
// of day in RFC 3339, durations numbers of milliseconds. What is off, or not
// known for want of data, is left out.

type allView struct {
	Service      string           `json:"service"`
	Dependencies []dependencyView `json:"dependencies"`
}

type dependencyView struct {
	Name      string         `json:"name"`
	Kind      string         `json:"kind"`
	Listen    string         `json:"listen,omitempty"`
	Ready     bool           `json:"ready"`
	Endpoints []endpointView `json:"endpoints"`
	Balance   *balanceView   `json:"balance,omitempty"`
	Pool      *poolView      `json:"connections,omitempty"`
	policyView
	Outlier    *outlierSettings `json:"outlier,omitempty"`
	Health     *healthSettings  `json:"health,omitempty"`
	Shards     *shardsView      `json:"shards,omitempty"`
	Failover   *failoverView    `json:"failover,omitempty"`
	Operations []operationView  `json:"operations,omitempty"`
}

type operationView struct {
	Name string `json:"name"`
	policyView
}

type policyView struct {
	Settings settingsView  `json:"settings"`
	Calls    callsView     `json:"calls"`
	Latency  *latencyView  `json:"latency,omitempty"`
	Breaker  *breakerView  `json:"breaker,omitempty"`
	Keys     []breakerView `json:"breakers_by_key,omitempty"`
	Bulkhead *bulkheadView `json:"bulkhead,omitempty"`
	Throttle *throttleView `json:"throttle,omitempty"`
	Hedge    *hedgeView    `json:"hedge,omitempty"`
	Budget   *budgetView   `json:"retry_budget,omitempty"`
	Fallback *fallbackView `json:"fallback,omitempty"`
}

type callsView struct {
	Succeeded uint64            `json:"succeeded"`
	Failed    uint64            `json:"failed"`
	Rejected  uint64            `json:"rejected"`
	Cancelled uint64            `json:"cancelled"`
	Timeouts  uint64            `json:"attempts_timed_out"`
	Failures  uint64            `json:"attempts_failed"`
	Overloads uint64            `json:"attempts_overloaded"`
	Retries   uint64            `json:"retries"`
	Observed  uint64            `json:"observed_refusals"`
	For       map[string]uint64 `json:"rejected_for,omitempty"`
	Denied    map[string]uint64 `json:"retries_denied_for,omitempty"`
}

type latencyView struct {
	Count  uint64  `json:"count"`
	MeanMS float64 `json:"mean_ms"`
	P50    float64 `json:"p50_ms"`
	P95    float64 `json:"p95_ms"`
	P99    float64 `json:"p99_ms"`
	P999   float64 `json:"p999_ms"`
	MaxMS  float64 `json:"max_ms"`
}

type breakerView struct {
	Key     string     `json:"key,omitempty"`
	State   string     `json:"state"`
	Mode    string     `json:"mode"`
	Since   *time.Time `json:"since,omitempty"`
	RetryMS *float64   `json:"retry_after_ms,omitempty"`
	Ramp    float64    `json:"let_through_share"`
	Window  countsView `json:"window"`
	InARow  int        `json:"failures_in_a_row"`
	Trials  trialsView `json:"trials"`
	History []change   `json:"history"`
}

type countsView struct {
	Calls    uint64   `json:"calls"`
	Failed   uint64   `json:"failed"`
	Slow     uint64   `json:"slow"`
	Failures *float64 `json:"failure_share,omitempty"`
	SlowRate *float64 `json:"slow_share,omitempty"`
}

type trialsView struct {
	InFlight int `json:"in_flight"`
	Passed   int `json:"passed"`
	Failed   int `json:"failed"`
}

type change struct {
	At     time.Time  `json:"at"`
	From   string     `json:"from"`
	To     string     `json:"to"`
	Reason string     `json:"reason"`
	Counts countsView `json:"counts"`
}

func (p *Proxy) allView() allView {
	file := p.set.File()
	v := allView{Service: file.Service, Dependencies: []dependencyView{}}
	for _, d := range file.Dependencies {
		v.Dependencies = append(v.Dependencies, p.dependencyView(d))
	}
	return v
}

func (p *Proxy) dependencyView(d *config.Dependency) dependencyView {
	v := dependencyView{Name: d.Name, Kind: d.Kind.String(), Listen: d.Listen,
		Ready: p.dependencyReady(d), Endpoints: []endpointView{}, policyView: p.policyView(&d.Settings)}
	p.mu.Lock()
	t := p.transports[d.Name]
	p.mu.Unlock()
	if t != nil {
		s := t.Snapshot()
		v.Balance, v.Pool = balanceOf(d, &s), poolOf(d, &s)
		for i := range s.Endpoints {
			v.Endpoints = append(v.Endpoints, endpointOf(&s.Endpoints[i]))
		}
	}
	v.Outlier, v.Health = outlierSettingsOf(d.Outlier), healthSettingsOf(d.Health)
	v.Shards, v.Failover = shardsOf(d, len(v.Endpoints)), failoverOf(p.set, d)
	for i := range d.Operations {
		op := &d.Operations[i]
		v.Operations = append(v.Operations, operationView{op.Name, p.policyView(&op.Settings)})
	}
	return v
}

func (p *Proxy) policyView(s *config.Settings) policyView {
	v := policyView{Settings: settingsOf(s)}
	policy, err := p.set.Policy(s.Call.Name)
	if err != nil { // another file was loaded meanwhile
		return v
	}
	snap := policy.Snapshot()
	v.Calls = callsOf(&snap.Stats)
	v.Latency = latencyOf(snap.Stats.Latency)
	if snap.Breaker != nil {
		b := breakerOf(snap.Breaker)
		v.Breaker = &b
	}
	for i := range snap.Keyed {
		v.Keys = append(v.Keys, breakerOf(&snap.Keyed[i]))
	}
	v.Bulkhead, v.Budget = bulkheadOf(snap.Bulkhead), budgetOf(snap.Budget)
	v.Throttle, v.Hedge = throttleOf(snap.Throttle), hedgeOf(snap.Hedge)
	if len(s.Fallback.Order) > 0 {
		v.Fallback = fallbackOf(snap.Fallback)
	}
	return v
}

func callsOf(s *call.StatsSnapshot) callsView {
	return callsView{Succeeded: s.Succeeded, Failed: s.Failed, Rejected: s.Rejected,
		Cancelled: s.Cancelled, Timeouts: s.Timeouts, Failures: s.Failures, Overloads: s.Overloads,
		Retries: s.Retries, Observed: s.Observed, For: byName(s.RejectedFor),
		Denied: byName(s.DeniedFor)}
}

func byName(counts []call.ReasonCount) map[string]uint64 {
	if len(counts) == 0 {
		return nil
	}
	m := make(map[string]uint64, len(counts))
	for _, c := range counts {
		m[c.Reason.String()] = c.Count
	}
	return m
}

func latencyOf(q window.Quantiles) *latencyView {
	mean, ok := q.Mean()
	if !ok {
		return nil
	}
	at := func(p float64) float64 {
		d, _ := q.Quantile(p)
		return millis(d)
	}
	return &latencyView{Count: q.Count, MeanMS: millis(mean), P50: at(0.5), P95: at(0.95),
		P99: at(0.99), P999: at(0.999), MaxMS: millis(q.Max)}
}

func breakerOf(s *breaker.Snapshot) breakerView {
	v := breakerView{Key: s.Key, State: s.State.String(), Mode: s.Mode.String(), Ramp: s.Ramp,
		Window: countsOf(s.Window), InARow: s.InARow,
		Trials: trialsView{s.InFlight, s.Passed, s.Failed}, History: []change{}}
	if s.Since != core.Instant(math.MinInt64) {
		since := seakeep.TimeOf(s.Since)
		v.Since = &since
	}
	if s.RetryAfter > 0 {
		ms := millis(s.RetryAfter)
		v.RetryMS = &ms
	}
	for _, t := range s.History {
		v.History = append(v.History, change{seakeep.TimeOf(t.At), t.From.String(), t.To.String(),
			t.Reason.String(), countsOf(t.Counts)})
	}
	return v
}

func countsOf(c window.Counts) countsView {
	v := countsView{Calls: c.Calls, Failed: c.Failed, Slow: c.Slow}
	if share, ok := c.FailureShare(); ok {
		v.Failures = &share
	}
	if share, ok := c.SlowShare(); ok {
		v.SlowRate = &share
	}
	return v
}
