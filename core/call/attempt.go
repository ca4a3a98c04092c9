package call

import (
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/bulkhead"
	"github.com/seakeep/seakeep/core/retry"
	"github.com/seakeep/seakeep/core/throttle"
)

// freeRepeats bounds the repeats of requests that never reached a server. They
// cost the dependency nothing, so they are outside the budget and the count of
// attempts; a transport that always says "never sent" must not loop for ever.
const freeRepeats = 10

// returned takes an attempt's result and decides what follows.
func (c *Call) returned(now core.Instant, e *Event) Action {
	if c.race != nil && !c.focus(e.Lane) {
		return Action{WakeAt: c.wakeAt()}
	}
	took := now.Sub(c.started)
	r := c.judge(now, e.Result)
	if e.Lost {
		r = c.lost()
	}
	c.last = r
	if e.Orphan {
		c.orphan()
	}
	if r.RetryAfter > 0 {
		c.after = r.RetryAfter
	}
	good := e.Result.Outcome == core.Success
	if !good || !c.req.Tail {
		c.report(now, r, took)
	} else {
		c.account(now, r, took)
	}
	act := Action{}
	if c.racing() {
		if r.Outcome.Failed() && !good || e.Lost {
			return c.outlast(now)
		}
		act.Cancel = c.beat(now)
	}
	switch {
	case good:
		return c.finish(now, Succeeded, act)
	case r.Outcome == core.Cancelled:
		if c.reason = core.CallerCancelled; now >= c.req.Deadline {
			c.reason = core.DeadlineExceeded
		}
		return c.finish(now, Cancelled, act)
	}
	return c.again(now, e, act)
}

// judge turns the driver's view of a result into the policies' view: an
// attempt that outlived its limit is a timeout, even if its answer, which the
// caller still gets, came in the end.
func (c *Call) judge(now core.Instant, r core.Result) core.Result {
	if c.plan.cfg.Observe.Has(RungTimeout) {
		t := c.plan.cfg.Timeout
		limit := t.AttemptDeadline(c.started, t.CallDeadline(c.began, c.req.Deadline))
		if now > limit {
			c.observed(now, core.DeadlineExceeded)
		}
		return r
	}
	if now > c.until && r.Outcome != core.Cancelled {
		r.Outcome = core.Timeout
		if r.Cause != core.Unsent { // what never left may still be sent
			r.Cause = core.TimedOut
		}
	}
	return r
}

// report tells every policy how the attempt under way ended.
func (c *Call) report(now core.Instant, r core.Result, took time.Duration) {
	c.account(now, r, took)
	if c.plan.breaker == nil || c.plan.cfg.Breaker.Counts == breaker.Calls {
		return
	}
	ch := c.breaker.Report(now, c.permit, r.Outcome, took)
	c.permit = breaker.Permit{}
	c.plan.changed(now, c.req.Key, ch)
}

// account is report without the breaker.
func (c *Call) account(now core.Instant, r core.Result, took time.Duration) {
	p := c.plan
	p.stats.attempt(now, r.Outcome, took)
	if p.budget != nil {
		p.budget.Report(now, c.counted(r), c.budgeted)
	}
	c.budgeted = false
	if p.hedge != nil && c.req.Hedge {
		p.hedge.Report(now, r, took, c.copied)
	}
	if p.throttle != nil && !r.Outcome.Neutral() {
		p.throttle.Report(now, c.req.Class, throttle.Accepted(r))
	}
	if p.observer != nil {
		c.emit(now, core.Event{Kind: core.AttemptEnded, Outcome: r.Outcome, Cause: r.Cause,
			Took: took, Detail: c.detail()})
	}
}

// counted is the outcome as a budget that counts failures must see it: one that
// nobody would repeat, such as a 500, does not spend what retries live on.
func (c *Call) counted(r core.Result) core.Outcome {
	cfg := c.plan.cfg.Retry
	if r.Outcome.Failed() && cfg != nil &&
		cfg.Check(1, r, retry.Idempotent, true) == core.NotRetryable {
		return core.Ignored
	}
	return r.Outcome
}

// abandon ends an attempt that did not return by its limit. The attempt keeps
// the slot, because its work goes on; another attempt needs a slot of its own.
func (c *Call) abandon(now core.Instant, e *Event) Action {
	c.last = core.Result{Outcome: core.Timeout, Cause: core.TimedOut}
	act := Action{Cancel: c.orphan()}
	c.report(now, c.last, now.Sub(c.started))
	return c.again(now, e, act)
}

// orphan hands the slot to the attempt under way and returns its bit.
func (c *Call) orphan() uint8 {
	bit := c.bit()
	if c.orphans&bit != 0 { // an observer panicked when it was told
		return bit
	}
	c.orphans |= bit
	if c.held {
		c.slotted |= bit
		c.held = false
	}
	c.plan.stats.orphans.Add(1)
	return bit
}

// late frees what an abandoned attempt still held.
func (c *Call) late(now core.Instant, lane uint8) Action {
	bit := uint8(1) << lane
	slot := c.slotted&bit != 0
	c.orphans &^= bit
	c.slotted &^= bit
	c.plan.EndOrphan(now, slot)
	return Action{WakeAt: c.wakeAt(), Verdict: c.verdict}
}

func (c *Call) wakeAt() core.Instant {
	switch c.state {
	case finished:
		return core.Never
	case queued:
		return min(c.ticket.Until(), c.deadline)
	case running:
		at := min(c.until, c.CopyAt())
		for i := 0; c.racing() && i < c.race.n; i++ {
			at = min(at, c.race.legs[i].until)
		}
		return at
	}
	return c.until
}

// again starts the next attempt, or its wait, or ends the call.
func (c *Call) again(now core.Instant, e *Event, act Action) Action {
	if c.plan.cfg.Retry == nil {
		return c.advance(now, e, act)
	}
	if c.race != nil { // what its other attempts were told holds as well
		c.last.NoRetry = c.last.NoRetry || c.race.noRetry
		if c.race.rest > c.last.RetryAfter {
			c.last.RetryAfter, c.last.Exact = c.race.rest, false
		}
	}
	wait, r := c.wait(now, e)
	if r != core.NoReason {
		c.reason = r
		c.deny(now)
		return c.finish(now, Failed, act)
	}
	c.plan.stats.retries.Add(1)
	c.emit(now, core.Event{Kind: core.RetryScheduled, Cause: c.last.Cause, Took: wait})
	b := c.plan.cfg.Bulkhead
	if wait > 0 && c.held && b.Holds == bulkhead.Attempts {
		c.held = false
		c.plan.bulkhead.Release(now, bulkhead.Place{})
	}
	c.state, c.until = waiting, now.Add(wait)
	if wait > 0 {
		act.WakeAt = c.until
		return act
	}
	next := c.enter(now)
	next.Cancel |= act.Cancel
	return next
}

// wait returns how long to wait before the next attempt, or why there is none.
// Everything that would refuse that attempt is asked now, before the wait.
func (c *Call) wait(now core.Instant, e *Event) (time.Duration, core.Reason) {
	p, f := c.plan, e.Facts
	if c.orphans&(1<<(c.attempts%lanes)) != 0 {
		return 0, core.AttemptsExhausted
	}
	if c.repeatable(f) && p.fits(now, 0, c.deadline) {
		c.free++
		return 0, core.NoReason
	}
	made := int(c.attempts - c.free)
	if r := p.cfg.Retry.Check(made, c.last, f.Safety, f.Replayable); r != core.NoReason {
		return 0, r
	}
	if c.req.RetriedAbove {
		return 0, core.RetriedAbove
	}
	if p.cfg.Observe.Has(RungRetry) {
		c.emit(now, core.Event{Kind: core.RetryScheduled, Cause: c.last.Cause, Observed: true})
		return 0, core.AttemptsExhausted
	}
	step := made - int(c.rested)
	wait := p.cfg.Retry.Wait(step, c.prev, c.last, e.Draw)
	if !p.fits(now, wait, c.deadline) {
		return 0, core.WaitTooLong
	}
	if r := c.shut(now, wait); r != core.NoReason {
		return 0, r
	}
	if p.budget != nil && !p.budget.Withdraw(now) {
		return 0, core.BudgetExhausted
	}
	c.budgeted, c.copied = p.budget != nil, false
	if c.last.Exact { // from here on the backoff begins anew
		c.rested, c.prev = uint8(made), 0
		return wait, core.NoReason
	}
	c.prev = p.cfg.Retry.Backoff.Delay(step, c.prev, e.Draw)
	return wait, core.NoReason
}

// repeatable reports whether the request can go to another endpoint at once,
// because the one it was meant for never saw it.
func (c *Call) repeatable(f Facts) bool {
	return c.last.Cause == core.Unsent && f.Elsewhere && f.Replayable && !c.last.NoRetry &&
		c.free < freeRepeats && !c.plan.cfg.Observe.Has(RungRetry)
}

// shut reports whether the breaker will still refuse when the wait is over.
func (c *Call) shut(now core.Instant, wait time.Duration) core.Reason {
	p := c.plan
	if p.breaker == nil || p.cfg.Breaker.Counts == breaker.Calls || p.cfg.Observe.Has(RungBreaker) {
		return core.NoReason
	}
	after := c.breaker.RetryAfter(now)
	if after <= wait {
		return core.NoReason
	}
	c.after = after
	return core.CircuitOpen
}

// deny records that the failure stands.
func (c *Call) deny(now core.Instant) {
	c.plan.stats.deny(c.reason)
	c.emit(now, core.Event{Kind: core.RetryDenied, Reason: c.reason, Outcome: c.last.Outcome,
		Cause: c.last.Cause, Took: c.after})
}
