package seakeeptest

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/sim"
	"github.com/seakeep/seakeep/sim/study"
)

// Simulate runs the scenario file at a path, as often as the file says under
// runs, and returns its figures. Each of sets changes one key first, as in
// "dependencies.pricing.timeout.request=1s" or "clients.users.rate=1500/s". A
// key that begins with "dependencies." is one of the policy file of the first
// service that has this dependency, or of the service or client that stands
// before it, as in "checkout:dependencies.pricing.retry.attempts=1"; any other
// is one of the scenario. An empty value removes the key.
//
// The same files give the same figures, on every machine. Files with mistakes
// end the test.
func Simulate(t testing.TB, scenario string, sets ...string) *Figures {
	t.Helper()
	d, err := config.OpenDraft(scenario)
	if err != nil {
		t.Fatal(err)
	}
	return simulate(t, world{scenario, d}, sets)
}

// SimulatePolicy is Simulate with another policy file, such as the one of
// production. It takes the place of the scenario's policy files that have the
// same name under service; if there are none, of the only one that it has.
func SimulatePolicy(t testing.TB, policy, scenario string, sets ...string) *Figures {
	t.Helper()
	d, err := config.OpenDraft(scenario)
	if err != nil {
		t.Fatal(err)
	}
	d, err = exchange(d, policy)
	if err != nil {
		t.Fatalf("%s with %s: %v", scenario, policy, err)
	}
	return simulate(t, world{scenario + " with " + policy, d}, sets)
}

// world is a scenario and what to call it.
type world struct {
	name  string
	draft config.Draft
}

func simulate(t testing.TB, w world, sets []string) *Figures {
	t.Helper()
	for _, set := range sets {
		key, value, ok := strings.Cut(set, "=")
		if !ok {
			t.Fatalf("%s: %q is no change; give KEY=VALUE, such as clients.users.rate=1500/s",
				w.name, set)
		}
		var err error
		if w.draft, err = w.draft.Set(strings.TrimSpace(key), strings.TrimSpace(value)); err != nil {
			t.Fatalf("%s: %v", w.name, err)
		}
	}
	if len(sets) > 0 {
		w.name += ", " + strings.Join(sets, ", ")
	}
	s, err := w.draft.Parse()
	if err != nil {
		t.Fatalf("%s:\n%v", w.name, err)
	}
	runs, err := parallel(s)
	if err != nil {
		t.Fatalf("%s: %v", w.name, err)
	}
	return &Figures{t: t, name: w.name, scenario: s, summary: study.Summarise(runs)}
}

// parallel makes the runs of a scenario side by side and returns them in the
// order of their seeds.
func parallel(s *config.Scenario) ([]*sim.Result, error) {
	out := make([]*sim.Result, s.Runs)
	errs := make([]error, s.Runs)
	room := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for i := range out {
		room <- struct{}{}
		all.Go(func() {
			out[i], errs[i] = sim.Run(s, sim.Options{Seed: uint64(i)})
			<-room
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// exchange puts another policy file into a scenario.
func exchange(d config.Draft, policy string) (config.Draft, error) {
	f, err := config.Load(policy)
	if err != nil {
		return d, err
	}
	s, err := d.Parse()
	if err != nil {
		return d, err
	}
	keys, err := places(s, f.Service)
	if err != nil {
		return d, err
	}
	path, err := filepath.Abs(policy)
	if err != nil {
		return d, err
	}
	for _, key := range keys {
		if d, err = d.Set(key, strconv.Quote(path)); err != nil {
			return d, err
		}
	}
	return d, nil
}

// places returns the keys of the policies of a service: of the files that have
// this name, or of the only file that there is.
func places(s *config.Scenario, service string) ([]string, error) {
	var same, all, names []string
	var only *config.File
	add := func(section, name string, f *config.File) {
		if f == nil {
			return
		}
		key := section + "." + strconv.Quote(name) + ".policy"
		if all = append(all, key); f.Service == service {
			same = append(same, key)
		}
		if f != only {
			only = f
			names = append(names, strconv.Quote(f.Service))
		}
	}
	for _, v := range s.Services {
		add("services", v.Name, v.Policy)
	}
	for _, c := range s.Clients {
		add("clients", c.Name, c.Member.File)
	}
	switch {
	case len(same) > 0:
		return same, nil
	case len(all) == 0:
		return nil, errors.New("the scenario names no policy file that it could take the place of")
	case len(names) > 1:
		slices.Sort(names)
		return nil, fmt.Errorf("the policy is that of %q, and the scenario names policies of %s: give "+
			"it one of these names under service", service, strings.Join(slices.Compact(names), ", "))
	}
	return all, nil
}
