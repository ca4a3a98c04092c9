package shed

import (
	"time"

	"github.com/seakeep/seakeep/core"
)

// gate lets in what is above its cut, and a part of the very level of the cut:
// demand comes in lumps, all of it in one level where nobody tells users
// apart, and a share must hold all the same.
type gate struct {
	shut   bool // or else everything is let in, and the rest means nothing
	blind  bool // no demand is known yet: every level is taken for the cut's
	cut    Level
	part   float64 // of the requests of level cut that are let in
	credit float64 // towards the next of those
}

// pass reports whether a request is let in. Of the cut's own level it is every
// second or third, evenly and not at random.
func (g *gate) pass(l Level) bool {
	if !g.shut {
		return true
	}
	if l != g.cut && !g.blind {
		return l > g.cut
	}
	g.credit += g.part
	if g.credit < 1 {
		return false
	}
	g.credit--
	return true
}

// draw shuts the gate so far that aim requests of the known demand pass.
func (m *machine) draw(g *gate, aim float64) {
	if aim >= m.known() {
		g.shut, g.blind = false, false
		return
	}
	g.shut, g.blind, g.cut, g.part = true, false, levels-1, 0
	if !(aim > 0) {
		return
	}
	for l := levels - 1; l >= 0; l-- {
		here := m.demand[l] + float64(m.fresh[l])
		if here > aim {
			g.cut, g.part = Level(l), aim/here
			return
		}
		aim -= here
	}
	g.shut = false // rounding: aim was all but the sum
}

// admitted returns how much of the known demand passes g.
func (m *machine) admitted(g *gate) float64 {
	if !g.shut {
		return m.known()
	}
	if g.blind {
		return g.part * m.known()
	}
	sum := g.part * (m.demand[g.cut] + float64(m.fresh[g.cut]))
	for l := int(g.cut) + 1; l < levels; l++ {
		sum += m.demand[l] + float64(m.fresh[l])
	}
	return sum
}

// known returns how much demand is known, that of this window included.
func (m *machine) known() float64 { return m.total + float64(m.win.came) }

// order is what Reduce was last told. A share of 1 is none.
type order struct {
	share float64
	since core.Instant
	ramp  time.Duration // 0: the share stays
}

// at returns the share at now.
func (o order) at(now core.Instant) float64 {
	passed := now.Sub(o.since)
	switch {
	case o.share >= 1 || o.ramp > 0 && passed >= o.ramp:
		return 1
	case o.ramp == 0:
		return o.share
	}
	return o.share + (1-o.share)*(float64(passed)/float64(o.ramp))
}

func (m *machine) reduce(now core.Instant, share float64, ramp time.Duration) {
	m.advance(now)
	m.order = order{share: 1}
	if share < 1 {
		m.order = order{share: max(share, 0), since: now, ramp: max(ramp, 0)}
	}
	m.pull(now)
}

// pull draws the lever's cut by the share at now.
func (m *machine) pull(now core.Instant) {
	share := m.order.at(now)
	if share >= 1 {
		m.order, m.lever = order{share: 1}, gate{}
		return
	}
	if sum := m.known(); sum > 0 {
		m.draw(&m.lever, share*sum)
		return
	}
	m.lever.shut, m.lever.blind, m.lever.part = true, true, share
}
