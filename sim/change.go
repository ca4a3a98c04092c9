package sim

import (
	"time"

	"github.com/seakeep/seakeep/config"
)

// do carries a change out, and notes how to undo it.
func (e *effect) do() {
	c, w := e.change, e.world
	if cl := w.client(c.Of); cl != nil && c.Kind == config.SetRate {
		old := cl.rate
		cl.rate = c.Rate
		cl.schedule()
		e.undo = append(e.undo, func() {
			cl.rate = old
			cl.schedule()
		})
		return
	}
	s := w.service(c.Of)
	switch c.Kind {
	case config.SetWork, config.SetFails:
		e.routes(s)
	case config.SetCapacity:
		old := s.gate.Capacity
		s.gate.Capacity = c.Capacity
		e.undo = append(e.undo, func() { s.gate.Capacity = old })
	case config.CutNetwork:
		s.cut, s.buffered = true, c.Buffered
		e.undo = append(e.undo, s.mend)
	case config.SetPolicy:
		w.setPolicy(s, c.Policy)
	default:
		e.instances(s)
	}
}

// routes changes what the service's routes do.
func (e *effect) routes(s *service) {
	c := e.change
	for _, r := range s.routes {
		if c.Route != "" && c.Route != r.cfg.Name {
			continue
		}
		work, fails := r.work, r.fails
		if c.Kind == config.SetWork {
			r.work = c.Work
		} else {
			r.fails = c.Share
		}
		e.undo = append(e.undo, func() { r.work, r.fails = work, fails })
	}
}

// instances stops, silences or restarts instances.
func (e *effect) instances(s *service) {
	for _, i := range s.instances {
		if !e.concerns(i) {
			continue
		}
		switch e.change.Kind {
		case config.GoSilent:
			i.silent = true
			e.undo = append(e.undo, func() { i.silent = false })
		case config.GoDown, config.Restart:
			i.stop()
			e.undo = append(e.undo, func() { i.comeBack(e.change.Kind == config.Restart) })
		}
	}
}

func (e *effect) concerns(i *instance) bool {
	for _, n := range e.change.Instances {
		if n == i.index {
			return true
		}
	}
	return len(e.change.Instances) == 0
}

// comeBack starts an instance again.
func (i *instance) comeBack(cold bool) {
	i.down = false
	if cold {
		i.cold, i.missed = true, 0
	}
}

// health checks one instance, and restarts it when it looks unhealthy.
type health struct {
	i      *instance
	failed int // in a row
	away   bool
}

const (
	healthCheck = iota // what Fire is told
	healthBack
)

// Fire implements Actor.
func (h *health) Fire(what int, _ int64) {
	w, cfg := h.i.service.world, h.i.service.cfg.Health
	if what == healthBack {
		h.away = false
		h.i.comeBack(true)
		return
	}
	w.At(w.now.Add(cfg.Interval), Due, h, healthCheck, 0)
	if h.away || h.i.down {
		return
	}
	h.ask()
}

// ask judges the instance: it must have a worker to spare within the timeout,
// and, if the check is deep, so must everything that it depends on.
func (h *health) ask() {
	cfg := h.i.service.cfg.Health
	if h.i.healthy(cfg.Deep, cfg.Timeout) {
		h.failed = 0
		return
	}
	if h.failed++; h.failed < cfg.Failures {
		return
	}
	h.failed, h.away = 0, true
	h.i.stop()
	w := h.i.service.world
	w.At(w.now.Add(cfg.Restart), Changes, h, healthBack, 0)
}

// healthy estimates whether a probe would be answered in time: after the wait
// that the queue promises, and the mean work of the service; a deep check also
// asks whatever the service depends on.
func (i *instance) healthy(deep bool, within time.Duration) bool {
	left := within - i.expectedWait()
	if i.silent || i.down || left <= 0 {
		return false
	}
	if !deep {
		return true
	}
	for _, r := range i.service.routes {
		for _, st := range r.steps {
			if !st.to.anyHealthy(left) {
				return false
			}
		}
	}
	return true
}

// anyHealthy reports whether an instance of a dependency answers in time.
func (s *service) anyHealthy(within time.Duration) bool {
	left := within - mean(&s.routes[0].work)
	for _, i := range s.instances {
		if left > 0 && i.healthy(true, left) {
			return true
		}
	}
	return false
}

// expectedWait is how long the requests ahead will keep the workers busy, if
// they take as long as those before them did.
func (i *instance) expectedWait() time.Duration {
	n := i.service.cfg.Workers
	if n == 0 || i.busy < n {
		return 0
	}
	return i.hold * time.Duration(i.queue.len()+1) / time.Duration(n)
}
