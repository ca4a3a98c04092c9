package gallery

import (
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/window"
)

func b5(s *sheet) {
	s.Setup = "1,000 calls a second fail for 5 ms; and one failure in a quiet minute."
	r := newRig(breaker.Config{Window: window.Config{Consecutive: 5},
		Open: breaker.Pause{For: 30 * second}}, s.Seed)
	at := time.Duration(0)
	for r.call(at, core.Failure, 0) == "closed" {
		at += ms
	}
	s.equals("five in a row are", known{5, 0, "ms"}, (at+ms).Seconds()*1000)
	quiet := func(least int) string {
		c := breaker.Config{Window: window.Config{Over: time.Minute}, MinCalls: least, Failures: 0.5,
			Open: breaker.Pause{For: 30 * second}}
		return newRig(c, s.Seed).call(0, core.Failure, 0)
	}
	s.word("a rate without a minimum", "open", quiet(1))
	s.word("with the default of 20 calls", "closed", quiet(0))
}

func b7(s *sheet) {
	s.Setup = "A rejection takes a lock, about 17 ns; the call it spares takes a round trip, " +
		"500 µs."
	s.rounds("a lock against a round trip", known{0.0034, 4, "%"}, 100*17e-9/500e-6)
	s.Note = "Our own time is measured by the benchmarks (make bench): the gallery reads no " +
		"clock."
}

// noticed returns how late a caller every 10 ms learns that a dependency has
// recovered, at some instant while the breaker in front of it is open.
func noticed(seed uint64) time.Duration {
	r := newRig(breaker.Config{Window: window.Config{Consecutive: 1},
		Open: breaker.Pause{For: 5 * second}, Trials: breaker.Trials{Calls: 1}}, seed)
	r.call(0, core.Timeout, 0)
	recovers := time.Duration(stream(seed, "recovers").Float64() * float64(5*second))
	for at := 10 * ms; ; at += 10 * ms {
		if r.call(at, core.Success, 0) == "closed" {
			return at - recovers
		}
	}
}

func b8(s *sheet) {
	s.Setup = "A breaker that is open for 5 s, and a dependency that recovers meanwhile."
	var xs []float64
	late := 0
	for _, seed := range s.seeds(1000) {
		after := noticed(seed)
		if xs = append(xs, after.Seconds()); after > 5*second {
			late++
		}
	}
	s.count("noticed after more than 5 s", 0, late)
	s.mean("noticed after, on average", known{2.5, 1, "s"}, xs, rate)
}
