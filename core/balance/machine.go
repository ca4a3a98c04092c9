package balance

import (
	"math/bits"
	"time"

	"github.com/seakeep/seakeep/core"
)

// maxEndpoints is how many bits a mask has.
const maxEndpoints = 64

// peer is what is known of one endpoint.
type peer struct {
	Peer
	waiting int32 // attempts without an answer
	open    int32 // answers whose body has not ended
	picked  uint64

	latency float64      // nanoseconds, as at the last report; known: there was one
	known   bool         // it has a latency
	failing float64      // share of failures, as at the last report
	seen    core.Instant // of the last report
	ramp    core.Instant // ramping: since when its weight grows
	credit  float64      // how far its turns are behind its weight

	until    core.Instant // resting: when a trial may go out
	last     uint64       // resting: the number of its last failure or try, among all endpoints'
	failures uint32       // rests in a row
}

// machine is the balancer without its lock. It never reads a clock; now may
// repeat but, seen from here, never goes back, because Balancer clamps it.
//
// Bit i of each mask stands for endpoint i. trial and guess only matter while
// an endpoint rests: they tell a report that says how it is now from one of an
// attempt that began before the rest.
type machine struct {
	cfg   Config // filled
	peers []peer

	perDecay float64 // 1 for a decay

	all     uint64 // the endpoints that exist
	marks   [3]uint64
	removed uint64       // they go as soon as nothing is in flight there
	near    uint64       // those of the preferred zone
	ramping uint64       // those that have not got their full weight yet
	uneven  bool         // weights differ
	started bool         // there was a turn
	turn    uint64       // those whose turn comes before the order starts anew
	resting uint64       // those that could not be reached
	trial   uint64       // its rest is over and one attempt is out to see how it is
	guess   uint64       // an attempt is out although its rest is not over, as all rest
	soonest core.Instant // nobody's rest ends before this
	last    uint64       // numbers failures and tries in their order
}

const (
	ejected   = 0 // index in marks
	unhealthy = 1
	draining  = 2
)

func newMachine(c Config, peers []Peer) machine {
	m := machine{soonest: core.Never, peers: make([]peer, len(peers))}
	for i, p := range peers {
		m.peers[i].Peer = p.filled()
	}
	m.all = uint64(1)<<len(peers) - 1 // for 64 the shift gives 0, and so all bits
	m.turn = m.all
	m.configure(c)
	return m
}

func (p Peer) filled() Peer {
	if p.Weight == 0 {
		p.Weight = 1
	}
	return p
}

func (m *machine) configure(c Config) {
	m.cfg = c
	m.perDecay = 1 / float64(c.Decay)
	if c.SlowStart == Off {
		m.ramping = 0
	}
	m.survey()
}

// survey finds what follows from the endpoints that there are.
func (m *machine) survey() {
	m.near, m.uneven = 0, false
	first := 0.0
	for rest := m.all; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		p := &m.peers[i]
		if m.cfg.Zone != "" && p.Zone == m.cfg.Zone {
			m.near |= 1 << i
		}
		if first == 0 {
			first = p.Weight
		}
		m.uneven = m.uneven || p.Weight != first
	}
}

func (m *machine) has(i int) bool { return i >= 0 && i < len(m.peers) && m.all>>i&1 != 0 }

// usable returns the endpoints of a set that may be used: those that are up,
// or, if they are too few, all but those that go.
func (m *machine) usable(of uint64) (set uint64, panics bool) {
	base := of & m.all &^ m.marks[draining]
	out := base & (m.marks[ejected] | m.marks[unhealthy])
	if out == 0 {
		return base, false
	}
	up := base &^ out
	if m.cfg.Panic != Off &&
		float64(bits.OnesCount64(up)) < m.cfg.Panic*float64(bits.OnesCount64(base)) {
		return base, true
	}
	return up, false
}

func (m *machine) panics() bool {
	_, panics := m.usable(m.all)
	return panics
}

// pick chooses an endpoint: of those that are up and were not tried, or if there
// is none, of those that are up; if all rest, see lastResort.
func (m *machine) pick(now core.Instant, c Choice) (int, bool) {
	if c.Only == 0 {
		c.Only = m.all
	}
	if !(c.Draw >= 0 && c.Draw < 1) {
		c.Draw = 0 // also for a NaN
	}
	set, panics := m.usable(c.Only)
	if set == 0 {
		return 0, false
	}
	up, due := m.up(now, set)
	choice := up &^ c.Tried
	if choice == 0 {
		choice = up
	}
	var i int
	switch {
	case choice == 0:
		i = m.lastResort(set, c.Tried)
	case choice&due != 0 && m.cfg.Policy == TwoChoices:
		i = bits.TrailingZeros64(choice & due)
		m.try(now, i)
	default:
		if near := set & m.near; near != 0 && near != set && !panics {
			choice, c.Draw = m.zoned(choice, up&m.near, c)
		}
		i = m.among(now, choice, c.Draw)
		if due>>i&1 != 0 {
			m.try(now, i)
		}
	}
	p := &m.peers[i]
	p.picked++
	p.waiting++
	return i, true
}

// up returns those of a set that do not rest, and those among them whose rest is
// over and that are due for a trial.
func (m *machine) up(now core.Instant, set uint64) (up, due uint64) {
	if now >= m.soonest {
		due = m.rested(now) & set
	}
	return set&^m.resting | due, due
}

// elsewhere reports whether pick would choose an endpoint that was not tried.
func (m *machine) elsewhere(now core.Instant, c Choice) bool {
	if c.Only == 0 {
		c.Only = m.all
	}
	set, _ := m.usable(c.Only)
	if up, _ := m.up(now, set); up != 0 {
		set = up
	}
	return set&^c.Tried != 0
}

// report learns how an attempt went.
func (m *machine) report(now core.Instant, i int, s Sample) {
	p := &m.peers[i]
	p.waiting--
	if s.Open {
		p.open++
	}
	m.learn(now, p, s)
	if s.Reached || s.Outcome != core.Timeout && s.Outcome != core.Cancelled {
		m.reached(now, i, s.Reached)
	}
	m.leave(i)
}

func (m *machine) done(i int) {
	m.peers[i].open--
	m.leave(i)
}

// endpoint is what Snapshot tells of an endpoint.
func (m *machine) endpoint(now core.Instant, i int) Endpoint {
	if !m.has(i) {
		return Endpoint{State: Gone}
	}
	p := &m.peers[i]
	e := Endpoint{Peer: p.Peer, State: m.state(i), Ramp: m.weight(now, i) / p.Weight,
		InFlight: int(p.waiting + p.open), Picked: p.picked, Failures: int(p.failures),
		Resting: m.resting>>i&1 != 0}
	latency, failing := m.reading(now, p)
	e.Latency, e.Failing = time.Duration(latency), failing
	if e.Resting {
		e.Trial = max(0, p.until.Sub(now))
	}
	return e
}
