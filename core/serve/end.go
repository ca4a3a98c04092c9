package serve

import (
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/limit"
)

// Answered says that the answer has begun and goes on at the caller's pace: a
// download, a stream, a connection that has become a tunnel. How long the
// service took, and whether it was in time, is settled with that. Only the
// first time counts.
func (v *Visit) Answered(now core.Instant) {
	if v.verdict == Admitted && !v.begun {
		v.begun, v.answered = true, now
	}
}

// Late reports whether the deadline has passed, or had when the answer began.
func (v *Visit) Late(now core.Instant) bool {
	if v.begun {
		now = v.answered
	}
	return now >= v.deadline
}

// Paced says that the request itself comes at the caller's pace, as a large
// upload does: how long it takes is no sign of how much the service has to do.
func (v *Visit) Paced() { v.paced = true }

// Abort gives back whatever a visit has that its driver cannot go on with:
// something panicked, the observer for example.
func (v *Visit) Abort(now core.Instant) {
	switch v.verdict {
	case Admitted:
		v.End(now, core.Result{Outcome: core.Cancelled})
	case Waiting, WantPlace:
		v.leave(now)
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
	d, answered := v.door, now
	if v.begun {
		answered = v.answered
	}
	took := answered.Sub(v.admitted)
	v.took = answered.Sub(v.arrived)
	from, to := 0, 0
	if v.held {
		v.held = false
		if !v.paced || r.Outcome != core.Success {
			from, to = d.sample(now, r.Outcome, took)
		}
		d.slots.Release(now, v.place)
		inUse, slots, queued := d.slots.Busy(now)
		d.shed.Busy(now, inUse, slots, queued)
	}
	v.forget(now)
	useful := answered <= v.deadline && r.Outcome != core.Timeout &&
		(r.Outcome != core.Cancelled || v.begun) // who leaves a stream has had of it what it wanted
	if d.recovery != nil {
		d.recovery.Ended(now, useful)
	}
	d.stats.ended(v.class, useful)
	if !r.Outcome.Neutral() && !v.paced {
		d.stats.latency.Record(now, took)
	}
	if from != to { // whatever the observer does, everything has been given back
		d.changed(now, core.LimitChanged, number(from), number(to))
	}
	e := core.Event{Kind: core.RequestEnded, Outcome: r.Outcome, Took: v.took}
	if !useful {
		e.Detail = "late"
	}
	d.emit(now, v, e)
}

// sample tells the limit how a request that had a slot went, and returns the
// limit before and after.
func (d *Door) sample(now core.Instant, o core.Outcome, took time.Duration) (from, to int) {
	dropped := o == core.Timeout || o == core.Overloaded
	if o != core.Success && !dropped {
		return 0, 0
	}
	d.meter.served(took)
	inUse, _, _ := d.slots.Busy(now)
	from = d.limit.Limit()
	to, changed := d.limit.Report(now, limit.Sample{RTT: took, InFlight: inUse, Dropped: dropped})
	if !changed {
		return 0, 0
	}
	d.follow(now)
	return from, to
}
