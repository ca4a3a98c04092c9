package gallery

import (
	"fmt"
	"strings"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/window"
	"github.com/seakeep/seakeep/sim"
)

// breakers holds the cards on circuit breakers.
func breakers() []Entry {
	return []Entry{
		{ID: "B1", Kind: Unit, Title: "The demo of brief 0, results known before the next call", run: b1},
		{ID: "B1'", Kind: Simulation, Title: "The demo of brief 0, results known when calls end", run: b1prime},
		{ID: "B2", Kind: Unit, Title: "A window of 10 s and two trials in a row", run: b2},
		{ID: "B3", Kind: Unit, Title: "Three failures in a row and one trial", run: b3},
		{ID: "B4", Kind: Unit, Title: "A window of ten calls", run: b4},
		{ID: "B5", Kind: Unit, Title: "Five in a row, and a rate without a minimum", run: b5},
		{ID: "B7", Kind: Analytic, Title: "What a rejection costs", run: b7},
		{ID: "B8", Kind: Simulation, Title: "How soon a recovery is noticed", run: b8},
		{ID: "B9", Kind: Simulation, Title: "A breaker in front of a dependency that hangs",
			Also: []string{"3.2"}, run: b9},
	}
}

// demo is the breaker of B1: 20 results, at least ten, half of them failed or
// slow; 5 s open; three trials that must all pass.
var demo = breaker.Config{
	Window: window.Config{Calls: 20}, MinCalls: 10, Failures: 0.5,
	Slow: breaker.Slow{Over: 500 * ms, Share: 0.5},
	Open: breaker.Pause{For: 5 * second}, Trials: breaker.Trials{Calls: 3},
}

// demoCall is the dependency of B1: no answer within 250 ms from 5 s to 15 s,
// else 20 ms, and one call in twenty fails.
func demoCall(i int) (core.Outcome, time.Duration) {
	switch {
	case i >= 50 && i < 150:
		return core.Timeout, 250 * ms
	case i%20 == 0:
		return core.Failure, 20 * ms
	}
	return core.Success, 20 * ms
}

// counted is what became of the demo's calls.
type counted struct{ sent, fallbacks, outage int }

// changes writes the states a breaker went through, and when.
func changes(b *breaker.Breaker) string {
	var parts []string
	for _, t := range b.Snapshot(core.Never - 1).History {
		parts = append(parts, t.To.String()+" "+number(time.Duration(t.At).Seconds(), 2, ""))
	}
	return strings.Join(parts, ", ")
}

const demoChanges = "open 6.05, half-open 11.10, open 11.35, half-open 16.40, closed 16.62"

func (s *sheet) demo(b *breaker.Breaker, n counted, sent, fallbacks int) {
	s.word("states", demoChanges, changes(b))
	s.count("sent", sent, n.sent)
	s.count("fallbacks", fallbacks, n.fallbacks)
}

func b1(s *sheet) {
	s.Setup = "A call every 100 ms for 30 s; no answers from 5 s to 15 s. Each result is " +
		"recorded before the next call is asked for, though the call ends later."
	b, n := must(breaker.New(demo, s.Seed)), counted{}
	for i := range 300 {
		now := core.Instant(i) * core.Instant(100*ms)
		p, _ := b.Admit(now)
		if !p.OK() {
			n.fallbacks++
			continue
		}
		n.sent++
		if i >= 50 && i < 150 {
			n.outage++
		}
		o, took := demoCall(i)
		b.Report(now.Add(took), p, o, took)
	}
	s.demo(b, n, 196, 104)
	s.count("sent in the outage", 10, n.outage)
	s.aside = "but 196 and 104 are made by the loop, see B1'"
	s.Note = "No real caller knows a result before its call ends. In the order of events it is " +
		"200 and 100."
}

// honest runs the demo in the order of events.
type honest struct {
	sim.Engine
	breaker *breaker.Breaker
	counted
	permits [300]breaker.Permit
}

// Fire implements sim.Actor.
func (h *honest) Fire(what int, i int64) {
	o, took := demoCall(int(i))
	if what == served {
		h.breaker.Report(h.Now(), h.permits[i], o, took)
		return
	}
	p, _ := h.breaker.Admit(h.Now())
	if !p.OK() {
		h.fallbacks++
		return
	}
	h.sent++
	h.permits[i] = p
	h.At(h.Now().Add(took), sim.Ends, h, served, i)
}

func b1prime(s *sheet) {
	s.Setup = "As B1, but a result is recorded when its call ends."
	h := &honest{breaker: must(breaker.New(demo, s.Seed))}
	for i := range int64(300) {
		h.At(core.Instant(i)*core.Instant(100*ms), sim.Begins, h, arrives, i)
	}
	h.Run(core.Instant(time.Minute))
	s.demo(h.breaker, h.counted, 200, 100)
	s.count("late results, ignored", 4, int(h.breaker.Snapshot(core.Never-1).Late))
	s.Note = "Two calls slip out before it opens, and two trials before the first one fails."
}

// rig makes calls that end at once.
type rig struct {
	*breaker.Breaker
	passed int
}

func newRig(c breaker.Config, seed uint64) *rig { return &rig{Breaker: must(breaker.New(c, seed))} }

// call makes one call and says what came of it.
func (r *rig) call(now time.Duration, o core.Outcome, took time.Duration) string {
	p, _ := r.Admit(core.Instant(now))
	if !p.OK() {
		return p.Reason().String()
	}
	r.passed++
	r.Report(core.Instant(now), p, o, took)
	return r.state(now)
}

func (r *rig) calls(now time.Duration, n int, o core.Outcome) (last string) {
	for range n {
		last = r.call(now, o, 0)
	}
	return last
}

func (r *rig) state(now time.Duration) string {
	return r.Snapshot(core.Instant(now)).State.String()
}

func b2(s *sheet) {
	s.Setup = "A window of 10 s, at least ten calls, 50 %, open for 5 s, one trial at a time, " +
		"two close it. At 0, four calls go well and six time out."
	r := newRig(breaker.Config{Window: window.Config{Over: 10 * second}, MinCalls: 10, Failures: 0.5,
		Slow: breaker.Slow{Over: second, Share: 0.5}, Open: breaker.Pause{For: 5 * second},
		Trials: breaker.Trials{Calls: 2, AtOnce: 1}}, s.Seed)
	r.calls(0, 4, core.Success)
	s.word("after six timeouts", "open", r.calls(0, 6, core.Timeout))
	s.word("five more calls", "circuit-open", r.calls(0, 5, core.Success))
	s.word("retry after", "5s", r.RetryAfter(0).String())
	s.count("the dependency saw", 10, r.passed)
	s.word("at 5 s the trial fails", "open", r.call(5*second, core.Timeout, 0))
	r.call(10*second, core.Success, 0)
	s.word("at 10 s two trials pass", "closed", r.call(10*second, core.Success, 0))
	r.call(10*second, core.Ignored, 0)
	size := func(at time.Duration) window.Counts { return r.Snapshot(core.Instant(at)).Window }
	s.count("an ignored error leaves in the window", 0, int(size(10*second).Calls))
	r.call(11500*ms, core.Success, 1500*ms)
	s.count("a slow answer counts as calls", 1, int(size(11500*ms).Calls))
	s.count("and as slow", 1, int(size(11500*ms).Slow))
	s.word("nine more timeouts", "open", r.calls(12*second, 9, core.Timeout))
	rejected := 0
	for range 16 * 100 {
		if r.call(12*second, core.Success, 0) == "circuit-open" {
			rejected++
		}
	}
	s.count("of 1,600 calls rejected", 1600, rejected)
	s.Note = "The brief counts a slow answer as a failure; here it counts as slow, with a " +
		"share of its own. That 16 threads at once are all rejected is a test of core/breaker."
}

func b3(s *sheet) {
	s.Setup = "Three failures in a row open it for 10 s; one trial; later openings last longer."
	r := newRig(breaker.Config{Window: window.Config{Consecutive: 3},
		Open: breaker.Pause{For: 10 * second, Growth: 2}, Trials: breaker.Trials{Calls: 1}}, s.Seed)
	r.calls(0, 5, core.Failure)
	s.count("of five bad calls reach the provider", 3, r.passed)
	s.count("fail fast", 2, 5-r.passed)
	trial, _ := r.Admit(core.Instant(10 * second))
	taken := 0
	for range 3 {
		if p, _ := r.Admit(core.Instant(10 * second)); p.Reason() == core.TrialsTaken {
			taken++
		}
	}
	s.word("of four at once, one is a trial", "yes", yes(trial.Trial()))
	s.count("refused because it runs", 3, taken)
	r.Report(core.Instant(10*second), trial, core.Success, 0)
	s.word("the trial passes", "closed", r.state(10*second))
	s.word("two failures", "closed", r.calls(25*second, 2, core.Failure))
	s.word("a third", "open", r.call(25*second, core.Failure, 0))
	s.word("a failed trial", "open", r.call(35*second, core.Failure, 0))
	s.word("then 20 s", "20s", r.RetryAfter(core.Instant(35*second)).String())
}

func b4(s *sheet) {
	s.Setup = "A window of ten, at least five, 50 %, open for 0.2 s: 20 good calls, 100 bad " +
		"ones, a wait of 0.25 s, 20 good ones."
	r := newRig(breaker.Config{Window: window.Config{Calls: 10}, MinCalls: 5, Failures: 0.5,
		Open: breaker.Pause{For: 200 * ms}, Trials: breaker.Trials{Calls: 1}}, s.Seed)
	ok, failed, fast := 0, 0, 0
	for _, step := range []struct {
		name, want string
		n          int
		at         time.Duration
		o          core.Outcome
	}{
		{"healthy", "20, 0, 0 closed", 20, 0, core.Success},
		{"outage", "20, 5, 95 open", 100, 0, core.Timeout},
		{"after", "40, 5, 95 closed", 20, 250 * ms, core.Success},
	} {
		before := r.passed
		state := r.calls(step.at, step.n, step.o)
		if fast += step.n - (r.passed - before); step.o == core.Success {
			ok += r.passed - before
		} else {
			failed += r.passed - before
		}
		if state == core.CircuitOpen.String() {
			state = "open"
		}
		s.word(step.name+": ok, failed, fast", step.want,
			fmt.Sprintf("%d, %d, %d %s", ok, failed, fast, state))
	}
}
