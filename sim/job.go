package sim

import (
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
)

// stage is where a request stands at the service that it was sent to.
type stage uint8

const (
	travelling stage = iota // on the network
	queued                  // waits for a worker
	working                 // its own work
	calling                 // its route's calls
	hanging                 // accepted, and never answered
	over
)

// job is one request at one instance. It is reused when it has ended.
type job struct {
	inst     *instance
	route    *route
	caller   *outcall // nil: nobody waits any more
	lane     int
	attempt  int
	scripted core.Result // what Options.Answer wants
	id, part uint64
	deadline core.Instant
	arrived  core.Instant
	since    core.Instant // when it got its worker
	timer    Timer
	stage    stage
	worker   bool // holds one
	wanting  bool // queues for one to go on with a call
	degraded bool // a fallback stood in for a call
	step     int  // the next of the route's calls
	open     int  // calls under way
	calls    [maxParallel]*outcall
	index    int  // in the queue, or among those that hang
	before   *job // neighbours at the instance
	after    *job
}

// maxParallel is how many calls a route may make at once.
const maxParallel = 8

const (
	jobArrives = iota // what Fire is told
	jobWorked
	jobScripted
)

// Fire implements Actor.
func (j *job) Fire(what int, arg int64) {
	j.timer = Timer{}
	switch what {
	case jobArrives:
		j.arrive()
	case jobWorked:
		j.worked()
	case jobScripted:
		if j.scripted.Outcome == core.Success {
			j.succeed()
		} else {
			j.fail(j.scripted)
		}
	}
}

// travel arrives after a delay.
func (j *job) travel(d core.Instant) {
	j.stage = travelling
	w := j.inst.service.world
	j.timer = w.At(w.now+d, Begins, j, jobArrives, 0)
}

// arrive is where a request meets an instance.
func (j *job) arrive() {
	i, s := j.inst, j.inst.service
	w := s.world
	j.arrived = w.now
	if j.caller == nil && s.cfg.Abandoned == config.Stops {
		j.stage = over
		w.freeJob(j)
		return
	}
	if i.down {
		j.stage = over
		j.answer(core.Result{Outcome: core.Failure, Cause: core.Unsent})
		w.freeJob(j)
		return
	}
	s.enter(j)
	passes := i.silent || s.gate.pass(w.now)
	switch {
	case i.silent, !passes && s.gate.Over == config.Hang:
		s.count.hung++
		j.stage = hanging
		i.hanging = append(i.hanging, j)
		j.index = len(i.hanging) - 1
		if j.caller == nil { // its caller left while it was on its way
			j.drop()
		}
	case !passes:
		j.refuse()
	default:
		i.admit(j)
	}
}

// refuse turns a request away for want of room.
func (j *job) refuse() {
	s := j.inst.service
	s.count.refused++
	s.turned.note(s.world.now)
	j.leave(core.Result{Outcome: core.Overloaded, Cause: core.Unavailable})
}

// start begins the work, with a worker.
func (j *job) start() {
	w := j.inst.service.world
	j.stage = working
	j.takeWorker()
	if w.answer != nil {
		if d, r, ok := w.answer(j.inst.service.cfg.Name, j.id&(1<<40-1), j.attempt); ok {
			j.scripted = r
			j.timer = w.At(w.now.Add(d), Ends, j, jobScripted, 0)
			return
		}
	}
	s := j.inst.service.work.Of(j.id, j.part)
	d := core.Instant(sample(&j.route.work, &s))
	j.timer = w.At(w.now+d, Ends, j, jobWorked, 0)
}

// worked ends the request's own work.
func (j *job) worked() {
	s := j.inst.service
	luck := s.luck.Of(j.id, j.part)
	if f := j.route.fails; f > 0 && luck.Float64() < f {
		j.fail(statusResult(j.route.cfg.Status))
		return
	}
	if s.cfg.Cache != nil && j.inst.cacheHit(&luck) {
		j.succeed()
		return
	}
	j.stage = calling
	j.next()
}

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
	o := j.inst.service.world.newCall(j.inst.members[st.member], j)
	o.id, o.part = j.id, mix(j.part^uint64(k+1)<<32)
	o.dest, o.route = st.to, st.route
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
	o := m.world.newCall(m, j)
	o.id, o.part = j.id, mix(j.part^0xfa11bac)
	o.dest, o.route = m.dest, m.dest.routes[0]
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
	if !j.worker || !j.inst.service.cfg.ReleaseWhileWaiting {
		return
	}
	waiting := 0
	for _, o := range j.calls {
		if o != nil && o.waits && !o.ready {
			waiting++
		}
	}
	if waiting == j.open {
		j.freeWorker()
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

func (j *job) takeWorker() {
	j.worker, j.since = true, j.inst.service.world.now
	j.inst.busy++
	j.inst.service.busyAt(j.inst.service.world.now, +1)
}

func (j *job) freeWorker() {
	j.worker = false
	j.inst.busy--
	j.inst.hold += (j.inst.service.world.now.Sub(j.since) - j.inst.hold) / 16
	j.inst.service.busyAt(j.inst.service.world.now, -1)
	j.inst.pull()
}
