package check

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seakeep/seakeep/config"
)

var graphRules = []*Rule{
	{ID: "retry-layers", Severity: Error, Title: "retries multiply from layer to layer",
		Why: "Three layers that each try three times make 27 calls of one. Only the layer directly " +
			"above what fails should retry; the others pass the failure on. (Between two Seakeeps a " +
			"failure says that it was retried; a layer in between that does not pass this on undoes it.)",
		Number: "calls at the bottom for one request, beside those of one layer",
		Fix:    "retry.attempts: 1 in all layers but the lowest",
		Bites:  "the dependency at the bottom fails",
		graph:  retryLayers},
	{ID: "timeout-out-of-order", Severity: Error, Title: "the callee works on when its caller has left",
		Why: "A caller's limit for an attempt must be longer than all that the callee may spend on it. " +
			"Otherwise the callee works for nobody, most of all when everything is slow.",
		Number: "time that the callee may spend, beside the caller's limit",
		Fix:    "shorter limits further down",
		Bites:  "the dependency at the bottom gets slow",
		graph:  outOfOrder},
	{ID: "call-cycle", Severity: Error, Title: "calls lead back to where they came from",
		Why: "Each service waits for the other. When one is full, so is the other, neither can finish, " +
			"and retries go around.",
		Number: "services in the circle, beside none",
		Fix:    "take one of the calls out, or make it async through a queue",
		Bites:  "one of the services is full",
		graph:  callCycle},
}

// edge is a dependency that is a service whose file is known.
type edge struct {
	from *source
	dep  *config.Dependency
	to   *source
}

// graph is who calls whom.
type graph struct {
	sources []*source
	edges   []edge
}

func newGraph(sources []*source) *graph {
	// Of two files for one service the first by name counts, however they are given.
	sources = slices.SortedFunc(slices.Values(sources), func(a, b *source) int {
		return cmp.Compare(a.Name(), b.Name())
	})
	g := &graph{sources: sources}
	for _, from := range sources {
		for _, d := range from.Dependencies {
			if to := g.callee(from, d); to != nil {
				g.edges = append(g.edges, edge{from, d, to})
			}
		}
	}
	return g
}

// callee finds the file of what a dependency calls: the one it names, one
// whose door is at its address, or one whose service has its name.
func (g *graph) callee(from *source, d *config.Dependency) *source {
	for _, to := range g.sources {
		if d.Policy != "" && filepath.Clean(to.Name()) == PolicyPath(from.File, d) {
			return to
		}
	}
	for _, to := range g.sources {
		if to == from || to.Serve == nil || to.Serve.Listen == "" {
			continue
		}
		for _, u := range d.Endpoints {
			if u.Host == to.Serve.Listen {
				return to
			}
		}
	}
	for _, to := range g.sources {
		if to != from && to.Service == d.Name {
			return to
		}
	}
	return nil
}

// PolicyPath is where the policy file of a dependency is that names one.
func PolicyPath(f *config.File, d *config.Dependency) string {
	if filepath.IsAbs(d.Policy) {
		return filepath.Clean(d.Policy)
	}
	return filepath.Join(filepath.Dir(f.Name()), d.Policy)
}

// layers is what retries come to below a service.
type layers struct {
	calls int // for one request, at most
	names []string
}

// below follows the calls that retry most. seen are the files on the way.
func (g *graph) below(s *source, seen []*source) layers {
	best := layers{calls: 1}
	for _, at := range seen {
		if at == s {
			return best // around in a circle, which is a finding of its own
		}
	}
	seen = append(seen, s)
	for _, d := range s.Dependencies {
		attempts := s.of(d, nil).attempts()
		v := layers{calls: 1}
		for _, e := range g.edges {
			if e.from == s && e.dep == d {
				v = g.below(e.to, seen)
			}
		}
		v.calls *= attempts
		if attempts > 1 {
			v.names = append([]string{fmt.Sprintf("%s to %s (%d)", s.Service, d.Name, attempts)},
				v.names...)
		}
		if v.calls > best.calls {
			best = v
		}
	}
	return best
}

func retryLayers(g *graph, rule *Rule) {
	for _, e := range g.edges {
		s := e.from.of(e.dep, rule)
		under := g.below(e.to, []*source{e.from})
		if s.attempts() < 2 || under.calls < 2 {
			continue
		}
		all := s.attempts() * under.calls
		f := found{keys: []string{"retry.attempts"},
			why: fmt.Sprintf("%s retries %s (%d), and below it %s", e.from.Service, e.dep.Name,
				s.attempts(), strings.Join(under.names, ", ")),
			number:  Number{"calls at the bottom for one request", float64(all), float64(s.attempts()), "calls"},
			fix:     "set retry.attempts to 1 here, and retry in the lowest layer only",
			changes: []Change{s.set("retry.attempts", "1")}}
		if _, _, written := e.from.places.Of(s.path("retry.budget")); written {
			f.changes = append(f.changes, Change{s.path("retry.budget"), ""})
		}
		if all < 9 {
			f.severity = Warning
		}
		s.report(f)
	}
}

func outOfOrder(g *graph, rule *Rule) {
	for _, e := range g.edges {
		outer := e.from.of(e.dep, rule).limit()
		if outer == 0 || g.way(e.to, e.from, nil) != nil {
			continue // a circle has no order
		}
		for _, d := range e.to.Dependencies {
			s := e.to.of(d, rule)
			inner, _ := s.bound()
			if w := s.worst(0.5); inner == 0 || w > 0 && w < inner {
				inner = w
			}
			if inner <= outer || d.Kind == config.Async {
				continue
			}
			good := roundDown(outer * 9 / 10)
			request, _ := s.times()
			f := found{keys: []string{"timeout.total", "timeout.request", "timeout"},
				why: fmt.Sprintf("%s may spend %s on %s, but %s waits no longer than %s for it",
					e.to.Service, span(inner), d.Name, e.from.Service, span(outer)),
				number:  Number{"time that the callee may spend", inMillis(inner), inMillis(outer), "ms"},
				fix:     fmt.Sprintf("set timeout.total to %s, or give %s more", span(good), e.from.Service),
				changes: []Change{s.set("timeout.total", "%s", span(good))}}
			if request*2 > good && s.attempts() > 1 {
				f.changes = append(f.changes, s.set("retry.attempts", "1"))
				if _, _, written := e.to.places.Of(s.path("retry.budget")); written {
					f.changes = append(f.changes, Change{s.path("retry.budget"), ""})
				}
			}
			if request > good {
				f.changes = append(f.changes, s.set("timeout.request", "%s", span(good)))
			}
			s.report(f)
		}
	}
}

func callCycle(g *graph, rule *Rule) {
	for _, e := range g.edges {
		way := g.way(e.to, e.from, nil)
		if way == nil {
			continue
		}
		names := []string{e.from.Service}
		for _, s := range way {
			names = append(names, s.Service)
		}
		s := e.from.of(e.dep, rule)
		s.report(found{keys: []string{""},
			why:    "calls lead back: " + strings.Join(names, " to "),
			number: Number{"services in the circle", float64(len(way)), 0, "services"},
			fix:    "take one of the calls out, or make it through a queue"})
	}
}

// way is the shortest of the first ways found from a service to another, both
// included; nil: there is none.
func (g *graph) way(from, to *source, seen []*source) []*source {
	if from == to {
		return []*source{to}
	}
	for _, at := range seen {
		if at == from {
			return nil
		}
	}
	for _, e := range g.edges {
		if e.from == from {
			if rest := g.way(e.to, to, append(seen, from)); rest != nil {
				return append([]*source{from}, rest...)
			}
		}
	}
	return nil
}

// Call is a dependency whose own file is known.
type Call struct {
	From       *config.File
	Dependency *config.Dependency
	To         *config.File
}

// Calls returns who calls whom, as the rules about call graphs see it.
func Calls(files []*config.File) (all []Call) {
	sources := make([]*source, len(files))
	for i, f := range files {
		sources[i] = &source{File: f}
	}
	for _, e := range newGraph(sources).edges {
		all = append(all, Call{e.from.File, e.dep, e.to.File})
	}
	return all
}
