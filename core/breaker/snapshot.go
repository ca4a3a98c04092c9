package breaker

import (
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/window"
)

// Snapshot is the state of a breaker at one moment.
type Snapshot struct {
	Key   string // of a breaker in a Keyed; else empty
	State State
	Mode  Mode
	Ready bool // open, but the open time has passed: the next call is a trial

	Era    uint64       // rises by one with each change
	Since  core.Instant // when the era began; the lowest Instant before any change
	Until  core.Instant // open: when trials may start; ramping: when all calls pass; else 0
	Streak int          // openings in a row that the open time has grown by

	Window   window.Counts // results counted in this era; no shares without calls
	InARow   int           // failures in a row
	InFlight int           // trials that have not reported
	Passed   int           // trials that went well
	Failed   int           // trials that did not, or were lost
	Ramp     float64       // share of calls let through: 1 when closed and not ramping, 0 when open

	Late       uint64        // reports from earlier eras, since the breaker was made
	RetryAfter time.Duration // as by Breaker.RetryAfter
	History    []Transition  // the last 32 changes, oldest first
}

// Snapshot reads the breaker. It changes nothing and takes no permit.
func (b *Breaker) Snapshot(now core.Instant) Snapshot {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.m.snapshot(max(now, b.last))
}

func (m *machine) snapshot(now core.Instant) Snapshot {
	s := Snapshot{
		State: m.state, Mode: m.mode, Ready: m.ready(now),
		Era: m.epoch, Since: m.since, Streak: m.pause.streak,
		Window: m.window.Counts(now), InARow: m.window.InARow(),
		InFlight: m.trials.inFlight(), Passed: m.trials.passed, Failed: m.trials.failed(),
		Late: m.late, RetryAfter: m.retryAfter(now),
	}
	switch m.state {
	case Open:
		if m.mode == Auto {
			s.Until = m.until
		}
	case Closed:
		s.Ramp = 1
		if !m.ramp.over(now) {
			s.Until = m.ramp.end
			s.Ramp = float64(m.ramp.share(now)) / whole
		}
	}
	s.History = append(s.History, m.history[m.oldest:]...)
	s.History = append(s.History, m.history[:m.oldest]...)
	return s
}

// ready reports whether an open breaker would let the next call try.
func (m *machine) ready(now core.Instant) bool {
	return m.state == Open && m.mode == Auto && now >= m.until
}

func (m *machine) retryAfter(now core.Instant) time.Duration {
	switch {
	case m.mode != Auto:
		return 0
	case m.state == Open:
		return max(m.until.Sub(now), 0)
	case m.state == HalfOpen:
		if m.trials.full() {
			return min(soon, m.cfg.Open.For)
		}
	case !m.ramp.over(now):
		return min(soon, m.ramp.end.Sub(now))
	}
	return 0
}
