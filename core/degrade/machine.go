package degrade

import (
	"math"
	"time"

	"github.com/seakeep/seakeep/core"
)

// machine is the degrader without its lock. It never reads a clock; now may
// repeat but, seen from here, never goes back, because Degrader clamps it.
//
// Time passes lazily: whoever asks next has advance work out what has come back
// since. Nothing goes in silence, because a pressure must be told to take a
// feature away.
type machine struct {
	on, off    float64
	step, back time.Duration
	most       int // how many features there are

	level    int
	floor    int // the level is not below it, unless it is forced
	forced   bool
	pressure float64      // as last told; 0 once it is too long ago
	told     core.Instant // when that was
	calm     core.Instant // since when the pressure has been low; Never: it is not
	dropped  core.Instant // when a feature last went
}

func newMachine(c Config) machine {
	return machine{on: c.On, off: c.Off, step: c.Step, back: c.Back, most: len(c.Features),
		calm: math.MinInt64, told: math.MinInt64, dropped: math.MinInt64}
}

func (m *machine) report(now core.Instant, pressure float64) {
	if math.IsNaN(pressure) {
		return
	}
	m.advance(now)
	m.pressure, m.told = pressure, now
	switch {
	case pressure > m.off:
		m.calm = core.Never
	case m.calm == core.Never:
		m.calm = now
	}
	if pressure >= m.on && !m.forced && m.level < m.most && now >= m.dropped.Add(m.step) {
		m.level++
		m.dropped = now
	}
}

// advance lets time pass until now: a pressure that was told too long ago is
// forgotten, and each Back of calm brings one feature back.
func (m *machine) advance(now core.Instant) {
	if m.calm == core.Never {
		quiet := m.told.Add(m.back)
		if now < quiet {
			return
		}
		m.calm, m.pressure = quiet, 0
	}
	if m.forced {
		return
	}
	for m.level > 0 && now >= m.calm.Add(m.back) {
		m.level--
		m.calm = m.calm.Add(m.back)
	}
}

func (m *machine) levelAt(now core.Instant) int {
	m.advance(now)
	if m.forced {
		return m.level
	}
	return max(m.level, m.floor)
}

func (m *machine) force(now core.Instant, level int) {
	m.advance(now)
	m.level, m.forced = level, true
}

// auto starts the pace anew: neither a pressure nor a calm of the time by hand
// moves the level at once.
func (m *machine) auto(now core.Instant) {
	m.advance(now)
	if !m.forced {
		return
	}
	m.forced, m.dropped = false, now
	if m.calm != core.Never {
		m.calm = now
	}
}
