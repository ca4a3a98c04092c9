package gallery

import (
	"math"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/sim"
)

// queueing is a textbook queue: Poisson arrivals, so many servers, a line. Its
// unit of time is the mean service time.
type queueing struct {
	servers int
	load    float64 // arrivals per service time and server
	random  bool    // service times are exponential, or else constant
	places  int     // in all, those in service included; 0: no bound
}

// result is what a run of a queue gives.
type result struct {
	wait    float64 // mean, in service times
	waited  float64 // share of those let in who had to
	refused float64 // share of all
	little  float64 // relative difference between the two sides of Little's law
	lost    int     // arrivals that are neither served, refused nor inside
}

// service is the mean service time: long enough that rounding to nanoseconds
// does not show.
const service = time.Second

// queue is a run of it.
type queue struct {
	sim.Engine
	queueing
	gaps, times *sim.Stream
	line        []core.Instant // when those who wait came
	head        int
	left        int // arrivals to come
	busy        int

	came, refused, served, waited int
	waits                         float64
	area                          float64 // time integral of the number inside
	stays                         float64 // sum of the times spent inside
	since                         core.Instant
}

func (q queueing) run(seed uint64, arrivals int) result {
	r := &queue{queueing: q, gaps: stream(seed, "gaps"), times: stream(seed, "times"), left: arrivals}
	r.At(0, sim.Begins, r, arrives, 0)
	for r.Pending() > 0 {
		r.Run(r.Now() + core.Instant(1000*service))
	}
	in := float64(r.came - r.refused)
	return result{
		wait:    r.waits / in / float64(service),
		waited:  float64(r.waited) / in,
		refused: float64(r.refused) / float64(r.came),
		little:  math.Abs(r.area-r.stays) / r.stays,
		lost:    r.came - r.refused - r.served - r.inside(),
	}
}

func (q *queue) inside() int { return q.busy + len(q.line) - q.head }

// Fire implements sim.Actor. The argument of an end is when that one came.
func (q *queue) Fire(what int, arg int64) {
	now := q.Now()
	q.area += float64(q.inside()) * float64(now-q.since)
	q.since = now
	if what == served {
		q.served++
		q.busy--
		q.stays += float64(now - core.Instant(arg))
		if q.head < len(q.line) {
			came := q.line[q.head]
			if q.head++; q.head == len(q.line) {
				q.line, q.head = q.line[:0], 0
			}
			q.waited++
			q.waits += float64(now - came)
			q.begin(came)
		}
		return
	}
	if q.left--; q.left > 0 {
		gap := q.gaps.Exp() * float64(service) / (q.load * float64(q.servers))
		q.At(now+core.Instant(gap), sim.Begins, q, arrives, 0)
	}
	q.came++
	switch {
	case q.places > 0 && q.inside() >= q.places:
		q.refused++
	case q.busy < q.servers:
		q.begin(now)
	default:
		q.line = append(q.line, now)
	}
}

func (q *queue) begin(came core.Instant) {
	q.busy++
	took := float64(service)
	if q.random {
		took *= q.times.Exp()
	}
	q.At(q.Now()+core.Instant(took), sim.Ends, q, served, int64(came))
}

// erlangC is the share of arrivals that must wait at so many servers, by the
// recursion for Erlang's loss formula.
func erlangC(servers int, load float64) float64 {
	offered := load * float64(servers)
	lost := 1.0
	for k := 1; k <= servers; k++ {
		lost = offered * lost / (float64(k) + offered*lost)
	}
	return lost / (1 - load*(1-lost))
}

// queueFacts is card 2.16: the engine against theory.
func queueFacts(s *sheet) {
	s.Setup = "Poisson arrivals at 90 % of what the servers can do; waits in service times. " +
		"Simulated figures beside the formulas."
	s.equals("M/M/1", known{9, 0, ""}, 0.9/(1-0.9))
	s.equals("M/D/1", known{4.5, 1, ""}, 0.9/(2*(1-0.9)))
	runs := s.seeds(8)
	some := func(q queueing, of func(result) float64) (xs []float64) {
		for _, seed := range runs {
			r := q.run(seed, 100_000)
			if r.little > 1e-9 || r.lost != 0 {
				panic("gallery: the queue breaks a law of conservation")
			}
			xs = append(xs, of(r))
		}
		return xs
	}
	wait := func(r result) float64 { return r.wait }
	waited := func(r result) float64 { return r.waited }
	refused := func(r result) float64 { return 100 * r.refused }
	s.mean("M/M/1 simulated", known{9, 0, ""}, some(queueing{1, 0.9, true, 0}, wait), rate)
	s.mean("M/D/1 simulated", known{4.5, 1, ""}, some(queueing{1, 0.9, false, 0}, wait), rate)
	s.mean("M/M/1/30 refuses at 150 %", known{33.3, 1, "%"},
		some(queueing{1, 1.5, true, 30}, refused), share)
	s.mean("M/M/1/9 refuses at 100 %", known{10, 0, "%"},
		some(queueing{1, 1, true, 9}, refused), share)
	for _, row := range []struct {
		servers      int
		waited, wait known
	}{
		{1, known{0.900, 3, ""}, known{9.0, 1, ""}}, {2, known{0.853, 3, ""}, known{4.26, 2, ""}},
		{5, known{0.763, 3, ""}, known{1.525, 3, ""}}, {10, known{0.669, 3, ""}, known{0.669, 3, ""}},
		{20, known{0.551, 3, ""}, known{0.275, 3, ""}}, {50, known{0.364, 3, ""}, known{0.0728, 4, ""}},
		{100, known{0.217, 3, ""}, known{0.0217, 4, ""}},
		{200, known{0.0945, 4, ""}, known{0.0047, 4, ""}},
	} {
		name := "c = " + number(float64(row.servers), 0, "")
		c := erlangC(row.servers, 0.9)
		s.digit(name+": P(wait)", row.waited, c)
		s.digit(name+": wait", row.wait, c/(float64(row.servers)*(1-0.9)))
		if row.servers == 5 || row.servers == 50 {
			s.mean(name+": P(wait) simulated", row.waited,
				some(queueing{row.servers, 0.9, true, 0}, waited), rate)
		}
	}
	s.Note = "In every run here Little's law holds to a billionth and arrivals = served + " +
		"refused + inside."
}
