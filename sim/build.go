package sim

import (
	"fmt"
	"strings"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/balance"
	"github.com/seakeep/seakeep/core/call"
)

// newWorld makes the world of a scenario, at instant zero.
func newWorld(s *config.Scenario, o Options) (*World, error) {
	w := &World{scenario: s, seed: s.Seed + o.Seed, warm: core.Instant(s.Warmup),
		end: core.Instant(s.For), width: max(1, core.Instant(s.For)/parts), trace: o.Trace, fate: o.Fate,
		answer: o.Answer, draw: o.Draw, worker: o.Worker}
	for _, c := range s.Services {
		w.services = append(w.services, w.newService(c))
	}
	for _, v := range w.services {
		if err := w.wire(v); err != nil {
			return nil, err
		}
	}
	for n, c := range s.Clients {
		if err := w.newClient(uint64(n+1), c); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func (w *World) stream(entity, purpose string) *Stream {
	return NewStream(w.seed, entity, purpose)
}

func (w *World) newService(c *config.Service) *service {
	s := &service{world: w, cfg: c, policy: c.Policy,
		gate: gate{Capacity: c.Capacity, level: c.Capacity.Rate * gateBurst},
		work: w.stream(c.Name, "work"), luck: w.stream(c.Name, "luck"),
		roads: w.stream(c.Name, "network")}
	n := &c.Network
	s.hasRoad = n.Loss > 0 || mean(&n.Delay) > 0
	for _, r := range c.Routes {
		s.routes = append(s.routes, w.newRoute(c.Name, r))
	}
	for n := range max(1, c.Instances) {
		s.instances = append(s.instances, &instance{service: s, index: n})
	}
	s.balancer = s.newBalancer(balance.Config{Policy: balance.RoundRobin})
	return s
}

// wire connects a service's routes to what they call.
func (w *World) wire(s *service) error {
	var names []string // of the dependencies that are called
	for _, r := range s.routes {
		for k := range r.cfg.Calls {
			c := &r.cfg.Calls[k]
			to := w.service(c.To)
			if to == nil {
				return fmt.Errorf("sim: %s calls %q, which is no service", s.cfg.Name, c.To)
			}
			st := step{cfg: c, to: to, route: to.route(c.Route), member: indexOf(&names, c.Dependency)}
			if st.route == nil {
				return fmt.Errorf("sim: %s calls %s %q, which is no route of it", s.cfg.Name, c.To,
					c.Route)
			}
			r.steps = append(r.steps, st)
		}
	}
	for _, i := range s.instances {
		if err := w.equip(i, names); err != nil {
			return err
		}
		if err := w.newDoor(i, nil, s.cfg.Policy); err != nil {
			return err
		}
		if s.cfg.Health != nil {
			h := &health{i: i}
			phase := w.stream(s.cfg.Name, "health").Of(uint64(i.index), 0)
			first := whole(float64(s.cfg.Health.Interval) * phase.Float64())
			w.At(core.Instant(first), Due, h, healthCheck, 0)
		}
	}
	return nil
}

func (s *service) route(name string) *route {
	for _, r := range s.routes {
		if name == "" || r.cfg.Name == name {
			return r
		}
	}
	return nil
}

// indexOf returns where a name is in a list, and adds it if it is not.
func indexOf(names *[]string, name string) int {
	for i, n := range *names {
		if n == name {
			return i
		}
	}
	*names = append(*names, name)
	return len(*names) - 1
}

// equip gives an instance its users of policies: for the dependencies that its
// routes call, and for those that stand in for them.
func (w *World) equip(i *instance, names []string) error {
	s := i.service
	called := len(names)
	for n := 0; n < len(names); n++ {
		f := s.cfg.Policy
		if n >= called && !has(f, names[n]) { // a fallback of a later policy
			f = nil
		}
		m, err := w.newMember(f, names[n], owned{s.cfg.Name, i.index})
		if err != nil {
			return fmt.Errorf("sim: %s: %w", s.cfg.Name, err)
		}
		m.unmarked = s.cfg.Unmarked
		m.dest = w.service(names[n])
		for _, r := range s.routes {
			for _, st := range r.steps {
				if st.cfg.Dependency == names[n] {
					m.dest = st.to
				}
			}
		}
		for _, f := range w.policiesOf(s) {
			_, fallback, _ := settings(f, names[n])
			for _, a := range fallback {
				if a.Dependency != "" && w.service(a.Dependency) != nil {
					indexOf(&names, a.Dependency)
				}
			}
			if to := secondOf(f, names[n]); to != "" && w.service(to) != nil {
				indexOf(&names, to)
			}
		}
		i.members = append(i.members, m)
	}
	for _, m := range i.members {
		m.others = i.members
	}
	return nil
}

// has reports whether a file has settings for a dependency.
func has(f *config.File, name string) bool {
	_, _, err := settings(f, name)
	return err == nil
}

// policiesOf returns the policies that a service uses during the run.
func (w *World) policiesOf(s *service) []*config.File {
	all := []*config.File{s.cfg.Policy}
	for _, c := range w.scenario.Changes {
		if c.Kind == config.SetPolicy && c.Of == s.cfg.Name {
			all = append(all, c.Policy)
		}
	}
	return all
}

// owned says whose a member is.
type owned struct {
	by    string
	index int
}

// newMember makes a user of a policy. Without a file it has no protection.
func (w *World) newMember(f *config.File, name string, of owned) (*member, error) {
	m := &member{world: w, name: name, of: of,
		draws: w.stream(of.by+">"+name, "retry")}
	cfg, fallback, err := settings(f, name)
	if err != nil {
		return nil, err
	}
	m.fallback = fallback
	m.spread, m.balances = spreadOf(f, name)
	m.outliers = outliersOf(f, name)
	m.tenancy = newTenancy(f, name)
	m.provide(f)
	seed := NewStream(w.seed, of.by+">"+name, "breaker").Of(uint64(of.index), 0)
	m.plan, err = call.New(cfg, seed.key, w.watch(of))
	if err == nil {
		err = m.hurtBy(f)
	}
	w.members = append(w.members, m)
	return m, err
}

// settings finds what a file says of a dependency, or of an operation of it.
func settings(f *config.File, name string) (call.Config, []config.Answer, error) {
	if f == nil {
		return call.Config{Name: name}, nil, nil
	}
	dep, op, _ := strings.Cut(name, "/")
	d := f.Dependency(dep)
	if d == nil {
		return call.Config{}, nil, fmt.Errorf("the policy has no dependency %q", dep)
	}
	c := &d.Settings
	if op != "" {
		o := d.Operation(op)
		if o == nil {
			return call.Config{}, nil, fmt.Errorf("dependency %q has no operation %q", dep, op)
		}
		c = &o.Settings
	}
	return untied(c), c.Fallback.Order, nil
}

// setPolicy puts another policy to use, as a reload does.
func (w *World) setPolicy(s *service, f *config.File) {
	for _, i := range s.instances {
		_ = w.newDoor(i, i.door, f) // the reader of scenarios has checked it
		for _, m := range i.members {
			cfg, fallback, err := settings(f, m.name)
			if err != nil {
				continue // the reader of scenarios has checked it
			}
			seed := NewStream(w.seed, m.of.by+">"+m.name, "breaker").Of(uint64(i.index), 1)
			next, err := m.plan.Next(cfg, seed.key, w.watch(m.of))
			if err != nil {
				continue
			}
			m.replace(next)
			m.fallback = fallback
			m.respread(f)
			m.tenancy = newTenancy(f, m.name)
			m.provide(f)
			next.Adopt(w.now)
			_ = m.hurtBy(f)
		}
	}
}

func (w *World) newClient(n uint64, c *config.Client) error {
	dest := w.service(c.To)
	if dest == nil {
		return fmt.Errorf("sim: %s calls %q, which is no service", c.Name, c.To)
	}
	cl := &client{world: w, cfg: c, index: n, dest: dest, rate: c.Rate,
		gaps: w.stream(c.Name, "arrivals"), tastes: w.stream(c.Name, "routes"),
		thinks: w.stream(c.Name, "think")}
	shares := c.Routes
	if len(shares) == 0 {
		shares = []config.Share{{Name: dest.routes[0].cfg.Name, Share: 1}}
	}
	for _, r := range shares {
		to := dest.route(r.Name)
		if to == nil {
			return fmt.Errorf("sim: %s asks %s for %q, which is no route of it", c.Name, c.To, r.Name)
		}
		cl.routes = append(cl.routes, &endpoint{route: to, share: r.Share})
		cl.sum += r.Share
	}
	name := c.Member.Dependency
	if name == "" {
		name = c.To
	}
	for i := range max(1, c.Members) {
		m, err := w.newMember(c.Member.File, name, owned{c.Name, i})
		if err != nil {
			return fmt.Errorf("sim: %s: %w", c.Name, err)
		}
		m.dest = dest
		cl.members = append(cl.members, m)
	}
	w.clients = append(w.clients, cl)
	return nil
}
