package call

import (
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/bulkhead"
	"github.com/seakeep/seakeep/core/hedge"
	"github.com/seakeep/seakeep/core/retry"
)

// leg is one attempt under way.
type leg struct {
	started  core.Instant
	until    core.Instant // its limit; between two attempts the end of the wait
	permit   breaker.Permit
	number   uint8 // its lane is that modulo lanes
	held     bool  // it holds a slot
	budgeted bool  // it, or the one to come, was paid for by the budget
	copied   bool  // it is a copy of another
}

func (l *leg) bit() uint8 { return 1 << (l.number % lanes) }

// race is what a call has that may have copies. All else works on the leg in
// the Call itself, so whoever is told of another leg has it change places first
// (focus).
type race struct {
	lag    time.Duration        // after which a copy is due
	copyAt core.Instant         // when the next is; core.Never: none is to come
	legs   [hedge.MaxCopies]leg // under way beside the one in Call
	n      int
	copies int  // sent
	quiet  bool // an attempt was told to stay away: there are no more copies

	noRetry bool          // an attempt that failed was told not to be tried again
	rest    time.Duration // ... or how long to stay away
}

// hedges makes the plan's hedge. One that is there already keeps what it has
// measured; Adopt gives it its new settings.
func (p *Plan) hedges(old Plan) (err error) {
	if p.cfg.Hedge == nil {
		return nil
	}
	if p.hedge = old.hedge; p.hedge == nil {
		p.hedge, err = hedge.New(*p.cfg.Hedge)
	}
	return err
}

// Hedged reports whether the plan has a hedge.
func (p *Plan) Hedged() bool { return p.hedge != nil }

// Hedges reports whether a call with this safety may have copies, for which
// its Request must have Hedge set. What is safe to repeat after a failure is
// safe to copy. elsewhere says that there is more than one endpoint.
func (p *Plan) Hedges(s retry.Safety, elsewhere bool) bool {
	if p.hedge == nil || !elsewhere && !p.cfg.Hedge.Same {
		return false
	}
	word := retry.ByCall
	if p.cfg.Retry != nil {
		word = p.cfg.Retry.Idempotent
	}
	return word == retry.Always ||
		word == retry.ByCall && (s == retry.Idempotent || s == retry.Keyed)
}

// CopyAt returns when a copy is due; core.Never: none is to come. A driver that
// leaves the attempts' limits to the attempts steps with CopyDue by then.
func (c *Call) CopyAt() core.Instant {
	if c.state != running || c.race == nil {
		return core.Never
	}
	return c.race.copyAt
}

// arm sets the time for the next copy, as seen from the attempt that starts.
func (c *Call) arm(now core.Instant) {
	if !c.req.Hedge || c.req.RetriedAbove {
		return
	}
	if !c.open {
		if lag := c.plan.hedge.Deposit(now); lag > 0 {
			c.race = &race{lag: lag}
		}
	}
	r := c.race
	if r == nil {
		return
	}
	r.copyAt = core.Never
	if at := now.Add(r.lag); at < c.until && !r.quiet && r.copies < c.plan.hedged().Copies {
		r.copyAt = at
	}
}

// hedged returns the hedge's settings with their defaults.
func (p *Plan) hedged() hedge.Config { return p.cfg.Hedge.Filled() }

// tick is a wake-up while attempts are under way.
func (c *Call) tick(now core.Instant, e *Event) Action {
	act := Action{}
	for e.Kind == Woke && c.expired(now) {
		if !c.racing() {
			next := c.abandon(now, e)
			next.Cancel |= act.Cancel
			return next
		}
		c.last = core.Result{Outcome: core.Timeout, Cause: core.TimedOut}
		act.Cancel |= c.orphan()
		c.report(now, c.last, now.Sub(c.started))
		c.drop()
	}
	if now >= c.race.copyAt {
		act.Start = c.copy(now, e)
	}
	act.WakeAt = c.wakeAt()
	return act
}

// expired looks for an attempt whose limit has passed, and focuses on it.
func (c *Call) expired(now core.Instant) bool {
	if now >= c.until {
		return true
	}
	for i := 0; c.racing() && i < c.race.n; i++ {
		if now >= c.race.legs[i].until {
			c.swap(i)
			return true
		}
	}
	return false
}

// racing reports whether more than one attempt is under way.
func (c *Call) racing() bool { return c.race != nil && c.race.n > 0 }

// focus makes the leg in this lane the one in the Call; false: there is none.
func (c *Call) focus(lane uint8) bool {
	if c.number%lanes == lane {
		return true
	}
	for i := range c.race.n {
		if c.race.legs[i].number%lanes == lane {
			c.swap(i)
			return true
		}
	}
	return false
}

// swap has two legs change places. The permit of a breaker that counts calls is
// the call's, and stays.
func (c *Call) swap(i int) {
	other := &c.race.legs[i]
	c.leg, *other = *other, c.leg
	if c.perCall() {
		c.permit, other.permit = other.permit, c.permit
	}
}

func (c *Call) perCall() bool {
	b := c.plan.cfg.Breaker
	return b != nil && b.Counts == breaker.Calls
}

// drop forgets the leg in the Call, which has ended, for another one.
func (c *Call) drop() {
	c.race.n--
	c.swap(c.race.n)
	c.race.legs[c.race.n] = leg{}
}

// outlast takes note of an attempt that failed while another one is under way.
// That one is paid for, so it is waited for before anything else is decided.
func (c *Call) outlast(now core.Instant) Action {
	if c.held {
		c.plan.bulkhead.Release(now, bulkhead.Place{})
		c.held = false
	}
	if c.last.NoRetry || c.last.RetryAfter > 0 {
		c.race.quiet, c.race.copyAt = true, core.Never
		c.race.noRetry = c.race.noRetry || c.last.NoRetry
		c.race.rest = max(c.race.rest, c.last.RetryAfter)
	}
	c.drop()
	return Action{WakeAt: c.wakeAt()}
}

// lost is the result of an attempt that was dropped before it was served,
// because its twin is. It cost nothing, and counts as no attempt. If the twin
// has failed meanwhile nobody serves the call, which is then one that was
// turned away.
func (c *Call) lost() core.Result {
	c.free++
	if c.racing() {
		return core.Result{Outcome: core.Cancelled}
	}
	return core.Result{Outcome: core.Overloaded, Cause: core.Unavailable}
}

// beat ends the attempts beside the one in the Call and returns their bits.
// Their ends are neutral: nobody knows what they would have answered.
func (c *Call) beat(now core.Instant) (bits uint8) {
	for c.race.n > 0 {
		last := c.race.n - 1
		c.swap(last)
		bits |= c.orphan()
		c.report(now, core.Result{Outcome: core.Cancelled}, now.Sub(c.started))
		c.swap(last)
		c.race.legs[last] = leg{}
		c.race.n--
	}
	return bits
}

// copy sends a copy of the call, if nothing is against it, and returns its bit.
func (c *Call) copy(now core.Instant, e *Event) uint8 {
	c.race.copyAt = core.Never
	r := c.plan.hedge.Withdraw(now, c.race.copies)
	if r == core.NoReason {
		if c.plan.cfg.Observe.Has(RungHedge) { // what it would cost is counted
			c.plan.stats.observed.Add(1)
			c.emit(now, core.Event{Kind: core.HedgeDenied, Observed: true})
			return 0
		}
		if r = c.prevented(now, e.Facts); r != core.NoReason {
			c.plan.hedge.Refund(now)
		}
	}
	if r != core.NoReason {
		c.emit(now, core.Event{Kind: core.HedgeDenied, Reason: r})
		return 0
	}
	c.number, c.started, c.copied = c.attempts, now, true
	c.attempts++
	c.until = c.attemptLimit(now)
	c.arm(now)
	if c.plan.observer != nil {
		c.emit(now, core.Event{Kind: core.AttemptStarted, Detail: hedgeDetail})
	}
	return c.bit()
}

// hedgeDetail tells the start of a copy from that of another attempt.
const hedgeDetail = "hedge"

// prevented says what else is against a copy. If nothing is, a new leg is in the
// Call, with a slot, a permit and the budget's word.
func (c *Call) prevented(now core.Instant, f Facts) core.Reason {
	p := c.plan
	switch {
	case !f.Replayable:
		return core.NotReplayable
	case !f.Elsewhere && !p.cfg.Hedge.Same:
		return core.NoOtherEndpoint
	case c.spent():
		return core.AttemptsExhausted
	case !p.fits(now, 0, c.deadline):
		return core.WaitTooLong
	}
	next := leg{}
	if p.bulkhead != nil {
		next.held = p.bulkhead.TryAcquire(now, bulkhead.Place{})
		if !next.held && !p.cfg.Observe.Has(RungBulkhead) {
			return core.BulkheadFull
		}
	}
	r := core.NoReason
	if p.budget != nil && !f.Tied {
		if next.budgeted = p.budget.Withdraw(now); !next.budgeted {
			r = core.BudgetExhausted
		}
	}
	if r == core.NoReason {
		next.permit, r = c.permitCopy(now)
	}
	if r != core.NoReason {
		if next.held {
			p.bulkhead.Release(now, bulkhead.Place{})
		}
		if next.budgeted {
			p.budget.Refund(now)
		}
		return r
	}
	c.race.legs[c.race.n] = next
	c.race.n++
	c.race.copies++
	c.swap(c.race.n - 1)
	return core.NoReason
}

// spent reports whether there may be no further attempt: copies and retries are
// counted together.
func (c *Call) spent() bool {
	p := c.plan
	if r := p.cfg.Retry; r != nil && r.Attempts > 1 && int(c.attempts-c.free) >= r.Attempts {
		return true
	}
	used := c.orphans | c.bit()
	for i := range c.race.n {
		used |= c.race.legs[i].bit()
	}
	return c.race.copies >= p.hedged().Copies || used&(1<<(c.attempts%lanes)) != 0
}

// permitCopy asks the breaker. A copy is never a trial: those are few, and the
// first attempt is one already.
func (c *Call) permitCopy(now core.Instant) (breaker.Permit, core.Reason) {
	p := c.plan
	if p.breaker == nil || c.perCall() {
		return breaker.Permit{}, core.NoReason
	}
	permit, change := c.breaker.Admit(now)
	p.changed(now, c.req.Key, change)
	switch {
	case permit.Trial():
		p.changed(now, c.req.Key, c.breaker.Report(now, permit, core.Cancelled, 0))
		return breaker.Permit{}, core.TrialsTaken
	case permit.OK() || p.cfg.Observe.Has(RungBreaker):
		return permit, core.NoReason
	}
	return permit, permit.Reason()
}

// advance has the next copy follow a failure at once, since nothing is left to
// wait for. Without a retry policy that is the only other attempt there is.
func (c *Call) advance(now core.Instant, e *Event, act Action) Action {
	p := c.plan
	if c.race == nil {
		return c.finish(now, Failed, act)
	}
	follows := retry.Config{Attempts: 1 + p.hedged().Copies}.Check(int(c.attempts), c.last,
		retry.Idempotent, e.Facts.Replayable)
	if follows != core.NoReason || c.race.quiet || c.spent() {
		return c.finish(now, Failed, act)
	}
	r := core.NoReason
	switch {
	case !e.Facts.Elsewhere && !p.cfg.Hedge.Same:
		r = core.NoOtherEndpoint
	case !p.fits(now, 0, c.deadline):
		r = core.WaitTooLong
	default:
		r = c.shut(now, 0)
	}
	if r == core.NoReason {
		r = p.hedge.Withdraw(now, 1+c.race.copies)
	}
	if r == core.NoReason && p.budget != nil {
		if c.budgeted = p.budget.Withdraw(now); !c.budgeted {
			p.hedge.Refund(now)
			r = core.BudgetExhausted
		}
	}
	if r != core.NoReason { // the failure is the call's, and not a refusal
		c.emit(now, core.Event{Kind: core.HedgeDenied, Reason: r})
		return c.finish(now, Failed, act)
	}
	c.race.copies++
	c.copied, c.state, c.until = true, waiting, now
	next := c.enter(now)
	next.Cancel |= act.Cancel
	return next
}
