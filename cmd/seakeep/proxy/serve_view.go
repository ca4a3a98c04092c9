package proxy

import (
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/serve"
)

// What follows is the shape of /v1/serve, in the same style as
// /v1/dependencies.

type serveView struct {
	Service    string                `json:"service"`
	Listen     string                `json:"listen,omitempty"`
	Upstream   string                `json:"upstream,omitempty"`
	Classes    map[string]servedView `json:"classes"`
	RefusedFor map[string]uint64     `json:"refused_for,omitempty"`
	Observed   uint64                `json:"observed_refusals"`
	Latency    *latencyView          `json:"latency,omitempty"`
	Limit      *limitView            `json:"concurrency,omitempty"`
	Queue      *queueView            `json:"queue,omitempty"`
	Tenants    *tenantsView          `json:"tenants,omitempty"`
	Shed       shedView              `json:"shed"`
	Recovery   *recoveryView         `json:"recovery,omitempty"`
	Degrade    *degradeView          `json:"degrade,omitempty"`
	Tied       *tiedView             `json:"tied,omitempty"`
}

type servedView struct {
	Offered  uint64 `json:"offered"`
	Admitted uint64 `json:"admitted"`
	Refused  uint64 `json:"refused"`
	Left     uint64 `json:"left"`
	Useful   uint64 `json:"answered_in_time"`
}

type limitView struct {
	Algorithm  string  `json:"algorithm"`
	Limit      int     `json:"limit"`
	InFlight   int     `json:"in_flight"`
	Peak       int     `json:"peak"`
	BaselineMS float64 `json:"baseline_ms"`
	LatencyMS  float64 `json:"latency_ms"`
	Why        string  `json:"last_move,omitempty"`
	Changes    uint64  `json:"changes"`
}

type queueView struct {
	Length    int            `json:"length"`
	Queued    int            `json:"queued"`
	ByClass   map[string]int `json:"queued_by_class"`
	Refused   uint64         `json:"refused"`
	WaitedOut uint64         `json:"waited_out"`
	Delayed   uint64         `json:"dropped_for_delay"`
	Evicted   uint64         `json:"evicted"`
}

type tenantsView struct {
	Keys      int          `json:"keys"`
	Most      int          `json:"most_keys"`
	Forgotten uint64       `json:"forgotten"`
	Top       []tenantView `json:"top"`
}

type tenantView struct {
	Key     string `json:"key"`
	Here    int    `json:"here"`
	Entered uint64 `json:"entered"`
}

type shedView struct {
	// Lowest is the class that the cut goes through; what is below is refused,
	// and of this class the cohorts below Cohort.
	Lowest     string  `json:"lowest_class"`
	Cohort     uint8   `json:"lowest_cohort"`
	Share      float64 `json:"let_in_share"`
	Reduced    float64 `json:"reduced_to_share"`
	Overloaded bool    `json:"overloaded"`
	WaitMS     float64 `json:"mean_wait_ms"`
}

type recoveryView struct {
	State  string  `json:"state"`
	Useful float64 `json:"useful_per_second"`
	Normal float64 `json:"usual_demand_per_second"`
	Best   float64 `json:"usual_useful_per_second"`
	Share  float64 `json:"ordered_share"`
	Cuts   uint64  `json:"cuts"`
}

type degradeView struct {
	Level    int      `json:"level"`
	Off      []string `json:"off"`
	Pressure float64  `json:"pressure"`
	Forced   bool     `json:"forced"`
}

func (p *Proxy) serveView() (v serveView, ok bool) {
	door, cfg := p.set.Door(), p.set.File().Serve
	if door == nil || cfg == nil {
		return v, false
	}
	s := door.Snapshot()
	v = serveView{Service: s.Name, Listen: cfg.Listen, Classes: map[string]servedView{},
		Observed: s.Observed, Latency: latencyOf(s.Latency)}
	if cfg.Upstream != nil {
		v.Upstream = cfg.Upstream.String()
	}
	for i, c := range s.Classes {
		v.Classes[core.CriticalityAt(i).String()] = servedView(c)
	}
	for _, r := range s.Refused {
		if v.RefusedFor == nil {
			v.RefusedFor = map[string]uint64{}
		}
		v.RefusedFor[r.Reason.String()] = r.Count
	}
	v.Shed = shedView{Lowest: s.Shed.Cut.Class().String(), Cohort: s.Shed.Cut.Cohort(),
		Share: s.Shed.Share, Reduced: s.Shed.Reduced, Overloaded: s.Shed.Overloaded,
		WaitMS: millis(s.Shed.Wait)}
	v.slots(&s)
	if r := s.Recovery; r != nil {
		v.Recovery = &recoveryView{r.State.String(), r.Useful, r.Normal, r.Best, r.Share, r.Cuts}
	}
	v.Tied = p.tiedView()
	if d := s.Degrade; d != nil {
		v.Degrade = &degradeView{d.Level, append([]string{}, d.Off...), d.Pressure, d.Forced}
	}
	return v, true
}

// slots fills in what is known of slots, the queue for them and who has them.
func (v *serveView) slots(s *serve.Snapshot) {
	if l, b := s.Limit, s.Slots; l != nil {
		v.Limit = &limitView{l.Algorithm.String(), l.Limit, b.InUse, b.Peak, millis(l.Baseline),
			millis(l.Latency), l.Why, l.Changes}
		v.Queue = &queueView{Length: b.Queue, Queued: b.Queued, ByClass: map[string]int{},
			Refused: b.Refused, WaitedOut: b.WaitedOut, Delayed: b.Delayed, Evicted: b.Evicted}
		for i, n := range b.Classes {
			v.Queue.ByClass[core.CriticalityAt(i).String()] = n
		}
	}
	if t := s.Tenants; t != nil {
		v.Tenants = &tenantsView{Keys: t.Keys, Most: t.Most, Forgotten: t.Forgotten,
			Top: []tenantView{}}
		for _, top := range t.Top {
			v.Tenants.Top = append(v.Tenants.Top, tenantView{top.Key, top.Here, top.Entered})
		}
	}
}
