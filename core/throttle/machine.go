package throttle

import (
	"math"
	"time"

	"github.com/seakeep/seakeep/core"
)

// slices is how finely the window slides. Ten means that what is forgotten is
// forgotten a tenth of the window too early at worst.
const slices = 10

// longAgo is the end of a slice that no clock has reached yet: the first time
// that a machine is told then starts a fresh window.
const longAgo = core.Instant(math.MinInt64)

// count is of the requests of one class whose fate is known.
type count struct {
	requests int64 // those refused here included
	accepts  int64
}

// counts are those of every class, by Criticality.Index.
type counts [core.Criticalities]count

// machine is the throttle without its lock. It never reads a clock; now may
// repeat but, seen from here, never goes back, because Throttle clamps it.
type machine struct {
	cfg   Config // filled
	width time.Duration
	end   core.Instant // of the current slice
	at    int          // index of the current slice
	ring  [slices]counts
	sum   counts

	refused [core.Criticalities]uint64 // since the start
}

func newMachine(c Config) machine {
	m := machine{end: longAgo}
	m.configure(c)
	return m
}

func (m *machine) configure(c Config) {
	m.cfg = c.Filled()
	m.width = m.cfg.Window / slices
}

// check reports whether a request with this draw would be let through.
func (m *machine) check(now core.Instant, class int, draw float64) bool {
	m.advance(now)
	return draw >= m.refusal(class)
}

// admit is check, and counts what it refuses.
func (m *machine) admit(now core.Instant, class int, draw float64) bool {
	if m.check(now, class, draw) {
		return true
	}
	m.ring[m.at][class].requests++
	m.sum[class].requests++
	m.refused[class]++
	return false
}

// report counts a request that was sent.
func (m *machine) report(now core.Instant, class int, accepted bool) {
	m.advance(now)
	one := count{requests: 1}
	if accepted {
		one.accepts = 1
	}
	m.ring[m.at][class].add(one)
	m.sum[class].add(one)
}

func (c *count) add(d count) {
	c.requests += d.requests
	c.accepts += d.accepts
}

// refusal is the share of a class's requests that is refused. The product is
// rounded by itself, so that every processor gets the same bits.
func (m *machine) refusal(class int) float64 {
	c := m.sum[class]
	if c.requests < int64(m.cfg.Minimum) {
		return 0
	}
	n, worth := float64(c.requests), float64(m.cfg.K*float64(c.accepts))
	return min(m.cfg.Cap, max(0, (n-worth)/(n+1)))
}

// advance makes the slice that contains now the current one.
func (m *machine) advance(now core.Instant) {
	if now >= m.end {
		m.turn(now)
	}
}

func (m *machine) turn(now core.Instant) {
	steps := now.Sub(m.end)/m.width + 1
	if steps >= slices {
		m.ring, m.sum = [slices]counts{}, counts{}
		m.end = now.Add(m.width)
		return
	}
	for range steps {
		m.at = (m.at + 1) % slices
		for class, old := range m.ring[m.at] {
			m.sum[class].add(count{-old.requests, -old.accepts})
		}
		m.ring[m.at] = counts{}
	}
	m.end = m.end.Add(steps * m.width)
}

// reconfigure changes the numbers. What was counted are facts and stays as it
// is, judged by the new numbers; in a window of another length it keeps its
// place.
func (m *machine) reconfigure(now core.Instant, c Config) {
	m.advance(now)
	old := m.width
	m.configure(c)
	if m.width != old {
		m.end = now.Add(m.width)
	}
}
