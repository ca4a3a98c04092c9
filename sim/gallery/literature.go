package gallery

import (
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/budget"
	"github.com/seakeep/seakeep/sim"
)

// literature holds the cards on what others have published.
func literature() []Entry {
	return []Entry{
		{ID: "2.1", Kind: Analytic, Title: "The Tail at Scale: one in 10,000 of 2,000 servers", run: tailAtScale},
		{ID: "2.2", Kind: Unit, Title: "Google's client-side throttle", run: sreThrottle},
		{ID: "2.3", Kind: Unit, Title: "Finagle's and Envoy's retry budgets", run: budgets},
		{ID: "2.4", Kind: Simulation, Title: "Client throttle against admission control", run: admission},
		{ID: "2.5", Kind: Simulation, Title: "Adaptive concurrency limits", run: limits},
		{ID: "2.6-policy", Kind: Unit, Title: "CoDel's drop times, and classes under overload", run: queues},
		{ID: "2.6", Kind: Simulation, Title: "CoDel's drop times, in a simulated queue", run: codelQueue},
		{ID: "2.7", Kind: Simulation, Title: "DAGOR: shedding tasks of several calls", run: dagor},
		{ID: "2.8", Kind: Simulation, Title: "Breakwater, TopFull and shedders in production", run: shedders},
		{ID: "2.9", Kind: Simulation, Title: "Amazon's jitter simulation", run: amazon},
		{ID: "2.10", Kind: Simulation, Title: "Brooker's study of retries", run: brooker},
		{ID: "2.11-HotOS", Kind: Simulation, Title: "Metastable failures, HotOS 2021", run: hotOS},
		{ID: "2.11-MongoDB", Kind: Simulation, Title: "Metastable failures, OSDI 2022: MongoDB", run: mongoDB},
		{ID: "2.12-policy", Kind: Simulation, Title: "The power of two choices, as a policy", run: twoChoicesPolicy},
		{ID: "2.12", Kind: Simulation, Title: "The power of two choices, as a fact", run: twoChoices},
		{ID: "2.13", Kind: Unit, Title: "Envoy's outlier detection", run: outliers},
		{ID: "2.14", Kind: Published, Title: "Phi accrual", run: phi},
		{ID: "2.15", Kind: Analytic, Title: "Burn-rate alerts", run: burnRates},
		{ID: "2.16", Kind: Simulation, Title: "The engine against queueing theory", run: queueFacts},
	}
}

func tailAtScale(s *sheet) {
	s.Setup = "A request needs all of 2,000 servers; each is slow once in 10,000 calls."
	s.rounds("requests slow", known{18.1, 1, "%"}, anySlow(2000, 0.0001))
}

func budgets(s *sheet) {
	s.Setup = "Finagle: 20 % of calls and 10 retries a second, over 10 s. Envoy: 20 % of the " +
		"calls under way, or three."
	granted := func(c budget.Config, calls int) float64 {
		b, n := must(budget.New(c)), 0
		for range calls {
			b.Deposit(0)
		}
		for b.Withdraw(0) {
			n++
		}
		return float64(n)
	}
	finagle := budget.Config{Ratio: 0.2, Floor: 10}
	s.equals("Finagle, 1,000 calls a second: retries in 10 s", known{2100, 0, ""}, granted(finagle, 10_000))
	s.equals("as a share", known{21, 0, "%"}, granted(finagle, 10_000)/100)
	s.equals("Finagle, 10 calls a second", known{120, 0, "%"}, granted(finagle, 100))
	envoy := budget.Config{Kind: budget.Concurrent, Ratio: 0.2, Floor: 3}
	s.equals("Envoy, 100 under way: retries at once", known{20, 0, ""}, granted(envoy, 100))
	s.equals("Envoy, 5 under way", known{3, 0, ""}, granted(envoy, 5))
	s.Note = "A floor dominates a quiet client. The AWS SDK's bucket is not one of Seakeep's " +
		"kinds."
}

// codelQueue overloads one simulated worker, with requests of 0.1 ms, and reads
// off when its queue drops.
func codelQueue(s *sheet) {
	s.Setup = "As 2.6, with a service of sim.Run: requests of 0.1 ms, twice as many as one " +
		"worker can do."
	var drops []time.Duration
	must(sim.Run(&config.Scenario{Name: "codel", For: second,
		Clients: []*config.Client{{Name: "users", To: "server", Rate: 20_000, Arrivals: config.Even}},
		Services: []*config.Service{{Name: "server", Instances: 1, Workers: 1,
			Queue:  config.Queue{Rule: config.CoDel, Target: 5 * ms, Interval: 100 * ms},
			Routes: []*config.Route{{Name: "default", Work: config.Latency{Floor: 100 * time.Microsecond}}}}},
	}, sim.Options{Seed: s.Seed, Fate: func(f sim.Fate) {
		if !f.Answered {
			drops = append(drops, time.Duration(f.Began)+f.Took)
		}
	}}))
	drops = sortedTimes(drops)
	for i, want := range []known{{100, 0, "ms"}, {70.7, 1, "ms"}, {57.7, 1, "ms"}, {50, 0, "ms"}} {
		gap := (drops[i+1] - drops[i]).Seconds() * 1000
		// A queue drops when a worker takes from it, every 0.1 ms.
		s.mean("drop "+number(float64(i+2), 0, "")+" after", want, same(gap), off(0.2))
	}
}

func phi(s *sheet) {
	s.Setup = "Mean 1,000 ms, σ 100 ms."
	s.lacks = "Seakeep has no failure detector"
	s.absent("φ at 1,100, 1,200, 1,300, 1,500 ms", "0.80, 1.64, 2.91, 7.30")
}

func burnRates(s *sheet) {
	s.Setup = "An objective of 99.9 % over 30 days. Both windows must exceed the burn rate."
	const hours, allowed = 30 * 24, 0.001
	for _, row := range []struct {
		burn, long               float64 // long window in hours
		spent, errors, exhausted known
		fires                    known
		unit                     float64 // of fires, in seconds
	}{
		{14.4, 1, known{2, 0, "%"}, known{1.44, 2, "%"}, known{50, 0, "h"}, known{52, 0, "s"}, 1},
		{6, 6, known{5, 0, "%"}, known{0.6, 1, "%"}, known{120, 0, "h"}, known{2.2, 1, "min"}, 60},
		{3, 24, known{10, 0, "%"}, known{0.3, 1, "%"}, known{240, 0, "h"}, known{4.3, 1, "min"}, 60},
		{1, 72, known{10, 0, "%"}, known{0.1, 1, "%"}, known{720, 0, "h"}, known{4.3, 1, "min"}, 60},
	} {
		name := number(row.burn, 1, "times")
		s.equals(name+": budget spent", row.spent, 100*row.burn*row.long/hours)
		s.equals(name+": error rate", row.errors, 100*row.burn*allowed)
		s.equals(name+": budget exhausted in", row.exhausted, hours/row.burn)
		s.rounds(name+": fires at 100 % errors after", row.fires,
			row.long*3600*row.burn*allowed/row.unit)
	}
	s.Note = "Arithmetic. core/slo, which will evaluate such alerts, does not exist yet."
}
