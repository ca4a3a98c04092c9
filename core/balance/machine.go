package balance

import (
	"math/bits"
	"time"

	"github.com/seakeep/seakeep/core"
)

const (
	// maxEndpoints is how many bits a mask has.
	maxEndpoints = 64

	// restFirst spares a dead endpoint from all but one attempt a second,
	// about the time a process needs to restart.
	restFirst = time.Second
	// restCap bounds how long an endpoint that is back waits to be noticed.
	restCap = 10 * time.Second
	// restGrowth is how many times the rest doubles before the cap holds.
	restGrowth = 4
)

// endpoint is what is known of one endpoint.
type endpoint struct {
	until    core.Instant // resting: when a trial may go out
	last     uint64       // resting: the number of its last failure or try, among all endpoints'
	failures uint32       // rests in a row
	picked   uint64
}

// machine is the balancer without its lock. It never reads a clock; now may
// repeat but, seen from here, never goes back, because Balancer clamps it.
//
// Bit i of each mask stands for endpoint i. trial and guess only matter while
// an endpoint rests: they tell a report that says how it is now from one of an
// attempt that began before the rest.
type machine struct {
	all     uint64       // the endpoints that exist
	turn    uint64       // those whose turn comes before the order starts anew
	resting uint64       // those that could not be reached
	trial   uint64       // its rest is over and one attempt is out to see how it is
	guess   uint64       // an attempt is out although its rest is not over, as all rest
	soonest core.Instant // nobody's rest ends before this
	last    uint64       // numbers failures and tries in their order
	peers   []endpoint
}

func newMachine(n int) machine {
	all := uint64(1)<<n - 1 // for 64 the shift gives 0, and so all bits
	return machine{all: all, turn: all, soonest: core.Never, peers: make([]endpoint, n)}
}

// pick chooses an endpoint. With tried and resting empty, the usual case, it
// is two bit operations.
func (m *machine) pick(now core.Instant, tried uint64) (int, bool) {
	if m.all == 0 {
		return 0, false
	}
	up := m.all &^ m.resting
	if now >= m.soonest {
		up |= m.rested(now)
	}
	choice := up &^ tried
	if choice == 0 {
		choice = up
	}
	if choice == 0 {
		i := m.lastResort(tried)
		m.peers[i].picked++
		return i, true
	}
	if inTurn := choice & m.turn; inTurn != 0 {
		choice = inTurn
	}
	i := bits.TrailingZeros64(choice)
	m.turn = m.all &^ (1<<(i+1) - 1)
	if m.resting>>i&1 != 0 {
		// Until this trial reports nobody else is sent there. If it never does,
		// another may go out after the same rest.
		m.trial |= 1 << i
		m.stamp(i)
		m.rest(now, i)
	}
	m.peers[i].picked++
	return i, true
}

// rested returns the resting endpoints that are due for a trial.
func (m *machine) rested(now core.Instant) (due uint64) {
	m.soonest = core.Never
	for rest := m.resting; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		if now >= m.peers[i].until {
			due |= 1 << i
		}
		m.soonest = min(m.soonest, m.peers[i].until)
	}
	return due
}

// lastResort chooses when all endpoints rest.
func (m *machine) lastResort(tried uint64) int {
	choice := m.all &^ tried
	if choice == 0 {
		choice = m.all
	}
	best := bits.TrailingZeros64(choice)
	for others := choice & (choice - 1); others != 0; others &= others - 1 {
		if i := bits.TrailingZeros64(others); m.peers[i].last < m.peers[best].last {
			best = i
		}
	}
	m.guess |= 1 << best
	m.stamp(best)
	return best
}

// report learns how an attempt went. A failed trial makes the rest longer; a
// failed guess does not, or a short outage of all endpoints would leave each
// with the longest rest.
func (m *machine) report(now core.Instant, i int, reached bool) {
	bit := uint64(1) << i
	rests, trial, guess := m.resting&bit != 0, m.trial&bit != 0, m.guess&bit != 0
	if rests && !trial && !guess {
		return // the attempt began before the rest
	}
	m.trial &^= bit
	m.guess &^= bit
	if reached {
		m.resting &^= bit
		m.peers[i].failures = 0
		return
	}
	m.stamp(i)
	if !rests || trial {
		m.resting |= bit
		m.peers[i].failures++
		m.rest(now, i)
	}
}

func (m *machine) rest(now core.Instant, i int) {
	p := &m.peers[i]
	p.until = now.Add(restAfter(p.failures))
	m.soonest = min(m.soonest, p.until)
}

func (m *machine) stamp(i int) {
	m.last++
	m.peers[i].last = m.last
}

// restAfter returns how long an endpoint rests after that many failures in a
// row, one at least: one second, doubling to ten.
func restAfter(failures uint32) time.Duration {
	return min(restFirst<<min(failures-1, restGrowth), restCap)
}
