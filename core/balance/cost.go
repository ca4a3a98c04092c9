package balance

import (
	"time"

	"github.com/seakeep/seakeep/core"
)

const (
	// oneFailure is what one answer weighs in the share of failures: an
	// endpoint that begins to refuse everything is at half after five.
	oneFailure = 1.0 / 8
	// worst bounds the share of failures, and so how dear they make an endpoint:
	// fifty times.
	worst = 0.98
	// forgotten is the share of failures from which on an endpoint without a
	// latency is as good as new.
	forgotten = 0.05
	// unheard is the cost of an endpoint that has not answered yet and has
	// work: more than any latency.
	unheard = 1e15
)

// learn takes note of what an attempt says of an endpoint's latency and its
// failures. Only a success says how fast the endpoint is. Everything else can
// only show it slower: a refusal takes no time, and a caller that left has seen
// a lower bound.
func (m *machine) learn(now core.Instant, p *peer, s Sample) {
	took := float64(max(s.Took, 1))
	slower := took > p.latency
	if s.Outcome == core.Cancelled && !slower {
		return
	}
	old := m.fade(now.Sub(p.seen))
	p.seen = now
	p.failing = float64(p.failing * old)
	switch {
	case s.Outcome == core.Success:
		p.failing -= float64(p.failing * oneFailure)
		if !slower && p.known {
			took = float64(p.latency*old) + float64(took*(1-old))
		}
		p.latency, p.known = took, true
		return
	case s.Outcome.Failed():
		p.failing += float64((1 - p.failing) * oneFailure)
	}
	if slower && p.known {
		p.latency = took
	}
}

// reading is what is known of an endpoint now. While no answer is awaited its
// latency fades, so that an endpoint that was slow is tried again.
func (m *machine) reading(now core.Instant, p *peer) (latency, failing float64) {
	l, f := p.latency, p.failing
	if now > p.seen {
		old := m.fade(now.Sub(p.seen))
		f = float64(f * old)
		if p.waiting == 0 {
			l = float64(l * old)
		}
	}
	return l, min(f, worst)
}

// cost is what one more attempt would cost, as a quotient: the latency of the
// endpoint, times what is in flight for each part of its weight and the attempt
// itself, for as many attempts as it takes until one does not fail.
func (m *machine) cost(now core.Instant, i int) (over, under float64) {
	p := &m.peers[i]
	l, failing := m.reading(now, p)
	busy := float64(p.waiting + p.open)
	if !p.known {
		if busy == 0 && failing < forgotten {
			return 0, 1
		}
		l = unheard
	}
	w := m.weight(now, i)
	return (l + 1) * (busy + w), w * (1 - failing)
}

// cheaper returns the one that costs less; the first if they cost the same.
func (m *machine) cheaper(now core.Instant, i, j int) int {
	over, under := m.cost(now, i)
	over2, under2 := m.cost(now, j)
	if float64(over2*under) < float64(over*under2) {
		return j
	}
	return i
}

// fade is what is left after a time of what decays: e to the minus d/decay. It
// is computed with products that are rounded one by one, so that every
// processor gets the same bits.
func (m *machine) fade(d time.Duration) float64 {
	x := float64(d) * m.perDecay
	switch {
	case x < 1.0/4096:
		return 1 - x
	case x > 32:
		return 0
	}
	// The series of e to the minus x/32, from its far end, then its 32nd power.
	y, e := x/32, 1.0
	for _, part := range [...]float64{1.0 / 6, 1.0 / 5, 1.0 / 4, 1.0 / 3, 1.0 / 2, 1} {
		e = 1 - float64(float64(y*part)*e)
	}
	for range 5 {
		e = float64(e * e)
	}
	return e
}
