package study

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/seakeep/seakeep/config"
)

// phase is a time between changes of the scenario, with the changes that hold
// in it.
type phase struct {
	from, to time.Duration
	label    string
	holding  []*config.Change // of work and rates
	unknown  bool             // something holds that the formulas do not know
}

// phasesOf cuts a scenario at its changes.
func phasesOf(s *config.Scenario) (all []phase) {
	cuts := []time.Duration{0}
	for _, c := range s.Changes {
		for _, at := range []time.Duration{c.At, c.At + c.Length} {
			if at > 0 && at < s.For && at > s.Warmup {
				cuts = append(cuts, at)
			}
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	const many = 5 // nobody reads more
	for i, from := range cuts[:min(len(cuts), many)] {
		to := s.For
		if i+1 < len(cuts) {
			to = cuts[i+1]
		}
		all = append(all, phaseOf(s, max(from, s.Warmup), to))
	}
	return all
}

func phaseOf(s *config.Scenario, from, to time.Duration) phase {
	p := phase{from: from, to: to,
		label: fmt.Sprintf("%s to %s", At(from, s.For), At(to, s.For))}
	for i := range s.Changes {
		c := &s.Changes[i]
		if c.At > from || c.Length > 0 && c.At+c.Length <= from {
			continue
		}
		switch c.Kind {
		case config.SetWork, config.SetRate, config.SetCapacity:
			p.holding = append(p.holding, c)
		default:
			p.unknown = true
		}
	}
	// Of changes that lie within each other the inner one counts, the last one.
	slices.SortStableFunc(p.holding, func(a, b *config.Change) int { return cmp.Compare(a.At, b.At) })
	for _, v := range s.Services {
		if gate := p.capacity(v).Rate; gate > 0 && p.load(s, v.Name) > gate {
			p.unknown = true // what is above it takes another time
		}
	}
	return p
}

// capacity is the gate of a service in the phase.
func (p *phase) capacity(v *config.Service) config.Capacity {
	gate := v.Capacity
	for _, c := range p.holding {
		if c.Kind == config.SetCapacity && c.Of == v.Name {
			gate = c.Capacity
		}
	}
	return gate
}

// load is how many calls a second reach a service if nobody retries.
func (p *phase) load(s *config.Scenario, service string) (sum float64) {
	for _, c := range s.Clients {
		v := s.Service(c.To)
		for _, share := range routesOf(c, v) {
			sum += p.rate(c) * share.Share * visits(s, v, v.Route(share.Name), service)
		}
	}
	return sum
}

// visits is how often a request for a route reaches a service.
func visits(s *config.Scenario, v *config.Service, r *config.Route, service string) (n float64) {
	if v.Name == service {
		n = 1
	}
	for _, step := range r.Calls {
		to := s.Service(step.To)
		n += visits(s, to, target(to, step), service)
	}
	return n
}

// target is the route that a step asks for.
func target(to *config.Service, step config.Step) *config.Route {
	if r := to.Route(step.Route); r != nil {
		return r
	}
	return to.Routes[0]
}

// work is what a route works in the phase.
func (p *phase) work(v *config.Service, r *config.Route) *config.Latency {
	work := &r.Work
	for _, c := range p.holding {
		if c.Kind == config.SetWork && c.Of == v.Name && (c.Route == "" || c.Route == r.Name) {
			work = &c.Work
		}
	}
	return work
}

// rate is what a client sends in the phase.
func (p *phase) rate(c *config.Client) float64 {
	rate := c.Rate
	for _, o := range p.holding {
		if o.Kind == config.SetRate && o.Of == c.Name {
			rate = o.Rate
		}
	}
	return rate
}

// hold is how long a request holds a worker on average: its own work, and its
// calls without retries and queues, each cut off at its limit.
func (p *phase) hold(s *config.Scenario, v *config.Service, r *config.Route) (time.Duration, bool) {
	sum, known := p.own(v, r, 0)
	for _, step := range r.Calls {
		to := s.Service(step.To)
		d, ok := p.call(s, hop{by: v.Name, dependency: step.Dependency}, to, target(to, step))
		sum += d
		known = known && ok && !step.Parallel // the mean of a maximum is not known
	}
	return sum, known
}

// call is how long one call takes.
func (p *phase) call(s *config.Scenario, h hop, to *config.Service, r *config.Route) (
	time.Duration, bool) {
	limit := policyOf(s, h.by, h.dependency).Timeout.Request
	if len(r.Calls) > 0 {
		d, known := p.hold(s, to, r)
		return d, known && limit == 0
	}
	if to.Cache != nil || to.Workers > 0 {
		return 0, false
	}
	return p.own(to, r, limit)
}

// own is how long a route works, its features included. Where they may be left
// out nobody knows how often they are; nor how a limit cuts off a sum.
func (p *phase) own(v *config.Service, r *config.Route, limit time.Duration) (time.Duration, bool) {
	sum, known := held(p.work(v, r), limit)
	if len(r.Features) > 0 && (limit > 0 || drops(v.Policy)) {
		return 0, false
	}
	for i := range r.Features {
		d, ok := held(&r.Features[i].Work, 0)
		sum += d
		known = known && ok
	}
	return sum, known
}

// drops reports whether a policy leaves features out under pressure.
func drops(f *config.File) bool {
	return f != nil && f.Serve != nil && f.Serve.Door.Degrade != nil
}
