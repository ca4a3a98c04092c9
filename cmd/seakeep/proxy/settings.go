package proxy

import (
	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/budget"
	"github.com/seakeep/seakeep/core/bulkhead"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/throttle"
)

// settingsView is what is in effect, defaults included. A limit that is off is
// left out, never 0.
type settingsView struct {
	Timeout  timeoutSettings   `json:"timeout"`
	Retry    *retrySettings    `json:"retry,omitempty"`
	Breaker  *breakerSettings  `json:"breaker,omitempty"`
	Bulkhead *bulkheadSettings `json:"bulkhead,omitempty"`
	Throttle *throttleSettings `json:"throttle,omitempty"`
	Hedge    *hedgeSettings    `json:"hedge,omitempty"`
	Fallback []string          `json:"fallback,omitempty"`
	// Observed rungs decide and report, but let the call pass.
	Observed []string `json:"observed,omitempty"`
}

type timeoutSettings struct {
	Connect float64 `json:"connect_ms,omitempty"`
	Acquire float64 `json:"acquire_ms,omitempty"`
	Request float64 `json:"request_ms,omitempty"`
	Total   float64 `json:"total_ms,omitempty"`
	Reserve float64 `json:"reserve_ms,omitempty"`
	Needs   float64 `json:"needs_ms,omitempty"`
}

type retrySettings struct {
	Attempts int     `json:"attempts"`
	BaseMS   float64 `json:"backoff_base_ms"`
	CapMS    float64 `json:"backoff_cap_ms"`
	Jitter   string  `json:"jitter"`
	Budget   string  `json:"budget"`
	ReplayTo int64   `json:"replay_bytes"`
}

type breakerSettings struct {
	WindowMS    float64 `json:"window_ms,omitempty"`
	WindowCalls int     `json:"window_calls,omitempty"`
	Consecutive int     `json:"consecutive,omitempty"`
	MinCalls    int     `json:"min_calls,omitempty"`
	Failures    float64 `json:"failure_share,omitempty"`
	SlowMS      float64 `json:"slow_over_ms,omitempty"`
	SlowShare   float64 `json:"slow_share,omitempty"`
	OpenMS      float64 `json:"open_ms"`
	RampMS      float64 `json:"ramp_ms,omitempty"`
	Counts      string  `json:"counts"`
	Keys        int     `json:"keys,omitempty"`
	KeyHeader   string  `json:"key_header,omitempty"`
}

type bulkheadSettings struct {
	Limit int    `json:"limit"`
	Queue int    `json:"queue"`
	Holds string `json:"holds"`
}

type throttleSettings struct {
	K        float64 `json:"k"`
	WindowMS float64 `json:"window_ms"`
	Cap      float64 `json:"cap"`
	Minimum  int     `json:"minimum"`
}

func settingsOf(s *config.Settings) settingsView {
	t := s.Call.Timeout
	v := settingsView{Timeout: timeoutSettings{Connect: millis(s.Connect),
		Acquire: millis(s.Acquire), Request: millis(t.Request), Total: millis(t.Total),
		Reserve: millis(t.Reserve), Needs: millis(t.Needs)}}
	if r := s.Call.Retry; r != nil {
		v.Retry = &retrySettings{Attempts: r.Attempts, BaseMS: millis(r.Backoff.Base),
			CapMS: millis(r.Backoff.Cap), Jitter: r.Backoff.Jitter.String(), Budget: "none",
			ReplayTo: s.Replay}
		if b := s.Call.Budget; b != nil {
			v.Retry.Budget = b.Kind.String()
		}
	}
	if b := s.Call.Breaker; b != nil {
		v.Breaker = breakerSettingsOf(b, s)
	}
	if b := s.Call.Bulkhead; b != nil {
		v.Bulkhead = &bulkheadSettings{b.Limit, b.Queue, b.Holds.String()}
	}
	if t := s.Call.Throttle; t != nil {
		v.Throttle = &throttleSettings{t.K, millis(t.Window), t.Cap, t.Minimum}
	}
	v.Hedge = hedgeSettingsOf(s.Call.Hedge, s.Tied)
	for _, a := range s.Fallback.Order {
		v.Fallback = append(v.Fallback, kindOf(a))
	}
	for _, rung := range []struct {
		bit  call.Rungs
		name string
	}{{call.RungTimeout, "timeout"}, {call.RungRetry, "retry"}, {call.RungBreaker, "breaker"},
		{call.RungBulkhead, "bulkhead"}, {call.RungThrottle, "throttle"},
		{call.RungHedge, "hedge"}} {
		if s.Call.Observe.Has(rung.bit) {
			v.Observed = append(v.Observed, rung.name)
		}
	}
	return v
}

func breakerSettingsOf(b *breaker.Config, s *config.Settings) *breakerSettings {
	return &breakerSettings{WindowMS: millis(b.Window.Over), WindowCalls: b.Window.Calls,
		Consecutive: b.Window.Consecutive, MinCalls: b.MinCalls, Failures: b.Failures,
		SlowMS: millis(b.Slow.Over), SlowShare: b.Slow.Share, OpenMS: millis(b.Open.For),
		RampMS: millis(b.Ramp), Counts: b.Counts.String(), Keys: s.Call.Keys,
		KeyHeader: s.KeyHeader}
}

func kindOf(a config.Answer) string {
	switch {
	case a.Cache != nil:
		return "cache"
	case a.Static != nil:
		return "static"
	case a.Omit != nil:
		return "omit"
	}
	return "dependency " + a.Dependency
}

type bulkheadView struct {
	Limit     int    `json:"limit"`
	InUse     int    `json:"in_use"`
	Peak      int    `json:"peak"`
	Queue     int    `json:"queue"`
	Queued    int    `json:"queued"`
	Refused   uint64 `json:"refused"`
	WaitedOut uint64 `json:"waited_out"`
}

func bulkheadOf(s *bulkhead.Snapshot) *bulkheadView {
	if s == nil {
		return nil
	}
	return &bulkheadView{s.Limit, s.InUse, s.Peak, s.Queue, s.Queued, s.Refused, s.WaitedOut}
}

// throttleView has the classes of which something is known.
type throttleView struct {
	Classes []throttledView `json:"classes"`
}

type throttledView struct {
	Criticality string  `json:"criticality"`
	Requests    int64   `json:"requests"`
	Accepted    int64   `json:"accepted"`
	Refusal     float64 `json:"refusal_share"`
	Refused     uint64  `json:"refused"`
}

func throttleOf(s *throttle.Snapshot) *throttleView {
	if s == nil {
		return nil
	}
	v := &throttleView{Classes: []throttledView{}}
	for i, c := range s.Classes {
		if c.Requests > 0 || c.Refused > 0 {
			v.Classes = append(v.Classes, throttledView{core.CriticalityAt(i).String(), c.Requests, c.Accepts,
				c.Refusal, c.Refused})
		}
	}
	return v
}

type budgetView struct {
	Kind      string `json:"kind"`
	Available int    `json:"available"`
	Calls     uint64 `json:"calls"`
	Granted   uint64 `json:"granted"`
	Denied    uint64 `json:"denied"`
}

func budgetOf(s *budget.Snapshot) *budgetView {
	if s == nil {
		return nil
	}
	return &budgetView{s.Kind.String(), s.Available, s.Deposits, s.Withdrawn, s.Denied}
}

type fallbackView struct {
	Answered map[string]uint64 `json:"answered"`
	Refused  uint64            `json:"refused"`
	Running  int               `json:"running"`
	Cache    *cacheView        `json:"cache,omitempty"`
}

type cacheView struct {
	Entries int    `json:"entries"`
	Bytes   int64  `json:"bytes"`
	Fresh   uint64 `json:"found_fresh"`
	Stale   uint64 `json:"found_stale"`
	Missed  uint64 `json:"missed"`
}

func fallbackOf(s *seakeep.FallbackSnapshot) *fallbackView {
	if s == nil {
		return nil
	}
	v := &fallbackView{Answered: s.Answered, Refused: s.Refused, Running: s.Running}
	if c := s.Cache; c != nil {
		v.Cache = &cacheView{c.Entries, c.Bytes, c.Fresh, c.Stale, c.Miss}
	}
	return v
}
