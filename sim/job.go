package sim

import (
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/serve"
)

// stage is where a request stands at the service that it was sent to.
type stage uint8

const (
	travelling stage = iota // on the network
	knocking                // waits at the door
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
	class    core.Criticality
	tenant   string
	deadline core.Instant
	arrived  core.Instant
	since    core.Instant // when it got its worker
	timer    Timer
	stage    stage
	worker   bool // holds one
	slot     int  // which, if anybody wants to know
	wanting  bool // queues for one to go on with a call
	degraded bool // a fallback stood in for a call
	step     int  // the next of the route's calls
	open     int  // calls under way
	calls    [maxParallel]*outcall
	index    int  // in the queue, or among those that hang
	before   *job // neighbours at the instance
	after    *job
	visit    *serve.Visit // kept from use to use; nil: was never at a door
	outside  bool         // waits at the door
	admitted bool         // by the door, which is to hear how it ends
	gen      int64        // tells uses of this value apart
}

// maxParallel is how many calls a route may make at once.
const maxParallel = 8

const (
	jobArrives = iota // what Fire is told
	jobWorked
	jobScripted
	jobKnocks
	jobWoken
)

// Fire implements Actor.
func (j *job) Fire(what int, arg int64) {
	if what == jobWoken {
		if arg == j.gen && j.stage == knocking {
			j.follow(j.visit.Step(j.inst.service.world.now, serve.Woke))
		}
		return
	}
	j.timer = Timer{}
	switch what {
	case jobKnocks:
		j.follow(j.visit.Step(j.inst.service.world.now, serve.Woke))
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
	if i.door != nil && !i.silent {
		j.knock()
		return
	}
	j.welcome()
}

// welcome is where a request meets what an instance can do.
func (j *job) welcome() {
	i, s := j.inst, j.inst.service
	passes := i.silent || s.gate.pass(s.world.now)
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
	for k := range j.route.features {
		if f := &j.route.features[k]; j.inst.allows(f) {
			own := f.draws.Of(j.id, j.part)
			d += core.Instant(sample(&f.cfg.Work, &own))
		}
	}
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

func (j *job) takeWorker() {
	j.worker, j.since = true, j.inst.service.world.now
	if j.inst.service.world.worker != nil {
		j.slot = j.inst.slots.take()
		j.tellWorker(WorkerWorks)
	}
	j.inst.busy++
	j.inst.service.busyAt(j.inst.service.world.now, +1)
}

func (j *job) freeWorker() {
	if j.inst.service.world.worker != nil {
		j.tellWorker(WorkerIdle)
		j.inst.slots.free(j.slot)
	}
	j.worker = false
	j.inst.busy--
	j.inst.hold += (j.inst.service.world.now.Sub(j.since) - j.inst.hold) / 16
	j.inst.service.busyAt(j.inst.service.world.now, -1)
	j.inst.pull()
}
