package study

import (
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
		case config.SetWork, config.SetRate:
			p.holding = append(p.holding, c)
		default:
			p.unknown = true
		}
	}
	return p
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
	sum, known := held(p.work(v, r), 0)
	for _, step := range r.Calls {
		to := s.Service(step.To)
		target := to.Route(step.Route)
		if target == nil {
			target = to.Routes[0]
		}
		d, ok := p.call(s, hop{by: v.Name, dependency: step.Dependency}, to, target)
		sum += d
		known = known && ok && !step.Parallel // the mean of a maximum is not known
	}
	return sum, known
}

// call is how long one call takes.
func (p *phase) call(s *config.Scenario, h hop, to *config.Service, target *config.Route) (
	time.Duration, bool) {
	limit := policyOf(s, h.by, h.dependency).Timeout.Request
	if len(target.Calls) > 0 {
		d, known := p.hold(s, to, target)
		return d, known && limit == 0
	}
	if to.Cache != nil || to.Workers > 0 {
		return 0, false
	}
	return held(p.work(to, target), limit)
}
