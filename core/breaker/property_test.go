package breaker

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
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
	if ch.From != w.state || ch.Reason != core.Operator && !slices.Contains(legal[ch.edge], ch.Reason) {
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
			Closed: {core.Ramping}, Open: {core.CircuitOpen, core.ForcedOpen}, HalfOpen: {core.TrialsTaken},
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
		if n := len(w.inFlight); n > w.b.m.cfg.Trials.AtOnce || w.admitted > w.b.m.cfg.Trials.Calls {
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
		if fmt.Sprint(before) != fmt.Sprint(after) {
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
			t.Errorf("%v to %v happened only %d times; the test sees too little", e.From, e.To, seen[e])
		}
	}
	if ramping < 100 {
		t.Errorf("only %d calls were refused by the ramp", ramping)
	}
}

// TestTheFastPathIsTheMachine runs the breaker beside its bare machine.
func TestTheFastPathIsTheMachine(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 4))
		c := fullConfig
		if seed%2 == 1 {
			c.Ramp = 0
		}
		b := mustNew(t, c)
		var m machine
		m.init(c, 1)
		now := core.Instant(rng.Int64() / 2)
		var open []Permit
		for i := range 4000 {
			now = now.Add(time.Duration(rng.IntN(8)) * time.Millisecond)
			var got, want Change
			switch x := rng.IntN(100); {
			case x < 55 || len(open) == 0 && x < 95:
				var p, q Permit
				p, got = b.Admit(now)
				q, want = m.admit(now)
				if p != q {
					t.Fatalf("seed %d step %d: permit %+v, machine %+v", seed, i, p, q)
				}
				open = append(open, p) // refused ones too
			case x < 95:
				j := rng.IntN(len(open))
				o := core.Outcome(1 + rng.IntN(6))
				if now/core.Instant(2*time.Second)%2 == 0 {
					o = success
				}
				got = b.Report(now, open[j], o, 0)
				if open[j].OK() {
					want = m.report(now, open[j], o, 0)
				}
				open = slices.Delete(open, j, j+1)
			case x < 99:
				if d, e := b.RetryAfter(now), m.retryAfter(now); d != e {
					t.Fatalf("seed %d step %d: retry after %v, machine %v", seed, i, d, e)
				}
			case rng.IntN(20) == 0:
				to := Mode(rng.IntN(3))
				got, want = b.Force(now, to), m.force(now, to)
			case rng.IntN(20) == 0:
				got, want = b.Reset(now), m.reset(now)
			}
			if got != want {
				t.Fatalf("seed %d step %d: change %+v, machine %+v", seed, i, got, want)
			}
			if rng.IntN(10) == 0 {
				if s, u := fmt.Sprint(b.Snapshot(now)), fmt.Sprint(m.snapshot(now)); s != u {
					t.Fatalf("seed %d step %d: snapshot\n%s machine\n%s", seed, i, s, u)
				}
			}
		}
	}
}

// TestManyGoroutines lets real goroutines use one breaker, then checks what
// must hold in any order: the changes make one unbroken chain of legal edges,
// and there are never more trials than allowed.
func TestManyGoroutines(t *testing.T) {
	c := fullConfig
	c.Trials.Wait = time.Hour // no trial is lost here
	b := mustNew(t, c)
	var clock, trials, tooMany atomic.Int64
	var mu sync.Mutex
	var changes []Change
	note := func(ch Change) {
		if ch.Happened() {
			mu.Lock()
			changes = append(changes, ch)
			mu.Unlock()
		}
	}
	var wg sync.WaitGroup
	for g := range uint64(8) {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(g, 5))
			for range 3000 {
				now := core.Instant(clock.Add(int64(300 * time.Microsecond)))
				p, ch := b.Admit(now)
				note(ch)
				if p.Trial() && trials.Add(1) > int64(c.Trials.AtOnce) {
					tooMany.Add(1)
				}
				o := success
				if now/core.Instant(time.Second)%2 == 1 && rng.IntN(3) > 0 {
					o = failure
				}
				if p.Trial() {
					trials.Add(-1) // before the report: the next one may start within it
				}
				note(b.Report(core.Instant(clock.Load()), p, o, 0))
			}
		})
	}
	wg.Wait()
	slices.SortFunc(changes, func(x, y Change) int { return int(x.Seq) - int(y.Seq) })
	state := Closed
	for i, ch := range changes {
		if ch.Seq != uint64(i)+2 || ch.From != state || !slices.Contains(legal[ch.edge], ch.Reason) {
			t.Fatalf("change %d: %+v after %v", i, ch, state)
		}
		state = ch.To
	}
	if len(changes) < 4 || tooMany.Load() > 0 {
		t.Errorf("%d changes, %d times too many trials", len(changes), tooMany.Load())
	}
}

func TestHotPathsDoNotAllocate(t *testing.T) {
	closed, open := mustNew(t, benchConfig), tripped(t)
	half := tripped(t)
	now := core.Instant(0)
	for name, f := range map[string]func(){
		"closed": func() {
			now = now.Add(time.Millisecond)
			for i, o := range []core.Outcome{success, success, success, failure, ignored} {
				p, _ := closed.Admit(now)
				closed.Report(now, p, o, time.Duration(i)*66*time.Millisecond)
			}
		},
		"open": func() { open.Admit(0); open.RetryAfter(0) },
		"half-open": func() {
			p, _ := half.Admit(ms(60000))
			half.Admit(ms(60000))
			half.Report(ms(60000), p, ignored, 0)
		},
	} {
		if n := testing.AllocsPerRun(1000, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	if s := closed.Snapshot(now); s.State != Closed || s.Window.Calls < 4000 {
		t.Errorf("the closed one is %v with %+v", s.State, s.Window)
	}
}
