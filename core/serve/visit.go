package serve

import (
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/bulkhead"
	"github.com/seakeep/seakeep/core/limit"
	"github.com/seakeep/seakeep/core/shed"
)

// Request is what is known of a request when it comes in.
type Request struct {
	Deadline core.Instant     // the caller's; core.Never: it named none
	Class    core.Criticality // already lowered to what the caller may claim
	Cohort   uint8            // of its user: see shed.CohortOf
	Retry    bool             // the caller has tried before
	Left     bool             // the caller is gone before the request began
	Tenant   string           // empty: none
}

// Verdict is where a visit stands.
type Verdict uint8

const (
	// Waiting visits have a place in the queue.
	Waiting Verdict = iota
	// WantPlace visits found no free slot and may queue: the driver calls Join.
	WantPlace
	// Admitted visits are served, until the driver calls End.
	Admitted
	// Refused visits are over: Reason and RetryAfter say why and for how long.
	Refused
	// Left visits are over because their caller is gone.
	Left
)

var verdictNames = [...]string{"waiting", "want-place", "admitted", "refused", "left"}

// String returns the verdict's name in lower case.
func (v Verdict) String() string {
	if int(v) < len(verdictNames) {
		return verdictNames[v]
	}
	return "invalid"
}

// Action is what the driver must do next.
type Action struct {
	WakeAt  core.Instant // Waiting: step with Woke by then, or early, or again
	Verdict Verdict
}

// Kind says what happened to a waiting visit.
type Kind uint8

const (
	// Woke: the time of Action.WakeAt came, or the waker was told.
	Woke Kind = iota + 1
	// CallerLeft: nobody waits for the answer any more.
	CallerLeft
)

// Visit is one request at the door, from its arrival to its end. It has one
// owner at a time; its zero value is ready for Begin.
type Visit struct {
	door     *Door
	class    core.Criticality
	verdict  Verdict
	reason   core.Reason
	held     bool // has a slot
	tenant   bool // is counted in the quota
	ended    bool
	place    bulkhead.Place
	ticket   *bulkhead.Ticket
	arrived  core.Instant
	admitted core.Instant
	deadline core.Instant
	after    time.Duration
}

// Reason returns why the visit was refused.
func (v *Visit) Reason() core.Reason { return v.reason }

// RetryAfter returns when it makes sense to come back; zero: unknown.
func (v *Visit) RetryAfter() time.Duration { return v.after }

// Deadline returns by when the answer is wanted; core.Never: at any time.
func (v *Visit) Deadline() core.Instant { return v.deadline }

// Waited returns how long the request waited before it was let in.
func (v *Visit) Waited() time.Duration { return v.admitted.Sub(v.arrived) }

// Begin decides about a request that has come in.
func (v *Visit) Begin(now core.Instant, d *Door, req Request) Action {
	*v = Visit{door: d, class: req.Class, arrived: now}
	d.Sweep(now)
	d.stats.offered(req.Class)
	if d.recovery != nil {
		d.recovery.Arrived(now, req.Retry)
	}
	v.deadline = d.cfg.Timeout.CallDeadline(now, req.Deadline)
	if req.Left {
		return v.leave(now)
	}
	if r := d.cfg.Timeout.Check(now, v.deadline); r != core.NoReason {
		if !d.observes(now, v, RungDeadline, r) {
			return v.refuse(now, r)
		}
		v.deadline = core.Never
	}
	if d.quota != nil && req.Tenant != "" {
		v.place.Flow, v.tenant = d.quota.Enter(now, req.Tenant), true
	}
	if d.tenantFull(v.place.Flow) {
		return v.refuse(now, core.TenantLimit)
	}
	if r := d.tooLow(now, req); r != core.NoReason && !d.observes(now, v, RungShed, r) {
		v.after = d.shed.RetryAfter(now)
		return v.refuse(now, r)
	}
	return v.enter(now)
}

// tooLow says whether a request is too unimportant at present. Without a shed
// rung only an order to let in less counts.
func (d *Door) tooLow(now core.Instant, req Request) core.Reason {
	r := d.shed.Admit(now, shed.LevelOf(req.Class, req.Cohort))
	if r == core.Shed && d.cfg.Shed == nil {
		return core.NoReason
	}
	return r
}

// enter takes a slot, or asks for a place in the queue.
func (v *Visit) enter(now core.Instant) Action {
	d := v.door
	if d.slots == nil {
		return v.admit(now)
	}
	v.place.Class, v.place.Until = v.class, v.deadline
	if d.slots.TryAcquire(now, v.place) {
		v.held = true
		d.waited(now, v.place.Flow, 0, true)
		return v.admit(now)
	}
	if d.cfg.Slots.Queue.Queue > 0 && !d.cfg.Observe.Has(RungSlots) {
		v.verdict = WantPlace
		return Action{WakeAt: core.Never, Verdict: WantPlace}
	}
	return v.Join(now, nobody{})
}

// nobody is the waker of a visit that does not wait.
type nobody struct{}

func (nobody) Wake() {}

// Join queues a visit whose verdict is WantPlace. The waker is told when the
// visit has its slot, or lost its place; the driver then steps it with Woke.
func (v *Visit) Join(now core.Instant, w bulkhead.Waker) Action {
	d := v.door
	if d.cfg.Observe.Has(RungSlots) {
		d.observes(now, v, RungSlots, core.BulkheadFull)
		return v.admit(now)
	}
	t, r := d.slots.Enqueue(now, v.place, w)
	if r != core.NoReason {
		d.shed.Dropped(now, 0)
		return v.refuse(now, r)
	}
	v.ticket, v.verdict = t, Waiting
	d.emit(now, v, core.Event{Kind: core.RequestQueued})
	return v.poll(now)
}

// Step tells a waiting visit what happened. In any other state it does nothing.
func (v *Visit) Step(now core.Instant, k Kind) Action {
	switch {
	case v.verdict == WantPlace && k == CallerLeft:
		return v.leave(now)
	case v.verdict != Waiting:
		return Action{WakeAt: core.Never, Verdict: v.verdict}
	case k == CallerLeft && now < v.deadline:
		return v.leave(now)
	}
	return v.poll(now) // whoever leaves at the deadline leaves because of it
}

// poll looks whether the queue has granted a slot.
func (v *Visit) poll(now core.Instant) Action {
	d := v.door
	t := v.ticket
	switch d.slots.Poll(now, t) {
	case bulkhead.Waiting:
		return Action{WakeAt: t.Until(), Verdict: Waiting}
	case bulkhead.Granted:
		v.ticket, v.held = nil, true
		d.waited(now, v.place.Flow, now.Sub(v.arrived), true)
		return v.admit(now)
	case bulkhead.Left:
		return v.leave(now)
	}
	v.ticket = nil
	d.waited(now, v.place.Flow, now.Sub(v.arrived), false)
	r := t.Reason()
	if r == core.QueueTimeout && now >= v.deadline {
		r = core.DeadlineExceeded
	}
	return v.refuse(now, r)
}

// admit lets the request in.
func (v *Visit) admit(now core.Instant) Action {
	v.admitted, v.verdict = now, Admitted
	v.door.stats.admitted(v.class)
	v.door.emit(now, v, core.Event{Kind: core.RequestAdmitted, Took: now.Sub(v.arrived)})
	return Action{WakeAt: v.deadline, Verdict: Admitted}
}

// refuse turns the request away.
func (v *Visit) refuse(now core.Instant, r core.Reason) Action {
	v.reason, v.verdict = r, Refused
	v.forget(now)
	v.door.stats.refused(v.class, r)
	v.door.emit(now, v, core.Event{Kind: core.RequestRefused, Reason: r, Took: now.Sub(v.arrived)})
	return Action{WakeAt: core.Never, Verdict: Refused}
}

// leave ends a visit whose caller is gone before it was let in.
func (v *Visit) leave(now core.Instant) Action {
	v.reason, v.verdict = core.CallerCancelled, Left
	if v.ticket != nil {
		v.door.slots.Leave(now, v.ticket)
		v.ticket = nil
		v.door.waited(now, v.place.Flow, now.Sub(v.arrived), false)
	}
	v.forget(now)
	v.door.stats.left(v.class)
	v.door.emit(now, v, core.Event{Kind: core.RequestRefused, Reason: v.reason,
		Took: now.Sub(v.arrived)})
	return Action{WakeAt: core.Never, Verdict: Left}
}

// forget takes the request out of its tenant's count.
func (v *Visit) forget(now core.Instant) {
	if v.tenant {
		v.tenant = false
		v.door.quota.Leave(now, v.place.Flow)
	}
}

// End closes the accounts of an admitted visit: the application has ended it,
// or cannot be made to. What is neutral or failed says nothing about how long
// the service takes; a timeout or a refusal from behind says that it is too
// much. Calling it again does nothing.
func (v *Visit) End(now core.Instant, r core.Result) {
	if v.verdict != Admitted || v.ended {
		return
	}
	v.ended = true
	d := v.door
	if v.held {
		v.held = false
		d.sample(now, r.Outcome, now.Sub(v.admitted))
		d.slots.Release(now, v.place)
		inUse, slots, queued := d.slots.Busy(now)
		d.shed.Busy(now, inUse, slots, queued)
	}
	v.forget(now)
	useful := now <= v.deadline && r.Outcome != core.Timeout && r.Outcome != core.Cancelled
	if d.recovery != nil {
		d.recovery.Ended(now, useful)
	}
	d.stats.ended(now, v.class, r.Outcome, useful, now.Sub(v.admitted))
	d.emit(now, v, core.Event{Kind: core.RequestEnded, Outcome: r.Outcome,
		Took: now.Sub(v.arrived)})
}

// sample tells the limit how a request that had a slot went.
func (d *Door) sample(now core.Instant, o core.Outcome, took time.Duration) {
	dropped := o == core.Timeout || o == core.Overloaded
	if o != core.Success && !dropped {
		return
	}
	d.meter.served(took)
	inUse, _, _ := d.slots.Busy(now)
	before := d.limit.Limit()
	n, changed := d.limit.Report(now, limit.Sample{RTT: took, InFlight: inUse, Dropped: dropped})
	if changed {
		d.slots.SetLimit(now, n)
		d.changed(now, core.LimitChanged, number(before), number(n))
	}
}
