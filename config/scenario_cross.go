package config

import (
	"cmp"
	"fmt"
	"strings"
)

// maxCalls bounds the calls that one request makes in all, the calls of those
// calls included and retries not: a chain of services that each call the next
// one twice doubles with every link.
const maxCalls = 10_000

// resolve finds what the calls of a service lead to.
func (st *staging) resolve(s *stagedService) {
	s.leads = map[string]string{}
	for _, v := range s.steps {
		s.leads[v.step.Dependency] = v.step.To
		to := st.serviceOf(v.target, v.step.To)
		switch {
		case to == nil:
		case v.route != nil:
			to.routeOf(v.step.Route, v.route.fail)
		case len(to.Routes) > 0:
			v.step.Route = to.Routes[0].Name
		}
		st.inPolicy(s.Policy, v.step.Dependency, v.dependency)
	}
}

// inPolicy records that a policy file has no such dependency.
func (st *staging) inPolicy(file *File, name string, at *field) {
	if file == nil || st.shelf.named[file][name] != nil {
		return
	}
	names := make([]string, len(file.Dependencies))
	for i, d := range file.Dependencies {
		names[i] = d.Name
	}
	fix := "give one of " + strings.Join(names[:min(len(names), 10)], ", ")
	if near := nearest(name, names); near != "" {
		fix = "did you mean " + near + "?"
	}
	at.fail(fmt.Sprintf("%s has no dependency %q", file.name, shorten(name)), fix)
}

// cross makes the checks that need the whole scenario.
func (st *staging) cross() {
	for _, s := range st.s.Services {
		v := st.services[s.Name]
		st.d.names = append(st.d.names, s.Name)
		for _, step := range v.steps {
			if st.services[step.step.To] != nil {
				st.d.links = append(st.d.links,
					link{from: s.Name, to: step.step.To, at: step.target})
			}
			st.crossFallback(v, s.Policy, step.step.Dependency, step.dependency)
		}
	}
	for _, w := range st.swaps {
		for _, step := range w.service.steps {
			st.inPolicy(w.file, step.step.Dependency, w.at)
			st.crossFallback(w.service, w.file, step.step.Dependency, w.at)
		}
	}
	ring := st.d.rings()
	for _, l := range st.d.links {
		if l.from == l.to || ring[l.from] == ring[l.to] {
			what := "the call"
			if l.fallback != "" {
				what = "the " + l.word + " " + l.fallback
			}
			l.at.fail(what+" leads back to "+l.from, "let the calls between services end")
		}
	}
	asked := st.crossClients()
	if st.d.failures == 0 {
		st.crossSize()
		st.warnIdle(asked)
	}
}

// crossFallback checks that a service answers for each dependency that the
// fallback of another one asks: that which the service's own calls of it lead
// to, or the one of its name.
func (st *staging) crossFallback(s *stagedService, file *File, dependency string, at *field) {
	for _, in := range st.shelf.stands(file, dependency) {
		to := cmp.Or(s.leads[in.name], in.name)
		if st.services[to] == nil {
			at.fail(fmt.Sprintf("the %s of %s asks %s, and no service has that name", in.word,
				dependency, in.name), "add it under services")
			continue
		}
		st.d.links = append(st.d.links, link{from: s.Name, to: to, at: at, fallback: in.name,
			word: in.word})
	}
}

// standIn is a dependency that is asked in place of another.
type standIn struct{ name, word string }

// stands returns the dependencies that a chain of fallbacks and failovers may
// ask. There is no need for more than there can be services.
func (s *shelf) stands(file *File, dependency string) (all []standIn) {
	known := map[string]bool{}
	next := []string{dependency}
	add := func(name, word string) {
		if name != "" && !known[name] {
			known[name] = true
			all = append(all, standIn{name, word})
			next = append(next, name)
		}
	}
	for len(next) > 0 && len(all) <= maxServices {
		name := next[0]
		next = next[1:]
		settings := s.named[file][name]
		if settings == nil {
			continue
		}
		for _, a := range settings.Fallback.Order {
			add(a.Dependency, "fallback")
		}
		if d := file.Dependency(name); d != nil && d.Failover != nil {
			add(d.Failover.To, "failover")
		}
	}
	return all
}

// crossClients checks the fallbacks of clients, who have nobody else to ask,
// and returns the services that clients call.
func (st *staging) crossClients() (asked []string) {
	for _, c := range st.clients {
		asked = append(asked, c.To)
		if c.policy == nil {
			continue
		}
		for _, in := range st.shelf.stands(c.Member.File, c.Member.Dependency) {
			c.policy.fail(fmt.Sprintf("the %s of %s asks %s, but a client calls one service", in.word,
				c.Member.Dependency, in.name), "put a service in between that makes the calls")
		}
	}
	return asked
}

// crossSize bounds the work that one request makes.
func (st *staging) crossSize() {
	calls := map[*Route]int{}
	var count func(r *Route) int
	count = func(r *Route) int {
		if n, known := calls[r]; known {
			return n
		}
		n := 0
		for _, step := range r.Calls {
			n = min(n+1+count(st.services[step.To].Route(step.Route)), maxCalls+1)
		}
		calls[r] = n
		return n
	}
	for _, c := range st.clients {
		for _, r := range c.Routes {
			if count(st.services[c.To].Route(r.Name)) > maxCalls {
				c.to.fail(fmt.Sprintf("a request for %s makes more than %d calls in all",
					r.Name, maxCalls), "let routes make fewer calls")
			}
		}
	}
}

// warnIdle warns of services that nobody calls.
func (st *staging) warnIdle(asked []string) {
	next := map[string][]string{}
	for _, l := range st.d.links {
		next[l.from] = append(next[l.from], l.to)
	}
	reached := map[string]bool{}
	for len(asked) > 0 {
		name := asked[0]
		asked = asked[1:]
		if !reached[name] {
			reached[name] = true
			asked = append(asked, next[name]...)
		}
	}
	for _, s := range st.s.Services {
		if at := st.services[s.Name].at; !reached[s.Name] {
			st.d.warnings = append(st.d.warnings, Warning{File: st.d.file, Line: at.key.Line,
				Column: at.key.Column, Path: at.path, Problem: "nobody calls this service",
				Fix: "add a client or a call, or remove it"})
		}
	}
}
