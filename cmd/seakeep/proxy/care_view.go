package proxy

import (
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/health"
	"github.com/seakeep/seakeep/core/outlier"
)

// ejectionView is what the detector of outliers knows of an endpoint.
type ejectionView struct {
	Out bool `json:"out"`
	// Rule and the times are there while it is out; it returns at the first
	// sweep after until.
	Rule  string     `json:"rule,omitempty"`
	Since *time.Time `json:"since,omitempty"`
	Until *time.Time `json:"until,omitempty"`
	// Times is how many ejections count: the next lasts base times one more.
	Times   int    `json:"counts_as"`
	Ejected uint64 `json:"ejections"`
	Spared  uint64 `json:"spared"`
	// Last is the latest interval that it was in for.
	Last intervalView `json:"last_interval"`
}

type intervalView struct {
	Requests  int     `json:"requests"`
	Failures  int     `json:"failures"`
	LatencyMS float64 `json:"latency_ms,omitempty"`
}

func ejectionOf(e *outlier.Endpoint) *ejectionView {
	if e == nil {
		return nil
	}
	v := &ejectionView{Out: e.Out, Times: e.Times, Ejected: e.Ejected, Spared: e.Spared,
		Last: intervalView{e.Last.Requests, e.Last.Failures, millis(e.Last.Latency)}}
	if e.Out {
		since, until := seakeep.TimeOf(e.Since), seakeep.TimeOf(e.Until)
		v.Rule, v.Since, v.Until = e.Rule.String(), &since, &until
	}
	return v
}

// checkView is what the health checks have found of an endpoint.
type checkView struct {
	Verdict string `json:"verdict"`
	// Out is false for an unhealthy one that max-removed keeps in.
	Out    bool   `json:"out"`
	Passed bool   `json:"last_passed"`
	InARow int    `json:"in_a_row"`
	Checks uint64 `json:"checks"`
	Failed uint64 `json:"failed"`
}

func checkOf(e *health.Endpoint) *checkView {
	if e == nil {
		return nil
	}
	return &checkView{e.Verdict.String(), e.Out, e.Passed, e.InARow, e.Checks, e.Failed}
}

// outlierSettings are in effect; a rule that is off is left out.
type outlierSettings struct {
	IntervalMS   float64 `json:"interval_ms"`
	Errors       int     `json:"consecutive_errors,omitempty"`
	Gateway      int     `json:"consecutive_gateway_errors,omitempty"`
	Local        int     `json:"consecutive_local_errors,omitempty"`
	Sigma        float64 `json:"success_rate_sigma,omitempty"`
	FailureShare float64 `json:"failure_share,omitempty"`
	Factor       float64 `json:"latency_factor,omitempty"`
	BaseMS       float64 `json:"base_ms"`
	CapMS        float64 `json:"cap_ms"`
	MaxEjected   float64 `json:"max_ejected"`
	AlwaysOne    bool    `json:"always_one,omitempty"`
	Mode         string  `json:"mode"`
}

func outlierSettingsOf(c *config.Outlier) *outlierSettings {
	if c == nil {
		return nil
	}
	return &outlierSettings{IntervalMS: millis(c.Interval), Errors: max(0, c.Consecutive.Errors),
		Gateway: c.Consecutive.Gateway, Local: c.Consecutive.Local,
		Sigma: max(0, c.SuccessRate.Sigma), FailureShare: max(0, c.FailureShare.Share),
		Factor: max(0, c.Latency.Factor), BaseMS: millis(c.Base), CapMS: millis(c.Cap),
		MaxEjected: c.MaxOut.Share, AlwaysOne: c.MaxOut.AlwaysOne, Mode: modeOf(c.Observe)}
}

type healthSettings struct {
	Type       string  `json:"type"`
	Path       string  `json:"path,omitempty"`
	Service    string  `json:"service,omitempty"`
	Host       string  `json:"host,omitempty"`
	Port       int     `json:"port,omitempty"`
	Expect     []int   `json:"expect,omitempty"`
	IntervalMS float64 `json:"interval_ms"`
	DownMS     float64 `json:"down_ms"`
	EdgeMS     float64 `json:"edge_ms"`
	TimeoutMS  float64 `json:"timeout_ms"`
	Unhealthy  int     `json:"unhealthy"`
	Healthy    int     `json:"healthy"`
	MaxRemoved float64 `json:"max_removed"`
	Mode       string  `json:"mode"`
}

func healthSettingsOf(c *config.Health) *healthSettings {
	if c == nil {
		return nil
	}
	return &healthSettings{Type: c.Kind.String(), Path: c.Path, Service: c.Service, Host: c.Host,
		Port: c.Port, Expect: c.Expect, IntervalMS: millis(c.Every.Up), DownMS: millis(c.Every.Down),
		EdgeMS: millis(c.Every.Edge), TimeoutMS: millis(c.Timeout), Unhealthy: c.Unhealthy,
		Healthy: c.Healthy, MaxRemoved: c.MaxOut, Mode: modeOf(c.Observe)}
}

func modeOf(observe bool) string {
	if observe {
		return "observe"
	}
	return "enforce"
}
