package sim

import (
	"github.com/seakeep/seakeep/core"
)

// choose picks the instance for an attempt.
func (s *service) choose(o *outcall) int {
	if s.balancer == nil {
		return 0
	}
	i, _ := s.balancer.Pick(s.world.now, o.tried)
	o.tried |= 1 << i
	o.at = i
	return i
}

// visited tells the balancer how an attempt went for its instance.
func (s *service) visited(o *outcall, r core.Result) {
	if s.balancer != nil && r.Outcome != core.Timeout && r.Outcome != core.Cancelled {
		s.balancer.Report(s.world.now, o.at, r.Cause != core.Unsent && r.Cause != core.Reset)
	}
}

// elsewhere reports whether an instance is left that was not tried.
func (s *service) elsewhere(o *outcall) bool {
	return s.balancer != nil && o.tried != 1<<len(s.instances)-1
}

// fate is what the network does to a message.
type fate struct {
	lost  bool
	delay core.Instant
}

// road draws the fate of a message: the request of an attempt, or its answer.
func (s *service) road(id, part uint64) (f fate) {
	if !s.hasRoad {
		return f
	}
	n := &s.cfg.Network
	draw := s.roads.Of(id, part)
	f.lost = n.Loss > 0 && draw.Float64() < n.Loss
	f.delay = core.Instant(sample(&n.Delay, &draw))
	return f
}

// send puts a request on the way.
func (s *service) send(j *job) {
	f := s.road(j.id, j.part)
	switch {
	case s.cut && s.buffered:
		j.stage = travelling
		s.held = append(s.held, j)
	case s.cut, f.lost: // nothing comes back; the attempt ends by its limit
		j.lose()
	case f.delay > 0:
		j.travel(f.delay)
	default:
		j.arrive()
	}
}

// mend delivers what the network held.
func (s *service) mend() {
	held := s.held
	s.held = nil
	for _, j := range held {
		j.travel(0)
	}
}

// lose drops a request before it has arrived.
func (j *job) lose() {
	if j.caller != nil {
		j.caller.jobs[j.lane] = nil
	}
	j.stage = over
	j.inst.service.world.freeJob(j)
}

// answered takes the answer to an attempt: at once, or when it has travelled.
func (o *outcall) answered(j *job, r core.Result) {
	o.degraded = j.degraded
	s := j.inst.service
	f := s.road(j.id, j.part^0xa45)
	switch {
	case s.cut, f.lost:
	case f.delay > 0:
		o.results[j.lane] = r
		s.world.At(s.world.now+f.delay, Ends, o, outReply, o.gen<<3|int64(j.lane))
	default:
		o.returned(j.lane, r)
	}
}
