package gallery

import (
	"math"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/hedge"
	"github.com/seakeep/seakeep/sim"
	"github.com/seakeep/seakeep/sim/stats"
)

// tails holds the cards on tail latency and hedging.
func tails() []Entry {
	return []Entry{
		{ID: "H1", Kind: Analytic, Title: "100 backends, one per cent slow", run: h1},
		{ID: "H2", Kind: Analytic, Title: "20 backends, one per cent slow", run: h2},
		{ID: "H3", Kind: Analytic, Title: "A hedge at p95", run: h3},
		{ID: "H4", Kind: Simulation, Title: "The Tail at Scale: a hedge after 10 ms",
			Also: []string{"3.4"}, run: h4},
		{ID: "H5", Kind: Simulation, Title: "A hedge when everything is slow", run: h5},
		{ID: "H6", Kind: Simulation, Title: "A hedge helps against stalls", run: h6},
	}
}

// anySlow is the share of requests, in per cent, that wait for a slow one of n
// backends when a share p of calls is slow.
func anySlow(n int, p float64) float64 { return 100 * (1 - power(1-p, n)) }

func h1(s *sheet) {
	s.Setup = "A request needs all of 100 backends; each is slow in one per cent of calls."
	s.rounds("requests slow", known{63.4, 1, "%"}, anySlow(100, 0.01))
}

func h2(s *sheet) {
	s.Setup = "A page needs all of 20 backends; each is slow in one per cent of calls."
	s.rounds("pages slow", known{18.2, 1, "%"}, anySlow(20, 0.01))
	s.rounds("at five per cent slow", known{64, 0, "%"}, anySlow(20, 0.05))
	n := 1
	for anySlow(n, 0.01) < 50 {
		n++
	}
	s.count("backends for half of the pages", 69, n)
	s.aside = "the brief's \"most pages\" is wrong"
	s.Note = "Brief 3 says that most pages would be slow; at one per cent that takes 69 " +
		"backends."
}

func h3(s *sheet) {
	s.Setup = "A second copy of each call that has no answer at its p95, as core/hedge measures it."
	var xs []float64
	for _, seed := range s.seeds(10) {
		xs = append(xs, 100*hedged(leaf, seed, &hedge.Config{}, 50_000).extra)
	}
	s.mean("more requests", known{5, 0, "%"}, xs, off(0.5))
}

// hedging is what came of calls with a second copy of each that is late.
type hedging struct {
	times []time.Duration // sorted
	extra float64         // second copies, as a share of the calls
}

// quantile returns a quantile of the times in milliseconds, with its interval.
func (h hedging) quantile(q float64) stats.Quantile {
	low, at, high := stats.Ranks(len(h.times), q, level)
	ms := func(rank int) float64 { return h.times[rank-1].Seconds() * 1000 }
	r := stats.Quantile{Value: ms(at), Low: math.Inf(-1), High: math.Inf(1)}
	if low > 0 {
		r.Low = ms(low)
	}
	if high <= len(h.times) {
		r.High = ms(high)
	}
	return r
}

// leaf is H6's service: 5 ms plus an exponential of 15 ms.
func leaf(s *sim.Stream) time.Duration { return healthyTime(s) }

// leafP95 is its p95, 5 + 15 ln 20 ms.
const leafP95 = 49_936 * time.Microsecond

// stalling is leaf with one call in a hundred that stalls for about a second.
func stalling(s *sim.Stream) time.Duration {
	d := leaf(s)
	if s.Float64() < 0.01 {
		d += time.Duration((0.75 + 0.5*s.Float64()) * float64(second))
	}
	return d
}

func h6(s *sheet) {
	s.Setup = "5 ms plus an exponential of 15 ms, with a second copy at p95; then with one " +
		"call in a hundred stalling for a further 0.75 to 1.25 s."
	n := 200_000
	seed := s.fixed(1)[0]
	p95 := &hedge.Config{Budget: 0.1}
	for _, row := range []struct {
		name        string
		draw        func(*sim.Stream) time.Duration
		rule        *hedge.Config
		p99, p999   float64
		extra       float64
		unknownTail bool
	}{
		{"no stalls, no copy", leaf, nil, 74, 109, 0, false},
		{"no stalls, copy at p95", leaf, p95, 64, 82, 4.9, false},
		{"stalls, no copy", stalling, nil, 168, 1222, 0, false},
		{"stalls, copy at p95", stalling, p95, 70, 96, 4.9, false},
		{"stalls, copy at 30 ms", stalling, unbounded(30 * ms), 57, 0, 19.8, true},
	} {
		h := hedged(row.draw, seed, row.rule, n)
		s.near(row.name+": p99", known{row.p99, 0, "ms"}, h.quantile(0.99), 0.01)
		if !row.unknownTail {
			s.near(row.name+": p99.9", known{row.p999, 0, "ms"}, h.quantile(0.999), 0.03)
		}
		if row.rule != nil {
			s.mean(row.name+": more requests", known{row.extra, 1, "%"}, same(100*h.extra), off(0.25))
		}
	}
	s.Note = "With one per cent of stalls the p99 without a copy lies on the edge between the " +
		"ordinary calls and the stalls, so any number from one to the other is its p99: see " +
		"the interval. That a p99 falls towards the p95 holds only where the tail is stalls. " +
		"The budget is 10 %: the p95 asks for 5 %, and with a budget of just that, chance denies " +
		"one copy in twenty."
}

// near compares a published quantile with the interval of ours, and allows a
// share of it besides, because the published one has an interval of its own.
func (s *sheet) near(name string, want known, q stats.Quantile, allowed float64) {
	wide := q
	wide.Low -= allowed * q.Value
	wide.High += allowed * q.Value
	s.within(name, want, q)
	f := &s.Figures[len(s.Figures)-1]
	f.Match = wide.Low-want.half() <= want.value && want.value <= wide.High+want.half()
}

// Google's leaf of 3.4, fitted to the published p99.9: P(more than 10 ms) is
// two per cent.
const (
	bulk        = 0.9354 // share that takes 1 to 6 ms, evenly
	tailMedian  = 4.36   // ms, of the lognormal rest
	tailSigma   = 1.67
	leaves      = 100
	leafCopy    = 10 * ms
	leafRequest = 20_000
)

func tailLeaf(s *sim.Stream) time.Duration {
	if u := s.Float64(); u < bulk {
		return time.Duration((1 + 5*u/bulk) * float64(ms))
	}
	return time.Duration(tailMedian * exp(tailSigma*s.Normal()) * float64(ms))
}

// leafBeyond is the share of leaf calls that take longer than t milliseconds.
func leafBeyond(t float64) float64 {
	if t <= 0 {
		return 1
	}
	return bulk*(1-min(max((t-1)/5, 0), 1)) + (1-bulk)*beyond(ln(t/tailMedian)/tailSigma)
}

// scatter makes a request of 100 leaves, and reports the slowest without and
// with the second copies that h allows, and how many those were.
func scatter(random *sim.Stream, request int, h *hedge.Hedge) (plain, fast time.Duration, copies int) {
	began := core.Instant(request) * core.Instant(second)
	for l := range leaves {
		first := random.Of(uint64(request), uint64(2*l))
		t := tailLeaf(&first)
		plain = max(plain, t)
		after := h.Deposit(began)
		switch due := began.Add(after); {
		case t <= after:
			h.Report(due, core.Result{Outcome: core.Success}, t, false)
		case h.Withdraw(due, 0) == core.NoReason:
			copies++
			second := random.Of(uint64(request), uint64(2*l+1))
			t = min(t, after+tailLeaf(&second))
		}
		fast = max(fast, t)
	}
	return plain, fast, copies
}

func h4(s *sheet) {
	s.Setup = "100 leaves: 93.54 % take 1 to 6 ms, the rest is lognormal (median 4.36 ms, σ " +
		"1.67); a second copy after 10 ms. Solved, and 20,000 requests drawn at a time."
	slowest := power(0.999, 1)
	one := 1 - exp(ln(slowest)/leaves) // of a leaf, for the p99.9 of the slowest of 100
	s.mean("p99.9 solved", known{1800, 0, "ms"}, same(crossing(1, 1e5, one, leafBeyond)), off(5))
	s.rounds("with copies, solved", known{74, 0, "ms"}, crossing(1, 1e5, one, func(t float64) float64 {
		return leafBeyond(t) * leafBeyond(t-10)
	}))
	s.rounds("copies, solved", known{2, 0, "%"}, 100*leafBeyond(10))
	var plain, fast, plain99, fast99, extra []float64
	for _, seed := range s.seeds(4) {
		random := stream(seed, "leaves")
		rule := must(hedge.New(hedge.Config{After: leafCopy}))
		p, h := make([]time.Duration, leafRequest), make([]time.Duration, leafRequest)
		copies := 0
		for i := range p {
			var n int
			p[i], h[i], n = scatter(random, i, rule)
			copies += n
		}
		a, b := hedging{times: sortedTimes(p)}, hedging{times: sortedTimes(h)}
		plain, fast = append(plain, a.quantile(0.999).Value), append(fast, b.quantile(0.999).Value)
		plain99, fast99 = append(plain99, a.quantile(0.99).Value), append(fast99, b.quantile(0.99).Value)
		extra = append(extra, 100*float64(copies)/leafRequest/leaves)
	}
	s.mean("p99.9 drawn", known{1726, 0, "ms"}, plain, few(1))
	s.mean("p99.9 with copies, drawn", known{84, 0, "ms"}, fast, few(1))
	s.mean("p99 drawn", known{626, 0, "ms"}, plain99, few(1))
	s.mean("p99 with copies, drawn", known{29, 0, "ms"}, fast99, few(1))
	s.mean("more requests", known{1.99, 2, "%"}, extra, rate)
	s.Note = "The leaf is ours, fitted to the published 1,800 ms. The published cut to 74 ms " +
		"then follows."
}

func h5(s *sheet) {
	s.Setup = "A copy at the p95 of a healthy day, 49.9 ms; then every call takes ten times as " +
		"long. Then the same with copies out of a budget of 5 %, and as core/hedge does it " +
		"unless it is told otherwise."
	slow := func(r *sim.Stream) time.Duration { return 50*ms + exponential(150*ms)(r) }
	var free, capped, sure []float64
	for _, seed := range s.seeds(10) {
		load := func(c *hedge.Config) float64 { return 1 + hedged(slow, seed, c, 20_000).extra }
		free = append(free, load(unbounded(leafP95)))
		capped = append(capped, load(&hedge.Config{After: leafP95, Slow: 1}))
		sure = append(sure, load(&hedge.Config{After: leafP95}))
	}
	s.mean("load", known{2, 0, "times"}, free, rate)
	s.mean("load with a cap of 5 %", known{1.05, 2, "times"}, capped, rate)
	s.mean("load when it stops by itself", known{1, 2, "times"}, sure, rate)
	s.Note = "It stops when more than a quarter of the calls are late: some fifteen calls after " +
		"everything has become slow. The cap alone would still send a copy for every twentieth."
}
