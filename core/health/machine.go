package health

import (
	"math"
	"math/bits"
	"time"

	"github.com/seakeep/seakeep/core"
)

// Verdict is what is known of an endpoint.
type Verdict uint8

const (
	// Unknown: too few checks were made.
	Unknown Verdict = iota
	// Healthy: enough in a row have passed.
	Healthy
	// Unhealthy: enough in a row have failed.
	Unhealthy
)

// String returns the verdict in lower case.
func (v Verdict) String() string {
	names := [...]string{"unknown", "healthy", "unhealthy"}
	if int(v) < len(names) {
		return names[v]
	}
	return "invalid"
}

// longAgo is the time of a machine that knows none.
const longAgo = core.Instant(math.MinInt64)

// peer is what is known of one endpoint.
type peer struct {
	verdict Verdict
	passes  bool         // how the last check went
	inARow  int          // checks that went so
	started core.Instant // the last check
	due     core.Instant // the next one, unless one is under way
	turned  uint64       // the number of the change that made it unhealthy
	checks  uint64
	failed  uint64
}

// machine is the monitor without its lock. It never reads a clock; now may
// repeat but, seen from here, never goes back, because Monitor clamps it. Bit i
// of each mask stands for endpoint i.
type machine struct {
	cfg     Config // filled
	all     uint64 // those that exist
	running uint64 // of them, those that a check is under way at
	sick    uint64 // of them, those that are unhealthy
	out     uint64 // of those, the ones that are out
	peers   []peer
	turns   uint64 // changes to unhealthy so far
	draws   uint64 // so far
}

func newMachine(c Config) machine { return machine{cfg: c.Filled()} }

// use makes these the endpoints that exist. Those that are new, or new again,
// are checked at once; those that are gone are forgotten.
func (m *machine) use(now core.Instant, all uint64) {
	if n := bits.Len64(all); n > len(m.peers) {
		m.peers = append(m.peers, make([]peer, n-len(m.peers))...)
	}
	for fresh := all &^ m.all; fresh != 0; fresh &= fresh - 1 {
		i := bits.TrailingZeros64(fresh)
		m.peers[i] = peer{due: now, started: longAgo}
		if m.cfg.Jitter > 0 {
			most := float64(m.cfg.Every.Edge) * m.cfg.Jitter
			m.peers[i].due = now.Add(time.Duration(most * m.draw()))
		}
	}
	m.all = all
	m.running &= all
	m.sick &= all
	m.choose()
}

// sweep returns the endpoints to be checked now, and when to ask again.
func (m *machine) sweep(now core.Instant) (start uint64, next core.Instant) {
	next = core.Never
	for rest := m.all &^ m.running; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		p := &m.peers[i]
		if now < p.due {
			next = min(next, p.due)
			continue
		}
		p.started = now
		start |= 1 << i
	}
	m.running |= start
	return start, next
}

// report takes the result of a check, and returns the endpoints that went out
// or came back with it. One that nobody waits for changes nothing.
func (m *machine) report(now core.Instant, i int, passed bool) uint64 {
	bit := uint64(1) << i
	if m.running&bit == 0 {
		return 0
	}
	m.running &^= bit
	p := &m.peers[i]
	p.checks++
	if !passed {
		p.failed++
	}
	if p.passes != passed {
		p.passes, p.inARow = passed, 0
	}
	p.inARow = min(p.inARow+1, mostRow)
	m.settle(i, p)
	p.due = max(now, p.started.Add(m.interval(p)))
	before := m.out
	m.choose()
	return before ^ m.out
}

// settle changes the verdict if enough checks in a row say so.
func (m *machine) settle(i int, p *peer) {
	switch {
	case p.passes && p.verdict != Healthy && p.inARow >= m.cfg.Healthy:
		p.verdict = Healthy
		m.sick &^= 1 << i
	case !p.passes && p.verdict != Unhealthy && p.inARow >= m.cfg.Unhealthy:
		p.verdict = Unhealthy
		m.sick |= 1 << i
		m.turns++
		p.turned = m.turns
	}
}

// choose takes out those that are unhealthy, in the order in which they became
// it, as far as may be.
func (m *machine) choose() {
	const hair = 1e-9 // 0.29 of 100 is not quite 29 in binary
	most := int(m.cfg.MaxOut*float64(bits.OnesCount64(m.all)) + hair)
	m.out = m.sick
	for bits.OnesCount64(m.out) > most {
		last := bits.TrailingZeros64(m.out)
		for rest := m.out; rest != 0; rest &= rest - 1 {
			if i := bits.TrailingZeros64(rest); m.peers[i].turned > m.peers[last].turned {
				last = i
			}
		}
		m.out &^= 1 << last
	}
}

// interval draws the time to the next check.
func (m *machine) interval(p *peer) time.Duration {
	d := m.cfg.Every.Up
	switch {
	case p.verdict == Unknown, p.passes != (p.verdict == Healthy):
		d = m.cfg.Every.Edge
	case p.verdict == Unhealthy:
		d = m.cfg.Every.Down
	}
	if m.cfg.Jitter > 0 {
		d += time.Duration(float64(d) * m.cfg.Jitter * (2*m.draw() - 1))
	}
	return d
}

// draw returns the next number in [0, 1) that belongs to the seed (splitmix64).
func (m *machine) draw() float64 {
	m.draws++
	x := m.cfg.Seed + m.draws*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return float64((x^x>>31)>>11) / (1 << 53)
}

// reconfigure changes the numbers. What is known stays; who waits for a check
// does not wait longer than it would have under the new ones.
func (m *machine) reconfigure(c Config) {
	m.cfg = c.Filled()
	for rest := m.all; rest != 0; rest &= rest - 1 {
		p := &m.peers[bits.TrailingZeros64(rest)]
		if p.started != longAgo {
			p.due = min(p.due, p.started.Add(m.interval(p)))
		}
	}
	m.choose()
}
