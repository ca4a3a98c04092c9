package tune

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/sim"
	"github.com/seakeep/seakeep/sim/study"
)

// Effect is what the simulator says of the file as it is and as proposed, with
// the same arrivals and draws.
type Effect struct {
	Worlds []World `json:"worlds"`
}

// World is a scenario and its figures.
type World struct {
	About    string `json:"about"`
	Scenario string `json:"scenario"`
	Pairs    []Pair `json:"figures"`
}

// Pair is a figure with both files.
type Pair struct {
	Name     string `json:"name"`
	AsIs     string `json:"as_is"`
	Proposed string `json:"proposed"`
}

const (
	runs     = 3
	mostRate = 500 // calls a second that are run; more tell no more
	long     = 30  // seconds
	us       = "our-service"
	beside   = "another-page"
)

// shares are the quantiles that the modelled dependency goes by.
var shares = []float64{0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999}

// Effects runs the worlds of every dependency that something is proposed for.
func (r *Report) Effects() error {
	for _, a := range r.Advice {
		if len(a.changes(false)) == 0 {
			continue
		}
		a.Effect = &Effect{}
		for _, w := range []struct{ about, change string }{
			{"a usual day", ""},
			{"it accepts connections and does not answer, from the tenth second on", "silent: true"},
		} {
			world, err := a.world(r, w.about, w.change)
			if err != nil {
				return fmt.Errorf("the simulation of %s: %w", a.Dependency, err)
			}
			a.Effect.Worlds = append(a.Effect.Worlds, *world)
		}
	}
	return nil
}

// world runs one scenario with both files.
func (a *Advice) world(r *Report, about, change string) (*World, error) {
	w := &World{About: about, Scenario: a.scenario(about, change)}
	asIs, err := run(w.Scenario, r.Before)
	if err != nil {
		return nil, err
	}
	proposed, err := run(w.Scenario, r.After)
	if err != nil {
		return nil, err
	}
	for _, k := range []struct{ key, name string }{
		{"endpoints." + a.Dependency + ".success", "its users served in time"},
		{"endpoints." + a.Dependency + ".p99", "p99 of its page"},
		{"endpoints." + beside + ".success", "users of another page served in time"},
		{"dependencies." + us + "." + a.Dependency + ".timeouts", "calls cut off a second"},
		{"dependencies." + us + "." + a.Dependency + ".rejected", "calls refused a second"},
		{"dependencies." + us + "." + a.Dependency + ".attempts", "requests sent to it a second"},
		{"services." + us + ".most-busy", "threads of ours held (most)"},
	} {
		x, err := asIs.Get(k.key)
		if err != nil {
			continue // neither has it
		}
		y, err := proposed.Get(k.key)
		if err != nil {
			continue
		}
		w.Pairs = append(w.Pairs, Pair{k.name, x.Text(), y.Text()})
	}
	return w, nil
}

// run makes the runs of a scenario with a policy file.
func run(scenario string, policy []byte) (*study.Summary, error) {
	for _, section := range []string{"slo", "serve"} { // they have no part in it
		if out, err := config.Set(policy, section, ""); err == nil {
			policy = out
		}
	}
	sc, err := config.ParseScenario("tune.yaml", []byte(scenario), func(path string) ([]byte, error) {
		if filepath.Base(path) != "policy.yaml" {
			return nil, fmt.Errorf("%s is not part of it", path)
		}
		return policy, nil
	})
	if err != nil {
		return nil, err
	}
	var all []*sim.Result
	for seed := range sc.Runs {
		one, err := sim.Run(sc, sim.Options{Seed: uint64(seed)})
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return study.Summarise(all), nil
}

// scenario is our service with a page that calls the dependency and one that
// does not. The dependency takes the times that were measured.
func (a *Advice) scenario(about, change string) string {
	rate := math.Min(a.Rate, mostRate)
	if rate == 0 {
		rate = 100
	}
	p99 := a.finite(0.99)
	workers := int(math.Ceil(2.5*rate*p99)) + 10
	patience := max(time.Second, up(4*a.finite(0.999), 2))
	var b strings.Builder
	fmt.Fprintf(&b, "version: 1\nname: tune\nabout: %q\nfor: %ds\nwarmup: 5s\nruns: %d\n", about, long, runs)
	fmt.Fprintf(&b,
		"clients:\n  users:\n    to: %s\n    rate: %g/s\n    patience: %s\n    routes: {%q: 1, %s: 1}\n", us,
		2*rate, patience, a.Dependency, beside)
	fmt.Fprintf(&b, "services:\n  %s:\n    policy: policy.yaml\n    workers: %d\n    queue: {rule: fifo, length: 20}\n"+
		"    routes:\n      %q: {work: 1ms, calls: [%q]}\n      %s: {work: 1ms}\n", us, workers, a.Dependency,
		a.Dependency, beside)
	fmt.Fprintf(&b, "  %q: {work: {points: {%s}}}\n", a.Dependency, a.points())
	done := map[string]bool{a.Dependency: true}
	for _, other := range a.stands() { // what may answer in its place
		if !done[other] {
			done[other] = true
			fmt.Fprintf(&b, "  %q: {work: {points: {%s}}}\n", other, a.points())
		}
	}
	if change != "" {
		fmt.Fprintf(&b, "changes:\n  - {at: 10s, service: %q, %s}\n", a.Dependency, change)
	}
	return b.String()
}

func (a *Advice) stands() (all []string) {
	for _, o := range a.dep.Fallback.Order {
		if o.Dependency != "" {
			all = append(all, o.Dependency)
		}
	}
	if a.dep.Failover != nil {
		all = append(all, a.dep.Failover.To)
	}
	return all
}

// finite is a quantile, or the largest one that is known.
func (a *Advice) finite(q float64) float64 {
	if v := a.dist.Quantile(q).Value; !math.IsInf(v, 1) && !math.IsNaN(v) {
		return v
	}
	for i := len(a.dist.bins) - 1; i >= 0; i-- {
		if b := a.dist.bins[i]; !math.IsInf(b.high, 1) {
			return b.high
		}
	}
	return 1
}

// points are the measured quantiles, rising. What is not known of the tail goes
// on as between the last two.
func (a *Advice) points() string {
	var parts []string
	last := time.Duration(0)
	for _, q := range shares {
		d := max(up(a.finite(q), 4), last+time.Microsecond)
		parts = append(parts, fmt.Sprintf("%s: %s", inFile(q), span(d)))
		last = d
	}
	top := max(up(a.finite(1), 4), last+time.Microsecond)
	return strings.Join(append(parts, "100%: "+span(top)), ", ")
}
