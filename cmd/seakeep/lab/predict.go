package lab

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/curves"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/sim"
)

const mostSteps = 3600

// predictor makes the curves of one run: of the first service with workers, and
// of its routes, each with the first dependency that it calls.
type predictor struct {
	step    time.Duration
	steps   int
	of      *config.Service
	routes  map[string]*lane // by name
	calls   map[string]*lane // by dependency
	busy    curves.Level
	working []bool // by worker
}

// lane is one route.
type lane struct {
	tallies []curves.Tally // by step
	calls   []int
	changes []curves.Change
}

// predict makes one run and answers its curves. Runs with other seeds show how far
// runs are apart.
func predict(q *Question) (answer, error) {
	s, err := q.World.parse()
	if err != nil {
		return answer{}, err
	}
	p, err := newPredictor(s, q)
	if err != nil {
		return answer{}, err
	}
	_, err = sim.Run(s, sim.Options{Seed: q.Seed, Fate: p.fate, Trace: p.event, Worker: p.worker})
	if err != nil {
		return answer{}, err
	}
	return answer{Curves: p.curves(s)}, nil
}

func newPredictor(s *config.Scenario, q *Question) (*predictor, error) {
	p := &predictor{step: time.Second, routes: map[string]*lane{}, calls: map[string]*lane{}}
	if q.StepS > 0 {
		p.step = time.Duration(q.StepS * float64(time.Second))
	}
	if p.steps = int(s.For / max(p.step, 1)); p.steps < 1 || p.steps > mostSteps {
		return nil, fmt.Errorf("step_s: give one that makes 1 to %d steps of %v", mostSteps, s.For)
	}
	for _, v := range s.Services {
		if v.Workers > 0 && (q.Threads == "" || q.Threads == v.Name) {
			p.of = v
			break
		}
	}
	if p.of == nil {
		return nil, errors.New("the scenario has no service with workers")
	}
	p.busy.Step = p.step
	for _, r := range p.of.Routes {
		l := &lane{tallies: make([]curves.Tally, p.steps), calls: make([]int, p.steps)}
		p.routes[r.Name] = l
		if len(r.Calls) > 0 {
			p.calls[r.Calls[0].Dependency] = l
		}
	}
	return p, nil
}

// at returns the step of a moment; false after the last whole one.
func (p *predictor) at(t core.Instant) (int, bool) {
	k := int(time.Duration(t) / p.step)
	return k, k < p.steps
}

func (p *predictor) fate(f sim.Fate) {
	l := p.routes[f.Endpoint]
	if k, ok := p.at(f.Began); ok && l != nil {
		l.tallies[k].Ended(f.Answered, f.Fallback, f.Took)
	}
}

func (p *predictor) event(e core.Event) {
	if e.Kind != core.AttemptStarted && e.Kind != core.BreakerChanged {
		return
	}
	by, name, _ := strings.Cut(e.Policy, ">") // checkout[0]>pricing
	l := p.calls[name]
	if l == nil || !strings.HasPrefix(by, p.of.Name+"[") {
		return
	}
	if e.Kind == core.BreakerChanged {
		l.changes = append(l.changes, curves.Change{At: time.Duration(e.At),
			On: e.To != breaker.Closed.String()})
	} else if k, ok := p.at(e.At); ok {
		l.calls[k]++
	}
}

func (p *predictor) worker(c sim.WorkerChange) {
	if c.Service != p.of.Name {
		return
	}
	i := c.Instance*p.of.Workers + c.Worker
	for len(p.working) <= i {
		p.working = append(p.working, false)
	}
	if works := c.State != sim.WorkerIdle; works != p.working[i] {
		p.working[i] = works
		some := -1.0
		if works {
			some = 1
		}
		p.busy.Add(time.Duration(c.At), some)
	}
}

// curves gathers the columns. Users who came within their patience of the end may
// still wait, so that nothing is said of those steps.
func (p *predictor) curves(s *config.Scenario) *curves.Curves {
	end := s.For
	for _, c := range s.Clients {
		if c.To == p.of.Name {
			end = min(end, s.For-c.Patience)
		}
	}
	var names []string
	for _, route := range p.of.Routes {
		names = append(names, route.Name)
	}
	c := curves.New(names, p.steps, p.step)
	c.Busy = p.busy.Means(p.steps)
	for i := range c.Endpoints {
		e := &c.Endpoints[i]
		l := p.routes[e.Name]
		e.Open = curves.Shares(l.changes, p.steps, p.step)
		for k := range l.tallies {
			e.Calls[k] = curves.Value(float64(l.calls[k]) / p.step.Seconds())
			if time.Duration(k+1)*p.step <= end {
				l.tallies[k].AllEnded()
				e.Set(k, l.tallies[k].Row(p.step))
			}
		}
	}
	return c
}
