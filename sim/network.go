package sim

import (
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/balance"
)

// visit is where an attempt is.
type visit struct {
	by    *balance.Balancer // nil: the only instance
	at    int
	began core.Instant
	watch *lookout // nil: nobody looks for outliers
}

// choose picks the instance for an attempt; nil if there is none that may be
// used.
func (o *outcall) choose(lane int) *instance {
	v := visit{by: o.member.balancer(o.dest), began: o.now()}
	if v.by != nil {
		// One of its own: a balancer must not shift the draws of the jitter.
		luck := o.member.draws.Of(o.id, mix(o.part^0xba1a9ce0^uint64(o.call.Attempts())))
		c := o.choice()
		if o.member.balances {
			c.Draw = o.drawn(&luck)
		}
		at, ok := v.by.Pick(v.began, c)
		if !ok {
			return nil
		}
		v.at = at
		v.watch = o.member.lookout(v.by, len(o.dest.instances))
		o.tried |= 1 << v.at
	}
	o.visits[lane] = v
	return o.dest.instances[v.at]
}

// visited tells the balancer how an attempt went for its instance.
func (o *outcall) visited(lane int, r core.Result) {
	if v := o.visits[lane]; v.by != nil {
		v.by.Report(o.now(), v.at, balance.SampleOf(o.now().Sub(v.began), r))
		if v.watch != nil {
			v.watch.report(&v, r)
		}
		o.visits[lane].by = nil
	}
}

// elsewhere reports whether another attempt would go to an instance that was
// not tried.
func (o *outcall) elsewhere() bool {
	b := o.member.balancer(o.dest)
	return b != nil && b.Elsewhere(o.now(), o.choice())
}

// balancer returns what chooses among a service's instances for this member: one
// of its own, by its policy, or without a policy the one that stands before the
// service and is everybody's. It is nil if there is nothing to choose.
func (m *member) balancer(of *service) *balance.Balancer {
	if !m.balances {
		return of.balancer
	}
	for _, v := range m.views {
		if v.of == of {
			return v.balancer
		}
	}
	v := view{of, of.newBalancer(m.spread)}
	m.views = append(m.views, v)
	return v.balancer
}

// spreadOf returns how a policy has its attempts spread, if it says anything of
// the dependency.
func spreadOf(f *config.File, name string) (c balance.Config, said bool) {
	if d := dependencyOf(f, name); d != nil {
		return d.Balance, true
	}
	return c, false
}

// respread puts the balancing of another policy to use.
func (m *member) respread(f *config.File) {
	m.spread, m.balances = spreadOf(f, m.name)
	m.lookAgain(f)
	for _, v := range m.views {
		if v.balancer != nil {
			_ = v.balancer.Reconfigure(m.world.now, m.spread) // the reader has checked it
		}
	}
}

// view is what a member knows of a service's instances.
type view struct {
	of       *service
	balancer *balance.Balancer
}

// newBalancer returns a balancer of the service's instances, or nil if there is
// only one.
func (s *service) newBalancer(c balance.Config) *balance.Balancer {
	if len(s.instances) < 2 {
		return nil
	}
	b, err := balance.New(c, make([]balance.Peer, len(s.instances)))
	if err != nil {
		panic("sim: " + err.Error()) // the readers of files have checked it
	}
	return b
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
