package study

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/sim"
)

// Notes puts formulas beside what was measured: how many workers a service
// needs (Little's law) in each phase of the scenario, how many places in its
// queue are of use, and how far retries multiply a request.
func Notes(s *config.Scenario, sum *Summary) (notes []string) {
	phases := phasesOf(s)
	for _, v := range s.Services {
		if v.Workers == 0 {
			continue
		}
		for _, p := range phases {
			if text := sum.needs(s, v, p); text != "" {
				notes = append(notes, text)
			}
		}
	}
	return append(notes, sum.multiplied(s)...)
}

// needs says how many workers a service that clients call needs in a phase.
// What retries, breakers and refusals change is not in the formula.
func (s *Summary) needs(sc *config.Scenario, v *config.Service, p phase) string {
	rate, busy := 0.0, 0.0
	for _, c := range sc.Clients {
		if c.To != v.Name || c.Users > 0 {
			continue
		}
		for _, share := range routesOf(c, v) {
			d, known := p.hold(sc, v, v.Route(share.Name))
			if !known || p.unknown {
				return ""
			}
			rate += p.rate(c) * share.Share
			busy += float64(p.rate(c) * share.Share * d.Seconds())
		}
	}
	if rate == 0 {
		return ""
	}
	has := float64(v.Workers * v.Instances)
	text := fmt.Sprintf("%s, %s: %s x %s = %s workers (Little's law), it has %s", v.Name, p.label,
		PerSecond.Text(rate), Seconds.Text(busy/rate), short(busy), short(has))
	if busy > has {
		text += fmt.Sprintf(", enough for %s", Share.Text(has/busy))
		if patience := longest(sc, v.Name); patience > 0 && v.Queue.Rule == config.FIFO {
			text += fmt.Sprintf(" and for a queue of up to %d places",
				int(has/(busy/rate)*patience.Seconds()))
		}
	}
	return text + "; measured " + s.busyIn(v.Name, p).Bare() + " busy"
}

func routesOf(c *config.Client, v *config.Service) []config.Share {
	if len(c.Routes) == 0 {
		return []config.Share{{Name: v.Routes[0].Name, Share: 1}}
	}
	sum := 0.0
	for _, r := range c.Routes {
		sum += r.Share
	}
	all := make([]config.Share, len(c.Routes))
	for i, r := range c.Routes {
		all[i] = config.Share{Name: r.Name, Share: r.Share / sum}
	}
	return all
}

// longest is the longest patience of a service's clients.
func longest(s *config.Scenario, service string) (most time.Duration) {
	for _, c := range s.Clients {
		if c.To == service {
			most = max(most, c.Patience)
		}
	}
	return most
}

// busyIn is how many workers of a service were busy in a phase, in its whole
// slices of time.
func (s *Summary) busyIn(service string, p phase) Figure {
	if p.from == s.Warmup && p.to == s.For {
		return *s.figure["services."+service+"."+Busy]
	}
	return s.acrossRuns(func(r *sim.Result) float64 {
		from, to := int((p.from+r.Slice-1)/r.Slice), int(p.to/r.Slice)
		for i := range r.Services {
			if v := &r.Services[i]; v.Name == service && from < to {
				worked := sampleAt(v.Samples, to-1).Worked - sampleAt(v.Samples, from-1).Worked
				return float64(worked) / float64(time.Duration(to-from)*r.Slice)
			}
		}
		return math.NaN()
	})
}

// way is a chain of calls from a client to a service.
type way struct {
	names   string // users > checkout > pricing
	hops    []hop
	product int // of the attempts that each policy allows
}

type hop struct {
	by, dependency string
	attempts       int
	budget         bool
}

func (w way) then(s *config.Scenario, by, dependency, to string) way {
	h := hop{by: by, dependency: dependency, attempts: 1}
	p := policyOf(s, by, dependency)
	if p.Retry != nil {
		h.attempts = p.Retry.Attempts
	}
	h.budget = p.Budget != nil
	return way{w.names + " > " + to, append(w.hops[:len(w.hops):len(w.hops)], h),
		w.product * h.attempts}
}

// worst is the way on which one request can become the most attempts.
func (w way) worst(s *config.Scenario, v *config.Service) way {
	best := w
	if len(w.hops) > 10 { // services that call each other in a ring
		return best
	}
	for _, r := range v.Routes {
		for _, step := range r.Calls {
			next := w.then(s, v.Name, step.Dependency, step.To).worst(s, s.Service(step.To))
			if next.product > best.product {
				best = next
			}
		}
	}
	return best
}

// multiplied says how many attempts one request can become where policies
// retry, and how many it became.
func (s *Summary) multiplied(sc *config.Scenario) (notes []string) {
	for _, c := range sc.Clients {
		name := c.Member.Dependency
		if name == "" {
			name = c.To
		}
		w := way{names: c.Name, product: 1}.then(sc, c.Name, name, c.To).worst(sc, sc.Service(c.To))
		if w.product == 1 {
			continue
		}
		var factors []string
		budgets := true
		for _, h := range w.hops {
			if h.attempts > 1 {
				factors = append(factors, strconv.Itoa(h.attempts))
				budgets = budgets && h.budget
			}
		}
		text := strings.Join(factors, " x ")
		if len(factors) > 1 {
			text += fmt.Sprintf(" = %d", w.product)
		}
		text = fmt.Sprintf("%s: one request can become %s attempts", w.names, text)
		if budgets {
			text += ", if the retry budgets let it"
		}
		notes = append(notes, text+"; measured "+s.amplified(sc, w).Bare()+" on average")
	}
	return notes
}

// amplified is how many requests arrive at the end of a way for each that its
// users make of it.
func (s *Summary) amplified(sc *config.Scenario, w way) Figure {
	end := w.names[strings.LastIndexByte(w.names, ' ')+1:]
	return s.acrossRuns(func(r *sim.Result) float64 {
		made, arrived := 0.0, 0.0
		for i := range r.Endpoints {
			e := &r.Endpoints[i]
			v := sc.Service(e.Service)
			made += float64(float64(e.Sent) * visits(sc, v, v.Route(e.Name), end))
		}
		for i := range r.Services {
			if r.Services[i].Name == end {
				arrived = float64(r.Services[i].Arrived)
			}
		}
		return arrived / made
	})
}
