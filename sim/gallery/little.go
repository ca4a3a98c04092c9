package gallery

import (
	"math"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/retry"
	"github.com/seakeep/seakeep/sim"
)

// little holds the cards on Little's law, pools and queues.
func little() []Entry {
	return []Entry{
		{ID: "L1", Kind: Analytic, Title: "Threads of a healthy checkout", run: l1},
		{ID: "L2", Kind: Analytic, Title: "Threads that a dependency holds as it slows", run: l2},
		{ID: "L3", Kind: Analytic, Title: "The whole pool as one dependency slows", run: l3},
		{ID: "L4", Kind: Simulation, Title: "How soon a slow dependency fills the pool", run: l4},
		{ID: "L5", Kind: Analytic, Title: "Calls in flight", run: l5},
		{ID: "L6", Kind: Simulation, Title: "A pool fills in 200 ms", run: l6},
		{ID: "L7", Kind: Analytic, Title: "A timeout caps what a dependency can hold", run: l7},
		{ID: "L8", Kind: Simulation, Title: "Waiting near full use", run: l8},
		{ID: "L9", Kind: Simulation, Title: "A queue fed faster than drained", run: l9},
		{ID: "L10", Kind: Analytic, Title: "Load on a database whose cache is lost", run: l10},
		{ID: "L11", Kind: Simulation, Title: "Shed 40 % and keep 60 % healthy", run: l11},
		{ID: "L12", Kind: Analytic, Title: "Size of a bulkhead", run: l12},
		{ID: "L13", Kind: Simulation, Title: "Down at 11,000 a second, still down at 9,000", run: l13},
	}
}

// held is Little's law: how many are inside, at so many a second for so long.
func held(rate float64, d time.Duration) float64 { return rate * d.Seconds() }

const (
	ms       = time.Millisecond
	second   = time.Second
	checkout = 1000.0       // requests a second
	third    = checkout / 3 // of them for each dependency
	pool     = 200          // threads
	ownWork  = 2 * ms
	healthy  = 20 * ms // a dependency's mean
)

// threads is the pool's use when the third dependency takes d.
func threads(d time.Duration) float64 {
	return held(checkout, ownWork) + 2*held(third, healthy) + held(third, d)
}

func l1(s *sheet) {
	s.Setup = "1,000 requests a second, each 20 ms in a dependency and 2 ms of own work; 200 " +
		"threads."
	s.equals("threads", known{22, 0, "threads"}, held(checkout, ownWork+healthy))
	s.equals("of the pool", known{11, 0, "%"}, 100*held(checkout, ownWork+healthy)/pool)
}

func l2(s *sheet) {
	s.Setup = "A third of 1,000 requests a second goes to dependency C."
	s.rounds("at 20 ms", known{6.67, 2, ""}, held(third, 20*ms))
	s.count("whole threads at 20 ms", 7, int(math.Ceil(held(third, 20*ms))))
	s.rounds("at 200 ms", known{66.7, 1, ""}, held(third, 200*ms))
	s.count("whole threads at 200 ms", 67, int(math.Ceil(held(third, 200*ms))))
	s.count("whole threads at 550 ms", 184, int(math.Ceil(held(third, 550*ms))))
	s.equals("at 2 s, for 333 a second", known{666, 0, ""}, held(333, 2*second))
}

func l3(s *sheet) {
	s.Setup = "As L2, with the threads of A and B and the requests' own work."
	s.equals("C at 20 ms", known{22, 0, "threads"}, threads(20*ms))
	s.equals("C at 200 ms", known{82, 0, "threads"}, threads(200*ms))
	s.equals("of the pool", known{41, 0, "%"}, 100*threads(200*ms)/pool)
	s.rounds("C at 550 ms", known{198.7, 1, "threads"}, threads(550*ms))
	s.equals("C at 2 s", known{682, 0, "threads"}, threads(2*second))
	s.equals("times the pool", known{3.41, 2, ""}, threads(2*second)/pool)
	s.rounds("times the pool, C alone", known{3.3, 1, ""}, held(333, 2*second)/pool)
}

func l4(s *sheet) {
	s.Setup = "200 threads, 1,000 requests a second, a third of them to C. At 0 C goes from 20 " +
		"ms to 2 s. When is no thread free?"
	// Nothing leaves and nothing is random: a thread of those free every 3 ms.
	free := pool - int(threads(healthy))
	even := float64(free) / third
	s.mean("evenly spaced", known{0.533, 3, "s"}, []float64{even, even}, rate)
	rows := []struct {
		name   string
		mean   float64
		sd     float64
		length func(*sim.Stream) time.Duration
	}{
		{"Poisson, 2 s each", 0.55, 0.05, func(*sim.Stream) time.Duration { return 2 * second }},
		{"exponential, mean 2 s", 0.64, 0.05, exponential(2 * second)},
		{"exponential, mean 1 s", 0.77, 0.09, exponential(second)},
	}
	for _, row := range rows {
		var xs []float64
		for _, seed := range s.seeds(60) {
			xs = append(xs, fills(seed, row.length).Seconds())
		}
		s.mean(row.name, known{row.mean, 2, "s"}, xs, spread(row.sd, 60))
	}
	s.Note = "Some calls of the exponential C leave before the pool is full, which is why it " +
		"takes longer."
}

func exponential(mean time.Duration) func(*sim.Stream) time.Duration {
	return func(s *sim.Stream) time.Duration { return time.Duration(float64(mean) * s.Exp()) }
}

// flooded is a pool whose requests for C hold their thread for length, from 0
// on, and before as long as all others.
type flooded struct {
	sim.Engine
	gaps, who, healthy, slow *sim.Stream
	length                   func(*sim.Stream) time.Duration
	busy                     int
	full                     core.Instant
}

// fills returns how long after 0 the pool is full.
func fills(seed uint64, length func(*sim.Stream) time.Duration) time.Duration {
	f := &flooded{gaps: stream(seed, "gaps"), who: stream(seed, "who"),
		healthy: stream(seed, "healthy"), slow: stream(seed, "slow"), length: length}
	f.At(0, sim.Begins, f, arrives, 0)
	for f.full == 0 {
		f.Run(f.Now() + core.Instant(100*ms))
	}
	return f.full.Sub(warm)
}

// warm is when the dependency slows, after enough time for the pool to settle.
const warm = core.Instant(second)

func (f *flooded) Fire(what int, _ int64) {
	if what == served {
		f.busy--
		return
	}
	f.At(f.Now()+core.Instant(f.gaps.Exp()*float64(second)/checkout), sim.Begins, f, arrives, 0)
	took := ownWork + healthyTime(f.healthy)
	if slow := f.length(f.slow); f.who.Float64() < 1.0/3 && f.Now() >= warm {
		took = ownWork + slow
	}
	if f.busy++; f.busy == pool && f.full == 0 {
		f.full = f.Now()
	}
	f.At(f.Now().Add(took), sim.Ends, f, served, 0)
}

// healthyTime draws how long a healthy dependency of the checkout takes: never
// less than 5 ms, 20 ms on average. That gives the published p99 of 75 ms.
func healthyTime(s *sim.Stream) time.Duration { return 5*ms + exponential(15*ms)(s) }

func l5(s *sheet) {
	s.Setup = "1,000 calls a second."
	s.equals("50 ms each", known{50, 0, "in flight"}, held(1000, 50*ms))
	s.equals("5 s each", known{5000, 0, "in flight"}, held(1000, 5*second))
	s.equals("40 ms each", known{40, 0, "in flight"}, held(1000, 40*ms))
}

func l6(s *sheet) {
	s.Setup = "200 threads, 1,000 evenly spaced requests a second; at 0 the dependency goes " +
		"from 50 ms to 5 s."
	e := &evenly{}
	e.At(0, sim.Begins, e, arrives, 0)
	e.Run(warm + core.Instant(second))
	s.equals("full after", known{200, 0, "ms"}, float64(e.full.Sub(warm))/float64(ms))
	s.count("calls of before that are left by then", 0, e.old)
}

// evenly is the pool of L6.
type evenly struct {
	sim.Engine
	busy, old int
	full      core.Instant
}

func (e *evenly) Fire(what int, when int64) {
	now := e.Now()
	if what == served {
		if e.busy--; core.Instant(when) < warm {
			e.old--
		}
		return
	}
	e.At(now+core.Instant(ms), sim.Begins, e, arrives, 0)
	if e.busy >= pool {
		return
	}
	took := 5 * second
	if now <= warm {
		took = 50 * ms
		e.old++
	}
	if e.busy++; e.busy == pool && e.full == 0 {
		e.full = now
	}
	// The call that comes at 0 itself is one of before.
	e.At(now.Add(took), sim.Ends, e, served, int64(now)-1)
}

func l7(s *sheet) {
	s.Setup = "333 calls a second with a timeout of 250 ms; a 30 s timeout on a call of 20 ms."
	s.rounds("most threads held", known{83, 0, "threads"}, held(333, 250*ms))
	s.equals("30 s against 20 ms", known{1500, 0, "times"}, float64(30*second)/float64(20*ms))
}

func l8(s *sheet) {
	s.Setup = "One server, Poisson arrivals, exponential service: waiting is ρ/(1-ρ) service " +
		"times."
	wait := func(load float64) float64 { return load / (1 - load) }
	s.equals("at 90 %", known{9, 0, "times"}, wait(0.9))
	s.equals("at 99 %", known{99, 0, "times"}, wait(0.99))
	var xs []float64
	for _, seed := range s.seeds(8) {
		xs = append(xs, queueing{servers: 1, load: 0.9, random: true}.run(seed, 100_000).wait)
	}
	s.mean("at 90 %, simulated", known{9, 0, "times"}, xs, rate)
}

func l9(s *sheet) {
	s.Setup = "10,000 messages a second into a queue that is drained at 8,000 a second, for 10 " +
		"s."
	c := stationConfig{service: second / 8000, load: []phase{{0, 10_000}}}
	st := simulate(c, s.Seed, 10*second)
	// One message is being served and does not wait.
	s.mean("growth", known{2000, 0, "a second"}, same(float64(st.line.len()+1)/10), rate)
}

// same makes a sample of a figure that is not random.
func same(x float64) []float64 { return []float64{x, x} }

func l10(s *sheet) {
	s.Setup = "All traffic passes a cache with hit rate h; without it the database sees " +
		"1/(1-h) times its load."
	lost := func(hits float64) float64 { return 1 / (1 - hits) }
	s.equals("95 %", known{20, 0, "times"}, lost(0.95))
	s.equals("90 %", known{10, 0, "times"}, lost(0.90))
	s.equals("99 %", known{100, 0, "times"}, lost(0.99))
}

func l11(s *sheet) {
	s.Setup = "A server gets 1/0.6 of what it can do; callers wait for 1 s. Either everything " +
		"is queued, or the queue is bounded at half a second."
	s.rounds("can be kept", known{60, 0, "%"}, 100*0.6)
	goodput := func(bound int) (xs []float64) {
		for _, seed := range s.seeds(6) {
			c := stationConfig{service: 10 * ms, random: true, poisson: true, patience: second,
				load: []phase{{0, 100 / 0.6}}, bound: bound}
			xs = append(xs, 100*mean(simulate(c, seed, 120*second).good, 20, 120)/(100/0.6))
		}
		return xs
	}
	s.mean("kept, queue bounded", known{60, 0, "%"}, goodput(50), share)
	s.mean("kept, all queued", known{0, 0, "%"}, goodput(0), share)
}

func l12(s *sheet) {
	s.Setup = "333 calls a second with a p99 of 75 ms, out of a pool of 200."
	s.count("slots busy at p99", 25, int(math.Ceil(held(333, 75*ms))))
	s.word("twice to three times that holds 50 to 70", "yes",
		yes(2*25 <= 50 && 70 <= 3*25))
	s.equals("200 of 200 leaves for others", known{0, 0, "threads"}, pool-200)
}

// yes writes a truth for a card.
func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func l13(s *sheet) {
	s.Setup = "A server that can do 10,000 a second; callers wait for 1 s and try 3 times. " +
		"Load goes from 9,000 to 11,000 for 15 s and back."
	crash := func(attempts int) *station {
		return simulate(stationConfig{service: second / 10_000, patience: second,
			load:  []phase{{0, 9000}, {5 * second, 11_000}, {20 * second, 9000}},
			retry: retry.Config{Attempts: attempts, Backoff: atOnce}}, s.Seed, 40*second)
	}
	with, without := crash(3), crash(1)
	good := func(st *station, from, to int) []float64 { return same(mean(st.good, from, to)) }
	s.mean("goodput at 9,000 before", known{9000, 0, "/s"}, good(with, 1, 5), rate)
	s.mean("goodput at 9,000 after", known{0, 0, "/s"}, good(with, 30, 40), rate)
	s.mean("the same, without retries", known{9000, 0, "/s"}, good(without, 35, 40), rate)
	s.Note = "The brief only says that it may fail to recover. Here the retries are what keeps " +
		"it down; 3.3 is the same in small."
}

// atOnce is a backoff of none: a draw from less than a nanosecond is always 0.
var atOnce = retry.Backoff{Base: 1, Factor: 1}
