package gallery

import (
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/retry"
	"github.com/seakeep/seakeep/core/window"
	"github.com/seakeep/seakeep/sim"
)

// bin is the width of R4's bins.
const bin = 20 * ms

// returns draws when 200 callers come back.
func returns(j retry.Jitter, draw func() float64) []time.Duration {
	b := retry.Backoff{Base: 400 * ms, Cap: 10 * second, Jitter: j}
	back := make([]time.Duration, 200)
	for i := range back {
		back[i] = b.Delay(1, 0, draw())
	}
	return back
}

// worstBin is the most in a fixed bin, worstWindow in any window of that width.
func worstBin(back []time.Duration) float64 {
	var bins [64]int
	worst := 0
	for _, t := range back {
		bins[t/bin]++
		worst = max(worst, bins[t/bin])
	}
	return float64(worst)
}

func worstWindow(back []time.Duration) float64 {
	sorted := sortedTimes(back)
	worst, first := 0, 0
	for i, t := range sorted {
		for t-sorted[first] >= bin {
			first++
		}
		worst = max(worst, i-first+1)
	}
	return float64(worst)
}

func r4(s *sheet) {
	s.Setup = "200 callers wait once, up to 400 ms. Most that come back in one 20 ms bin."
	s.equals("no jitter", known{200, 0, ""}, worstBin(returns(retry.None, newMersenne(42).random)))
	for _, row := range []struct {
		jitter       retry.Jitter
		one          float64
		fixed, slide known
		low, high    float64
	}{
		{retry.Full, 20, known{16.4, 1, ""}, known{18.7, 1, ""}, 14, 20},
		{retry.Equal, 32, known{27.2, 1, ""}, known{30.4, 1, ""}, 24, 32},
	} {
		name := row.jitter.String()
		s.equals(name+", Python's seed 42", known{row.one, 0, ""},
			worstBin(returns(row.jitter, newMersenne(42).random)))
		var fixed, slide []float64
		for _, seed := range s.seeds(1000) {
			back := returns(row.jitter, stream(seed, "waits").Float64)
			fixed = append(fixed, worstBin(back))
			slide = append(slide, worstWindow(back))
		}
		s.mean(name+", over seeds", row.fixed, fixed, rate)
		s.quantile(name+", 5 % of seeds", known{row.low, 0, ""}, fixed, 0.05)
		s.quantile(name+", 95 % of seeds", known{row.high, 0, ""}, fixed, 0.95)
		s.mean(name+", any 20 ms window", row.slide, slide, rate)
	}
	s.Note = "Bins are fixed, floor(t/20 ms), unless the figure says window: the two must not " +
		"be confused."
}

// herd is breakers that opened in the same second. Each is asked all the time;
// what counts is when it lets its first trial through.
type herd struct {
	sim.Engine
	breakers []*breaker.Breaker
	first    []time.Duration
}

const (
	trips = iota
	asks
)

// Fire implements sim.Actor.
func (h *herd) Fire(what int, i int64) {
	b, now := h.breakers[i], h.Now()
	p, _ := b.Admit(now)
	switch {
	case what == trips:
		b.Report(now, p, core.Timeout, 0)
	case p.OK():
		h.first = append(h.first, time.Duration(now))
		return
	}
	h.At(now.Add(b.RetryAfter(now)), sim.Due, h, asks, i)
}

// reopen returns when 500 breakers make their first trial.
func reopen(seed uint64, jitter float64) []time.Duration {
	h, when := &herd{}, stream(seed, "when")
	for i := range 500 {
		b := must(breaker.New(breaker.Config{Window: window.Config{Consecutive: 1},
			Open: breaker.Pause{For: 30 * second, Jitter: jitter}}, seed+uint64(i)))
		h.breakers = append(h.breakers, b)
		h.At(core.Instant(when.Float64()*float64(second)), sim.Begins, h, trips, int64(i))
	}
	h.Run(core.Instant(time.Minute))
	return h.first
}

func r8(s *sheet) {
	s.Setup = "500 breakers open within one second, for 30 s; each tries as soon as it may."
	seeds := s.seeds(100)
	s.count("in the worst second, no jitter", 500, busiest(reopen(seeds[0], 0), second))
	var seconds, tenths, width []float64
	for _, seed := range seeds {
		first := reopen(seed, 0.2)
		seconds = append(seconds, float64(busiest(first, second)))
		tenths = append(tenths, float64(busiest(first, 100*ms)))
		sorted := sortedTimes(first)
		width = append(width, (sorted[len(sorted)-1] - sorted[0]).Seconds())
	}
	s.mean("in the worst second, ±20 %", known{52, 0, ""}, seconds, rate)
	s.quantile("5 % of seeds", known{48, 0, ""}, seconds, 0.05)
	s.quantile("95 % of seeds", known{58, 0, ""}, seconds, 0.95)
	s.mean("in the worst 100 ms", known{10, 0, ""}, tenths, off(1))
	s.mean("spread over", known{12, 0, "s"}, width, off(1))
}

// busiest returns the most that fall in one bin of the given width.
func busiest(times []time.Duration, width time.Duration) int {
	most, run, last := 0, 0, time.Duration(-1)
	for _, t := range sortedTimes(times) {
		if t/width != last {
			run, last = 0, t/width
		}
		run++
		most = max(most, run)
	}
	return most
}
