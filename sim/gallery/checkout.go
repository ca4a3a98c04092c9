package gallery

import (
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/sim"
)

// checkoutRungs are the rungs that rows of the checkout model switch on, as a
// policy file has them.
const (
	rungTimeout = "    timeout: {request: 250ms}\n"
	rungRetry   = "    retry: {attempts: 3, idempotent: always, budget: none, " +
		"backoff: {base: 40ms, cap: 10s, jitter: full}}\n"
	rungBudget = "    retry: {attempts: 3, idempotent: always, budget: {ratio: 10%, floor: 0/s}, " +
		"backoff: {base: 40ms, cap: 10s, jitter: full}}\n"
	rungBulkhead = "    bulkhead: {limit: 60}\n"
	rungFallback = "    fallback: [omit: {}]\n"
)

// rungBreaker is the breaker of brief 0 over so many calls.
func rungBreaker(calls, least string) string {
	return "    breaker: {window: " + calls + ", calls: " + least + ", failures: 50%, trials: 3, " +
		"open: {for: 5s, jitter: 0%, growth: 1}}\n"
}

// table is the checkout model: 1,000 requests a second, a third of them for
// each of three dependencies; 200 workers, each held for 2 ms of own work, the
// dependency's time and the waits between attempts. Healthy, a dependency takes
// 5 ms plus an exponential of 15. A slow C answers at most 400 calls a second;
// what is above that hangs.
type table struct {
	rungs  string
	slow   time.Duration // C's mean; 0: healthy
	silent time.Duration // when C stops answering; 0: never
	queue  config.Queue
	length time.Duration // of the run; 0: 65 s
	cold   bool          // the first 10 s, in which queues still fill, count as well
}

// checkoutRun is what came of one run.
type checkoutRun struct {
	ab                float64 // share of answers of A and B, in per cent
	real, fallback    float64 // of C's endpoint
	p99               float64 // of answers of A and B, ms
	busy, busyC       float64 // workers, and those held for C
	calls             float64 // to C a second
	attemptsOK        float64 // share of attempts to C that succeed, in per cent
	transitions, open float64 // of the breaker: number, and share of time in per cent
	full              float64 // seconds from C's silence to a full pool
}

const defaultQueue = 20

func (t table) scenario() *config.Scenario {
	policy := "version: 1\nservice: checkout\ndependencies:\n" +
		"  a: {kind: optional}\n  b: {kind: optional}\n  c:\n    kind: optional\n" + t.rungs
	file := must(config.Parse("checkout.yaml", []byte(policy)))
	normal := config.Latency{Shape: config.Exponential, Floor: 5 * ms, Mean: healthy}
	s := &config.Scenario{Name: "checkout", For: 65 * second, Warmup: 10 * second,
		Clients: []*config.Client{{Name: "users", To: "checkout", Rate: checkout, Patience: second}}}
	if t.length > 0 {
		s.For = t.length
	}
	if t.cold {
		s.Warmup = 0
	}
	front := &config.Service{Name: "checkout", Policy: file, Instances: 1, Workers: pool,
		IgnoreDeadline: true, Queue: t.queue}
	if t.queue == (config.Queue{}) {
		front.Queue = config.Queue{Rule: config.FIFO, Length: defaultQueue}
	}
	s.Services = append(s.Services, front)
	for _, name := range []string{"a", "b", "c"} {
		s.Clients[0].Routes = append(s.Clients[0].Routes, config.Share{Name: name, Share: 1})
		front.Routes = append(front.Routes, &config.Route{Name: name, Status: 500,
			Work: config.Latency{Floor: ownWork}, Calls: []config.Step{{Dependency: name, To: name}}})
		s.Services = append(s.Services, &config.Service{Name: name, Instances: 1,
			Routes: []*config.Route{{Name: "default", Work: normal}}})
	}
	c := s.Services[3]
	c.Capacity = config.Capacity{Rate: 400, Over: config.Hang}
	if t.slow > 0 {
		c.Routes[0].Work.Mean = t.slow
	}
	if t.silent > 0 {
		s.Warmup += t.silent
		s.For += t.silent
		s.Changes = []config.Change{{At: t.silent, Kind: config.GoSilent, Of: "c"}}
	}
	return s
}

func (t table) run(seed uint64) checkoutRun {
	var times []time.Duration // of answers of A and B
	s := t.scenario()
	r := must(sim.Run(s, sim.Options{Seed: seed, Fate: func(f sim.Fate) {
		if f.Endpoint != "c" && f.Answered && f.Began >= core.Instant(s.Warmup) {
			times = append(times, f.Took)
		}
	}}))
	a, b, c := r.Endpoint("a").Outcomes, r.Endpoint("b").Outcomes, r.Endpoint("c").Outcomes
	of := func(n, all uint64) float64 { return 100 * float64(n) / float64(max(all, 1)) }
	ends := func(o sim.Outcomes) uint64 { return o.Answered() + o.Failed() }
	out := checkoutRun{ab: of(a.Answered()+b.Answered(), ends(a)+ends(b)),
		real: of(c.OK, ends(c)), fallback: of(c.Fallback, ends(c)),
		busy: r.Services[0].Busy, calls: r.Services[3].Rate}
	if len(times) > 0 {
		times = sortedTimes(times)
		out.p99 = times[len(times)*99/100].Seconds() * 1000
	}
	// What A and B hold is known by Little's law: all that were answered took as
	// long as a healthy dependency.
	out.busyC = out.busy - held(2*third*out.ab/100, ownWork+healthy)
	out.full = filled(r, t.silent)
	for _, d := range r.Dependencies {
		if d.Name == "c" {
			out.transitions, out.open = float64(d.Transitions), 100*d.OpenShare
			attempts := d.Stats.Succeeded + d.Stats.Failed + d.Stats.Cancelled + d.Stats.Retries
			out.attemptsOK = of(d.Stats.Succeeded, attempts)
		}
	}
	return out
}

// filled returns how long after the silence all workers were busy.
func filled(r *sim.Result, silent time.Duration) float64 {
	for _, sample := range r.Services[0].Samples {
		if sample.Full >= silent {
			return (sample.Full - silent).Seconds()
		}
	}
	return 0
}

// sample runs the table under each seed.
func (t table) sample(seeds []uint64) (runs sampled) {
	for _, seed := range seeds {
		runs = append(runs, t.run(seed))
	}
	return runs
}

type sampled []checkoutRun

// of takes one figure of each run.
func (r sampled) of(figure func(*checkoutRun) float64) (xs []float64) {
	for i := range r {
		xs = append(xs, figure(&r[i]))
	}
	return xs
}

func ab(r *checkoutRun) float64       { return r.ab }
func p99(r *checkoutRun) float64      { return r.p99 }
func busy(r *checkoutRun) float64     { return r.busy }
func busyC(r *checkoutRun) float64    { return r.busyC }
func calls(r *checkoutRun) float64    { return r.calls }
func realC(r *checkoutRun) float64    { return r.real }
func fallback(r *checkoutRun) float64 { return r.fallback }
func changed(r *checkoutRun) float64  { return r.transitions }
func open(r *checkoutRun) float64     { return r.open }
func full(r *checkoutRun) float64     { return r.full }
