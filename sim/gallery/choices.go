package gallery

import (
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/sim"
)

// twoRow is the mean time in the system, in services, by load.
type twoRow struct {
	load float64
	one  known
	two  known
}

var twoRows = []twoRow{
	{0.5, known{2, 0, ""}, known{1.266, 3, ""}}, {0.7, known{3.33, 2, ""}, known{1.615, 3, ""}},
	{0.8, known{5, 0, ""}, known{1.947, 3, ""}}, {0.9, known{10, 0, ""}, known{2.614, 3, ""}},
	{0.95, known{20, 0, ""}, known{3.383, 3, ""}}, {0.99, known{100, 0, ""}, known{5.432, 3, ""}},
}

// sojourn is the mean time in the system with the best of d choices and many
// servers: the sum of load^((d^i-1)/(d-1) - 1).
func sojourn(load float64, d int) float64 {
	sum := 0.0
	for i, exponent, step := 0, 0.0, 1.0; i < 5000; i++ {
		exponent += step
		step *= float64(d)
		term := exp((exponent - 1) * ln(load))
		if sum += term; term < 1e-18 {
			break
		}
	}
	return sum
}

func twoChoices(s *sheet) {
	s.Setup = "Poisson arrivals, exponential service, very many servers: the mean time in the " +
		"system in services, of a server chosen at random, and of the shorter of two queues."
	for _, row := range twoRows {
		at := " at " + number(100*row.load, 0, "%")
		s.rounds("random"+at, row.one, 1/(1-row.load))
		s.digit("two"+at, row.two, sojourn(row.load, 2))
	}
	s.rounds("three at 90 %", known{2.028, 3, ""}, sojourn(0.9, 3))
	var one, two []float64
	for _, seed := range s.seeds(5) {
		// A lone queue takes hundreds of service times to forget how it began.
		one = append(one, farm{queues: make([]int, 100), choices: 1}.run(seed, 1000, 3000))
		two = append(two, farm{queues: make([]int, 300), choices: 2}.run(seed, 50, 600))
	}
	s.mean("random at 90 %, 100 servers simulated", known{10, 0, ""}, one, rate)
	s.mean("two at 90 %, 300 servers simulated", known{2.614, 3, ""}, two, either(part(0.02), rate))
	var three []float64
	for _, seed := range s.seeds(5) {
		three = append(three, farm{queues: make([]int, 300), choices: 3}.run(seed, 50, 600))
	}
	s.mean("three at 90 %, 300 servers simulated", known{2.028, 3, ""}, three, either(part(0.02), rate))
	s.Note = "A model of the queues alone. No policy of Seakeep chooses here; in 2.12-policy one does."
}

// farm is many servers with a queue each, at 90 % of what they can do; arrivals
// go to the shortest of some queues chosen at random.
type farm struct {
	sim.Engine
	queues      []int
	choices     int
	gaps, times *sim.Stream
	which       *sim.Stream
	inside      int
	area        float64 // time integral of the number inside, in service times
	since       float64
}

// instant is a mean service time.
const instant = 1_000_000_000

// run returns the mean time in the system between two instants.
func (f farm) run(seed uint64, settled, end int) float64 {
	f.gaps, f.times, f.which = stream(seed, "gaps"), stream(seed, "times"), stream(seed, "which")
	f.At(0, sim.Begins, &f, arrives, 0)
	f.Run(core.Instant(settled) * instant)
	f.count()
	f.area = 0
	f.Run(core.Instant(end) * instant)
	f.count()
	return f.area / float64(end-settled) / (0.9 * float64(len(f.queues)))
}

func (f *farm) count() {
	now := float64(f.Now()) / instant
	f.area += float64(f.inside) * (now - f.since)
	f.since = now
}

// Fire implements sim.Actor.
func (f *farm) Fire(what int, arg int64) {
	f.count()
	if what == served {
		f.inside--
		if f.queues[arg]--; f.queues[arg] > 0 {
			f.serve(arg)
		}
		return
	}
	gap := f.gaps.Exp() * instant / (0.9 * float64(len(f.queues)))
	f.At(f.Now()+core.Instant(gap), sim.Begins, f, arrives, 0)
	best := int64(-1)
	for range f.choices {
		i := int64(f.which.Uint64() % uint64(len(f.queues)))
		if best < 0 || f.queues[i] < f.queues[best] {
			best = i
		}
	}
	f.inside++
	if f.queues[best]++; f.queues[best] == 1 {
		f.serve(best)
	}
}

func (f *farm) serve(i int64) {
	f.At(f.Now().Add(exponential(instant)(f.times)), sim.Ends, f, served, i)
}
