package budget

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

// slice is one tenth of the window.
type slice struct {
	calls   int64
	retries int64
}

// machine is the budget without its lock. It never reads a clock; now may
// repeat but, seen from here, never goes back, because Budget clamps it.
// Amounts named milli are thousandths.
type machine struct {
	kind       Kind
	ratioMilli int64
	floorMilli int64

	// Ratio: counts of the current slice and the nine before it, and their sum.
	width time.Duration
	end   core.Instant // of the current slice
	at    int          // index of the current slice
	ring  [slices]slice
	sum   slice

	// Tokens.
	tokensMilli int64
	maxMilli    int64

	// What is under way. Kept for every kind, so that a reload which changes
	// the kind finds the truth.
	active   int64 // calls
	retrying int64 // retries

	total totals
}

// totals are counted since the budget was made.
type totals struct {
	deposits, withdrawn, refunded, denied uint64
}

func newMachine(c Config) machine {
	m := machine{end: longAgo}
	m.configure(c)
	m.tokensMilli = m.maxMilli
	return m
}

func (m *machine) configure(c Config) {
	m.kind = c.Kind
	m.ratioMilli = milli(c.Ratio)
	m.floorMilli = c.floorMilli()
	m.maxMilli = milli(c.MaxTokens)
	m.width = c.window() / slices
}

func (m *machine) deposit(now core.Instant) {
	m.active++
	m.total.deposits++
	if m.kind == Ratio {
		m.advance(now)
		m.ring[m.at].calls++
		m.sum.calls++
	}
}

// withdraw reports whether a retry is granted.
func (m *machine) withdraw(now core.Instant) bool {
	if m.available(now) == 0 {
		m.total.denied++
		return false
	}
	m.retrying++
	m.total.withdrawn++
	if m.kind == Ratio {
		m.ring[m.at].retries++
		m.sum.retries++
	}
	return true
}

// refund takes a withdrawal back and reports false if there is none. The
// oldest one in the window goes: a younger one would be forgotten later, and
// taking that instead would free a retry too early.
func (m *machine) refund(now core.Instant) bool {
	if m.retrying == 0 {
		return false
	}
	m.retrying--
	m.total.refunded++
	if m.kind != Ratio {
		return true
	}
	m.advance(now)
	for i := 1; i <= slices; i++ {
		if s := &m.ring[(m.at+i)%slices]; s.retries > 0 {
			s.retries--
			m.sum.retries--
			break
		}
	}
	return true
}

// report reports false if a retry ends that was never withdrawn.
func (m *machine) report(o core.Outcome, wasRetry bool) bool {
	if wasRetry {
		if m.retrying == 0 {
			return false
		}
		m.retrying--
	}
	if m.kind == Tokens {
		switch {
		case o == core.Success:
			m.tokensMilli = min(m.tokensMilli+m.ratioMilli, m.maxMilli)
		case o.Failed():
			m.tokensMilli = max(m.tokensMilli-1000, 0)
		}
	}
	return true
}

// close reports false if no call is under way.
func (m *machine) close() bool {
	if m.active == 0 {
		return false
	}
	m.active--
	return true
}

// available returns how many retries would be granted now, one after another.
func (m *machine) available(now core.Instant) int64 {
	switch m.kind {
	case Tokens:
		// The number of failures that would close the budget: tokens stay
		// above half before each of them.
		return (max(2*m.tokensMilli-m.maxMilli, 0) + 1999) / 2000
	case Concurrent:
		limit := max(m.floorMilli, m.ratioMilli*m.active) / 1000
		return max(limit-m.retrying, 0)
	default:
		m.advance(now)
		earned := m.ratioMilli*m.sum.calls + m.floorMilli
		return max(earned/1000-m.sum.retries, 0)
	}
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
		m.ring, m.sum = [slices]slice{}, slice{}
		m.end = now.Add(m.width)
		return
	}
	for range steps {
		m.at = (m.at + 1) % slices
		old := &m.ring[m.at]
		m.sum.calls -= old.calls
		m.sum.retries -= old.retries
		*old = slice{}
	}
	m.end = m.end.Add(steps * m.width)
}

// reconfigure changes the numbers and keeps the level. Tokens are scaled, so
// that a budget half full stays half full. Calls and retries of the window are
// facts and stay as they are, judged by the new numbers; in a window of another
// length they keep their place. A new kind starts as a new budget does, except
// that it knows what is under way.
func (m *machine) reconfigure(now core.Instant, c Config) {
	if m.kind == Ratio {
		m.advance(now)
	}
	oldKind, oldMax, oldWidth := m.kind, m.maxMilli, m.width
	m.configure(c)
	switch {
	case m.kind != oldKind:
		m.tokensMilli = m.maxMilli
		m.ring, m.sum, m.end = [slices]slice{}, slice{}, longAgo
	case m.kind == Tokens:
		m.tokensMilli = m.tokensMilli * m.maxMilli / oldMax
	case m.width != oldWidth:
		m.end = now.Add(m.width)
	}
}
