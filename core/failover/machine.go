package failover

import (
	"math"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/window"
)

// State says where calls go.
type State uint8

const (
	// First: to the first provider.
	First State = iota
	// Second: to the second, because the first failed too many.
	Second
	// Returning: a growing share to the first, the others to the second.
	Returning
)

var stateNames = [...]string{"first", "second", "returning"}

// String returns the state's name in lower case.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return "invalid"
}

// longAgo is before every time that a clock tells.
const longAgo = core.Instant(math.MinInt64)

// machine is the failover without its lock. It never reads a clock; now may
// repeat but, seen from here, never goes back, because Failover clamps it.
type machine struct {
	cfg    Config // filled
	state  State
	epoch  uint32        // bumped with each state and step; reports of others are late
	calls  window.Window // First: of the first provider
	until  core.Instant  // Second: the end of the wait. Returning: of the step's time
	share  float64       // Returning: of calls that go to the first
	judged int           // Returning: calls of this step
	failed int           // ... that failed
	fails  int           // returns that failed since the first was left
	seq    uint64        // changes of state
	sent   [2]uint64     // calls to each provider
}

func newMachine(c Config) machine {
	m := machine{cfg: c.Filled()}
	m.count()
	return m
}

// count begins an empty window.
func (m *machine) count() { m.calls.Init(window.Config{Over: m.cfg.Window}) }

// admit says where a call goes. One that has to stay goes to the first.
func (m *machine) admit(now core.Instant, stays bool, draw float64) (p Permit, ch Change) {
	ch = m.advance(now)
	switch m.state {
	case Second:
		p.second = !stays
	case Returning:
		p.second = !stays && draw >= m.share
	}
	p.epoch = m.epoch
	if p.second {
		m.sent[1]++
	} else {
		m.sent[0]++
	}
	return p, ch
}

// advance does what only time does: it ends the wait, and a step that is good
// and has lasted long enough.
func (m *machine) advance(now core.Instant) (ch Change) {
	switch {
	case m.state == Second && now >= m.until:
		ch = m.enter(Returning, core.OpenElapsed)
		m.step(now, m.cfg.Back.Begin)
	case m.state == Returning && now >= m.until && m.judged >= m.cfg.Back.Calls:
		if m.share >= 0.5 { // twice that is everything
			ch = m.enter(First, core.TrialsPassed)
			m.fails = 0
			m.count()
		} else {
			m.epoch++
			m.step(now, 2*m.share)
		}
	}
	return ch
}

// step begins a step of the way back.
func (m *machine) step(now core.Instant, share float64) {
	m.share, m.judged, m.failed = share, 0, 0
	m.until = now.Add(m.cfg.Back.Step)
}

// enter changes the state.
func (m *machine) enter(s State, r core.Reason) Change {
	ch := Change{From: m.state, To: s, Reason: r}
	m.state = s
	m.epoch++
	m.seq++
	ch.Seq = m.seq
	return ch
}

// report counts how a call ended. One of the second provider says nothing at
// all, so that who leaves it out has the same.
func (m *machine) report(now core.Instant, p Permit, o core.Outcome) Change {
	if p.second {
		return Change{}
	}
	if p.epoch == m.epoch && !o.Neutral() {
		switch m.state {
		case First:
			return m.judge(now, o.Failed())
		case Returning:
			m.judged++
			if o.Failed() {
				m.failed++
			}
			// As soon as it cannot be good any more, and not only at its end.
			most := float64(m.cfg.Back.Share * float64(max(m.judged, m.cfg.Back.Calls)))
			if float64(m.failed) > most {
				m.fails++
				return m.leave(now, core.TrialFailed)
			}
		}
	}
	return m.advance(now)
}

// judge counts a call of the first provider while it is the one in use.
func (m *machine) judge(now core.Instant, failed bool) Change {
	m.calls.Record(now, failed, false)
	c := m.calls.Counts(now)
	share, _ := c.FailureShare()
	if failed && c.Calls >= uint64(m.cfg.Calls) && share >= m.cfg.Share {
		return m.leave(now, core.FailureRate)
	}
	return Change{}
}

// leave moves all calls to the second provider.
func (m *machine) leave(now core.Instant, r core.Reason) Change {
	m.until = now.Add(m.wait())
	return m.enter(Second, r)
}

// wait is how long calls stay away after that many failed returns.
func (m *machine) wait() time.Duration {
	return m.cfg.Back.After << min(m.fails, mostDoubled)
}

// reconfigure changes the numbers. Calls stay where they are: who changes a
// number during an outage does not want them back at the provider that is down.
// A wait or step under way ends by its old numbers.
func (m *machine) reconfigure(c Config) {
	old := m.cfg.Window
	m.cfg = c.Filled()
	if m.cfg.Window != old {
		m.count()
	}
}
