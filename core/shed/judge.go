package shed

import (
	"math"
	"time"

	"github.com/seakeep/seakeep/core"
)

// advance judges the window if it is over by now. One in which hardly anything
// was served while others wait is given more time, or chance would decide.
func (m *machine) advance(now core.Instant) {
	if m.lever.shut && m.order.at(now) >= 1 {
		m.pull(now)
	}
	if !m.win.open {
		return
	}
	age := now.Sub(m.win.began)
	if age < m.cfg.Window {
		return
	}
	passed := int(min(age/m.cfg.Window, 2*stretch))
	if over, known := m.overloaded(); (over || !known) && m.win.served < few && passed < stretch {
		return
	}
	m.judge(now, passed)
}

// judge ends a window that took as long as so many, and draws the cuts anew.
func (m *machine) judge(now core.Instant, passed int) {
	m.remember(passed)
	if n := m.win.served + m.win.dropped; n > 0 {
		m.wait = time.Duration(m.win.waited / float64(n))
	}
	if m.win.latency > 0 || m.mute >= stretch {
		m.late = m.tardy()
	}
	m.mute = min(m.mute+passed, stretch)
	if passed > stretch {
		m.load, m.over, m.late, m.streak, m.stands = gate{}, false, false, 0, 0
	} else if over, known := m.overloaded(); known {
		if m.over != over {
			m.streak = 0
		}
		m.over = over
		m.streak++
		m.move()
	}
	m.win = window{open: true, began: now}
	m.pull(now)
}

// remember takes the window into what is known of the demand.
func (m *machine) remember(passed int) {
	left := 1.0
	for range passed {
		left *= keep
	}
	m.total = 0
	for l := range m.demand {
		d := left*m.demand[l] + float64(m.fresh[l])
		if d < dust {
			d = 0
		}
		m.demand[l] = d
		m.total += d
	}
	m.fresh = [levels]uint32{}
	m.win.came = 0
	m.served = left*m.served + float64(m.win.served)
}

// overloaded judges the window so far: by the scheduler, by the mean wait of
// those that left the queue, or because too many of them were dropped. These
// may have waited for nothing at all, if the queue had no place. A window in
// which others wait and nobody left says nothing.
func (m *machine) overloaded() (over, known bool) {
	n := float64(m.win.served + m.win.dropped)
	switch {
	case m.tardy() || m.win.waited > n*float64(m.cfg.Target) || float64(m.win.dropped) > slack*n:
		return true, true
	case m.late && m.win.latency == 0 && m.mute < stretch:
		return false, false // it may be late still: the next measurement tells
	}
	return false, n > 0 || m.slots.queued <= 0
}

// tardy reports whether the scheduler is late, by a measurement in this window.
func (m *machine) tardy() bool {
	return m.cfg.Scheduler > 0 && m.win.latency > m.cfg.Scheduler
}

// move draws the overload's cut after a judgement.
func (m *machine) move() {
	if !m.over {
		m.stands = 0
		m.grow()
		return
	}
	m.stands++
	if m.win.used < float64(m.win.saw) {
		m.stands = 0
	}
	switch {
	case m.tardy():
		// Nothing waits in our own queue, so that all that was let in was
		// served: the step is as large as the latency is too long, by half
		// at most.
		by := float64(m.cfg.Scheduler) / float64(m.win.latency)
		m.shrink(max(0.5, min(by, 1-m.cfg.Shrink)))
	case m.exceeds() || m.stands >= patience:
		// DAGOR aims a little below what was let in, and takes 46 windows to
		// come down from ten times the load. What was served is where that
		// ends, so that we aim a little below it at once.
		m.shrink(1 - m.cfg.Shrink)
	}
}

// shrink lets in a part of what was served, and one request at the least: if
// nothing were let in, nothing would show when that may end.
func (m *machine) shrink(part float64) { m.draw(&m.load, max(m.served*part, 1)) }

// exceeds reports whether clearly more comes than is served. Both counts vary
// by about their root; a window remembered counts two thirds of that.
func (m *machine) exceeds() bool {
	chance := 2 * math.Sqrt((m.total+m.served)*2/3)
	return m.total-m.served > slack*m.served+chance
}

// grow lets more in: by what the slots have left, where they are known, and by
// twice as large a step after each window in which nobody was seen to wait.
func (m *machine) grow() {
	if !m.load.shut {
		return
	}
	by := 1 + m.cfg.Grow
	if m.win.stood == 0 {
		by = 1 + m.cfg.Grow*float64(uint64(1)<<min(m.streak-1, 32))
	}
	if m.win.saw > 0 {
		by = max(by, float64(m.win.saw)/max(m.win.used, 1))
	}
	in := m.admitted(&m.load)
	m.draw(&m.load, max(in*min(by, fastest), in+1))
}
