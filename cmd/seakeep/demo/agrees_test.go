package demo

import (
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/sim"
	"github.com/seakeep/seakeep/sim/study"
)

var page = flag.String("page", "", "put the tables of TestDemoAgrees into this document, of long runs")

const scenario = "../../../testdata/scenarios/demo.yaml"

// side is the demo and its simulation beside each other.
type side struct {
	t    *testing.T
	real *Report
	sim  *study.Summary
	runs []*sim.Result
}

// beside makes both runs of the same world.
func beside(t *testing.T, o Options) *side {
	t.Helper()
	s := &side{t: t, real: run(t, o)}
	world := simulated(t, o)
	for seed := range 20 {
		r, err := sim.Run(world, sim.Options{Seed: uint64(seed)})
		if err != nil {
			t.Fatal(err)
		}
		s.runs = append(s.runs, r)
	}
	s.sim = study.Summarise(s.runs)
	return s
}

// simulated returns the scenario file of the demo with the demo's options. Its
// policy is the very one that the demo uses.
func simulated(t *testing.T, o Options) *config.Scenario {
	t.Helper()
	s, err := config.LoadScenario(scenario)
	if err != nil {
		t.Fatal(err)
	}
	program := s.Service("checkout")
	if program.Policy, err = policy(o.Protect); err != nil {
		t.Fatal(err)
	}
	if !o.Protect.has(Timeout) {
		program.IgnoreDeadline, program.Abandoned = true, config.RunsOn
	}
	program.Workers, program.Queue.Length = o.Pool, o.Queue
	s.Client("users").Rate = float64(o.Rate)
	slow := o.Slow[0]
	s.Warmup, s.For = slow.Start, min(slow.end(), o.For)
	s.Changes[0].At, s.Changes[0].Of, s.Changes[0].Work.Mean = slow.Start, slow.Name, slow.Mean
	return s
}

// The scenario file is the demo with the options of its page, so that seakeep
// sim gives what the tables say.
func TestScenarioFileIsTheDemo(t *testing.T) {
	file, err := config.LoadScenario(scenario)
	if err != nil {
		t.Fatal(err)
	}
	o := long(t, "all")
	figures := func(s *config.Scenario) string {
		r, err := sim.Run(s, sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%+v", r)
	}
	if figures(file) != figures(simulated(t, o)) {
		t.Error("the file and the demo's options differ")
	}
	users, program := file.Client("users"), file.Service("checkout")
	if users.Patience != patience || program.Routes[0].Work.Floor != ownWork {
		t.Errorf("patience is %v, checkout's own work %v", users.Patience, program.Routes[0].Work)
	}
	for i, name := range names {
		healthy := config.Latency{Shape: config.Exponential, Floor: floor, Mean: usual}
		if w := file.Service(name).Routes[0].Work; fmt.Sprint(w) != fmt.Sprint(healthy) ||
			program.Routes[i].Name != name {
			t.Errorf("%s works %+v", name, w)
		}
	}
}

// long are the runs of the page. The dependency stays slow beyond their end, as in
// the simulation: otherwise the last retries would find it well.
func long(t *testing.T, protect string) Options {
	t.Helper()
	rungs, err := ParseRungs(protect)
	if err != nil {
		t.Fatal(err)
	}
	o := Defaults(15 * time.Second)
	o.Protect = rungs
	o.Slow = []Slow{{"recommendations", Late, 2 * time.Second, 3 * time.Second, 20 * time.Second}}
	return o
}

// The demo on real sockets and its simulation agree: same policy, same world,
// two drivers. With -page it runs as long as the page says and writes the tables.
func TestDemoAgrees(t *testing.T) {
	if *page == "" {
		for _, protect := range []string{"none", "all"} {
			t.Run(protect, func(t *testing.T) { beside(t, small(t, protect)).agree() })
		}
		return
	}
	storm := long(t, "timeout,retry")
	storm.Rate = 1000
	var text strings.Builder
	for _, o := range []Options{long(t, "none"), long(t, "timeout"), storm, long(t, "all")} {
		s := beside(t, o)
		s.agree()
		text.WriteString(s.table())
	}
	if !t.Failed() {
		publish(t, text.String())
	}
}

// agree asserts that both say the same: a run of the demo may be as far from the
// mean of the simulated ones as those are from each other, and a little more,
// because its machine has other things to do.
func (s *side) agree() {
	s.t.Helper()
	s.t.Log("\n" + s.table())
	late := s.real.Late / 1e3 // then requests come in a burst
	for _, name := range names {
		e := s.real.Endpoints[name]
		s.near("endpoints."+name+".success", *e.Success, 0.03)
		s.near("endpoints."+name+".fallback", float64(e.Fallback)/float64(e.Sent), 0.03)
		if e.P99 != nil {
			s.near("endpoints."+name+".p99", *e.P99/1e3, 0.1+late)
		}
		calls := s.real.CallsTo[name]
		s.near("services."+name+".rate", calls, 4+0.1*calls)
	}
	s.near("services.checkout.most-busy", float64(s.real.Pool.MaxBusy),
		0.1*float64(s.real.Pool.Size)+late*float64(s.real.Rate))
}

// near asserts that a figure of the demo is as far from the simulation's as
// chance explains, plus some.
func (s *side) near(key string, real, some float64) {
	s.t.Helper()
	f := s.figure(key)
	if off := 4*spread(f.Runs) + some; !(math.Abs(real-f.Mean) <= off) {
		s.t.Errorf("%s: %.4g in the demo and %s simulated are more than %.2g apart", key, real,
			f.Text(), off)
	}
}

// spread is the standard deviation over the runs that have the figure.
func spread(runs []float64) float64 {
	n, sum, squares := 0.0, 0.0, 0.0
	for _, x := range runs {
		if !math.IsNaN(x) {
			n, sum, squares = n+1, sum+x, squares+x*x
		}
	}
	return math.Sqrt(max(0, squares/n-sum/n*sum/n))
}

func (s *side) figure(key string) study.Figure {
	s.t.Helper()
	f, err := s.sim.Get(key)
	if err != nil {
		s.t.Fatal(err)
	}
	return f
}

// table writes both beside each other, in Markdown.
func (s *side) table() string {
	var b strings.Builder
	r := s.real
	fmt.Fprintf(&b, "`--protect %s --rate %d`, requests made at most %.0f ms late:\n\n", r.Protect,
		r.Rate, r.Late)
	b.WriteString("| | demo | simulation | its runs |\n|---|---|---|---|\n")
	row := func(what, real string, f study.Figure) {
		low, high := slices.Min(f.Runs), slices.Max(f.Runs)
		fmt.Fprintf(&b, "| %s | %s | %s | %s to %s |\n", what, real, f.Text(), f.Unit.Text(low),
			f.Unit.Text(high))
	}
	for _, name := range names {
		e := r.Endpoints[name]
		row(name+": success", study.Share.Text(*e.Success), s.figure("endpoints."+name+".success"))
		if e.Fallback > 0 {
			row(name+": by the fallback", study.Share.Text(float64(e.Fallback)/float64(e.Sent)),
				s.figure("endpoints."+name+".fallback"))
		}
		if e.P50 != nil && e.P99 != nil {
			row(name+": p50", study.Seconds.Text(*e.P50/1e3), s.figure("endpoints."+name+".p50"))
			row(name+": p99", study.Seconds.Text(*e.P99/1e3), s.figure("endpoints."+name+".p99"))
		}
	}
	const slow = "recommendations"
	row("calls that reach "+slow, study.PerSecond.Text(r.CallsTo[slow]), s.figure("services."+slow+".rate"))
	row("retries", study.PerSecond.Text(float64(r.Retries[slow])/r.CountedS),
		s.figure("dependencies.checkout."+slow+".retries"))
	row("workers busy at most", fmt.Sprint(r.Pool.MaxBusy), s.figure("services.checkout.most-busy"))
	row("refused for want of a worker", study.PerSecond.Text(float64(r.Pool.Refused)/r.CountedS),
		s.figure("services.checkout.refused"))
	if opened := r.Breakers[slow]; len(opened) > 0 {
		fmt.Fprintf(&b, "| its breaker opens first | %.2f s | | %s |\n", opened[0].At, s.opens())
	}
	return b.String() + "\n"
}

// opens says when the breaker opened first in the simulated runs.
func (s *side) opens() string {
	first, last := math.Inf(1), 0.0
	for _, r := range s.runs {
		for _, d := range r.Dependencies {
			if d.By == "checkout" && d.Name == "recommendations" && len(d.Timeline) > 0 {
				at := d.Timeline[0].At.Seconds()
				first, last = min(first, at), max(last, at)
			}
		}
	}
	return fmt.Sprintf("%.2f s to %.2f s", first, last)
}

// publish puts the tables into the page, between its two marks.
func publish(t *testing.T, tables string) {
	t.Helper()
	text, err := os.ReadFile(*page)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- what follows is made by make demo-and-simulation -->\n", "<!-- until here -->\n"
	before, rest, ok1 := strings.Cut(string(text), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no marks to put the tables between", *page)
	}
	if err := os.WriteFile(*page, []byte(before+begin+"\n"+tables+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
