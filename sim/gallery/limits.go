package gallery

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/limit"
	"github.com/seakeep/seakeep/sim"
)

// gate is a server of ten workers behind a limit: what is above it is refused,
// what is let in waits in line for a worker, and what it took moves the limit.
type gate struct {
	sim.Engine
	limit    *limit.Limit
	rate     float64 // arrivals a second, a Poisson process
	random   bool    // service times are exponential
	gaps     *sim.Stream
	services *sim.Stream
	inside   []visit // by number; an ended one stays until the run is over
	line     []int64
	busy     int
	inFlight int
	settled  bool // the first half is over
	served   int
	limits   []float64 // one a second
	times    []time.Duration
}

// visit is a request that was let in.
type visit struct {
	began    core.Instant
	inFlight int
}

const gateWorkers, gateService = 10, 10 * ms

// ticks is one event more than a station has: a second has passed.
const ticks = mends + 1

// gateFigures are of the second half of two minutes.
type gateFigures struct{ served, p50, p99, limit float64 }

func (g gate) run(c limit.Config, seed uint64) gateFigures {
	g.limit = must(limit.New(c, seed))
	g.gaps, g.services = stream(seed, "gaps"), stream(seed, "services")
	g.At(0, sim.Begins, &g, arrives, 0)
	g.At(core.Instant(second), sim.Changes, &g, ticks, 0)
	g.Run(core.Instant(60 * second))
	g.settled = true
	g.Run(core.Instant(120 * second))
	slices.Sort(g.times)
	millis := func(percent int) float64 { return g.times[len(g.times)*percent/100].Seconds() * 1000 }
	sum := 0.0
	for _, n := range g.limits {
		sum += n
	}
	return gateFigures{float64(g.served) / 60, millis(50), millis(99), sum / float64(len(g.limits))}
}

// Fire implements sim.Actor.
func (g *gate) Fire(what int, arg int64) {
	switch what {
	case arrives:
		g.arrive()
		gap := g.gaps.Exp() * float64(time.Second) / g.rate
		g.At(g.Now()+core.Instant(gap+0.5), sim.Begins, g, arrives, 0)
	case served:
		g.end(arg)
	case ticks:
		if g.settled {
			g.limits = append(g.limits, float64(g.limit.Limit()))
		}
		g.At(g.Now()+core.Instant(second), sim.Changes, g, ticks, 0)
	}
}

func (g *gate) arrive() {
	if g.inFlight >= g.limit.Limit() {
		return
	}
	g.inFlight++
	g.inside = append(g.inside, visit{g.Now(), g.inFlight})
	g.line = append(g.line, int64(len(g.inside)-1))
	g.serve()
}

func (g *gate) serve() {
	if len(g.line) == 0 || g.busy == gateWorkers {
		return
	}
	next := g.line[0]
	g.line = g.line[1:]
	g.busy++
	took := float64(gateService)
	if g.random {
		took *= g.services.Exp()
	}
	g.At(g.Now()+core.Instant(took+0.5), sim.Ends, g, served, next)
}

func (g *gate) end(number int64) {
	v := g.inside[number]
	took := g.Now().Sub(v.began)
	g.busy--
	g.inFlight--
	if g.settled {
		g.served++
		g.times = append(g.times, took)
	}
	g.limit.Report(g.Now(), limit.Sample{RTT: took, InFlight: v.inFlight})
	g.serve()
}

// limitRow is a row of the published table. each says that the algorithm judged
// every request, and not windows.
type limitRow struct {
	name           string
	algorithm      limit.Algorithm
	each           bool
	rate           float64
	random         bool
	served         float64
	p50, p99, most float64
	by             tolerance
}

func limitRows() []limitRow {
	exact, near := part(0.03), part(0.15)
	return []limitRow{
		{"AIMD, exponential", limit.AIMD, true, 1500, true, 1002, 198, 244, 200, exact},
		{"AIMD, fixed", limit.AIMD, true, 1500, false, 1000, 199, 200, 200, exact},
		{"Vegas, exponential", limit.Vegas, true, 1500, true, 560, 7, 46, 6, part(0.05)},
		{"Vegas, fixed", limit.Vegas, true, 1500, false, 979, 14, 26, 19, part(0.07)},
		{"Vegas, exponential, 800/s", limit.Vegas, true, 800, true, 496, 0, 0, 0, exact},
		{"Gradient2, exponential", limit.Gradient2, false, 1500, true, 1000, 40, 79, 43, near},
		{"Gradient2, fixed", limit.Gradient2, false, 1500, false, 1000, 41, 47, 43, near},
		{"Gradient2, exponential, 800/s", limit.Gradient2, false, 800, true, 800, 0, 0, 0, exact},
		{"Envoy, exponential", limit.Envoy, false, 1500, true, 956, 11, 50, 15, near},
		{"Envoy, fixed", limit.Envoy, false, 1500, false, 995, 16, 18, 17, near},
	}
}

func limits(s *sheet) {
	s.Setup = "Round-trip times into a limit algorithm. Then ten workers of 10 ms under " +
		"1,500/s, refused above the limit: served a second, p50, p99 and mean limit in the " +
		"second half of two minutes."
	s.vectors()
	seeds := s.seeds(3)
	for _, row := range limitRows() {
		c := limit.Config{Algorithm: row.algorithm}
		if row.each {
			c.Window, c.Samples = 1, 1
		}
		f := runs(gate{rate: row.rate, random: row.random}, c, seeds)
		s.mean(row.name+": served", known{row.served, 0, "/s"}, f.served, row.by)
		if row.p50 == 0 {
			continue
		}
		s.mean(row.name+": p50", known{row.p50, 0, "ms"}, f.p50, row.by)
		s.mean(row.name+": p99", known{row.p99, 0, "ms"}, f.p99, row.by)
		s.mean(row.name+": limit", known{row.most, 0, ""}, f.limit, row.by)
	}
	for _, random := range []bool{true, false} {
		name := map[bool]string{true: "knee, exponential", false: "knee, fixed"}[random]
		f := runs(gate{rate: 1500, random: random}, limit.Config{}, seeds)
		s.shown(name+": served", 0, "/s", f.served)
		s.shown(name+": p99", 0, "ms", f.p99)
		s.shown(name+": limit", 1, "", f.limit)
	}
	s.aside = "Gradient2 and Envoy without raising a limit while latency is beyond tolerance"
	s.Note = "AIMD and Vegas judge every request here, as they were published, and Gradient2 " +
		"and Envoy windows. The least time of a service whose times vary is luck, and Vegas " +
		"then holds on to it. Gradient2 and Envoy add headroom after they multiply, which as " +
		"published also raises a limit under a mild overload; Seakeep's do not, and settle up " +
		"to a tenth lower. knee is Seakeep's own and its default."
}

// gateRuns are the figures of several runs.
type gateRuns struct{ served, p50, p99, limit []float64 }

func runs(g gate, c limit.Config, seeds []uint64) (all gateRuns) {
	for _, seed := range seeds {
		f := g.run(c, seed)
		all.served, all.p50 = append(all.served, f.served), append(all.p50, f.p50)
		all.p99, all.limit = append(all.p99, f.p99), append(all.limit, f.limit)
	}
	return all
}

// vectors are published sequences of samples with the limits they lead to.
func (s *sheet) vectors() {
	// follow feeds round-trip times in milliseconds, each a window of its own.
	follow := func(l *limit.Limit, from, inFlight int, rtts ...float64) string {
		var got []string
		for i, rtt := range rtts {
			now := core.Instant(from+i) * core.Instant(10*ms)
			n, _ := l.Report(now, limit.Sample{RTT: time.Duration(rtt * 1e6), InFlight: inFlight})
			got = append(got, fmt.Sprint(n))
		}
		return strings.Join(got, ", ")
	}
	each := func(a limit.Algorithm) limit.Config {
		return limit.Config{Algorithm: a, Initial: 20, Window: 1, Samples: 1}
	}
	s.word("Vegas from 20, rtt 10 10 10 15 20 12 11", "20, 26, 32, 31, 30, 30, 30",
		follow(must(limit.New(each(limit.Vegas), 1)), 1, 40, 10, 10, 10, 15, 20, 12, 11))
	l := must(limit.New(each(limit.Gradient2), 1))
	follow(l, 1, 1000, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10)
	s.word("Gradient2, ten of 10, then 15 20 30 50 10, whole parts of 28.8 28.182 26.196 24.377 25.177",
		"28, 28, 26, 24, 25", follow(l, 11, 1000, 15, 20, 30, 50, 10))
	var got []string
	for _, rtt := range []float64{10, 12.5, 15, 20, 30, 50} {
		c := limit.Config{Algorithm: limit.Envoy, Initial: 100, Window: 10 * ms, Samples: 1}
		l := must(limit.New(c, 1))
		follow(l, 1, 3, slices.Repeat([]float64{10}, 50)...)
		got = append(got, follow(l, 51, 100, rtt))
	}
	s.word("Envoy from 100, samples 10 12.5 15 20 30 50", "136, 110, 92, 70, 57, 57",
		strings.Join(got, ", "))
}
