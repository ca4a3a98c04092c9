package breaker

import (
	"slices"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/window"
)

// model is a second breaker, written to be obvious rather than fast: it keeps
// every result and every trial of its era in a list and counts them anew each
// time. It knows windows of calls and of failures in a row, and no jitter.
type model struct {
	cfg          Config // with nothing left to defaults
	state        State
	mode         Mode
	era          int
	since, until core.Instant
	results      []modelResult
	trials       []*modelTrial
	streak, late int
	span         time.Duration // the last open time
	everOpen     bool
}

type modelResult struct{ failed, slow bool }

type modelTrial struct {
	began   core.Instant
	ended   bool
	neutral bool
	lost    bool
	modelResult
}

type modelPermit struct {
	era    int // 0: refused
	trial  *modelTrial
	reason core.Reason
}

type modelChange struct {
	from, to State
	reason   core.Reason
}

func (m *model) change(now core.Instant, to State, why core.Reason) *modelChange {
	c := &modelChange{m.state, to, why}
	m.state, m.since = to, now
	m.era++
	m.results, m.trials = nil, nil
	return c
}

func (m *model) open(now, from core.Instant, why core.Reason) *modelChange {
	if m.state == Closed && (!m.everOpen || now.Sub(m.since) >= m.span) {
		m.streak = 0
	}
	m.everOpen = true
	m.span = m.cfg.Open.For
	for range m.streak {
		m.span = min(time.Duration(float64(m.span)*m.cfg.Open.Growth), m.cfg.Open.Cap)
	}
	m.streak++
	m.until = from.Add(m.span)
	return m.change(now, Open, why)
}

// count counts the trials of the era.
func (m *model) count(which func(*modelTrial) bool) (n int) {
	for _, t := range m.trials {
		if which(t) {
			n++
		}
	}
	return n
}

func isGiven(t *modelTrial) bool    { return !t.neutral }
func isInFlight(t *modelTrial) bool { return !t.ended }
func isCounted(t *modelTrial) bool  { return t.ended && !t.neutral }
func isBad(t *modelTrial) bool      { return t.lost || t.failed || t.slow }
func isPassed(t *modelTrial) bool   { return isCounted(t) && !isBad(t) }
func isFailed(t *modelTrial) bool   { return isCounted(t) && isBad(t) }

// decide looks whether the trials leave a doubt.
func (m *model) decide(now, at core.Instant, why core.Reason) *modelChange {
	n := float64(m.cfg.Trials.Calls)
	if float64(m.count(isPassed))/n >= m.cfg.Trials.Pass {
		return m.change(now, Closed, core.TrialsPassed)
	}
	if best := n - float64(m.count(isFailed)); best/n < m.cfg.Trials.Pass {
		return m.open(now, at, why)
	}
	return nil
}

func (m *model) admit(now core.Instant) (modelPermit, *modelChange) {
	var c *modelChange
	if m.mode == ForceOpen {
		return modelPermit{reason: core.ForcedOpen}, nil
	}
	if m.state == Open && now >= m.until {
		c = m.change(now, HalfOpen, core.OpenElapsed)
	}
	if m.state == HalfOpen {
		for _, t := range m.trials { // they began in this order
			due := t.began.Add(m.cfg.Trials.Wait)
			if t.ended || now < due {
				continue
			}
			t.ended, t.lost = true, true
			if c := m.decide(now, due, core.TrialLost); c != nil {
				return modelPermit{reason: core.CircuitOpen}, c
			}
		}
	}
	switch m.state {
	case Open:
		return modelPermit{reason: core.CircuitOpen}, c
	case HalfOpen:
		if m.count(isGiven) >= m.cfg.Trials.Calls || m.count(isInFlight) >= m.cfg.Trials.AtOnce {
			return modelPermit{reason: core.TrialsTaken}, c
		}
		t := &modelTrial{began: now}
		m.trials = append(m.trials, t)
		return modelPermit{era: m.era, trial: t}, c
	}
	return modelPermit{era: m.era}, c
}

func (m *model) report(now core.Instant, p modelPermit, o core.Outcome,
	took time.Duration) (*modelChange, bool) {
	if p.era == 0 {
		return nil, false
	}
	if p.era != m.era || p.trial != nil && p.trial.ended {
		m.late++
		return nil, true
	}
	r := modelResult{o.Failed(), m.cfg.Slow.Over > 0 && took >= m.cfg.Slow.Over}
	if t := p.trial; t != nil {
		t.ended, t.neutral, t.modelResult = true, o.Neutral(), r
		due := t.began.Add(m.cfg.Trials.Wait)
		if o.Neutral() {
			return nil, false
		}
		if now >= due {
			t.lost = true
			return m.decide(now, due, core.TrialLost), false
		}
		return m.decide(now, now, core.TrialFailed), false
	}
	if o.Neutral() {
		return nil, false
	}
	m.results = append(m.results, r)
	if m.mode == ForceClosed {
		return nil, false
	}
	return m.judge(now), false
}

func (m *model) row() (n int) {
	for _, r := range slices.Backward(m.results) {
		if !r.failed {
			break
		}
		n++
	}
	return n
}

func (m *model) counts() (c window.Counts) {
	if m.cfg.Window.Consecutive > 0 {
		c.Calls = uint64(m.row())
		c.Failed = c.Calls
		return c
	}
	for i, r := range slices.Backward(m.results) {
		if len(m.results)-i > m.cfg.Window.Calls {
			break
		}
		c.Calls++
		if r.failed {
			c.Failed++
		}
		if r.slow {
			c.Slow++
		}
		if r.failed && r.slow {
			c.SlowFailed++
		}
	}
	return c
}

func (m *model) judge(now core.Instant) *modelChange {
	if n := m.cfg.Window.Consecutive; n > 0 {
		if m.row() >= n {
			return m.open(now, now, core.Consecutive)
		}
		return nil
	}
	c := m.counts()
	if c.Calls < uint64(m.cfg.MinCalls) {
		return nil
	}
	if f, _ := c.FailureShare(); m.cfg.Failures > 0 && f >= m.cfg.Failures {
		return m.open(now, now, core.FailureRate)
	}
	if s, _ := c.SlowShare(); m.cfg.Slow.Share > 0 && s >= m.cfg.Slow.Share {
		return m.open(now, now, core.SlowRate)
	}
	return nil
}

func (m *model) force(now core.Instant, to Mode) *modelChange {
	was := m.mode
	m.mode = to
	switch {
	case was == to:
		return nil
	case to == ForceOpen:
		return m.change(now, Open, core.Operator)
	case to == Auto && was == ForceOpen:
		return m.change(now, HalfOpen, core.Operator)
	}
	return m.change(now, Closed, core.Operator)
}

func (m *model) reset(now core.Instant) *modelChange {
	m.mode, m.streak, m.span, m.everOpen = Auto, 0, 0, false
	return m.change(now, Closed, core.Operator)
}
