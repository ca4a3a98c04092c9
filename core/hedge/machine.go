package hedge

import (
	"math"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/window"
)

const (
	// kept is how many copies may be saved up. At the default budget it is what
	// two hundred calls earn: enough for chance, and nothing to a dependency.
	kept = 10

	// memory is the power of two of the calls that the share of due ones is
	// taken over.
	memory = 6

	// whole is a share of 1: all calls are due.
	whole = 1 << 20

	// looks is how often in a Window the quantile is taken.
	looks = 60

	// soonest is the least time that a quantile can ask to wait.
	soonest = time.Millisecond

	// longestHold bounds what an answer may ask for.
	longestHold = time.Minute
)

// longAgo is an instant that every clock has passed.
const longAgo = core.Instant(math.MinInt64)

// machine is the hedge without its lock. It never reads a clock; now may
// repeat but, seen from here, never goes back, because Hedge clamps it.
type machine struct {
	cfg    Config // filled
	earns  int64  // of a copy, in thousandths, by a call
	tokens int64  // copies saved up, in thousandths
	due    int64  // the share of recent calls with a copy due; of whole
	slow   int64  // above it everything is slow; of whole

	recent *window.Recent // nil: the time is fixed
	after  time.Duration  // 0: not known yet
	fresh  int            // latencies recorded since the last look
	look   core.Instant   // when to take the quantile next

	until core.Instant // the dependency asks for quiet
	total totals
}

// totals are counted since the hedge was made.
type totals struct {
	calls, due, sent, won, refunded uint64
}

func newMachine(c Config) machine {
	m := machine{look: longAgo, until: longAgo}
	m.configure(c)
	return m
}

func (m *machine) configure(c Config) {
	old := m.cfg
	m.cfg = c.Filled()
	m.earns = int64(math.Round(m.cfg.Budget * 1000))
	m.slow = int64(math.Round(m.cfg.Slow * whole))
	if m.cfg.After > 0 {
		m.recent, m.after = nil, m.cfg.After
		return
	}
	if m.recent == nil || m.cfg.Window != old.Window {
		m.recent, m.after, m.fresh = window.NewRecent(m.cfg.Window), 0, 0
	}
	m.look = longAgo
}

// deposit counts a call and returns when its copy is due; 0: never.
func (m *machine) deposit(now core.Instant) time.Duration {
	m.total.calls++
	m.tokens = min(m.tokens+m.earns, kept*1000)
	if m.recent != nil && (now >= m.look || m.after == 0 && m.fresh >= m.cfg.Minimum) {
		m.measure(now)
	}
	return m.after
}

// measure takes the quantile.
func (m *machine) measure(now core.Instant) {
	m.look = now.Add(m.cfg.Window / looks)
	m.fresh, m.after = 0, 0
	q := m.recent.Snapshot(now)
	if q.Count < uint64(m.cfg.Minimum) {
		m.fresh = int(q.Count)
		return
	}
	if d, ok := q.Quantile(m.cfg.Quantile); ok {
		m.after = max(d, soonest)
	}
}

// withdraw says why a copy that is due may not be sent, if so. copies is how
// many the call has already.
func (m *machine) withdraw(now core.Instant, copies int) core.Reason {
	if copies == 0 {
		m.total.due++
		m.count(whole)
	}
	switch {
	case now < m.until:
		return core.Pushback
	case m.due > m.slow:
		return core.EverythingSlow
	case m.tokens < 1000:
		return core.BudgetExhausted
	}
	m.tokens -= 1000
	m.total.sent++
	return core.NoReason
}

// refund reports false if nothing was withdrawn.
func (m *machine) refund() bool {
	if m.total.sent == m.total.refunded {
		return false
	}
	m.total.refunded++
	m.tokens = min(m.tokens+1000, kept*1000)
	return true
}

// count moves the share of due calls by one call.
func (m *machine) count(x int64) { m.due += (x - m.due) >> memory }

// report learns from an attempt.
func (m *machine) report(now core.Instant, r core.Result, took time.Duration, copied bool) {
	if r.RetryAfter > 0 {
		m.until = max(m.until, now.Add(min(r.RetryAfter, longestHold)))
	}
	switch {
	case copied:
		if r.Outcome == core.Success {
			m.total.won++
		}
		return
	case r.Outcome == core.Success:
		if took < m.after {
			m.count(0)
		}
	case r.Outcome == core.Timeout:
	case r.Outcome == core.Cancelled && m.after > 0 && took >= m.after:
	default:
		return // a failure is no latency, and a caller that left early cut one short
	}
	if m.recent != nil {
		m.recent.Record(now, took)
		m.fresh++
	}
}
