package serve

import (
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/bulkhead"
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
	paced    bool // by the caller: how long it takes says nothing
	begun    bool // the answer has
	place    bulkhead.Place
	ticket   *bulkhead.Ticket
	arrived  core.Instant
	admitted core.Instant
	answered core.Instant // when the answer began, if it has
	deadline core.Instant
	after    time.Duration
	left     time.Duration // until the caller's deadline, on arrival
	took     time.Duration // known at the end
}

// Reason returns why the visit was refused.
func (v *Visit) Reason() core.Reason { return v.reason }

// RetryAfter returns when it makes sense to come back; zero: unknown.
func (v *Visit) RetryAfter() time.Duration { return v.after }

// Deadline returns by when the answer is wanted; core.Never: at any time.
func (v *Visit) Deadline() core.Instant { return v.deadline }

// Waited returns how long the request waited before it was let in.
func (v *Visit) Waited() time.Duration { return v.admitted.Sub(v.arrived) }

// Took returns how long the request took from its arrival until its answer began;
// 0 before End.
func (v *Visit) Took() time.Duration { return v.took }

// Begin decides about a request that has come in. It panics if the request is
// of no class that there is.
func (v *Visit) Begin(now core.Instant, d *Door, req Request) Action {
	if uint(req.Class.Index()) >= core.Criticalities {
		panic("serve: Begin of no class that there is")
	}
	*v = Visit{door: d, class: req.Class, arrived: now, left: core.Left(now, req.Deadline)}
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
	if d.cfg.Tenants != nil && req.Tenant != "" {
		v.place.Flow, v.tenant = d.quota.Enter(now, req.Tenant), true
	}
	if d.tenantFull(v.place.Flow) && !d.observes(now, v, RungSlots, core.TenantLimit) {
		return v.refuse(now, core.TenantLimit)
	}
	if r := v.tooLow(now, req); r != core.NoReason {
		v.after = d.shed.RetryAfter(now)
		return v.refuse(now, r)
	}
	return v.enter(now)
}

// tooLow says whether a request is too unimportant at present. Without a shed
// rung, or with one that only watches, only an order to let in less counts:
// whoever gives it means it.
func (v *Visit) tooLow(now core.Instant, req Request) core.Reason {
	d := v.door
	r := d.shed.Admit(now, shed.LevelOf(req.Class, req.Cohort))
	if r == core.Shed && (d.cfg.Shed == nil || d.observes(now, v, RungShed, r)) {
		return core.NoReason
	}
	return r
}

// enter takes a slot, or asks for a place in the queue.
func (v *Visit) enter(now core.Instant) Action {
	d := v.door
	if d.slots == nil {
		d.shed.Report(now, 0) // what is let in is served, or nothing would seem to be
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
	act := v.Join(now, nobody{})
	if act.Verdict == Waiting { // the slots have the queue of another file, at a reload
		d.slots.Leave(now, v.ticket)
		v.ticket = nil
		return v.refuse(now, core.BulkheadFull)
	}
	return act
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
		d.shed.Report(now, 0)
		return v.admit(now)
	}
	t, r := d.slots.Enqueue(now, v.place, w)
	switch {
	case r == core.TenantLimit: // its own doing, which says nothing about the others
		return v.refuse(now, r)
	case r != core.NoReason:
		d.shed.Dropped(now, 0)
		return v.refuse(now, v.timeUp(now, r))
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
	return v.refuse(now, v.timeUp(now, t.Reason()))
}

// timeUp tells whose time was up in the queue: the request's, or that for
// waiting.
func (v *Visit) timeUp(now core.Instant, r core.Reason) core.Reason {
	if r == core.QueueTimeout && now >= v.deadline {
		return core.DeadlineExceeded
	}
	return r
}

// admit lets the request in.
func (v *Visit) admit(now core.Instant) Action {
	v.admitted, v.verdict = now, Admitted
	v.door.stats.admitted(v.class)
	v.door.emit(now, v, core.Event{Kind: core.RequestAdmitted, Took: now.Sub(v.arrived),
		Left: v.left})
	return Action{WakeAt: v.deadline, Verdict: Admitted}
}

// refuse turns the request away.
func (v *Visit) refuse(now core.Instant, r core.Reason) Action {
	v.reason, v.verdict = r, Refused
	v.forget(now)
	v.door.stats.refused(v.class, r)
	v.door.emit(now, v, core.Event{Kind: core.RequestRefused, Reason: r, Took: now.Sub(v.arrived),
		Left: v.left})
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
		Took: now.Sub(v.arrived), Left: v.left})
	return Action{WakeAt: core.Never, Verdict: Left}
}

// forget takes the request out of its tenant's count.
func (v *Visit) forget(now core.Instant) {
	if v.tenant {
		v.tenant = false
		v.door.quota.Leave(now, v.place.Flow)
	}
}
