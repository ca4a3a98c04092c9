package study

import (
	"fmt"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/sim"
)

// host is a service of a tale.
type host struct {
	*tale
	cfg *config.Service
	res *sim.ServiceResult
}

func (h *host) at(k int) sim.Sample { return sampleAt(h.res.Samples, k) }

func (h *host) refused(k int) uint64 { return h.at(k).Refused - h.at(k-1).Refused }

// services tells which ran out of workers, which turned requests away, and
// which lost instances.
func (t *tale) services() {
	for i := range t.run.Services {
		r := &t.run.Services[i]
		h := &host{t, t.scenario.Service(r.Name), r}
		h.busy()
		h.turned()
		h.away()
	}
}

// jammed reports whether at the end of a slice all workers are busy and there
// is more to do than they can: somebody was refused, or a queue stands. That a
// single worker is busy says nothing.
func (h *host) jammed(k int) bool {
	s := h.at(k)
	return h.full(k) && (h.refused(k) > 0 || s.Queued >= max(h.res.Workers, 10))
}

func (h *host) full(k int) bool { return h.res.Workers > 0 && h.at(k).Busy == h.res.Workers }

func (h *host) busy() {
	text := fmt.Sprintf("%s: all %d workers busy", h.cfg.Name, h.res.Workers)
	if h.res.Workers == 1 {
		text = h.cfg.Name + ": its worker is busy and a queue grows"
	}
	told := 0
	for _, s := range spells(h.slices, pause, h.jammed) {
		if told == most {
			break
		}
		if s.to-s.from < pause && h.at(s.to-1).Refused == h.at(s.from-1).Refused {
			continue // a moment, from which nothing came
		}
		told++
		k := s.from
		for k > 0 && h.full(k-1) && h.at(k-1).Full >= 0 && h.res.Workers > 1 {
			k--
		}
		h.add(max(h.at(k).Full, h.start(k)), Full, h.cfg.Name, text)
	}
}

func (h *host) turned() {
	all := spells(h.slices, pause, func(k int) bool { return h.refused(k) > 0 })
	for n, s := range all {
		first, last := h.at(s.from-1), h.at(s.to-1)
		text := fmt.Sprintf("%s refuses: %s; turns away %s of what arrives%s", h.cfg.Name, h.room(s),
			percent(last.Refused-first.Refused, last.Arrived-first.Arrived), h.until(s.to))
		if n == most {
			text = fmt.Sprintf("%s refuses %d times more", h.cfg.Name, len(all)-most)
		}
		h.add(h.at(s.from).Turned, Turned, h.cfg.Name, text)
		if n == most {
			break
		}
	}
}

// until says when a stretch ends.
func (t *tale) until(to int) string {
	if to >= t.slices {
		return ", to the end"
	}
	return " until " + At(t.start(to), t.run.For)
}

// room says why there was none.
func (h *host) room(s spell) string {
	q, gate := &h.cfg.Queue, h.capacity(h.start(s.from))
	busy := h.res.Workers > 0
	for k := s.from; k < s.to && busy; k++ {
		busy = h.at(k).Full >= 0 || h.refused(k) == 0
	}
	if door := h.refusing(s); door != "" {
		return door
	}
	switch {
	case !busy && gate.Rate > 0 && gate.Over == config.Turn:
		return "above its capacity of " + PerSecond.Text(gate.Rate)
	case q.Rule == config.Refuse:
		return "no worker free"
	case q.Rule == config.CoDel && q.Length == 0:
		return fmt.Sprintf("who waited above %v for longer than %v", q.Target, q.Interval)
	}
	return fmt.Sprintf("queue of %d full", q.Length)
}

// capacity is the gate at a moment.
func (h *host) capacity(at time.Duration) config.Capacity {
	p := phaseOf(h.scenario, at+h.run.Slice, h.run.For)
	return p.capacity(h.cfg)
}

// away tells of instances that a health check has taken out.
func (h *host) away() {
	if h.cfg.Health == nil {
		return
	}
	for n, s := range spells(h.slices, pause, func(k int) bool { return h.at(k).Away > 0 }) {
		if n == most || h.underWay(h.cfg.Name, h.start(s.from), config.GoDown, config.Restart) {
			break
		}
		worst := 0
		for k := s.from; k < s.to; k++ {
			worst = max(worst, h.at(k).Away)
		}
		text := fmt.Sprintf("the health check restarts %s: up to %d of %d instances are away%s",
			h.cfg.Name, worst, h.cfg.Instances, h.until(s.to))
		h.add(max(h.at(s.from).Gone, h.start(s.from)), Away, h.cfg.Name, text)
	}
}

// queues tells where the wait is longer than anybody waits: what is served then
// is served for nobody.
func (h *host) queues(limit time.Duration) {
	width := h.run.Slice.Seconds()
	wait := func(k int) float64 {
		served := float64(h.at(k).Served-h.at(k-1).Served) / width
		if served == 0 {
			return 0
		}
		return float64(h.at(k).Queued) / served
	}
	late := func(k int) bool { return limit > 0 && wait(k) > limit.Seconds() }
	for n, s := range spells(h.slices, pause, late) {
		if n == most {
			break
		}
		longest := 0.0
		for k := s.from; k < s.to; k++ {
			longest = max(longest, wait(k))
		}
		h.add(h.after(h.start(s.from), h.run.Slice), Waiting, h.cfg.Name, fmt.Sprintf(
			"%s: its queue takes longer than the %s that callers wait, up to %s%s: what it serves is too late",
			h.cfg.Name, Seconds.Text(limit.Seconds()), Seconds.Text(longest), h.until(s.to)))
	}
}

// limits tells what is seen slice by slice only: queues that are too long, and
// attempts that run into their limit.
func (t *tale) limits() {
	for i := range t.run.Services {
		r := &t.run.Services[i]
		h := &host{t, t.scenario.Service(r.Name), r}
		h.queues(t.patience(r.Name))
	}
	for _, d := range t.log.of {
		t.timeouts(d)
		t.retries(d)
	}
}

// At writes a moment of a run, to the hundredth in a short one.
func At(at, length time.Duration) string {
	digits := 1
	if length <= 20*time.Second {
		digits = 2
	}
	return fmt.Sprintf("%.*f s", digits, at.Seconds())
}
