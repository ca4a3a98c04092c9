package sim

import (
	"fmt"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/serve"
	"github.com/seakeep/seakeep/core/shed"
)

// newDoor gives an instance the door of its service's policy. A nil old one
// starts from nothing.
func (w *World) newDoor(i *instance, old *serve.Door, f *config.File) error {
	i.door = nil
	if f == nil || f.Serve == nil {
		return nil
	}
	s := i.service.cfg.Name
	seed := NewStream(w.seed, s, "door").Of(uint64(i.index), 0)
	d, err := old.Next(f.Serve.Door, seed.key, w.watch(owned{s, i.index}))
	if err != nil {
		return fmt.Errorf("sim: %s: %w", s, err)
	}
	i.door = d
	d.Adopt(w.now)
	return nil
}

// knock asks at the door.
func (j *job) knock() {
	w := j.inst.service.world
	j.stage = knocking
	if j.visit == nil {
		j.visit = &serve.Visit{}
	}
	j.atDoor().Offered++
	j.follow(j.visit.Begin(w.now, j.inst.door, serve.Request{Deadline: j.given(), Class: j.class,
		Cohort: uint8(mix(j.id) % shed.Cohorts), Retry: j.attempt > 0, Tenant: j.tenant,
		Left: j.caller == nil}))
}

// follow does what the door says.
func (j *job) follow(act serve.Action) {
	i := j.inst
	w := i.service.world
	w.Cancel(j.timer)
	j.timer = Timer{}
	if act.Verdict == serve.WantPlace {
		act = j.visit.Join(w.now, knocker{j, j.gen})
		if act.Verdict == serve.Waiting {
			j.outside = true
			i.outside++
			i.service.queueAt(w.now, +1)
		}
	}
	if act.Verdict == serve.Waiting {
		j.timer = w.At(act.WakeAt, Due, j, jobKnocks, 0)
		return
	}
	j.comeInside()
	switch act.Verdict {
	case serve.Admitted:
		j.admitted = true
		j.atDoor().Admitted++
		j.welcome()
	case serve.Left:
		j.atDoor().Left++
		i.service.count.dropped++
		j.leave(core.Result{Outcome: core.Cancelled})
	default:
		j.turnAway()
	}
}

// comeInside counts a request out of the queue at the door.
func (j *job) comeInside() {
	if j.outside {
		j.outside = false
		j.inst.outside--
		j.inst.service.queueAt(j.inst.service.world.now, -1)
	}
}

// turnAway answers as the door does.
func (j *job) turnAway() {
	s, reason := j.inst.service, j.visit.Reason()
	j.turned(reason)
	r := core.Result{Outcome: core.Overloaded, Cause: core.Unavailable,
		RetryAfter: j.visit.RetryAfter()}
	switch reason {
	case core.Shed, core.AdmissionReduced:
		r.NoRetry = true
	case core.TenantLimit:
		r.Cause, r.NoRetry = core.TooMany, true
	case core.DeadlineExceeded, core.DeadlineTooShort:
		r = core.Result{Outcome: core.Failure, Cause: core.BadGateway, NoRetry: true}
	}
	if reason == core.DeadlineExceeded {
		s.count.expired++
	} else {
		s.count.refused++
		s.turned.note(s.world.now)
	}
	j.leave(r)
}

// closeDoor closes the accounts of a request at the door, however it leaves.
func (j *job) closeDoor(r core.Result) {
	now := j.inst.service.world.now
	if j.outside {
		j.comeInside()
		switch j.visit.Step(now, serve.CallerLeft).Verdict {
		case serve.Refused: // it left because its time was up
			j.turned(j.visit.Reason())
			return
		case serve.Admitted: // ... at the instant at which it was let in
			j.admitted = true
			j.atDoor().Admitted++
		default:
			j.atDoor().Left++
			return
		}
	}
	if !j.admitted {
		return
	}
	j.admitted = false
	switch {
	case j.caller != nil:
	case now >= j.visit.Deadline(): // too late: what package seakeephttp makes of it
		if r.Outcome != core.Success {
			r = core.Result{Outcome: core.Timeout, Cause: core.TimedOut}
		}
	case r.Outcome == core.Success:
		r.Outcome = core.Cancelled // the caller had other reasons
	}
	j.visit.End(now, r)
	if now <= j.visit.Deadline() && r.Outcome != core.Timeout && r.Outcome != core.Cancelled {
		j.atDoor().Useful++
	}
}

// knocker is told by the door's queue that there is news for a request.
type knocker struct {
	j   *job
	gen int64
}

// Wake implements bulkhead.Waker: the request hears of it as an event of its
// own, because the queue tells it in the middle of another one's leaving.
func (k knocker) Wake() {
	w := k.j.inst.service.world
	w.At(w.now, Due, k.j, jobWoken, k.gen)
}
