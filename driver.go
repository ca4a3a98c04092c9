package seakeep

import (
	"context"
	"math/bits"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
)

// Ending is how a call ended, for adapters.
type Ending struct {
	Verdict    call.Verdict
	Reason     core.Reason
	RetryAfter time.Duration
	Attempts   int
	Last       core.Result
	// Tail is set for a call begun with Request.Tail that Succeeded or Failed:
	// its owner ends it when the answer's body is done.
	Tail Tail
}

// Tail is what an answer whose body is still to come keeps: the bulkhead's
// slot, the breaker's permit and the attempt's context.
type Tail struct {
	tail     call.Tail
	ctx      *attemptContext
	deadline core.Instant
	trace    *Trace // nil: nobody follows it
}

// Begun lifts the attempt's limit, because the answer has begun: from here on
// only the call's total limit holds, or none if stream is set. It reports
// false if the limit has passed already, and the answer is lost.
func (t *Tail) Begun(stream bool) bool {
	if stream {
		t.deadline = core.Never
	}
	if t.ctx != nil && !t.ctx.extend(t.deadline) {
		t.tail.Report(Now(), core.Timeout)
		return false
	}
	if stream {
		t.tail.Report(Now(), core.Success)
	}
	return true
}

// Lift is Begun for an answer that streams and does not say yet whether it is a
// good one: no limit holds any more, and the breaker hears nothing. Report tells
// it when that is known, and End at the latest.
func (t *Tail) Lift() bool {
	t.deadline = core.Never
	if t.ctx != nil && !t.ctx.extend(t.deadline) {
		t.tail.Report(Now(), core.Timeout)
		return false
	}
	return true
}

// Report tells the breaker how an answer goes that streams on.
func (t *Tail) Report(o core.Outcome) { t.tail.Report(Now(), o) }

// End gives everything back, once the body is done or broken. Calling it again
// does nothing.
func (t *Tail) End(o core.Outcome) {
	t.trace.bodyEnded(o)
	t.tail.End(Now(), o)
	if t.ctx != nil {
		t.ctx.cancel(context.Canceled)
	}
}

// Run carries a call through the policy's ladder: it is the one place where
// goroutines, timers and contexts meet the call machine. Do and the adapters
// are built on it. For a throttle the class that ctx says counts, or else the
// request's; the draw is made here.
func (p *Policy) Run(ctx context.Context, req call.Request, try Try) Ending {
	var end Ending
	info := CallOf(ctx)
	p.state.Load().run(info.begin(ctx), &req, info.Report, try, &end)
	return end
}

func (s *state) run(ctx context.Context, req *call.Request, report *Report, try Try, end *Ending) {
	var d drive
	d.ctx, d.report, d.draw = ctx, report, s.draw
	if s.tracer != nil {
		d.follow(s)
	}
	req.Left = ctx.Err() == context.Canceled
	if s.plan.Throttled() {
		s.throttled(ctx, req)
	}
	completed := false
	defer func() {
		if !completed { // try panicked or left by runtime.Goexit
			d.abort()
		}
	}()
	began := Now()
	act := d.call.Begin(began, s.plan, req)
	for !act.Verdict.Done() {
		switch {
		case act.Start != 0:
			act = d.attempt(act, try, req.Tail)
		case act.Verdict == call.WantSlot:
			d.waker = make(waker, 1)
			act = d.call.Join(Now(), d.waker)
		default:
			act = d.wait(act.WakeAt)
		}
	}
	completed = true
	d.ending(act.Verdict, req.Tail, end)
	d.farewell(end)
	if report != nil {
		report.end(s.name, end, Now().Sub(began))
	}
	s.faults.report(end)
}

// ending tells how the call ended.
func (d *drive) ending(v call.Verdict, tail bool, end *Ending) {
	end.Verdict, end.Reason, end.RetryAfter = v, d.call.Reason(), d.call.RetryAfter()
	end.Attempts, end.Last = d.call.Attempts(), d.call.Last()
	if tail && (v == call.Succeeded || v == call.Failed) {
		end.Tail.tail = d.call.Tail(d.now)
		end.Tail.ctx, end.Tail.deadline, end.Tail.trace = d.limit, d.call.Deadline(), d.trace
	} else {
		d.trace.bodyEnded(end.Last.Outcome)
		d.release()
	}
}

// drive is one run's state.
type drive struct {
	ctx    context.Context
	call   call.Call
	limit  *attemptContext // of the attempt under way; nil: the caller's context serves
	waker  waker
	report *Report
	draw   func() float64
	now    core.Instant // when the latest attempt ended
	trace  *Trace       // nil: nobody follows the call
	leg    AttemptTrace // of the attempt under way, if somebody does
	own    bool         // the trace is begun here
}

// attempt makes one attempt and tells the machine how it ended.
func (d *drive) attempt(act call.Action, try Try, tail bool) call.Action {
	lane := uint8(bits.TrailingZeros8(act.Start))
	ctx := d.ctx
	d.release()
	if d.trace != nil {
		ctx, d.leg = d.trace.attempt(ctx, d.call.Attempts()-1, false)
	}
	if until := d.call.AttemptDeadline(); until != core.Never && until < deadlineOf(ctx) {
		d.limit = newAttemptContext(ctx, d.call.Started(), until)
		ctx = d.limit
	}
	tried := try(ctx, d.call.Attempts()-1)
	var e call.Event
	if tried.Result.Outcome != core.Success {
		e.Draw = d.draw()
	}
	if !tail {
		d.release()
	}
	d.now = Now()
	if d.report != nil {
		d.report.attempt(&tried, d.now.Sub(d.call.Started()))
	}
	if d.leg != nil {
		d.trace.returned(d.leg, &tried, d.now.Sub(d.call.Started()), tail)
		d.leg = nil
	}
	e.Kind, e.Lane, e.Result, e.Facts = call.Returned, lane, tried.Result, tried.Facts
	e.Orphan = tried.orphan() != nil
	act = d.call.Step(d.now, &e)
	if e.Orphan {
		_, slot := d.call.Orphan(lane)
		tried.orphan().settle(slot)
	}
	return act
}

// release ends the context of the attempt before.
func (d *drive) release() {
	if d.limit != nil {
		d.limit.cancel(context.Canceled)
		d.limit = nil
	}
}

// wait sleeps until t, the queue's grant, or the caller's leaving.
func (d *drive) wait(t core.Instant) call.Action {
	d.release()
	timer := time.NewTimer(t.Sub(Now()))
	defer timer.Stop()
	kind := call.Woke
	select {
	case <-timer.C:
	case <-d.waker:
	case <-d.ctx.Done():
		kind = call.CallerLeft
	}
	return d.call.Step(Now(), &call.Event{Kind: kind})
}

// abort closes the accounts of a call whose attempt did not come back, or whose
// observer panicked. If that panics at this too, it is done without it.
func (d *drive) abort() {
	defer d.release()
	closed := false
	defer func() {
		if !closed {
			d.call.Mute()
			d.close()
		}
	}()
	d.close()
	closed = true
}

func (d *drive) close() {
	now := Now()
	d.lostTrace()
	failed := core.Result{Outcome: core.Failure, Cause: core.Unknown, NoRetry: true}
	act := d.call.Step(now, &call.Event{Kind: call.Returned,
		Lane: uint8(d.call.Attempts()-1) % laneCount, Result: failed})
	if !act.Verdict.Done() {
		d.call.Step(now, &call.Event{Kind: call.CallerLeft})
	}
	if v := d.call.Verdict(); v == call.Failed || v == call.Succeeded {
		tail := d.call.Tail(now)
		tail.End(now, core.Cancelled) // a failure has been told already
	}
}

// waker is told when a queued call has its slot.
type waker chan struct{}

// Wake implements bulkhead.Waker. It never blocks: the channel has room for
// the one signal a ticket gives.
func (w waker) Wake() {
	select {
	case w <- struct{}{}:
	default:
	}
}

// orphan is an attempt whose function goes on after its call has moved on. Its
// slot is given back when both have said their word: the driver that walked
// away, and the function that ended.
type orphan struct {
	plan *call.Plan
	word atomic.Int32
}

const (
	undecided int32 = iota
	withSlot
	withoutSlot
	ended
)

// settle says that the driver walked away, and whether a slot stays behind.
func (o *orphan) settle(slot bool) {
	word := withoutSlot
	if slot {
		word = withSlot
	}
	if !o.word.CompareAndSwap(undecided, word) {
		o.plan.EndOrphan(Now(), slot)
	}
}

// done says that the function has ended.
func (o *orphan) done() {
	if !o.word.CompareAndSwap(undecided, ended) {
		o.plan.EndOrphan(Now(), o.word.Load() == withSlot)
	}
}
