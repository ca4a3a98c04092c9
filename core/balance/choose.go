package balance

import (
	"math/bits"

	"github.com/seakeep/seakeep/core"
)

const (
	// floor is the share of its weight that an endpoint begins with: enough to
	// warm up and to be seen failing, and too little to hurt.
	floor = 0.1
	// enough is how much more than its share of work a zone's endpoints can
	// take: while five of seven are up they take all of it.
	enough = 1.4
	// oneDraw is the largest draw below 1.
	oneDraw = 1 - 1.0/(1<<53)
)

// among chooses one of a set that is not empty.
func (m *machine) among(now core.Instant, set uint64, draw float64) int {
	if set&(set-1) == 0 {
		return m.took(bits.TrailingZeros64(set))
	}
	if m.ramping != 0 {
		m.ramped(now)
	}
	even := !m.uneven && m.ramping&set == 0
	switch {
	case m.cfg.Policy == TwoChoices && even:
		i, j := two(set, draw)
		return m.cheaper(now, i, j)
	case m.cfg.Policy == TwoChoices:
		i, draw := m.drawn(now, set, draw)
		j, _ := m.drawn(now, set&^(1<<i), draw)
		return m.cheaper(now, i, j)
	case even:
		if !m.started { // where, is chance: the processes of a fleet start together
			m.turn = m.all &^ (1<<nth(set, int(draw*float64(bits.OnesCount64(set)))) - 1)
		}
		if inTurn := set & m.turn; inTurn != 0 {
			set = inTurn
		}
		return m.took(bits.TrailingZeros64(set))
	}
	return m.owed(now, set)
}

// took notes whose turn it was.
func (m *machine) took(i int) int {
	m.started = true
	m.turn = m.all &^ (1<<(i+1) - 1)
	return i
}

// two draws two different endpoints of a set of two at least.
func two(set uint64, draw float64) (i, j int) {
	n := float64(bits.OnesCount64(set))
	x := draw * n
	a := int(x)
	b := int((x - float64(a)) * (n - 1))
	i = nth(set, a)
	return i, nth(set&^(1<<i), b)
}

// nth returns the index of the nth bit that is set.
func nth(set uint64, n int) int {
	i := 0
	for width := 32; width > 0; width /= 2 {
		if k := bits.OnesCount64(set & (1<<width - 1)); n >= k {
			n -= k
			i += width
			set >>= width
		} else {
			set &= 1<<width - 1
		}
	}
	return i
}

// drawn draws an endpoint of a set by weight, and returns what is left of the
// draw, for another.
func (m *machine) drawn(now core.Instant, set uint64, draw float64) (int, float64) {
	sum := 0.0
	for rest := set; rest != 0; rest &= rest - 1 {
		sum += m.weight(now, bits.TrailingZeros64(rest))
	}
	x := float64(draw * sum)
	for {
		i := bits.TrailingZeros64(set)
		w := m.weight(now, i)
		if set &= set - 1; x < w || set == 0 {
			return i, min(x/w, oneDraw)
		}
		x -= w
	}
}

// owed lets endpoints take turns by weight: each is given its weight, and the
// one that has most pays for all.
func (m *machine) owed(now core.Instant, set uint64) int {
	sum, best := 0.0, bits.TrailingZeros64(set)
	for rest := set; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		w := m.weight(now, i)
		sum += w
		if m.peers[i].credit += w; m.peers[i].credit > m.peers[best].credit {
			best = i
		}
	}
	m.peers[best].credit -= sum
	return m.took(best)
}

// weight is an endpoint's weight at present.
func (m *machine) weight(now core.Instant, i int) float64 {
	p := &m.peers[i]
	if m.ramping>>i&1 == 0 {
		return p.Weight
	}
	share := float64(now.Sub(p.ramp)) / float64(m.cfg.SlowStart)
	return float64(p.Weight * min(1, max(floor, share)))
}

// ramped ends the slow start of those that have had it.
func (m *machine) ramped(now core.Instant) {
	for rest := m.ramping; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		if now.Sub(m.peers[i].ramp) >= m.cfg.SlowStart {
			m.ramping &^= 1 << i
		}
	}
}

// zoned narrows a choice to the preferred zone or to the others, and returns
// what is left of the draw. The zone takes everything while the share of its
// endpoints that are up, and some more, makes a whole; then, a share.
func (m *machine) zoned(choice, up uint64, c Choice) (uint64, float64) {
	near, far := choice&m.near, choice&^m.near
	if near == 0 || far == 0 {
		return choice, c.Draw
	}
	there := bits.OnesCount64(m.near & c.Only &^ m.marks[draining])
	share := enough * float64(bits.OnesCount64(up)) / float64(there)
	switch {
	case share >= 1:
		return near, c.Draw
	case c.Draw < share:
		return near, min(c.Draw/share, oneDraw)
	}
	return far, min((c.Draw-share)/(1-share), oneDraw)
}
