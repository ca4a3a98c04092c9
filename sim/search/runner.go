package search

import (
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/sim"
)

// Runner makes runs of a scenario, one for each seed, and returns them in the
// order of the seeds.
type Runner func(s *config.Scenario, seeds []uint64) ([]*sim.Result, error)

// Serial is a Runner that makes one run after another.
func Serial(s *config.Scenario, seeds []uint64) ([]*sim.Result, error) {
	out := make([]*sim.Result, len(seeds))
	for i, seed := range seeds {
		r, err := sim.Run(s, sim.Options{Seed: seed})
		if err != nil {
			return nil, err
		}
		out[i] = r
	}
	return out, nil
}

// Seeds returns the first n seeds.
func Seeds(n int) []uint64 {
	out := make([]uint64, n)
	for i := range out {
		out[i] = uint64(i)
	}
	return out
}

// Clone returns a copy of a scenario whose clients, services, changes and
// policies can be changed without touching the original.
func Clone(s *config.Scenario) *config.Scenario {
	files := map[*config.File]*config.File{}
	file := func(f *config.File) *config.File {
		if f == nil {
			return nil
		}
		if files[f] == nil {
			files[f] = cloneFile(f)
		}
		return files[f]
	}
	c := *s
	c.Clients = nil
	for _, one := range s.Clients {
		n := *one
		n.Member.File = file(one.Member.File)
		c.Clients = append(c.Clients, &n)
	}
	c.Services = nil
	for _, one := range s.Services {
		n := *one
		n.Policy = file(one.Policy)
		n.Routes = nil
		for _, r := range one.Routes {
			route := *r
			n.Routes = append(n.Routes, &route)
		}
		c.Services = append(c.Services, &n)
	}
	c.Changes = append([]config.Change(nil), s.Changes...)
	for i := range c.Changes {
		c.Changes[i].Policy = file(c.Changes[i].Policy)
	}
	return &c
}

func cloneFile(f *config.File) *config.File {
	n := *f
	n.Dependencies = nil
	for _, d := range f.Dependencies {
		dep := *d
		cloneSettings(&dep.Settings)
		dep.Operations = append([]config.Operation(nil), d.Operations...)
		for i := range dep.Operations {
			cloneSettings(&dep.Operations[i].Settings)
		}
		n.Dependencies = append(n.Dependencies, &dep)
	}
	return &n
}

func cloneSettings(s *config.Settings) {
	s.Call.Retry = copied(s.Call.Retry)
	s.Call.Budget = copied(s.Call.Budget)
	s.Call.Breaker = copied(s.Call.Breaker)
	s.Call.Bulkhead = copied(s.Call.Bulkhead)
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

// eachSettings visits the settings of every dependency of every policy in use.
func eachSettings(s *config.Scenario, visit func(*config.Settings)) {
	seen := map[*config.File]bool{}
	file := func(f *config.File) {
		if f == nil || seen[f] {
			return
		}
		seen[f] = true
		for _, d := range f.Dependencies {
			visit(&d.Settings)
			for i := range d.Operations {
				visit(&d.Operations[i].Settings)
			}
		}
	}
	for _, c := range s.Clients {
		file(c.Member.File)
	}
	for _, v := range s.Services {
		file(v.Policy)
	}
}
