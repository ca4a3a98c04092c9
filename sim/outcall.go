package sim

import (
	"math/bits"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/failover"
	"github.com/seakeep/seakeep/core/retry"
)

// owner is who waits for a call: a user, or a request that is being served.
type owner interface {
	// called tells the end of a call: its verdict, and what a caller of the
	// owner should make of it.
	called(o *outcall, v call.Verdict)
	// paused tells that a call waits for a retry, and resumed that the wait is
	// over; resumed reports whether the call may go on now. If not, the owner
	// calls o.wake later.
	paused(o *outcall)
	resumed(o *outcall) bool
}

// outcall is one call through a policy: what the goroutine driver's frame is in
// production. It is reused when it has ended.
type outcall struct {
	member   *member
	owner    owner
	call     call.Call
	timer    Timer
	id, part uint64 // of the request, and which of its calls: what draws belong to
	class    core.Criticality
	tenant   string
	route    *route
	dest     *service
	jobs     [8]*job // attempts that the other side still has, by lane
	live     uint8   // lanes of the attempts under way, a bit each
	limits   [8]core.Instant
	tried    uint64
	visits   [8]visit       // where attempts are, by lane
	results  [8]core.Result // answers on their way back
	wounds   [8]*wound      // faults that act on attempts, by lane
	degraded bool           // the answer was made with a fallback, here or further down
	draws    Stream
	turn     failover.Permit // where the call of a dependency with two providers goes
	gen      int64           // tells uses of this value apart
	waits    bool            // a retry's wait was announced to the owner
	ready    bool            // ... and is over, but the owner cannot go on yet
	ended    bool
}

const (
	outTimer = iota // what Fire is told
	outWake
	outReply
)

// begin enters the ladder.
func (o *outcall) begin(req call.Request) {
	o.member.begun++
	o.draws = o.member.draws.Of(o.id, o.part)
	req.Class = o.class
	req.Hedge = o.member.plan.Hedges(retry.Idempotent, o.member.balancer(o.dest) != nil)
	if o.member.plan.Throttled() {
		// One of its own: a throttle must not shift the draws of the jitter.
		luck := o.member.draws.Of(o.id, mix(o.part^0x7412077e))
		req.Draw = o.drawn(&luck)
	}
	o.apply(o.call.Begin(o.now(), o.member.plan, &req))
}

// drawn is the next random number of a stream, unless the run has its own.
func (o *outcall) drawn(s *Stream) float64 {
	if draw := o.member.world.draw; draw != nil {
		return draw()
	}
	return s.Float64()
}

func (o *outcall) now() core.Instant { return o.member.world.now }

// apply does what an action asks for.
func (o *outcall) apply(act call.Action) {
	w := o.member.world
	w.Cancel(o.timer)
	o.timer = Timer{}
	slotless := act.Verdict == call.WantSlot
	if slotless {
		act = o.call.Join(w.now, waking{o})
	}
	o.callOff(act.Cancel)
	if act.Verdict.Done() {
		o.end(act.Verdict)
		return
	}
	o.timer = w.At(act.WakeAt, Due, o, outTimer, 0)
	if act.Start != 0 {
		o.launch(bits.TrailingZeros8(act.Start))
		return
	}
	// Who waits for a slot keeps its worker: nobody hands it one with the slot.
	if o.live == 0 && !slotless && !o.waits && o.call.Attempts() > 0 {
		o.waits = true
		o.owner.paused(o)
	}
}

// waking is told by the bulkhead that a slot is there.
type waking struct{ o *outcall }

// Wake implements bulkhead.Waker: the call hears of it as an event of its own,
// because the bulkhead tells it in the middle of another call's release.
func (k waking) Wake() { k.o.member.world.At(k.o.now(), Due, k.o, outWake, k.o.gen) }

// Fire implements Actor.
func (o *outcall) Fire(what int, arg int64) {
	switch {
	case what == outWake:
		if !o.ended && arg == o.gen {
			o.wake()
		}
		return
	case what == outReply:
		if lane := int(arg & 7); arg>>3 == o.gen {
			o.returned(lane, o.results[lane])
		}
		return
	}
	o.timer = Timer{}
	if o.live != 0 {
		o.tick()
		return
	}
	if o.waits {
		if o.ready = !o.owner.resumed(o); o.ready {
			return
		}
	}
	o.wake()
}

// tick ends an attempt at its limit, as production's function returns then, or
// tells the call that a copy is due.
func (o *outcall) tick() {
	for live := o.live; live != 0; live &= live - 1 {
		if lane := bits.TrailingZeros8(live); o.now() >= o.limits[lane] {
			o.giveUp(lane)
			o.returned(lane, core.Result{Outcome: core.Timeout, Cause: core.TimedOut})
			return
		}
	}
	o.apply(o.call.Step(o.now(), &call.Event{Kind: call.CopyDue, Facts: o.facts()}))
}

// callOff ends attempts that another one has beaten. They return at once, as
// production's function does when its context ends.
func (o *outcall) callOff(lanes uint8) {
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := bits.TrailingZeros8(lanes)
		o.live &^= 1 << lane
		o.giveUp(lane)
		o.visited(lane, core.Result{Outcome: core.Cancelled})
		o.call.Step(o.now(), &call.Event{Kind: call.Returned, Lane: uint8(lane)})
	}
}

// facts is what another attempt depends on.
func (o *outcall) facts() call.Facts {
	return call.Facts{Safety: retry.Idempotent, Replayable: true, Elsewhere: o.elsewhere()}
}

// wake steps a call whose wait is over.
func (o *outcall) wake() {
	o.waits, o.ready = false, false
	o.apply(o.call.Step(o.now(), &call.Event{Kind: call.Woke}))
}

// launch sends an attempt on its way.
func (o *outcall) launch(lane int) {
	o.live |= 1 << lane
	o.member.launched++
	attempt := uint64(o.call.Attempts() - 1)
	to := o.choose(lane)
	if to == nil { // as in production: to try again at once would find the same
		o.returned(lane, core.Result{Outcome: core.Failure, Cause: core.Unsent, NoRetry: true})
		return
	}
	j := o.member.world.newJob(to, o.route)
	j.id, j.part, j.class, j.tenant = o.id, mix(o.part^(attempt+1)), o.class, o.tenant
	j.deadline = o.call.AttemptDeadline()
	o.limits[lane] = j.deadline
	j.caller, j.lane, j.attempt = o, lane, int(attempt)
	o.jobs[lane] = j
	if !o.hurt(lane, j) {
		o.dest.send(j)
	}
}

// returned takes an attempt's result.
func (o *outcall) returned(lane int, r core.Result) {
	if o.ended || o.live>>lane&1 == 0 {
		return
	}
	o.live &^= 1 << lane
	o.unhurt(lane)
	o.visited(lane, r)
	e := call.Event{Kind: call.Returned, Lane: uint8(lane), Result: r}
	if r.Outcome != core.Success {
		e.Draw = o.drawn(&o.draws)
		e.Facts = o.facts()
	}
	o.apply(o.call.Step(o.now(), &e))
}

// leave ends the call because its owner is gone.
func (o *outcall) leave() {
	if o.live != 0 { // the others are called off with it
		lane := bits.TrailingZeros8(o.live)
		o.live &^= 1 << lane
		o.giveUp(lane)
		o.visited(lane, core.Result{Outcome: core.Cancelled})
		o.apply(o.call.Step(o.now(), &call.Event{Kind: call.Returned, Lane: uint8(lane),
			Result: core.Result{Outcome: core.Cancelled}}))
		return
	}
	o.apply(o.call.Step(o.now(), &call.Event{Kind: call.CallerLeft}))
}

// giveUp tells the other side, as far as it listens, that nobody waits.
func (o *outcall) giveUp(lane int) {
	o.unhurt(lane)
	if j := o.jobs[lane]; j != nil {
		o.jobs[lane] = nil
		j.abandoned()
	}
}

// end hands the verdict to the owner.
func (o *outcall) end(v call.Verdict) {
	o.ended, o.waits, o.ready = true, false, false
	o.member.judged(o, v)
	o.member.faults.told(o, v)
	o.owner.called(o, v)
}
