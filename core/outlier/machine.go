package outlier

import (
	"math"
	"math/bits"
	"time"

	"github.com/seakeep/seakeep/core"
)

// Rule is what took an endpoint out.
type Rule uint8

const (
	// NoRule: none did.
	NoRule Rule = iota
	// ByErrors: too many errors in a row.
	ByErrors
	// ByGateway: too many errors in a row that are somebody else's.
	ByGateway
	// ByLocal: too many attempts in a row without an answer.
	ByLocal
	// ByFailureShare: too large a share of an interval's requests failed.
	ByFailureShare
	// BySuccessRate: fewer succeeded than the others' did.
	BySuccessRate
	// ByLatency: it was much slower than the others.
	ByLatency
)

// String returns the rule as metrics have it.
func (r Rule) String() string {
	names := [...]string{"none", "errors", "gateway-errors", "local-errors", "failure-share",
		"success-rate", "latency"}
	if int(r) < len(names) {
		return names[r]
	}
	return "invalid"
}

// longAgo is the next sweep of a machine that knows no time yet.
const longAgo = core.Instant(math.MinInt64)

// peer is what is known of one endpoint.
type peer struct {
	rule         Rule         // out: why
	since, until core.Instant // out: from when, and until when at least
	back         core.Instant // when it came back, or came to be
	times        int          // ejections that count for the next one's length
	settled      bool         // it has been in since the sweep before
	errors       int          // in a row
	gateway      int          // in a row
	local        int          // in a row
	good, bad    int          // in this interval
	took         *spread      // in this interval; nil: no rule asks
	last         Interval
	ejected      uint64 // since it is known
	spared       uint64 // since it is known
}

// machine is the detector without its lock. It never reads a clock; now may
// repeat but, seen from here, never goes back, because Detector clamps it.
// Bit i of each mask stands for endpoint i.
type machine struct {
	cfg   Config       // filled
	all   uint64       // those that exist
	apart uint64       // of them, those that something else has taken out
	out   uint64       // of them, those that are ejected
	peers []peer       // by endpoint
	swept core.Instant // when the interval began
	next  core.Instant // when it ends
	owed  float64      // of an ejection by FailureShare, while Enforce is below 1
}

func newMachine(c Config) machine {
	return machine{cfg: c.Filled(), next: longAgo}
}

// use makes these the endpoints that exist. Those that are new, or new again,
// begin as ones of which nothing is known; those that are gone are forgotten.
func (m *machine) use(now core.Instant, all uint64) {
	m.out &= all
	m.apart &= all
	if n := bits.Len64(all); n > len(m.peers) {
		m.peers = append(m.peers, make([]peer, n-len(m.peers))...)
	}
	for i := range m.peers {
		if all>>i&1 == 0 || m.all>>i&1 == 0 {
			m.peers[i] = peer{back: now}
		}
		m.equip(&m.peers[i], all>>i&1 != 0)
	}
	m.all = all
}

// equip gives a peer what the rules need to count.
func (m *machine) equip(p *peer, exists bool) {
	switch asked := exists && m.cfg.Latency.Factor != Off; {
	case !asked:
		p.took = nil
	case p.took == nil:
		p.took = new(spread)
	}
}

// report counts one attempt and returns the endpoints that went out or came
// back with it.
func (m *machine) report(now core.Instant, i int, took time.Duration, r core.Result) uint64 {
	var changed uint64
	if now >= m.next {
		changed = m.sweep(now)
	}
	bit := uint64(1) << i
	if m.all&bit == 0 || m.out&bit != 0 || r.Outcome.Neutral() || r.Cause == core.TooMany {
		return changed
	}
	p := &m.peers[i]
	if now.Add(-took) < p.back {
		return changed // it began before: it says nothing about what is there now
	}
	if p.took != nil && (r.Outcome == core.Success || r.Outcome == core.Timeout) {
		p.took.add(took) // a timeout took at least as long
	}
	if !r.Outcome.Failed() {
		p.good++
		p.errors, p.gateway, p.local = 0, 0, 0
		return changed
	}
	p.bad++
	if rule := m.inARow(p, r); rule != NoRule {
		p.errors, p.gateway, p.local = 0, 0, 0
		if m.eject(now, i, rule) {
			changed ^= bit
		}
	}
	return changed
}

// inARow counts a failure, and returns the rule that it is one too many for.
func (m *machine) inARow(p *peer, r core.Result) Rule {
	c := &m.cfg.Consecutive
	silent := r.Outcome == core.Timeout || r.Cause == core.Unsent || r.Cause == core.Reset ||
		r.Cause == core.TimedOut
	if silent && c.Local > 0 {
		p.local++
		if p.local >= c.Local {
			return ByLocal
		}
		return NoRule
	}
	p.local = 0
	p.errors++
	if silent || r.Cause == core.BadGateway || r.Cause == core.Unavailable {
		p.gateway++
	} else {
		p.gateway = 0
	}
	switch {
	case c.Gateway > 0 && p.gateway >= c.Gateway:
		return ByGateway
	case c.Errors > 0 && p.errors >= c.Errors:
		return ByErrors
	}
	return NoRule
}

// sweep ends the interval and returns the endpoints that changed.
func (m *machine) sweep(now core.Instant) uint64 {
	before := m.out
	whole := 1
	if m.next != longAgo {
		whole = int(min(now.Sub(m.swept)/m.cfg.Interval, 1<<20))
	}
	m.swept, m.next = now, now.Add(m.cfg.Interval)
	for rest := m.out; rest != 0; rest &= rest - 1 {
		if i := bits.TrailingZeros64(rest); now >= m.peers[i].until {
			m.out &^= 1 << i
			m.peers[i].rule, m.peers[i].back = NoRule, now
		}
	}
	m.judge(now, m.all&^before)
	for rest := m.all; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		p := &m.peers[i]
		in := m.out>>i&1 == 0
		if in && p.settled {
			p.times = max(0, p.times-whole)
		}
		p.settled = in
		p.good, p.bad = 0, 0
		if p.took != nil {
			*p.took = spread{}
		}
	}
	return before ^ m.out
}

// eject takes an endpoint out, if that leaves enough of them.
func (m *machine) eject(now core.Instant, i int, rule Rule) bool {
	p, bit := &m.peers[i], uint64(1)<<i
	if gone := m.out | m.apart; gone&bit == 0 && bits.OnesCount64(gone|bit) > m.allowed() {
		p.spared++
		return false
	}
	if rule == ByFailureShare {
		if m.owed += m.cfg.FailureShare.Enforce; m.owed < 1 {
			p.spared++
			return false
		}
		m.owed--
	}
	// One more than reaches the cap: what is beyond it would only make the way
	// back longer.
	p.times = min(p.times+1, int(m.cfg.Cap/m.cfg.Base)+1)
	p.rule, p.since, p.settled = rule, now, false
	p.until = now.Add(min(m.cfg.Base*time.Duration(p.times), m.cfg.Cap))
	p.ejected++
	m.out |= bit
	return true
}

// allowed is how many may be out.
func (m *machine) allowed() int {
	const hair = 1e-9 // 0.29 of 100 is not quite 29 in binary
	n := bits.OnesCount64(m.all)
	most := int(m.cfg.MaxOut.Share*float64(n) + hair)
	if m.cfg.MaxOut.AlwaysOne && n > 1 {
		most = max(most, 1)
	}
	return most
}

// restarted lets an endpoint come back at the next sweep.
func (m *machine) restarted(now core.Instant, i int) {
	if p := &m.peers[i]; m.out>>i&1 != 0 {
		p.until = min(p.until, now)
	}
}

// reconfigure changes the numbers. Who is out stays out for as long as it was
// told.
func (m *machine) reconfigure(c Config) {
	m.cfg = c.Filled()
	if m.next != longAgo {
		m.next = m.swept.Add(m.cfg.Interval)
	}
	for i := range m.peers {
		m.equip(&m.peers[i], m.all>>i&1 != 0)
	}
}
