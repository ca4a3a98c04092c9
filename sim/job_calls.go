package sim

import (
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
)

// next makes the following calls: one, and those that run beside it.
func (j *job) next() {
	steps := j.route.steps
	if j.step == len(steps) {
		j.succeed()
		return
	}
	from := j.step
	j.step++
	for j.step < len(steps) && steps[j.step].cfg.Parallel {
		j.step++
	}
	to := j.step
	j.open = to - from
	for k := from; k < to && j.stage == calling; k++ {
		j.make(k, k-from)
	}
}

// make starts one call.
func (j *job) make(k, at int) {
	st := &j.route.steps[k]
	part := mix(j.part ^ uint64(k+1)<<32)
	first := j.inst.members[st.member]
	m, turn := first.turn(j.id, part)
	o := j.inst.service.world.newCall(m, j)
	o.id, o.part, o.class, o.tenant = j.id, part, j.class, j.tenant
	o.dest, o.route, o.turn = st.to, st.route, turn
	if m != first {
		o.dest, o.route = m.dest, m.dest.alike(st.route)
	}
	j.calls[at] = o
	o.begin(call.Request{Deadline: j.given()})
}

// given is the deadline that the request's calls must keep.
func (j *job) given() core.Instant {
	if j.inst.service.cfg.IgnoreDeadline {
		return core.Never
	}
	return j.deadline
}

// called implements owner.
func (j *job) called(o *outcall, v call.Verdict) {
	m := o.member
	for i, c := range j.calls {
		if c == o {
			j.calls[i] = nil
		}
	}
	ok, failure := v == call.Succeeded, o.failure(v)
	j.degraded = j.degraded || ok && o.degraded
	var next *member
	if !ok && j.stage != over && o.wantsFallback(v) {
		ok, next = m.standIn()
		j.degraded = j.degraded || ok || next != nil
	}
	m.world.freeCall(o)
	switch {
	case j.stage == over:
	case next != nil:
		j.askInstead(next)
	case !ok:
		j.fail(failure)
	default:
		if j.open--; j.open == 0 {
			j.next()
		} else {
			j.paused(nil) // the others may all be waiting
		}
	}
}

// askInstead makes a call to the dependency that is another one's fallback.
func (j *job) askInstead(m *member) {
	part := mix(j.part ^ 0xfa11bac)
	route := m.dest.routes[0]
	m, turn := m.turn(j.id, part)
	o := m.world.newCall(m, j)
	o.id, o.part, o.class, o.tenant, o.turn = j.id, part, j.class, j.tenant, turn
	o.dest, o.route = m.dest, m.dest.alike(route)
	for i := range j.calls {
		if j.calls[i] == nil {
			j.calls[i] = o
			break
		}
	}
	o.begin(call.Request{Deadline: j.given()})
}

// paused implements owner: a worker may be given back while retries wait, and
// nothing else is under way.
func (j *job) paused(*outcall) {
	if !j.worker {
		return
	}
	waiting := 0
	for _, o := range j.calls {
		if o != nil && o.waits && !o.ready {
			waiting++
		}
	}
	switch {
	case waiting != j.open:
	case j.inst.service.cfg.ReleaseWhileWaiting:
		j.freeWorker()
	default:
		j.tellWorker(WorkerPauses)
	}
}

// goOn wakes the calls whose wait is over. One of them may end the request, and
// the others with it.
func (j *job) goOn() {
	for k := range j.calls {
		if o := j.calls[k]; o != nil && o.ready {
			o.wake()
		}
	}
}

// resumed implements owner: to go on takes a worker again.
func (j *job) resumed(o *outcall) bool {
	i := j.inst
	if j.worker || !i.service.cfg.ReleaseWhileWaiting {
		j.tellWorker(WorkerWorks)
		return true
	}
	if i.full() {
		if !j.wanting {
			j.wanting = true
			i.queue.pushBack(j)
			i.service.queueAt(i.service.world.now, +1)
		}
		return false
	}
	j.takeWorker()
	return true
}
