package breaker

import (
	"math"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/window"
)

const historyLen = 32

// machine is the breaker without its lock. It never reads a clock; now may
// repeat but, seen from here, never goes back, because Breaker clamps it.
type machine struct {
	cfg    Config // with its defaults filled in
	state  State
	mode   Mode
	epoch  uint64       // the era; bumped on every change, never 0
	since  core.Instant // when the era began
	until  core.Instant // Open: when trials may start
	window window.Window
	trials trials
	ramp   ramp
	pause  pause
	late   uint64

	// history is a ring of the last changes; its memory is taken at the first
	// change, so that a breaker that never opens stays small.
	history []Transition
	oldest  int
}

func (m *machine) init(c Config, seed uint64) {
	c = c.filled()
	*m = machine{cfg: c, epoch: 1, since: math.MinInt64}
	m.window.Init(c.Window)
	m.trials.init(c.Trials)
	m.pause = pause{Pause: c.Open, random: seed}
}

// admit decides whether a call may start at now.
func (m *machine) admit(now core.Instant) (p Permit, ch Change) {
	switch {
	case m.mode == ForceOpen:
		return Permit{reason: core.ForcedOpen}, ch
	case m.state == Open:
		if now < m.until {
			return Permit{reason: core.CircuitOpen}, ch
		}
		ch = m.enter(now, HalfOpen, core.OpenElapsed)
	case m.state == HalfOpen:
		if at, gone := m.trials.expire(now); gone {
			if ch = m.verdict(now, at, core.TrialLost); ch.Happened() {
				return Permit{reason: core.CircuitOpen}, ch
			}
		}
	}
	if m.state == HalfOpen {
		return m.trials.start(now, m.epoch), ch
	}
	if !m.ramp.admit(now) {
		return Permit{reason: core.Ramping}, ch
	}
	return Permit{epoch: m.epoch}, ch
}

// report takes in how an admitted call ended.
func (m *machine) report(now core.Instant, p Permit, o core.Outcome, took time.Duration) Change {
	if p.epoch != m.epoch {
		m.late++
		return Change{Late: true}
	}
	failed := o.Failed()
	slow := m.cfg.Slow.Over > 0 && took >= m.cfg.Slow.Over
	if m.state != HalfOpen {
		if o.Neutral() {
			return Change{}
		}
		m.window.Record(now, failed, slow)
		return m.judge(now)
	}
	at, held := m.trials.release(p)
	if !held {
		m.late++
		return Change{Late: true}
	}
	if o.Neutral() {
		m.trials.admitted--
		return Change{}
	}
	if due := at.Add(m.cfg.Trials.Wait); now >= due {
		m.trials.lose()
		return m.verdict(now, due, core.TrialLost)
	}
	m.trials.count(failed, slow)
	return m.verdict(now, now, core.TrialFailed)
}

// judge opens a closed breaker if its window says so.
func (m *machine) judge(now core.Instant) Change {
	if m.mode != Auto {
		return Change{}
	}
	if n := m.cfg.Window.Consecutive; n > 0 {
		if m.window.InARow() < n {
			return Change{}
		}
		return m.trip(now, now, core.Consecutive)
	}
	c := m.window.Counts(now)
	if c.Calls < uint64(m.cfg.MinCalls) {
		return Change{}
	}
	if reached(c.Failed, c.Calls, m.cfg.Failures) {
		return m.trip(now, now, core.FailureRate)
	}
	if reached(c.Slow, c.Calls, m.cfg.Slow.Share) {
		return m.trip(now, now, core.SlowRate)
	}
	return Change{}
}

// reached reports whether some of all is at least share. It divides rather
// than multiply the share, because only the quotient is rounded as the share
// was: 3 of 10 must reach 0.3. A share of zero is a rule that is off.
func reached(some, all uint64, share float64) bool {
	return some > 0 && share > 0 && float64(some)/float64(all) >= share
}

// verdict ends the half-open period as soon as its trials leave no doubt. why
// is the reason if they fail, and at is when the last one did.
func (m *machine) verdict(now, at core.Instant, why core.Reason) Change {
	switch {
	case m.trials.passed >= m.trials.need:
		return m.enter(now, Closed, core.TrialsPassed)
	case m.trials.failed() > m.cfg.Trials.Calls-m.trials.need:
		return m.trip(now, at, why)
	}
	return Change{}
}

// trip opens the breaker. The open time runs from at, which is earlier than
// now when a lost trial was noticed late.
func (m *machine) trip(now, at core.Instant, why core.Reason) Change {
	if m.state == Closed && now.Sub(m.since) >= m.memory() {
		m.pause.streak = 0
	}
	m.until = min(at.Add(m.pause.next()), core.Never-1)
	return m.enter(now, Open, why)
}

// memory is how long the breaker must have been closed for the earlier
// openings to be forgotten.
func (m *machine) memory() time.Duration { return max(m.cfg.Ramp, m.pause.last) }

// enter begins a new era.
func (m *machine) enter(now core.Instant, to State, why core.Reason) Change {
	from := m.state
	t := Transition{At: now, From: from, To: to, Reason: why, Counts: m.window.Counts(now)}
	if from == HalfOpen {
		t.Counts = m.trials.counts
	}
	m.remember(t)
	m.state = to
	m.since = now
	m.epoch++
	if m.epoch == 0 { // 0 is the era of a refused permit
		m.epoch = 1
	}
	m.window.Reset(now)
	m.trials.clear()
	m.ramp = ramp{}
	if why == core.TrialsPassed {
		m.ramp = newRamp(now, m.cfg.Ramp)
	}
	return Change{edge: edge{from, to}, Reason: why, Seq: m.epoch}
}

// force puts the breaker into a mode. The same mode again changes nothing.
func (m *machine) force(now core.Instant, to Mode) Change {
	was := m.mode
	if to == was {
		return Change{}
	}
	m.mode = to
	switch {
	case to == ForceOpen:
		return m.enter(now, Open, core.Operator)
	case to == ForceClosed:
		return m.enter(now, Closed, core.Operator)
	case was == ForceOpen: // nobody knows how the dependency is: try it first
		return m.enter(now, HalfOpen, core.Operator)
	}
	return m.enter(now, Closed, core.Operator)
}

// reset makes the breaker as new, but for its history.
func (m *machine) reset(now core.Instant) Change {
	m.mode = Auto
	m.pause.streak, m.pause.last = 0, 0
	return m.enter(now, Closed, core.Operator)
}

// remember adds t to the history in place of the oldest.
func (m *machine) remember(t Transition) {
	if m.history == nil {
		m.history = make([]Transition, 0, historyLen)
	}
	if len(m.history) < historyLen {
		m.history = append(m.history, t)
		return
	}
	m.history[m.oldest] = t
	m.oldest = (m.oldest + 1) % historyLen
}

// free reports whether every call passes without a look at the machine.
func (m *machine) free(now core.Instant) bool {
	return m.state == Closed && m.ramp.over(now)
}

// idle reports whether the machine knows nothing that is worth keeping.
func (m *machine) idle(now core.Instant) bool {
	if m.state != Closed || m.mode != Auto {
		return false
	}
	return m.pause.streak == 0 || now.Sub(m.since) >= m.memory()
}
