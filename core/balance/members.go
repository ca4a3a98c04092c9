package balance

import (
	"math/bits"

	"github.com/seakeep/seakeep/core"
)

// add takes the first index that is free.
func (m *machine) add(now core.Instant, p Peer, s State) (int, bool) {
	i := bits.TrailingZeros64(^m.all)
	if i == maxEndpoints {
		return 0, false
	}
	if i == len(m.peers) {
		m.peers = append(m.peers, peer{})
	}
	m.peers[i] = peer{Peer: p.filled()}
	m.all |= 1 << i
	m.turn |= 1 << i
	m.mark(now, i, s, true)
	m.warm(now, i)
	m.survey()
	return i, true
}

// remove drains an endpoint and forgets it when nothing is in flight there.
func (m *machine) remove(i int) {
	m.removed |= 1 << i
	m.marks[draining] |= 1 << i
	m.leave(i)
}

// leave forgets an endpoint that was removed and has nothing to do any more.
func (m *machine) leave(i int) {
	bit := uint64(1) << i
	if p := &m.peers[i]; m.removed&bit == 0 || p.waiting > 0 || p.open > 0 {
		return
	}
	for _, mask := range [...]*uint64{&m.all, &m.removed, &m.marks[ejected], &m.marks[unhealthy],
		&m.marks[draining], &m.ramping, &m.resting, &m.trial, &m.guess} {
		*mask &^= bit
	}
	m.peers[i] = peer{}
	m.survey()
}

func (m *machine) change(i int, p Peer) {
	m.peers[i].Peer = p.filled()
	m.survey()
}

// mark sets marks or takes them away. An endpoint whose last one goes is back.
func (m *machine) mark(now core.Instant, i int, s State, on bool) {
	bit, before := uint64(1)<<i, m.state(i)
	for k := range m.marks {
		switch {
		case s>>k&1 == 0:
		case on:
			m.marks[k] |= bit
		case k != draining || m.removed&bit == 0:
			m.marks[k] &^= bit
		}
	}
	if before != Up && m.state(i) == Up {
		m.warm(now, i)
	}
}

func (m *machine) state(i int) (s State) {
	if !m.has(i) {
		return Gone
	}
	for k, mask := range m.marks {
		s |= State(mask>>i&1) << k
	}
	return s
}

// warm starts the growth of an endpoint's weight.
func (m *machine) warm(now core.Instant, i int) {
	if m.cfg.SlowStart == Off {
		return
	}
	m.ramping |= 1 << i
	m.peers[i].ramp = now
}
