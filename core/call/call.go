package call

import (
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/bulkhead"
)

// lanes is how many attempts of one call may exist at once, abandoned ones
// that have not ended included: an attempt's lane is its number modulo lanes.
const lanes = 8

type state uint8

const (
	idle     state = iota
	queued         // waits for a slot
	running        // an attempt is under way
	waiting        // between two attempts
	finished       // the verdict stands
)

// Call is the state of one call. It has one owner at a time; its zero value is
// ready for Begin. It may be reused once it is done and no attempt of it is
// left.
type Call struct {
	plan     *Plan
	req      Request
	began    core.Instant
	deadline core.Instant // of the whole call
	leg                   // the attempt under way; with copies, the one that something happened to
	race     *race        // nil: there are no copies
	breaker  *breaker.Breaker
	ticket   *bulkhead.Ticket
	prev     time.Duration // the last backoff, for decorrelated jitter
	last     core.Result
	after    time.Duration // when to come back
	reason   core.Reason
	verdict  Verdict
	state    state
	attempts uint8 // started
	free     uint8 // of those, repeats of requests that never reached a server
	rested   uint8 // attempts before the last wait that the other side has set
	orphans  uint8 // lanes whose attempt was abandoned and has not ended
	slotted  uint8 // of those, lanes that hold a slot
	open     bool  // the budget counts us as a call
}

// Begin enters the ladder. The request's deadline is the caller's. The request
// is read, and not kept.
func (c *Call) Begin(now core.Instant, p *Plan, req *Request) Action {
	if c.plan != nil { // a fresh one is empty, and emptying it is felt
		*c = Call{}
	}
	// Field by field: copying a whole struct would wait for each of the small
	// stores that made it.
	c.plan, c.began, c.deadline = p, now, req.Deadline
	c.req.Deadline, c.req.Key = req.Deadline, req.Key
	c.req.RetriedAbove, c.req.Tail, c.req.Left = req.RetriedAbove, req.Tail, req.Left
	c.req.Class, c.req.Hedge = req.Class, req.Hedge
	if p.observer != nil {
		c.emit(now, core.Event{Kind: core.CallStarted, Left: core.Left(now, req.Deadline)})
	}
	if req.Left {
		return c.leave(now)
	}
	limit := p.cfg.Timeout.CallDeadline(now, req.Deadline)
	r := p.cfg.Timeout.Check(now, limit)
	if p.cfg.Observe.Has(RungTimeout) {
		if r != core.NoReason {
			c.observed(now, r)
		}
	} else if c.deadline = limit; r != core.NoReason {
		return c.refuse(now, r)
	}
	if p.throttle != nil && !c.worthwhile(now, req.Draw) {
		return c.refuse(now, core.Throttled)
	}
	return c.enter(now)
}

// Join queues a call whose verdict is WantSlot. The waker is told when the
// slot is there; the driver then steps the call with Woke.
func (c *Call) Join(now core.Instant, w bulkhead.Waker) Action {
	t, r := c.plan.bulkhead.Enqueue(now, bulkhead.Place{}, w)
	if r != core.NoReason {
		return c.refuse(now, r)
	}
	c.ticket, c.state = t, queued
	if c.plan.cfg.Bulkhead.Queue > 0 {
		c.emit(now, core.Event{Kind: core.CallQueued})
	}
	return c.poll(now)
}

// Step tells the call what happened. After the verdict it only takes note of
// abandoned attempts that end.
func (c *Call) Step(now core.Instant, e *Event) Action {
	if e.Kind == Returned {
		if c.orphans&(1<<e.Lane) != 0 {
			return c.late(now, e.Lane)
		}
		if c.state == running {
			return c.returned(now, e)
		}
	}
	switch {
	case c.state == finished:
		return Action{WakeAt: core.Never, Verdict: c.verdict}
	case e.Kind == CallerLeft:
		return c.leave(now)
	case c.state == queued:
		return c.poll(now)
	case c.state == waiting && now >= c.until:
		return c.enter(now)
	case c.state == running && c.race != nil:
		return c.tick(now, e)
	case c.state == running && now >= c.until:
		return c.abandon(now, e)
	}
	return Action{WakeAt: c.until}
}

// enter takes a slot, or asks for a place in the queue.
func (c *Call) enter(now core.Instant) Action {
	b := c.plan.bulkhead
	if b == nil || c.held {
		return c.launch(now)
	}
	if b.TryAcquire(now, bulkhead.Place{}) {
		c.held = true
		return c.launch(now)
	}
	if c.plan.cfg.Observe.Has(RungBulkhead) {
		c.observed(now, core.BulkheadFull)
		return c.launch(now)
	}
	if c.plan.cfg.Bulkhead.Queue > 0 {
		return Action{WakeAt: core.Never, Verdict: WantSlot}
	}
	return c.Join(now, nobody{}) // refused, or granted at once
}

// nobody is the waker of a call that does not wait.
type nobody struct{}

func (nobody) Wake() {}

// poll looks whether the queue has granted a slot.
func (c *Call) poll(now core.Instant) Action {
	b := c.plan.bulkhead
	switch b.Poll(now, c.ticket) {
	case bulkhead.Granted:
		c.ticket, c.held = nil, true
		return c.launch(now)
	case bulkhead.Expired:
		c.ticket = nil
		return c.refuse(now, core.QueueTimeout)
	case bulkhead.Dropped:
		r := c.ticket.Reason()
		c.ticket = nil
		return c.refuse(now, r)
	}
	if now >= c.deadline {
		return c.refuse(now, core.DeadlineExceeded)
	}
	return Action{WakeAt: min(c.ticket.Until(), c.deadline)}
}

// launch starts an attempt, if the deadline and the breaker let it.
func (c *Call) launch(now core.Instant) Action {
	p := c.plan
	if now > c.began && !p.cfg.Observe.Has(RungTimeout) { // at began Begin has checked
		if r := p.cfg.Timeout.Check(now, c.deadline); r != core.NoReason {
			return c.refuse(now, r)
		}
	}
	if r := c.admit(now); r != core.NoReason {
		return c.refuse(now, r)
	}
	c.state, c.started, c.number = running, now, c.attempts
	c.attempts++
	c.until = c.attemptLimit(now)
	wake := c.until
	if p.hedge != nil {
		c.arm(now)
		wake = c.wakeAt()
	}
	if !c.open {
		c.open = true
		if p.budget != nil {
			p.budget.Deposit(now)
		}
	}
	if p.observer != nil {
		e := core.Event{Kind: core.AttemptStarted, Detail: c.detail()}
		if c.attempts == 1 {
			e.Took = now.Sub(c.began)
		}
		c.emit(now, e)
	}
	return Action{WakeAt: wake, Start: c.bit()}
}

// attemptLimit is by when an attempt that starts now must end.
func (c *Call) attemptLimit(now core.Instant) core.Instant {
	if c.plan.cfg.Observe.Has(RungTimeout) {
		return c.deadline
	}
	return c.plan.cfg.Timeout.AttemptDeadline(now, c.deadline)
}

func (c *Call) detail() string {
	if c.copied {
		return hedgeDetail
	}
	return ""
}

// admit asks the breaker for this attempt, or once for the whole call.
func (c *Call) admit(now core.Instant) core.Reason {
	p := c.plan
	if p.breaker == nil || (c.attempts > 0 && p.cfg.Breaker.Counts == breaker.Calls) {
		return core.NoReason
	}
	if c.breaker == nil {
		c.breaker = p.Breaker(now, c.req.Key)
	}
	permit, change := c.breaker.Admit(now)
	c.permit = permit
	p.changed(now, c.req.Key, change)
	if permit.OK() {
		return core.NoReason
	}
	if p.cfg.Observe.Has(RungBreaker) {
		c.observed(now, permit.Reason())
		return core.NoReason
	}
	c.after = c.breaker.RetryAfter(now)
	return permit.Reason()
}

// leave ends a call whose caller is gone. An attempt under way is told so; its
// end is neutral, because nobody knows what it would have answered.
func (c *Call) leave(now core.Instant) Action {
	act := Action{}
	if c.state == running {
		act.Cancel = c.orphan()
		c.report(now, core.Result{Outcome: core.Cancelled}, now.Sub(c.started))
	}
	if c.racing() {
		act.Cancel |= c.beat(now)
	}
	if c.reason = core.CallerCancelled; now >= c.req.Deadline {
		c.reason = core.DeadlineExceeded
	}
	return c.finish(now, Cancelled, act)
}

// refuse ends a call that a rung does not let pass. A call that has made an
// attempt keeps that attempt's failure.
func (c *Call) refuse(now core.Instant, r core.Reason) Action {
	c.reason = r
	if c.attempts == 0 {
		c.plan.stats.reject(r)
		c.emit(now, core.Event{Kind: core.CallRejected, Reason: r, Took: c.after})
		return c.finish(now, Rejected, Action{})
	}
	c.deny(now)
	return c.finish(now, Failed, Action{})
}

// observed reports what a rung in observe mode would have done.
func (c *Call) observed(now core.Instant, r core.Reason) {
	c.plan.stats.observed.Add(1)
	c.emit(now, core.Event{Kind: core.CallRejected, Reason: r, Observed: true})
}

// finish closes every account the call has, once.
func (c *Call) finish(now core.Instant, v Verdict, act Action) Action {
	p := c.plan
	if c.ticket != nil {
		p.bulkhead.Leave(now, c.ticket)
		c.ticket = nil
	}
	if c.budgeted { // decided on but never sent
		p.budget.Refund(now)
		c.budgeted = false
	}
	if c.open && p.budget != nil {
		p.budget.Close(now)
	}
	c.state, c.verdict = finished, v
	if !c.req.Tail || v == Rejected || v == Cancelled {
		c.settle(now)
	}
	p.stats.ended(v)
	if p.observer != nil {
		c.emit(now, core.Event{Kind: core.CallEnded, Reason: c.reason, Outcome: c.last.Outcome,
			Took: now.Sub(c.began)})
	}
	act.WakeAt, act.Verdict = core.Never, v
	return act
}

// settle reports a call-counting breaker's result and gives the slot back. The
// observer comes last: should it panic, nothing is lost.
func (c *Call) settle(now core.Instant) {
	var ch breaker.Change
	if c.permit.OK() && c.breaker != nil {
		o := c.last.Outcome
		if c.verdict == Cancelled || o == 0 {
			o = core.Cancelled
		}
		ch = c.breaker.Report(now, c.permit, o, now.Sub(c.began))
		c.permit = breaker.Permit{}
	}
	if c.held {
		c.held = false
		c.plan.bulkhead.Release(now, bulkhead.Place{})
	}
	c.plan.changed(now, c.req.Key, ch)
}

func (c *Call) emit(now core.Instant, e core.Event) {
	if c.plan.observer == nil {
		return
	}
	e.At, e.Key, e.Criticality = now, c.req.Key, c.req.Class
	e.Attempt = c.number
	c.plan.Emit(e)
}
