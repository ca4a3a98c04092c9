package call

import (
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/bulkhead"
)

// Verdict returns where the call stands.
func (c *Call) Verdict() Verdict { return c.verdict }

// Reason returns which rule ended the call, or refused its next attempt.
func (c *Call) Reason() core.Reason { return c.reason }

// RetryAfter returns when it makes sense to come back; zero: unknown.
func (c *Call) RetryAfter() time.Duration { return c.after }

// Attempts returns how many attempts were started.
func (c *Call) Attempts() int { return int(c.attempts) }

// Last returns the result of the last attempt as the policies saw it.
func (c *Call) Last() core.Result { return c.last }

// Deadline returns the instant by which the call must end; core.Never: none.
func (c *Call) Deadline() core.Instant { return c.deadline }

// Started returns when the attempt under way was launched.
func (c *Call) Started() core.Instant { return c.started }

// AttemptDeadline returns the limit of the attempt under way; core.Never: none.
func (c *Call) AttemptDeadline() core.Instant { return c.until }

// Mute keeps the observer out of what is left of the call, because it panicked.
func (c *Call) Mute() {
	quiet := *c.plan
	quiet.observer = nil
	c.plan = &quiet
}

// Orphan reports whether the attempt in this lane was abandoned, and whether
// it holds a slot that Plan.EndOrphan must give back.
func (c *Call) Orphan(lane uint8) (abandoned, slot bool) {
	bit := uint8(1) << lane
	return c.orphans&bit != 0, c.slotted&bit != 0
}

// Tail is what is left of a call whose answer has begun: its slot, and a
// breaker that has not been told yet. Its owner calls End once, when the
// answer's body is done.
type Tail struct {
	plan    *Plan
	breaker *breaker.Breaker
	permit  breaker.Permit
	key     string
	took    time.Duration
	held    bool
	early   bool // Report has told the breaker ahead of End
	ended   bool
}

// Tail hands over what is left, for a call begun with Request.Tail. The call
// must have Succeeded or Failed.
func (c *Call) Tail(now core.Instant) (t Tail) {
	t.plan, t.breaker, t.permit = c.plan, c.breaker, c.permit
	t.key, t.took, t.held = c.req.Key, now.Sub(c.started), c.held
	if c.plan.breaker != nil && c.plan.cfg.Breaker.Counts == breaker.Calls {
		t.took = now.Sub(c.began)
	}
	if c.last.Outcome != core.Success { // failed, or came too late
		t.report(now, c.last.Outcome)
	}
	c.permit, c.held = breaker.Permit{}, false
	return t
}

// Report tells the breaker the outcome now, ahead of End: an answer that
// streams for hours must not keep a trial open. The time that counts as slow
// or not is the time until the answer began. If the stream breaks in the end,
// that is a failure of its own.
func (t *Tail) Report(now core.Instant, o core.Outcome) {
	t.early = t.early || t.permit.OK()
	t.report(now, o)
}

func (t *Tail) report(now core.Instant, o core.Outcome) {
	if !t.permit.OK() || t.breaker == nil {
		return
	}
	ch := t.breaker.Report(now, t.permit, o, t.took)
	t.permit = breaker.Permit{}
	t.plan.changed(now, t.key, ch)
}

// End reports the outcome, unless Report has, and gives the slot back. Calling
// it again does nothing.
func (t *Tail) End(now core.Instant, o core.Outcome) {
	if t.ended {
		return
	}
	t.ended = true
	if t.held { // last, and even if the observer panics
		t.held = false
		defer t.plan.bulkhead.Release(now, bulkhead.Place{})
	}
	if t.early && o.Failed() {
		var ch breaker.Change
		t.permit, ch = t.breaker.Admit(now)
		t.plan.changed(now, t.key, ch)
	}
	t.report(now, o)
}
