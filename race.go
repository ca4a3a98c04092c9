package seakeep

import (
	"context"
	"math/bits"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
)

// Racer makes the attempts of a call that may have copies.
type Racer struct {
	// Try makes one attempt, on a goroutine of its own. It must heed its
	// context, which also ends when another attempt was first.
	Try Try
	// Facts is what a copy depends on now. It runs on Run's goroutine, while
	// attempts are under way.
	Facts func() call.Facts
}

// race is one run of a call that may have copies: each attempt runs on a
// goroutine of its own and sends what came of it to the owner, who alone steps
// the call.
type race struct {
	drive
	with    Racer
	plan    *call.Plan
	tail    bool
	back    chan arrival
	legs    [laneCount]*runner // under way
	running int
	walked  uint8   // lanes whose work goes on, and ends by itself
	lost    *runner // its attempt will never tell how it ended
}

// laneCount is how many attempts of a call may be under way or abandoned.
const laneCount = 8

// runner is one attempt of a race. Its word says who of the attempt's end and
// the owner's farewell was first: the second has to clean up.
type runner struct {
	lane    uint8
	ctx     *attemptContext
	started core.Instant
	leg     AttemptTrace // nil: nobody follows it
	word    atomic.Int32
}

// arrival is what came of an attempt.
type arrival struct {
	from     *runner
	tried    Tried
	panicked any
	exited   bool // by panic or runtime.Goexit
}

func (s *state) race(ctx context.Context, req *call.Request, report *Report, with Racer, end *Ending) {
	d := &race{with: with, plan: s.plan, tail: req.Tail, back: make(chan arrival, laneCount)}
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
		if !completed { // an attempt panicked or left by runtime.Goexit, or the observer did
			d.abort()
		}
	}()
	began := Now()
	act := d.call.Begin(began, s.plan, req)
	for !act.Verdict.Done() {
		switch {
		case act.Start != 0:
			d.start(act.Start)
			act.Start = 0
		case act.Verdict == call.WantSlot:
			d.waker = make(waker, 1)
			act = d.call.Join(Now(), d.waker)
		case d.running > 0:
			act = d.listen()
		default:
			act = d.wait(act.WakeAt)
		}
	}
	d.dismiss()
	completed = true
	d.ending(act.Verdict, req.Tail, end)
	d.farewell(end)
	if report != nil {
		report.end(s.name, end, Now().Sub(began))
	}
	s.faults.report(end)
}

// start sends an attempt on its way.
func (d *race) start(bit uint8) {
	r := &runner{lane: uint8(bits.TrailingZeros8(bit)), started: d.call.Started()}
	until := d.call.AttemptDeadline()
	if until >= deadlineOf(d.ctx) {
		until = core.Never // the caller's own serves
	}
	ctx := d.ctx
	if d.trace != nil {
		ctx, r.leg = d.trace.attempt(ctx, d.call.Attempts()-1, d.running > 0)
	}
	r.ctx = newAttemptContext(ctx, r.started, until)
	d.legs[r.lane] = r
	d.running++
	go d.run(r, d.call.Attempts()-1)
}

// run makes the attempt.
func (d *race) run(r *runner, attempt int) {
	a := arrival{from: r, exited: true}
	defer func() {
		d.traced(&a)
		if a.exited && r.word.Load() == undecided {
			a.panicked = recover()
		}
		if r.word.CompareAndSwap(undecided, ended) {
			d.back <- a
			return
		}
		d.discard(a, r.word.Load() == withSlot)
		if a.panicked != nil { // the owner has left: nobody else can be told
			panic(a.panicked)
		}
	}()
	a.tried = d.with.Try(r.ctx, attempt)
	a.exited = false
}

// traced ends the trace of an attempt that came back, but for one with an answer
// that may be the call's: whoever decides about that ends it.
func (d *race) traced(a *arrival) {
	r := a.from
	switch {
	case r.leg == nil:
	case a.exited:
		r.leg.EndAttempt(broken(r.started))
		r.leg = nil
	case !d.tail || a.tried.Result.Outcome != core.Success:
		r.leg.EndAttempt(reportOf(&a.tried, Now().Sub(r.started)))
		r.leg = nil
	}
}

// listen waits for the next attempt to end, or for a copy to be due. The
// attempts' limits are theirs to keep.
func (d *race) listen() call.Action {
	at := d.call.CopyAt()
	if at == core.Never {
		return d.returned(<-d.back)
	}
	timer := time.NewTimer(at.Sub(Now()))
	defer timer.Stop()
	select {
	case a := <-d.back:
		return d.returned(a)
	case <-timer.C:
		return d.call.Step(Now(), &call.Event{Kind: call.CopyDue, Facts: d.with.Facts()})
	}
}

// returned tells the machine how an attempt ended.
func (d *race) returned(a arrival) call.Action {
	r := a.from
	d.legs[r.lane] = nil
	d.running--
	if a.exited {
		d.lost = r
		r.ctx.cancel(context.Canceled)
		if a.panicked != nil {
			panic(a.panicked)
		}
		runtime.Goexit()
	}
	d.release()
	if d.tail {
		d.limit = r.ctx
	} else {
		r.ctx.cancel(context.Canceled)
	}
	a.tried.then(true)
	if r.leg != nil {
		d.trace.keep(r.leg, reportOf(&a.tried, Now().Sub(r.started)))
	}
	e := call.Event{Kind: call.Returned, Lane: r.lane, Result: a.tried.Result, Facts: a.tried.Facts,
		Orphan: a.tried.orphan() != nil, Lost: a.tried.Note != nil && a.tried.Note.Lost}
	if e.Result.Outcome != core.Success {
		e.Draw = d.draw()
	}
	d.now = Now()
	if d.report != nil {
		d.report.attempt(&a.tried, d.now.Sub(r.started))
	}
	act := d.call.Step(d.now, &e)
	if e.Orphan {
		d.walked |= 1 << r.lane
		_, slot := d.call.Orphan(r.lane)
		a.tried.orphan().settle(slot)
	}
	return act
}

// dismiss tells the attempts still under way that nobody wants them, and
// discards what came of those that ended meanwhile.
func (d *race) dismiss() {
	owed := 0
	var slots [laneCount]bool
	for lane, r := range d.legs {
		if r == nil {
			continue
		}
		d.legs[lane] = nil
		_, slots[lane] = d.call.Orphan(uint8(lane))
		word := withoutSlot
		if slots[lane] {
			word = withSlot
		}
		if !r.word.CompareAndSwap(undecided, word) {
			owed++
		}
		r.ctx.cancel(context.Canceled)
	}
	for range owed {
		a := <-d.back
		d.discard(a, slots[a.from.lane])
	}
}

// discard ends an attempt that nobody waits for.
func (d *race) discard(a arrival, slot bool) {
	a.from.ctx.cancel(context.Canceled)
	if leg := a.from.leg; leg != nil { // it has an answer, which nobody wants
		r := reportOf(&a.tried, Now().Sub(a.from.started))
		r.Result = core.Result{Outcome: core.Cancelled}
		leg.EndAttempt(r)
	}
	if o := a.tried.orphan(); o != nil {
		o.settle(slot)
	} else {
		defer d.plan.EndOrphan(Now(), slot) // also if Then panics
	}
	a.tried.then(false)
}

// abort closes the accounts of a call that did not come to its end, as that of
// drive does.
func (d *race) abort() {
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

func (d *race) close() {
	now := Now()
	d.lostTrace()
	if r := d.lost; r != nil {
		d.lost = nil
		failed := core.Result{Outcome: core.Failure, Cause: core.Unknown, NoRetry: true}
		d.call.Step(now, &call.Event{Kind: call.Returned, Lane: r.lane, Result: failed})
	}
	if !d.call.Verdict().Done() {
		d.call.Step(now, &call.Event{Kind: call.CallerLeft})
	}
	for lane := range d.legs { // what was started and never ran
		if d.legs[lane] == nil && d.walked>>lane&1 == 0 {
			d.call.Step(now, &call.Event{Kind: call.Returned, Lane: uint8(lane)})
		}
	}
	if v := d.call.Verdict(); v == call.Failed || v == call.Succeeded {
		tail := d.call.Tail(now)
		tail.End(now, core.Cancelled)
	}
	d.dismiss()
}
