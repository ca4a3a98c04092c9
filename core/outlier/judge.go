package outlier

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/seakeep/seakeep/core"
)

// gap is how far below the mean, in shares of all requests, a success rate must
// be to count as an outlier's. Without it the one endpoint of ten with a single
// failure in a thousand would go: the others' deviation is nothing.
const gap = 0.05

// scores say how bad each endpoint is by one rule. Those that are not bad have
// none.
type scores struct {
	bad uint64
	of  [maxEndpoints]float64
}

func (s *scores) add(i int, score float64) {
	s.bad |= 1 << i
	s.of[i] = score
}

// judge compares what the interval has brought of those that were in. All are
// judged before any goes, so that no rule sees another one's work.
func (m *machine) judge(now core.Instant, in uint64) {
	for rest := in; rest != 0; rest &= rest - 1 {
		p := &m.peers[bits.TrailingZeros64(rest)]
		p.last = Interval{Requests: p.good + p.bad, Failures: p.bad}
		if p.took != nil && p.took.n > 0 {
			p.last.Latency = p.took.quantile(m.cfg.Latency.Quantile)
		}
	}
	failing, worse, slow := m.failing(in), m.worse(in), m.slow(in)
	m.ejectWorst(now, &failing, ByFailureShare)
	m.ejectWorst(now, &worse, BySuccessRate)
	m.ejectWorst(now, &slow, ByLatency)
}

// ejectWorst takes out all that are bad, the worst first, as far as may be.
func (m *machine) ejectWorst(now core.Instant, s *scores, rule Rule) {
	for s.bad &^= m.out; s.bad != 0; {
		worst := bits.TrailingZeros64(s.bad)
		for rest := s.bad; rest != 0; rest &= rest - 1 {
			if i := bits.TrailingZeros64(rest); s.of[i] > s.of[worst] {
				worst = i
			}
		}
		s.bad &^= 1 << worst
		m.eject(now, worst, rule)
	}
}

// busy returns those that had so many requests, or none if there are too few.
func (m *machine) busy(in uint64, requests, hosts int) (enough uint64) {
	for rest := in; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		if m.peers[i].last.Requests >= requests {
			enough |= 1 << i
		}
	}
	if bits.OnesCount64(enough) < hosts {
		return 0
	}
	return enough
}

func (m *machine) failing(in uint64) (s scores) {
	r := &m.cfg.FailureShare
	if r.Share == Off {
		return s
	}
	for rest := m.busy(in, r.Requests, r.Hosts); rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		if share := m.peers[i].last.failureShare(); share >= r.Share {
			s.add(i, share)
		}
	}
	return s
}

func (m *machine) worse(in uint64) (s scores) {
	r := &m.cfg.SuccessRate
	if r.Sigma == Off {
		return s
	}
	judged := m.busy(in, r.Requests, r.Hosts)
	if judged == 0 {
		return s
	}
	n := float64(bits.OnesCount64(judged))
	mean, squares := 0.0, 0.0
	for rest := judged; rest != 0; rest &= rest - 1 {
		mean += m.peers[bits.TrailingZeros64(rest)].last.failureShare() / n
	}
	for rest := judged; rest != 0; rest &= rest - 1 {
		d := m.peers[bits.TrailingZeros64(rest)].last.failureShare() - mean
		squares += float64(d * d)
	}
	limit := mean + float64(r.Sigma*math.Sqrt(squares/n))
	for rest := judged; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		if share := m.peers[i].last.failureShare(); share > limit && share-mean >= gap {
			s.add(i, share)
		}
	}
	return s
}

func (m *machine) slow(in uint64) (s scores) {
	r := &m.cfg.Latency
	if r.Factor == Off {
		return s
	}
	type lap struct {
		i    int
		took time.Duration
	}
	var all [maxEndpoints]lap
	laps := all[:0]
	for rest := in; rest != 0; rest &= rest - 1 {
		if i := bits.TrailingZeros64(rest); m.peers[i].took.n >= r.Requests {
			laps = append(laps, lap{i, m.peers[i].last.Latency})
		}
	}
	if len(laps) < max(r.Hosts, 2) {
		return s
	}
	slices.SortFunc(laps, func(a, b lap) int { return cmp.Compare(a.took, b.took) })
	for k, l := range laps {
		// The median of the others: of an even number of them the slower one.
		middle := (len(laps) - 1) / 2
		if k <= middle {
			middle++
		}
		others := laps[middle].took
		if l.took-others >= r.Over && float64(l.took) > float64(r.Factor*float64(others)) {
			s.add(l.i, float64(l.took))
		}
	}
	return s
}

func (v *Interval) failureShare() float64 {
	return float64(v.Failures) / float64(max(v.Requests, 1))
}
