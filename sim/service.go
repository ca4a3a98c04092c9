package sim

import (
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/balance"
	"github.com/seakeep/seakeep/core/serve"
)

// service is one node of the call graph.
type service struct {
	world     *World
	cfg       *config.Service
	instances []*instance
	routes    []*route
	balancer  *balance.Balancer // nil: one instance
	gate      gate
	work      *Stream        // service times
	luck      *Stream        // failures and cache hits
	roads     *Stream        // network
	hasRoad   bool           // the network has a delay or a loss
	policy    *config.File   // in use
	cut       bool           // the network to it is down
	buffered  bool           // ... and holds back what is on the way
	held      []*job         // ... here
	admits    *config.Change // an operator\'s order to the doors; nil: none
	count     counts
	full      moment // when all workers were busy
	turned    moment // when one was refused
	gone      moment // when an instance went down
}

// route is one thing that the service can be asked.
type route struct {
	cfg   *config.Route
	work  config.Latency
	fails float64
	steps []step

	features []feature
}

type step struct {
	cfg    *config.Step
	member int // of the instance's members
	to     *service
	route  *route
}

// instance is one running copy of a service.
type instance struct {
	service *service
	index   int
	members []*member // its users of policies, by dependency
	busy    int
	hold    time.Duration // how long workers are busy with a request, smoothed
	queue   queue
	down    bool // because it was killed, or is away
	killed  bool // by the scenario
	away    bool // restarting, because it looked unhealthy
	silent  bool
	hanging []*job
	active  *job // every request that is here, linked
	missed  int  // cache misses since it was cold
	cold    bool
	codel   codel
	slots   slots       // workers that are taken, if anybody wants to know which
	door    *serve.Door // nil: everything is taken in
	outside int         // requests that wait at it
}

// full reports whether every worker is busy.
func (i *instance) full() bool {
	n := i.service.cfg.Workers
	return n > 0 && i.busy >= n
}

// admit gives a request a worker, a place in the queue, or a refusal.
func (i *instance) admit(j *job) {
	if !i.full() {
		j.start()
		return
	}
	q := &i.service.cfg.Queue
	if q.Rule == config.Refuse || q.Length > 0 && i.queue.len() >= q.Length {
		j.refuse()
		return
	}
	j.stage = queued
	i.queue.pushBack(j)
	i.service.queueAt(i.service.world.now, +1)
}

// pull gives free workers to whoever is next.
func (i *instance) pull() {
	for !i.full() && i.queue.len() > 0 && !i.down {
		j := i.nextInLine()
		if j == nil {
			return
		}
		if j.wanting { // a call of it goes on
			j.wanting = false
			j.takeWorker()
			j.goOn()
			continue
		}
		j.start()
	}
}

// nextInLine takes the next request out of the queue, and drops those that the
// rule will not serve.
func (i *instance) nextInLine() *job {
	s := i.service
	now := s.world.now
	for i.queue.len() > 0 {
		var j *job
		if s.cfg.Queue.Rule == config.LIFO {
			j = i.queue.popBack()
		} else {
			j = i.queue.popFront()
		}
		s.queueAt(now, -1)
		if j.wanting {
			return j
		}
		if s.cfg.Queue.DropExpired && (j.caller == nil || now >= j.deadline) {
			s.count.expired++
			j.leave(core.Result{Outcome: core.Timeout, Cause: core.TimedOut})
			continue
		}
		if s.cfg.Queue.Rule == config.CoDel && i.codel.drop(&s.cfg.Queue, now, j.arrived, i.queue.len()) {
			j.refuse()
			continue
		}
		return j
	}
	return nil
}

// unhang forgets a request that hangs.
func (i *instance) unhang(j *job) {
	last := len(i.hanging) - 1
	i.hanging[j.index] = i.hanging[last]
	i.hanging[j.index].index = j.index
	i.hanging = i.hanging[:last]
}

// cacheHit draws whether a read-through cache has the answer.
func (i *instance) cacheHit(s *Stream) bool {
	c := i.service.cfg.Cache
	share := c.Hits
	if i.cold && c.Fill > 0 { // the chance that what is asked for was asked before
		share *= 1 - expNeg(float64(i.missed)/float64(c.Fill))
	}
	if s.Float64() < share {
		return true
	}
	i.missed++
	return false
}

// stop ends everything that an instance was doing.
func (i *instance) stop() {
	i.down = true
	i.service.gone.note(i.service.world.now)
	for i.active != nil {
		i.active.crash()
	}
}

// gateBurst is how much of a gate's second may pass at once after a pause. A
// tenth lets the clumps of a Poisson stream below the capacity through, and
// does not make a broken dependency look well for a second.
const gateBurst = 0.1

// gate lets so many calls a second pass.
type gate struct {
	config.Capacity
	level float64
	last  core.Instant
}

func (g *gate) pass(now core.Instant) bool {
	if g.Rate == 0 {
		return true
	}
	g.level = min(max(1, g.Rate*gateBurst), g.level+g.Rate*float64(now.Sub(g.last))/1e9)
	g.last = now
	if g.level < 1 {
		return false
	}
	g.level--
	return true
}
