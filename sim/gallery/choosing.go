package gallery

import (
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/balance"
	"github.com/seakeep/seakeep/sim"
)

// twoChoicesPolicy shows the fact of 2.12 with the balancer itself.
func twoChoicesPolicy(s *sheet) {
	s.Setup = "64 servers, Poisson arrivals, exponential service; the balancer sends each request to " +
		"one server that was drawn, or to the cheaper of two. First all are told to be equally fast, " +
		"so that it goes by what is in flight alone; then by the latencies that it sees."
	for _, row := range twoRows[:5] {
		at := " at " + number(100*row.load, 0, "%")
		var one, two []float64
		for _, seed := range s.seeds(5) {
			if row.load < 0.95 { // a lone queue takes ever longer to forget how it began
				one = append(one, newPicked(row.load, pickedOne).run(seed, 1000, 2500))
			}
			two = append(two, newPicked(row.load, pickedTwo).run(seed, 100, 700))
		}
		if one != nil {
			s.mean("one"+at, row.one, one, either(part(0.06), rate))
		}
		s.mean("two"+at, row.two, two, either(part(0.06), rate))
	}
	var learned, slow, refusing []float64
	for _, seed := range s.seeds(5) {
		learned = append(learned, newPicked(0.9, pickedLearned).run(seed, 100, 700))
		slow = append(slow, 100*uneven(seed, false))
		refusing = append(refusing, 100*uneven(seed, true))
	}
	s.shown("two at 90%, by the latencies seen", 3, "", learned)
	s.shown("of attempts at one of 20 that is ten times slower", 2, "%", slow)
	s.shown("of attempts at one of 20 that refuses in no time", 2, "%", refusing)
	s.Note = "With 64 servers the mean is a little above that of very many, at 95% by about 5%. An " +
		"equal share of the attempts would be 5%. 2.12 has the formula, and three choices."
}

// How a picked farm chooses.
const (
	pickedOne = iota
	pickedTwo
	pickedLearned
)

// picked is a farm whose arrivals go where a balancer says.
type picked struct {
	sim.Engine
	load        float64
	how         int
	by          *balance.Balancer
	queues      [64][]core.Instant // when those there came, the one in service first
	gaps, times *sim.Stream
	which       *sim.Stream
	from        core.Instant // of what counts
	sum         float64      // of times, in services
	n           int
}

func newPicked(load float64, how int) *picked {
	f := &picked{load: load, how: how}
	f.by = must(balance.New(balance.Config{}, make([]balance.Peer, len(f.queues))))
	return f
}

// run returns the mean time in the system of those that leave between two
// instants, in services.
func (f *picked) run(seed uint64, settled, end int) float64 {
	f.gaps, f.times, f.which = stream(seed, "gaps"), stream(seed, "times"), stream(seed, "which")
	f.from = core.Instant(settled) * instant
	f.At(0, sim.Begins, f, arrives, 0)
	f.Run(core.Instant(end) * instant)
	return f.sum / float64(f.n)
}

// Fire implements sim.Actor.
func (f *picked) Fire(what int, arg int64) {
	if what == served {
		f.leave(arg)
		return
	}
	gap := f.gaps.Exp() * instant / (f.load * float64(len(f.queues)))
	f.At(f.Now()+core.Instant(gap), sim.Begins, f, arrives, 0)
	c := balance.Choice{Draw: f.which.Float64()}
	if f.how == pickedOne {
		c.Only = 1 << int(c.Draw*float64(len(f.queues)))
	}
	i, _ := f.by.Pick(f.Now(), c)
	f.queues[i] = append(f.queues[i], f.Now())
	if len(f.queues[i]) == 1 {
		f.serve(int64(i))
	}
}

func (f *picked) leave(i int64) {
	took := f.Now().Sub(f.queues[i][0])
	f.queues[i] = f.queues[i][1:]
	if len(f.queues[i]) > 0 {
		f.serve(i)
	}
	if f.Now() >= f.from {
		f.sum += float64(took) / instant
		f.n++
	}
	if f.how != pickedLearned {
		took = time.Second
	}
	f.by.Report(f.Now(), int(i), balance.Sample{Took: took, Outcome: core.Success, Reached: true})
}

func (f *picked) serve(i int64) {
	f.At(f.Now().Add(exponential(instant)(f.times)), sim.Ends, f, served, i)
}

// uneven returns the share of a thousand attempts a second, for 30 s, that goes
// to one of twenty endpoints which is ten times slower than the others' 10 ms, or
// refuses everything at once.
func uneven(seed uint64, refuses bool) float64 {
	f := &unequal{refuses: refuses, which: stream(seed, "which")}
	f.by = must(balance.New(balance.Config{}, make([]balance.Peer, 20)))
	f.At(0, sim.Begins, f, arrives, 0)
	f.Run(30 * instant)
	return float64(f.there) / float64(f.n)
}

type unequal struct {
	sim.Engine
	by       *balance.Balancer
	which    *sim.Stream
	refuses  bool
	there, n int
}

// Fire implements sim.Actor.
func (f *unequal) Fire(what int, arg int64) {
	bad := arg == 7
	switch {
	case what == arrives:
		f.At(f.Now()+instant/1000, sim.Begins, f, arrives, 0)
		i, _ := f.by.Pick(f.Now(), balance.Choice{Draw: f.which.Float64()})
		took := 10 * ms
		if f.n++; i == 7 {
			f.there++
			if took *= 10; f.refuses {
				took = ms / 10
			}
		}
		f.At(f.Now().Add(took), sim.Ends, f, served, int64(i))
	case bad && f.refuses:
		f.by.Report(f.Now(), 7, balance.Sample{Took: ms / 10, Outcome: core.Overloaded, Reached: true})
	case bad:
		f.by.Report(f.Now(), 7, balance.Sample{Took: 100 * ms, Outcome: core.Success, Reached: true})
	default:
		f.by.Report(f.Now(), int(arg), balance.Sample{Took: 10 * ms, Outcome: core.Success, Reached: true})
	}
}
