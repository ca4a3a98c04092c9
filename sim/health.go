package sim

import (
	"time"
)

// health checks one instance, and restarts it when it looks unhealthy.
type health struct {
	i      *instance
	failed int // in a row
}

const (
	healthCheck = iota // what Fire is told
	healthBack
)

// Fire implements Actor.
func (h *health) Fire(what int, _ int64) {
	w, cfg := h.i.service.world, h.i.service.cfg.Health
	if what == healthBack {
		if h.i.away = false; !h.i.killed {
			h.i.comeBack(true)
		}
		return
	}
	w.At(w.now.Add(cfg.Interval), Due, h, healthCheck, 0)
	if h.i.down {
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
	h.failed, h.i.away = 0, true
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
			if len(i.members[st.member].fallback) == 0 && !st.to.anyHealthy(left) {
				return false
			}
		}
	}
	return true
}

// anyHealthy reports whether an instance of a dependency answers in time.
func (s *service) anyHealthy(within time.Duration) bool {
	left := within - mean(&s.routes[0].work)
	for k := range s.routes[0].features {
		left -= mean(&s.routes[0].features[k].cfg.Work)
	}
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
