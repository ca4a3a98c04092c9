package dashboard

import (
	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/cmd/seakeep/dashboard/schema"
	"github.com/seakeep/seakeep/cmd/seakeep/proxy"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/balance"
	"github.com/seakeep/seakeep/seakeephttp"
)

// objectives are those of the file in short.
func objectives(set *seakeep.Set) []schema.Objective {
	all := []schema.Objective{}
	for _, o := range proxy.SLOViewOf(set).Objectives {
		v := schema.Objective{Name: o.Name, Dependency: o.Dependency, Goal: o.Objective, Good: o.Ratio,
			Left: o.Left}
		for _, a := range o.Alerts {
			v.Burn = max(v.Burn, min(a.Burn, a.Now))
			if a.Firing {
				v.Firing++
			}
		}
		all = append(all, v)
	}
	return all
}

// faults are those that run.
func faults(set *seakeep.Set) []schema.Fault {
	all := []schema.Fault{}
	for _, f := range (proxy.Operator{Set: set}).Faults(nil).Faults {
		if f.Running {
			all = append(all, schema.Fault{Dependency: f.Dependency, Name: f.Name, Kind: f.Kind,
				Share: f.Share, LeftMS: f.LeftMS, Order: f.Order, Hurt: f.Hurt})
		}
	}
	return all
}

func (t *tiles) endpoints(name string) *schema.Endpoints {
	if t.program.Endpoints == nil {
		return nil
	}
	s, ok := t.program.Endpoints(name)
	if !ok {
		return nil
	}
	v := countEndpoints(&s)
	if v.Total == 0 {
		return nil
	}
	return &v
}

func countEndpoints(s *seakeephttp.Snapshot) schema.Endpoints {
	v := schema.Endpoints{Panic: s.Panic}
	for i := range s.Endpoints {
		e := &s.Endpoints[i]
		v.Total++
		if e.State == 0 {
			v.Up++
		}
		if e.State&balance.Ejected != 0 {
			v.Ejected++
		}
	}
	return v
}

// withEndpoints adds each of them.
func withEndpoints(v *schema.Dependency, p *Program) {
	if v.Endpoints == nil {
		return
	}
	s, ok := p.Endpoints(v.Name)
	if !ok {
		return
	}
	all := countEndpoints(&s)
	for i := range s.Endpoints {
		e := &s.Endpoints[i]
		one := schema.Endpoint{URL: schema.Text(e.URL), State: e.State.String(), Zone: e.Zone,
			InFlight: e.InFlight, Picked: e.Picked, Failing: digits(e.Failing)}
		if e.Latency > 0 {
			ms := schema.Millis(e.Latency)
			one.LatencyMS = &ms
		}
		if e.Outlier != nil && e.Outlier.Out {
			one.Why = e.Outlier.Rule.String()
		}
		all.All = append(all.All, one)
	}
	v.Endpoints = &all
}

// serve is nil without a door.
func (t *tiles) serve() *schema.Serve {
	s := t.state.Door
	if s == nil || t.program.Set.File().Serve == nil {
		return nil
	}
	sum := t.sum.of[""]
	if sum == nil {
		sum = &sample{}
	}
	v := &schema.Serve{Classes: []schema.Class{}, RefusedFor: t.some(t.sum.refused),
		Latency: latencyOf(sum.took), Admitted: s.Shed.Share, Allowed: s.Shed.Reduced}
	for i := core.Criticalities - 1; i >= 0; i-- { // the most important first
		at := field(i)
		c := schema.Class{Name: core.CriticalityAt(i).String(), Offered: t.rate(sum.n[fOffered+at]),
			Admitted: t.rate(sum.n[fAdmitted+at]), Shed: t.rate(sum.n[fShed+at]),
			Left: t.rate(sum.n[fLeft+at]), InTime: t.rate(sum.n[fInTime+at])}
		if s.Slots != nil {
			c.Queued = s.Slots.Classes[i]
		}
		v.Rate += c.Offered
		v.Classes = append(v.Classes, c)
	}
	v.Rate = digits(v.Rate)
	v.Deadline = t.deadline(sum, map[string]uint64{"arrival": sum.n[fArrival], "queue": sum.n[fWaiting],
		"work": sum.n[fWork]})
	v.Slots = slotsOf(s.Slots)
	if l := s.Limit; l != nil {
		v.Limit = &schema.Limit{Algorithm: l.Algorithm.String(), Limit: l.Limit,
			BaselineMS: schema.Millis(l.Baseline), LatencyMS: schema.Millis(l.Latency), Why: l.Why}
		if v.Slots != nil {
			v.Slots.Limit = l.Limit
		}
	}
	if r := s.Recovery; r != nil {
		v.Recovery = r.State.String()
	}
	if g := s.Degrade; g != nil {
		v.Degrade = &schema.Degrade{Level: g.Level, Off: append([]string{}, g.Off...),
			Pressure: digits(g.Pressure), Forced: g.Forced}
	}
	if n := s.Tenants; n != nil {
		v.TenantKeys = n.Keys
		for _, top := range n.Top {
			v.Tenants = append(v.Tenants, schema.Tenant{Key: schema.Text(top.Key), Here: top.Here,
				Entered: top.Entered})
		}
	}
	return v
}
