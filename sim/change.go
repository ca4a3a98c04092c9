package sim

import (
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
)

// effect is a change of the scenario on its way.
type effect struct {
	world  *World
	change *config.Change
}

const (
	effectDo = iota // what Fire is told
	effectUndo
)

func (w *World) plan(c *config.Change) {
	e := &effect{world: w, change: c}
	w.At(core.Instant(c.At), Changes, e, effectDo, 0)
	if c.Length > 0 {
		w.At(core.Instant(c.At).Add(c.Length), Changes, e, effectUndo, 0)
	}
}

// Fire implements Actor. What holds is worked out anew from the scenario and
// the changes in force, so that changes may lie within each other: of two that
// concern the same thing the one that began last counts.
func (e *effect) Fire(what int, _ int64) {
	w := e.world
	if what == effectDo {
		w.inForce = append(w.inForce, e.change)
	} else {
		for i, c := range w.inForce {
			if c == e.change {
				w.inForce = append(w.inForce[:i], w.inForce[i+1:]...)
				break
			}
		}
	}
	if c := w.client(e.change.Of); c != nil {
		c.settle()
		return
	}
	w.service(e.change.Of).settle(what == effectUndo && e.change.Kind == config.Restart)
}

// settle gives a client the rate that holds now.
func (c *client) settle() {
	rate := c.cfg.Rate
	for _, ch := range c.world.inForce {
		if ch.Of == c.cfg.Name && ch.Kind == config.SetRate {
			rate = ch.Rate
		}
	}
	if rate != c.rate {
		c.rate = rate
		c.schedule()
	}
}

// settle gives a service what holds now. Instances that come back after a
// restart are cold.
func (s *service) settle(restarted bool) {
	s.gate.Capacity = s.cfg.Capacity
	for _, r := range s.routes {
		r.work, r.fails = r.cfg.Work, r.cfg.Fails
	}
	policy, cut, buffered := s.cfg.Policy, false, false
	var admits *config.Change
	for _, c := range s.world.inForce {
		if c.Of != s.cfg.Name {
			continue
		}
		switch c.Kind {
		case config.SetWork, config.SetFails:
			s.setRoutes(c)
		case config.SetAdmission:
			admits = c
		case config.SetCapacity:
			s.gate.Capacity = c.Capacity
		case config.CutNetwork:
			cut, buffered = true, c.Buffered
		case config.SetPolicy:
			policy = c.Policy
		}
	}
	if policy != s.policy {
		s.policy = policy
		s.world.setPolicy(s, policy)
	}
	s.admit(admits)
	mended := s.cut && !cut
	s.cut, s.buffered = cut, buffered
	if mended {
		s.mend()
	}
	for _, i := range s.instances {
		i.settle(restarted)
	}
}

// admit gives an operator's order to the doors, if it is another than before.
func (s *service) admit(c *config.Change) {
	if c == s.admits {
		return
	}
	s.admits = c
	share, ramp := 1.0, time.Duration(0)
	if c != nil {
		share, ramp = c.Share, c.Ramp
	}
	for _, i := range s.instances {
		if i.door != nil {
			i.door.Reduce(s.world.now, share, ramp)
		}
	}
}

// setRoutes changes what the service's routes do.
func (s *service) setRoutes(c *config.Change) {
	for _, r := range s.routes {
		switch {
		case c.Route != "" && c.Route != r.cfg.Name:
		case c.Kind == config.SetWork:
			r.work = c.Work
		default:
			r.fails = c.Share
		}
	}
}

// settle stops, silences or starts an instance as holds now.
func (i *instance) settle(restarted bool) {
	killed, silent := false, false
	for _, c := range i.service.world.inForce {
		if c.Of != i.service.cfg.Name || !concerns(c, i) {
			continue
		}
		switch c.Kind {
		case config.GoDown, config.Restart:
			killed = true
		case config.GoSilent:
			silent = true
		}
	}
	i.silent = silent
	was := i.killed
	i.killed = killed
	switch {
	case killed && !was && !i.away:
		i.stop()
	case was && !killed && !i.away:
		i.comeBack(restarted)
	}
}

func concerns(c *config.Change, i *instance) bool {
	for _, n := range c.Instances {
		if n == i.index {
			return true
		}
	}
	return len(c.Instances) == 0
}

// comeBack starts an instance again.
func (i *instance) comeBack(cold bool) {
	i.down = false
	if cold {
		i.cold, i.missed = true, 0
		_ = i.service.world.newDoor(i, nil, i.service.policy) // valid: it was made before
	}
}
