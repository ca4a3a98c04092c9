package balance

import (
	"math/bits"
	"time"

	"github.com/seakeep/seakeep/core"
)

const (
	// restFirst spares a dead endpoint from all but one attempt a second,
	// about the time a process needs to restart.
	restFirst = time.Second
	// restCap bounds how long an endpoint that is back waits to be noticed.
	restCap = 10 * time.Second
	// restGrowth is how many times the rest doubles before the cap holds.
	restGrowth = 4
)

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

// try notes that a trial goes out. Until it reports nobody else is sent there.
// If it never does, another may go out after the same rest.
func (m *machine) try(now core.Instant, i int) {
	m.trial |= 1 << i
	m.stamp(i)
	m.rest(now, i)
}

// lastResort chooses when all endpoints of a set rest.
func (m *machine) lastResort(set, tried uint64) int {
	choice := set &^ tried
	if choice == 0 {
		choice = set
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

// reached learns whether an endpoint is there. A failed trial makes the rest
// longer; a failed guess does not, or a short outage of all endpoints would
// leave each with the longest rest.
func (m *machine) reached(now core.Instant, i int, there bool) {
	bit := uint64(1) << i
	rests := m.resting&bit != 0
	if !rests && there {
		return
	}
	trial, guess := m.trial&bit != 0, m.guess&bit != 0
	if rests && !trial && !guess {
		return // the attempt began before the rest
	}
	m.trial &^= bit
	m.guess &^= bit
	if there {
		m.resting &^= bit
		m.peers[i].failures = 0
		m.warm(now, i)
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
