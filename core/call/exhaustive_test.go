package call

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/budget"
	"github.com/seakeep/seakeep/core/bulkhead"
	"github.com/seakeep/seakeep/core/deadline"
	"github.com/seakeep/seakeep/core/retry"
	"github.com/seakeep/seakeep/core/window"
)

// world drives a few calls of one plan the way a driver would, and knows by
// its own count what must be held at any moment.
type world struct {
	t     *testing.T
	plan  *Plan
	now   core.Instant
	calls []*driven
}

// driven is a call with what its driver knows.
type driven struct {
	call    Call
	act     Action
	running int // lane of the attempt under way; -1: none
	orphans []uint8
	begun   bool
	ended   bool
}

func tightPlan(t *testing.T, holds bulkhead.Holds, counts breaker.Counts) *Plan {
	p, err := New(Config{
		Timeout: deadline.Config{Request: 10, Total: 60, Needs: 1},
		Retry: &retry.Config{Attempts: 3, Idempotent: retry.Always,
			Backoff: retry.Backoff{Base: 2, Cap: 4, Jitter: retry.None}},
		Budget: &budget.Config{Ratio: 0.5, Floor: 1, Window: 10 * time.Millisecond},
		Breaker: &breaker.Config{Window: window.Config{Consecutive: 2}, Counts: counts,
			Open:   breaker.Pause{For: time.Millisecond},
			Trials: breaker.Trials{Calls: 1}},
		Bulkhead: &bulkhead.Config{Limit: 1, Queue: 1, Wait: 5, Holds: holds},
	}, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func newWorld(t *testing.T, p *Plan, calls int) *world {
	w := &world{t: t, plan: p}
	for range calls {
		w.calls = append(w.calls, &driven{running: -1})
	}
	return w
}

// take notes an action and does what a driver must do.
func (w *world) take(d *driven, act Action) {
	if act.Cancel != 0 {
		d.orphans = append(d.orphans, uint8(d.running))
		d.running = -1
	}
	for lane := range uint8(lanes) {
		if act.Start&(1<<lane) != 0 {
			d.running = int(lane)
		}
	}
	if act.Verdict == WantSlot {
		act = d.call.Join(w.now, nobody{})
		w.take(d, act)
		return
	}
	if d.act = act; act.Verdict.Done() {
		if d.ended {
			return
		}
		d.ended = true
	}
}

// moves is how many things may happen to a call at any moment.
const moves = 9

// move lets the k-th thing happen to a call, if it can.
func (w *world) move(d *driven, k int) {
	results := []core.Result{outcomes["ok"], outcomes["fail"], outcomes["unsent"], outcomes["cancel"]}
	switch {
	case !d.begun:
		d.begun = true
		w.take(d, d.call.Begin(w.now, w.plan, &Request{Deadline: core.Never}))
	case k < len(results) && d.running >= 0:
		e := Event{Kind: Returned, Lane: uint8(d.running), Result: results[k],
			Facts: Facts{Replayable: true, Elsewhere: k == 2}}
		d.running = -1
		w.take(d, d.call.Step(w.now, &e))
	case k == 4 && d.running >= 0: // the driver walks away
		d.orphans = append(d.orphans, uint8(d.running))
		e := Event{Kind: Returned, Lane: uint8(d.running), Orphan: true, Result: outcomes["timeout"],
			Facts: Facts{Replayable: true}}
		d.running = -1
		w.take(d, d.call.Step(w.now, &e))
	case k == 5 && len(d.orphans) > 0:
		lane := d.orphans[0]
		d.orphans = d.orphans[1:]
		w.take(d, d.call.Step(w.now, &Event{Kind: Returned, Lane: lane, Result: outcomes["ok"]}))
	case k == 6:
		w.take(d, d.call.Step(w.now, &Event{Kind: Woke, Facts: Facts{Replayable: true}}))
	case k == 7:
		w.now += 3
		w.take(d, d.call.Step(w.now, &Event{Kind: Woke, Facts: Facts{Replayable: true}}))
	case k == 8 && !d.ended:
		w.take(d, d.call.Step(w.now, &Event{Kind: CallerLeft}))
	}
	w.check()
}

// check compares what is held with what must be.
func (w *world) check() {
	held, working := 0, 0
	for _, d := range w.calls {
		if d.call.held {
			held++
		}
		for lane := range uint8(lanes) {
			if _, slot := d.call.Orphan(lane); slot {
				held++
			}
		}
		if d.running >= 0 {
			working++
		}
		working += len(d.orphans)
	}
	inUse := w.plan.bulkhead.Snapshot(w.now).InUse
	granted := inUse - held // slots granted to a waiter that has not polled yet
	if granted < 0 || granted > 1 || inUse > 1 {
		w.t.Fatalf("in use %d, held by calls and orphans %d", inUse, held)
	}
	if working > inUse {
		w.t.Fatalf("%d attempts at work on %d slots", working, inUse)
	}
}

// quiet reports whether nothing is under way.
func (w *world) quiet() bool {
	for _, d := range w.calls {
		if len(d.orphans) > 0 || d.running >= 0 || d.begun && !d.ended {
			return false
		}
	}
	return true
}

// settle ends everything that is under way and checks that nothing is left.
func (w *world) settle() {
	for range 50 {
		if w.quiet() {
			break
		}
		w.now += 100
		for _, d := range w.calls {
			for len(d.orphans) > 0 {
				w.move(d, 5)
			}
			if d.running >= 0 {
				w.move(d, 0)
			}
			if d.begun && !d.ended {
				w.move(d, 6)
			}
		}
	}
	s := w.plan.Snapshot(w.now)
	if s.Bulkhead.InUse != 0 || s.Bulkhead.Queued != 0 {
		w.t.Fatalf("left in the bulkhead: %+v", *s.Bulkhead)
	}
	if s.Budget.Active != 0 || s.Budget.Retrying != 0 {
		w.t.Fatalf("left in the budget: %+v", *s.Budget)
	}
	if s.Breaker.InFlight != 0 {
		w.t.Fatalf("left in the breaker: %+v", *s.Breaker)
	}
	if s.Stats.Abandoned != 0 {
		w.t.Fatalf("abandoned attempts left: %d", s.Stats.Abandoned)
	}
	for i, d := range w.calls {
		if d.begun && !d.ended {
			w.t.Fatalf("call %d never ended", i)
		}
	}
}

// TestExhaustiveSmallScope lets every sequence of three things happen to two
// calls that share one slot. Whatever the order, slots, permits and budgets are
// exact, and everything comes back.
func TestExhaustiveSmallScope(t *testing.T) {
	const steps, choices = 3, 2 * moves
	total := 1
	for range steps {
		total *= choices
	}
	for _, holds := range []bulkhead.Holds{bulkhead.Calls, bulkhead.Attempts} {
		plan := tightPlan(t, holds, breaker.Attempts)
		for n := range total {
			w := newWorld(t, plan, 2)
			for _, d := range w.calls {
				w.move(d, 0)
			}
			for range steps {
				w.move(w.calls[n%choices/moves], n%moves)
				n /= choices
			}
			w.settle()
			plan.Reset(w.now, "")
		}
	}
}

// TestRandomWalks does the same with more calls and longer walks.
func TestRandomWalks(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 7))
		plan := tightPlan(t, bulkhead.Holds(seed%2), breaker.Counts(seed/2%2))
		w := newWorld(t, plan, 5)
		for range 400 {
			d := w.calls[rng.IntN(len(w.calls))]
			if d.ended && len(d.orphans) == 0 {
				*d = driven{running: -1}
			}
			w.move(d, rng.IntN(moves))
		}
		w.settle()
	}
}

// TestCallAllocates keeps the hot path free of garbage.
func TestCallAllocates(t *testing.T) {
	plan := tightPlan(t, bulkhead.Calls, breaker.Attempts)
	now := core.Instant(0)
	n := testing.AllocsPerRun(1000, func() {
		var c Call
		now++
		c.Begin(now, plan, &Request{Deadline: core.Never})
		c.Step(now, &Event{Kind: Returned, Result: core.Result{Outcome: core.Success}})
	})
	if n != 0 {
		t.Errorf("a call that goes well allocates %v times", n)
	}
}
