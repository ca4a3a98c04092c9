package breaker

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/window"
)

// fullConfig has everything on, so that the properties meet everything.
var fullConfig = Config{
	Window: window.Config{Over: time.Second, Buckets: 4}, MinCalls: 5, Failures: 0.5,
	Slow:   Slow{Over: msd(50), Share: 0.5},
	Open:   Pause{For: 200 * time.Millisecond, Jitter: 0.3, Growth: 2, Cap: time.Second},
	Trials: Trials{Calls: 4, AtOnce: 2, Pass: 0.7, Wait: 300 * time.Millisecond},
	Ramp:   400 * time.Millisecond,
}

// legal holds the edges that a breaker may take by itself.
var legal = map[edge][]core.Reason{
	{Closed, Open}:     {core.FailureRate, core.SlowRate, core.Consecutive},
	{Open, HalfOpen}:   {core.OpenElapsed},
	{HalfOpen, Open}:   {core.TrialFailed, core.TrialLost},
	{HalfOpen, Closed}: {core.TrialsPassed},
}

// watch checks the properties of one breaker from outside, step by step.
type watch struct {
	b        *Breaker
	now      core.Instant
	state    State
	era      uint64
	inFlight map[uint32]bool // trials by ticket
	admitted int             // in this half-open period, less those given back
	calls    []call          // under way
	done     []call          // ended, kept for late reports
	changes  map[edge]int
	ramping  int
}

type call struct {
	p     Permit
	began core.Instant
}

func (w *watch) change(ch Change) error {
	if !ch.Happened() {
		return nil
	}
	if ch.Seq != w.era+1 {
		return fmt.Errorf("change %d follows %d", ch.Seq, w.era)
	}
	if ch.From != w.state || ch.Reason != core.Operator &&
		!slices.Contains(legal[ch.edge], ch.Reason) {
		return fmt.Errorf("from %v: illegal change %+v", w.state, ch)
	}
	w.era, w.state = ch.Seq, ch.To
	w.inFlight, w.admitted = map[uint32]bool{}, 0
	w.changes[ch.edge]++
	return nil
}

func (w *watch) admit() error {
	p, ch := w.b.Admit(w.now)
	if err := w.change(ch); err != nil {
		return err
	}
	switch {
	case p.OK() && w.state == Open:
		return fmt.Errorf("admitted while open")
	case p.OK() && p.Trial() != (w.state == HalfOpen):
		return fmt.Errorf("trial %v while %v", p.Trial(), w.state)
	case !p.OK():
		if p.Reason() == core.Ramping {
			w.ramping++
		}
		want := map[State][]core.Reason{
			Closed: {core.Ramping}, Open: {core.CircuitOpen, core.ForcedOpen},
			HalfOpen: {core.TrialsTaken},
		}
		if !slices.Contains(want[w.state], p.Reason()) {
			return fmt.Errorf("refused by %v while %v", p.Reason(), w.state)
		}
		return nil
	}
	w.calls = append(w.calls, call{p, w.now})
	if p.Trial() {
		w.inFlight[p.ticket] = true
		w.admitted++
		w.lose()
		if n := len(w.inFlight); n > w.b.m.cfg.Trials.AtOnce ||
			w.admitted > w.b.m.cfg.Trials.Calls {
			return fmt.Errorf("%d trials in flight, %d admitted", n, w.admitted)
		}
	}
	return nil
}

// lose takes the trials that have been silent too long from those in flight.
func (w *watch) lose() {
	for _, c := range w.calls {
		if c.p.Trial() && w.b.last.Sub(c.began) >= w.b.m.cfg.Trials.Wait {
			delete(w.inFlight, c.p.ticket)
		}
	}
}

func (w *watch) report(c call, o core.Outcome, took time.Duration) error {
	before := w.b.Snapshot(w.now)
	ch := w.b.Report(w.now, c.p, o, took)
	if ch.Late != (c.p.epoch != before.Era) && !c.p.Trial() {
		return fmt.Errorf("report of era %d in era %d: late %v", c.p.epoch, before.Era, ch.Late)
	}
	after := w.b.Snapshot(w.now)
	if ch.Late {
		before.Late++
	}
	if ch.Late || o.Neutral() {
		before.InFlight, after.InFlight = 0, 0 // a neutral trial does free its slot
		if w.state == HalfOpen {
			before.RetryAfter, after.RetryAfter = 0, 0
		}
		if !reflect.DeepEqual(before, after) {
			return fmt.Errorf("a late or neutral report changed\n%+v to\n%+v", before, after)
		}
	}
	if c.p.Trial() && !ch.Late {
		delete(w.inFlight, c.p.ticket)
		if o.Neutral() {
			w.admitted--
		}
	}
	return w.change(ch)
}

func (w *watch) step(rng *rand.Rand) error {
	switch x := rng.IntN(100); {
	case x < 45:
		return w.admit()
	case x < 75 && len(w.calls) > 0:
		i := len(w.calls) - 1
		if rng.IntN(3) == 0 {
			i = rng.IntN(len(w.calls))
		}
		c := w.calls[i]
		w.calls = slices.Delete(w.calls, i, i+1)
		w.done = append(w.done, c)
		o, took := core.Outcome(1+rng.IntN(6)), time.Duration(rng.IntN(60))*time.Millisecond
		if w.now/core.Instant(time.Second)%2 == 0 { // bad times and good times
			o, took = success, 0
		}
		return w.report(c, o, took)
	case x < 78 && len(w.done) > 0:
		if c := w.done[rng.IntN(len(w.done))]; c.p.Trial() || c.p.epoch != w.era {
			return w.report(c, core.Outcome(1+rng.IntN(6)), 0)
		}
	case x < 98:
		w.now = w.now.Add(time.Duration(rng.IntN(20)) * time.Millisecond)
	case x < 99:
		w.now = w.now.Add(-time.Duration(rng.IntN(50)) * time.Millisecond)
	case rng.IntN(40) == 0:
		return w.change(w.b.Force(w.now, Mode(rng.IntN(3))))
	case rng.IntN(100) == 0:
		return w.change(w.b.Reset(w.now))
	}
	return nil
}

func TestProperties(t *testing.T) {
	seen := map[edge]int{}
	ramping := 0
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 3))
		w := &watch{
			b: mustNew(t, fullConfig), era: 1, changes: seen, inFlight: map[uint32]bool{},
			now: core.Instant(rng.Int64() - rng.Int64()),
		}
		for i := range 4000 {
			if err := w.step(rng); err != nil {
				t.Fatalf("seed %d step %d: %v", seed, i, err)
			}
		}
		ramping += w.ramping
	}
	for e := range legal {
		if seen[e] < 20 {
			t.Errorf("%v to %v happened only %d times; the test sees too little", e.From, e.To,
				seen[e])
		}
	}
	if ramping < 100 {
		t.Errorf("only %d calls were refused by the ramp", ramping)
	}
}
