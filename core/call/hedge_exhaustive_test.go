package call

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/budget"
	"github.com/seakeep/seakeep/core/bulkhead"
	"github.com/seakeep/seakeep/core/deadline"
	"github.com/seakeep/seakeep/core/hedge"
	"github.com/seakeep/seakeep/core/retry"
	"github.com/seakeep/seakeep/core/window"
	detector "github.com/seakeep/seakeep/internal/race"
)

// racer drives one call with copies, and knows by its own count what must be
// under way.
type racer struct {
	t       *testing.T
	plan    *Plan
	now     core.Instant
	call    Call
	running []uint8 // lanes
	orphans []uint8
	started int
	tail    bool
	ended   bool
}

// racingPlan has every rung in the way of copies, and a second call's worth of
// slots to run out of.
func racingPlan(t testing.TB, retries int, holds bulkhead.Holds, counts breaker.Counts) *Plan {
	c := Config{
		Timeout: deadline.Config{Request: 10, Total: 60, Needs: 1},
		Hedge:   &hedge.Config{After: 3, Copies: 2, Budget: 1, Slow: 1},
		Budget:  &budget.Config{Ratio: 1, Floor: 1000, Window: 10 * time.Millisecond},
		Breaker: &breaker.Config{Window: window.Config{Consecutive: 4}, Counts: counts,
			Open: breaker.Pause{For: time.Millisecond}, Trials: breaker.Trials{Calls: 1}},
		Bulkhead: &bulkhead.Config{Limit: 2, Holds: holds},
	}
	if retries > 0 {
		c.Retry = &retry.Config{Attempts: retries, Idempotent: retry.Always,
			Backoff: retry.Backoff{Base: 2, Cap: 4, Jitter: retry.None}}
	}
	p, err := New(c, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 30 { // enough for copies
		p.hedge.Deposit(0)
	}
	return p
}

func (r *racer) begin() {
	r.take(r.call.Begin(r.now, r.plan, &Request{Deadline: core.Never, Hedge: true, Tail: r.tail}))
}

func (r *racer) step(e Event) { r.take(r.call.Step(r.now, &e)) }

// take does what a driver must do, and checks that it can be done.
func (r *racer) take(act Action) {
	for lane := range uint8(lanes) {
		bit := uint8(1) << lane
		if act.Cancel&bit != 0 {
			i := slices.Index(r.running, lane)
			if i < 0 {
				r.t.Fatalf("lane %d is cancelled and not under way", lane)
			}
			r.running = slices.Delete(r.running, i, i+1)
			r.orphans = append(r.orphans, lane)
		}
		if act.Start&bit != 0 {
			if slices.Contains(r.running, lane) || slices.Contains(r.orphans, lane) {
				r.t.Fatalf("lane %d is started and in use", lane)
			}
			r.running = append(r.running, lane)
			r.started++
		}
	}
	if act.Verdict.Done() && !r.ended {
		r.ended = true
		if len(r.running) > 0 {
			r.t.Fatalf("ended with lanes %v under way", r.running)
		}
		if r.tail && (act.Verdict == Succeeded || act.Verdict == Failed) {
			tail := r.call.Tail(r.now)
			tail.End(r.now, core.Success)
		}
	}
	if !r.ended && act.WakeAt == core.Never && len(r.running) == 0 {
		r.t.Fatal("nothing is under way and nothing wakes the call")
	}
	r.check()
}

const racingMoves = 10

// move lets the k-th thing happen, if it can.
func (r *racer) move(k int) {
	facts := Facts{Replayable: true, Elsewhere: true}
	results := []core.Result{outcomes["ok"], outcomes["fail"], outcomes["busy"]}
	which := k % 2 // of two attempts under way
	switch {
	case k < 6 && len(r.running) > which:
		lane := r.running[which]
		r.running = slices.Delete(r.running, which, which+1)
		r.step(Event{Kind: Returned, Lane: lane, Result: results[k/2], Facts: facts})
	case k == 6 && len(r.running) > 0: // the driver walks away from the latest
		last := len(r.running) - 1
		lane := r.running[last]
		r.running, r.orphans = r.running[:last], append(r.orphans, lane)
		r.step(Event{Kind: Returned, Lane: lane, Orphan: true, Result: outcomes["timeout"], Facts: facts})
	case k == 7 && len(r.orphans) > 0:
		lane := r.orphans[0]
		r.orphans = r.orphans[1:]
		r.step(Event{Kind: Returned, Lane: lane, Result: outcomes["ok"]})
	case k == 8:
		r.now += 3
		r.step(Event{Kind: Woke, Facts: facts})
	case k == 9 && !r.ended:
		r.step(Event{Kind: CallerLeft})
	}
}

// check compares what the machine holds with what is under way.
func (r *racer) check() {
	held, legs := 0, 0
	if r.call.held {
		held++
	}
	if r.call.state == running {
		legs++
	}
	for i := 0; r.call.racing() && i < r.call.race.n; i++ {
		legs++
		if r.call.race.legs[i].held {
			held++
		}
	}
	for _, lane := range r.orphans {
		if _, slot := r.call.Orphan(lane); slot {
			held++
		}
	}
	inUse := r.plan.bulkhead.Snapshot(r.now).InUse
	if r.tail && r.ended {
		held = inUse // the tail has it, or had it
	}
	if held != inUse || inUse < len(r.running)+len(r.orphans) {
		r.t.Fatalf("slots: %d in use, %d held, %d at work, %d abandoned", inUse, held,
			len(r.running), len(r.orphans))
	}
	if legs != len(r.running) {
		r.t.Fatalf("%d attempts under way and %d lanes", legs, len(r.running))
	}
	if limit := r.plan.cfg.Retry; limit != nil && r.started > limit.Attempts || r.started > 3 {
		r.t.Fatalf("%d attempts", r.started)
	}
}

// settle ends all that is under way and checks that nothing is left.
func (r *racer) settle() {
	for n := 0; !r.ended || len(r.orphans) > 0; n++ {
		if n > 20 {
			r.t.Fatal("the call never ended")
		}
		r.move(0)
		r.move(7)
		r.move(8)
	}
	s := r.plan.Snapshot(r.now)
	if s.Bulkhead.InUse != 0 || s.Budget.Active != 0 || s.Budget.Retrying != 0 ||
		s.Breaker.InFlight != 0 || s.Stats.Abandoned != 0 {
		r.t.Fatalf("left: slots %d, budget %d and %d, breaker %d, abandoned %d", s.Bulkhead.InUse,
			s.Budget.Active, s.Budget.Retrying, s.Breaker.InFlight, s.Stats.Abandoned)
	}
}

// TestHedgesExhaustively lets every sequence of four things happen to a call
// with copies, whichever of its attempts they happen to. In any order slots,
// permits and budgets are exact, no lane is used twice, and all comes back.
func TestHedgesExhaustively(t *testing.T) {
	detector.OneGoroutine(t)
	const steps = 4
	total := 1
	for range steps {
		total *= racingMoves
	}
	copies := false
	for variant := range 8 {
		plan := racingPlan(t, 3*(variant&1), bulkhead.Holds(variant>>1&1), breaker.Counts(variant>>2&1))
		for n := range total {
			r := &racer{t: t, plan: plan, tail: n/racingMoves%2 == 1}
			r.begin()
			for range steps {
				r.move(n % racingMoves)
				n /= racingMoves
			}
			copies = copies || r.started > 1
			r.settle()
			plan.Reset(r.now, "")
			plan.hedge.Deposit(r.now)
			plan.hedge.Deposit(r.now)
		}
	}
	if !copies {
		t.Error("no copy was ever sent")
	}
}

// TestHedgesWalkRandomly does the same in longer walks.
func TestHedgesWalkRandomly(t *testing.T) {
	for seed := range uint64(1000) {
		rng := rand.New(rand.NewPCG(seed, 5))
		plan := racingPlan(t, 3*int(seed&1), bulkhead.Holds(seed>>1&1), breaker.Counts(seed>>2&1))
		for range 4 {
			r := &racer{t: t, plan: plan, tail: seed&8 != 0}
			r.begin()
			for range 12 {
				r.move(rng.IntN(racingMoves))
			}
			r.settle()
		}
	}
}
