package sim

import (
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
)

// fail answers with a failure.
func (j *job) fail(r core.Result) {
	j.inst.service.count.failed++
	j.leave(r)
}

func (j *job) succeed() {
	j.inst.service.count.served++
	j.leave(core.Result{Outcome: core.Success})
}

// leave ends the request here: its calls, its worker, and the wait of its
// caller, who finds the worker free if what it does next is to come again.
func (j *job) leave(r core.Result) {
	i := j.inst
	w := i.service.world
	w.Cancel(j.timer)
	j.timer = Timer{}
	j.stage = over
	if j.wanting {
		j.wanting = false
		i.queue.remove(j)
		i.service.queueAt(w.now, -1)
	}
	for k := range j.calls { // the end of one may be the end of another
		if c := j.calls[k]; c != nil {
			j.calls[k] = nil
			c.leave()
		}
	}
	i.service.exit(j)
	j.closeDoor(r)
	if j.worker {
		j.freeWorker()
	}
	j.answer(r)
	w.freeJob(j)
}

// answer tells the caller, if it still waits.
func (j *job) answer(r core.Result) {
	o := j.caller
	if o == nil {
		return
	}
	j.caller = nil
	o.jobs[j.lane] = nil
	o.answered(j, r)
}

// abandoned tells the request that nobody waits for it any more.
func (j *job) abandoned() {
	j.caller = nil
	j.tellWorker(WorkerOrphaned)
	s := j.inst.service
	switch j.stage {
	case travelling, over: // finds out when it arrives, or is about to answer
	case hanging, knocking: // the door sees who leaves
		j.drop()
	default:
		if s.cfg.Abandoned == config.Stops {
			j.drop()
		}
	}
}

// drop ends a request for which nobody waits, wherever it stands.
func (j *job) drop() {
	s := j.inst.service
	switch j.stage {
	case queued:
		j.inst.queue.remove(j)
		s.queueAt(s.world.now, -1)
	case hanging:
		j.inst.unhang(j)
	}
	s.count.dropped++
	j.leave(core.Result{Outcome: core.Cancelled})
}

// crash ends a request whose instance went down.
func (j *job) crash() {
	s := j.inst.service
	switch j.stage {
	case queued:
		j.inst.queue.remove(j)
		s.queueAt(s.world.now, -1)
	case hanging:
		j.inst.unhang(j)
	}
	s.count.crashed++
	j.leave(core.Result{Outcome: core.Failure, Cause: core.Reset})
}
