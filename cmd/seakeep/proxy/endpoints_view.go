package proxy

import (
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/balance"
	"github.com/seakeep/seakeep/seakeephttp"
)

type endpointView struct {
	URL   string `json:"url"`
	State string `json:"state"`
	Zone  string `json:"zone,omitempty"`
	// Weight is as written; an endpoint in slow start has a part of it.
	Weight   float64 `json:"weight"`
	Ramp     float64 `json:"slow_start_share"`
	InFlight int     `json:"in_flight"`
	Picked   uint64  `json:"picked"`
	// LatencyMS and Failing are what it is chosen by: a mean that jumps to what
	// is slower, and the share of its latest answers that were failures.
	LatencyMS *float64 `json:"mean_latency_ms,omitempty"`
	Failing   float64  `json:"failing_share"`
	// Resting endpoints could not be reached and are left alone.
	Resting  bool     `json:"resting"`
	Failures int      `json:"failures_in_a_row"`
	TrialMS  *float64 `json:"next_trial_ms,omitempty"`

	Ejection *ejectionView `json:"outlier,omitempty"`
	Check    *checkView    `json:"health,omitempty"`
}

// balanceView is what is true of all endpoints together.
type balanceView struct {
	Policy      string       `json:"policy"`
	DecayMS     float64      `json:"decay_ms"`
	SlowStartMS float64      `json:"slow_start_ms,omitempty"`
	PanicBelow  float64      `json:"panic_below_share,omitempty"`
	Zone        string       `json:"zone,omitempty"`
	Panic       bool         `json:"panic"`
	Resolved    *resolveView `json:"resolved,omitempty"`
}

type resolveView struct {
	Name     string     `json:"name"`
	At       *time.Time `json:"at,omitempty"`
	Failures int        `json:"failures_in_a_row"`
	Problem  string     `json:"problem,omitempty"`
}

func endpointOf(e *seakeephttp.Endpoint) endpointView {
	v := endpointView{URL: e.URL, State: e.State.String(), Zone: e.Zone, Weight: e.Weight,
		Ramp: e.Ramp, InFlight: e.InFlight, Picked: e.Picked, Failing: e.Failing,
		Resting: e.Resting, Failures: e.Failures, Ejection: ejectionOf(e.Outlier),
		Check: checkOf(e.Health)}
	if e.Latency > 0 {
		ms := millis(e.Latency)
		v.LatencyMS = &ms
	}
	if e.Resting {
		ms := millis(e.Trial)
		v.TrialMS = &ms
	}
	return v
}

func balanceOf(d *config.Dependency, s *seakeephttp.Snapshot) *balanceView {
	if len(d.Endpoints) == 0 && d.Resolve == nil {
		return nil
	}
	c := d.Balance.Filled()
	v := &balanceView{Policy: c.Policy.String(), DecayMS: millis(c.Decay), Zone: c.Zone, Panic: s.Panic}
	if c.SlowStart != balance.Off {
		v.SlowStartMS = millis(c.SlowStart)
	}
	if c.Panic != balance.Off {
		v.PanicBelow = c.Panic
	}
	if r := s.Resolved; r != nil {
		v.Resolved = &resolveView{Name: r.Name, Failures: r.Failures}
		if !r.At.IsZero() {
			v.Resolved.At = &r.At
		}
		if r.Err != nil {
			v.Resolved.Problem = r.Err.Error()
		}
	}
	return v
}
