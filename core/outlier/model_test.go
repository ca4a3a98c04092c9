package outlier

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// model is what a detector promises, host by host, with all attempts kept.
type model struct {
	c         Config
	hosts     []*host
	apart     uint64
	next      core.Instant
	began     bool
	lastSweep core.Instant
}

type host struct {
	out             bool
	until, back     core.Instant
	times           int
	sinceSweep      bool // in at the last sweep and not ejected since
	row, gate, line int
	seen            []attempt
}

type attempt struct {
	took time.Duration
	r    core.Result
}

func (m *model) may(i int) bool {
	gone := 0
	for k, h := range m.hosts {
		if h.out || m.apart>>k&1 != 0 {
			if k == i {
				return true
			}
			gone++
		}
	}
	most := int(math.Floor(m.c.MaxOut.Share*float64(len(m.hosts)) + 1e-9))
	if m.c.MaxOut.AlwaysOne && len(m.hosts) > 1 && most < 1 {
		most = 1
	}
	return gone+1 <= most
}

func (m *model) eject(now core.Instant, i int) {
	if !m.may(i) {
		return
	}
	h := m.hosts[i]
	h.times = min(h.times+1, int(m.c.Cap/m.c.Base)+1)
	h.out, h.sinceSweep = true, false
	h.until = now.Add(min(m.c.Cap, time.Duration(h.times)*m.c.Base))
}

func (m *model) report(now core.Instant, i int, took time.Duration, r core.Result) {
	m.sweep(now)
	h := m.hosts[i]
	if h.out || r.Outcome.Neutral() || r.Cause == core.TooMany || now.Add(-took) < h.back {
		return
	}
	h.seen = append(h.seen, attempt{took, r})
	silent := r.Outcome == core.Timeout || r.Cause == core.Unsent || r.Cause == core.Reset
	switch {
	case r.Outcome == core.Success:
		h.row, h.gate, h.line = 0, 0, 0
	case silent && m.c.Consecutive.Local > 0:
		h.line++
	default:
		h.line = 0
		h.row++
		h.gate++
		if !silent && r.Cause != core.BadGateway && r.Cause != core.Unavailable {
			h.gate = 0
		}
	}
	over := func(n, limit int) bool { return limit > 0 && n >= limit }
	c := m.c.Consecutive
	if over(h.line, c.Local) || over(h.row, c.Errors) || over(h.gate, c.Gateway) {
		h.row, h.gate, h.line = 0, 0, 0
		m.eject(now, i)
	}
}

func (m *model) sweep(now core.Instant) {
	if m.began && now < m.next {
		return
	}
	whole := 1
	if m.began {
		whole = int(now.Sub(m.lastSweep) / m.c.Interval)
	}
	m.began, m.lastSweep, m.next = true, now, now.Add(m.c.Interval)
	var in []int
	for i, h := range m.hosts {
		if !h.out {
			in = append(in, i)
		} else if now >= h.until {
			h.out, h.back = false, now
		}
	}
	var bad [3][]int
	for _, i := range in {
		for rule, score := range m.scores(in, i) {
			if score > 0 {
				bad[rule] = append(bad[rule], i)
			}
		}
	}
	for rule := range bad {
		slices.SortStableFunc(bad[rule], func(a, b int) int {
			d := m.scores(in, b)[rule] - m.scores(in, a)[rule]
			return int(math.Copysign(1, d)) * int(min(1, math.Ceil(math.Abs(d)*1e12)))
		})
	}
	for rule := range bad {
		for _, i := range bad[rule] {
			if !m.hosts[i].out {
				m.eject(now, i)
			}
		}
	}
	for _, h := range m.hosts {
		if !h.out && h.sinceSweep {
			h.times = max(0, h.times-whole)
		}
		h.sinceSweep, h.seen = !h.out, nil
	}
}

// failures returns the share of a host's attempts that failed.
func (h *host) failures() float64 {
	bad := 0
	for _, a := range h.seen {
		if a.r.Outcome != core.Success {
			bad++
		}
	}
	return float64(bad) / float64(max(1, len(h.seen)))
}

// scores says how bad a host is by the three rules of the interval's end; 0:
// not bad.
func (m *model) scores(in []int, i int) (s [3]float64) {
	of := func(requests int) (with []int) {
		for _, k := range in {
			if len(m.hosts[k].seen) >= requests {
				with = append(with, k)
			}
		}
		return with
	}
	f := m.hosts[i].failures()
	if all := of(m.c.FailureShare.Requests); len(all) >= m.c.FailureShare.Hosts &&
		slices.Contains(all, i) && f >= m.c.FailureShare.Share {
		s[0] = f
	}
	if all := of(m.c.SuccessRate.Requests); len(all) >= m.c.SuccessRate.Hosts && slices.Contains(all, i) {
		mean, square := 0.0, 0.0
		for _, k := range all {
			mean += m.hosts[k].failures()
		}
		mean /= float64(len(all))
		for _, k := range all {
			square += math.Pow(m.hosts[k].failures()-mean, 2)
		}
		limit := mean + m.c.SuccessRate.Sigma*math.Sqrt(square/float64(len(all)))
		if f > limit && f-mean >= 0.05 {
			s[1] = f
		}
	}
	s[2] = m.slowness(in, i)
	return s
}

func (m *model) slowness(in []int, i int) float64 {
	var mine time.Duration
	var others []time.Duration
	for _, k := range in {
		var took spread
		for _, a := range m.hosts[k].seen {
			if a.r.Outcome == core.Success || a.r.Outcome == core.Timeout {
				took.add(a.took)
			}
		}
		switch {
		case took.n < m.c.Latency.Requests:
		case k == i:
			mine = took.quantile(m.c.Latency.Quantile)
		default:
			others = append(others, took.quantile(m.c.Latency.Quantile))
		}
	}
	if mine == 0 || len(others) == 0 || len(others)+1 < m.c.Latency.Hosts {
		return 0
	}
	slices.Sort(others)
	middle := others[len(others)/2]
	if mine-middle < m.c.Latency.Over || float64(mine) <= m.c.Latency.Factor*float64(middle) {
		return 0
	}
	return float64(mine)
}

var ends = []core.Result{good2xx, good2xx, good2xx, good2xx, bad5xx, refused, late, left,
	{Outcome: core.Failure, Cause: core.BadGateway}, {Outcome: core.Overloaded, Cause: core.TooMany},
	{Outcome: core.Overloaded, Cause: core.Unavailable}}

// Random lives of few hosts with few requests, told to a detector and to the
// model, which must agree at each step.
func TestRandomLivesAgreeWithTheModel(t *testing.T) {
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 7))
		c := Config{Interval: time.Second, Base: time.Duration(1+r.IntN(3)) * time.Second,
			Cap:          4 * time.Second,
			Consecutive:  Consecutive{Errors: 2 + r.IntN(4), Gateway: r.IntN(3), Local: r.IntN(3)},
			SuccessRate:  SuccessRate{Hosts: 2, Requests: 3, Sigma: 0.5 + r.Float64()},
			FailureShare: FailureShare{Hosts: 1 + r.IntN(3), Requests: 4, Share: 0.6},
			Latency:      Latency{Hosts: 2, Requests: 2, Factor: 2},
			MaxOut:       MaxOut{Share: r.Float64(), AlwaysOne: r.IntN(2) == 0}}.Filled()
		n := 2 + r.IntN(7)
		d, m := detector(t, n, c), &model{c: c}
		for range n {
			m.hosts = append(m.hosts, &host{})
		}
		now := core.Instant(0)
		for step := range 600 {
			now = now.Add(time.Duration(r.IntN(80)) * time.Millisecond)
			switch r.IntN(60) {
			case 0:
				now = now.Add(time.Duration(r.IntN(4000)) * time.Millisecond)
			case 1:
				m.apart = r.Uint64() & r.Uint64() & (1<<n - 1)
				d.Apart(now, m.apart)
			case 2:
				m.sweep(now)
				d.Sweep(now)
			}
			i, took := r.IntN(n), time.Duration(r.IntN(60))*time.Millisecond
			end := ends[r.IntN(len(ends))]
			m.report(now, i, took, end)
			d.Report(now, i, took, end)
			for k, e := range d.Snapshot(now) {
				if h := m.hosts[k]; e.Out != h.out || e.Times != h.times || e.Out && e.Until != h.until {
					t.Fatalf("seed %d step %d at %v, host %d: %+v, want %+v", seed, step, now, k, e, h)
				}
			}
		}
	}
}
