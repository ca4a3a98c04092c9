package gallery

import (
	"slices"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/retry"
	"github.com/seakeep/seakeep/sim"
)

// wave is 3.1: 100 clients at once against a server that serves the first ten
// who come in each slot of 100 ms and fails the others.
type wave struct {
	sim.Engine
	backoff  retry.Backoff
	draws    *sim.Stream
	prev     [100]time.Duration
	tries    [100]int
	slots    []int // arrivals by slot
	done     []core.Instant
	attempts int
}

const (
	waveSlot   = 100 * ms
	waveServes = 10
)

// newWave runs it. If spared, the first burst is served like any other slot;
// else all of it fails.
func newWave(b retry.Backoff, seed uint64, spared bool) *wave {
	w := &wave{backoff: b, draws: stream(seed, "waits")}
	for i := range int64(100) {
		what := givesUp
		if spared {
			what = arrives
		}
		w.At(0, sim.Begins, w, what, i)
	}
	for w.Pending() > 0 {
		w.Run(w.Now() + core.Instant(second))
	}
	return w
}

// Fire implements sim.Actor.
func (w *wave) Fire(what int, i int64) {
	now := w.Now()
	w.attempts++
	if what == arrives {
		slot := int(now / core.Instant(waveSlot))
		for len(w.slots) <= slot {
			w.slots = append(w.slots, 0)
		}
		if w.slots[slot]++; w.slots[slot] <= waveServes {
			w.done = append(w.done, now)
			return
		}
	}
	w.tries[i]++
	w.prev[i] = w.backoff.Delay(w.tries[i], w.prev[i], w.draws.Float64())
	w.At(now.Add(w.prev[i]), sim.Begins, w, arrives, i)
}

func (w *wave) last() float64 { return time.Duration(w.done[len(w.done)-1]).Seconds() }

func (w *wave) median() float64 {
	n := len(w.done)
	return time.Duration((w.done[n/2-1] + w.done[n/2]) / 2).Seconds()
}

// peak is the most that come in one slot after the first.
func (w *wave) peak() float64 { return float64(slices.Max(w.slots[1:])) }

func waves(s *sheet) {
	s.Setup = "100 clients fail at 0; the server serves ten in each 100 ms. Base 100 ms, " +
		"doubling, cap 10 s, waits of core/retry. First where all fail at 0, then where ten " +
		"are served then too."
	for _, row := range []struct {
		jitter                       retry.Jitter
		last, median, attempts, peak [2]float64
	}{
		{retry.None, [2]float64{42.7, 32.7}, [2]float64{4.7, 2.3}, [2]float64{650, 550}, [2]float64{100, 90}},
		{retry.Full, [2]float64{2.25, 2.22}, [2]float64{0.47, 0.48}, [2]float64{419, 410}, [2]float64{55, 55}},
		{retry.Equal, [2]float64{2.41, 2.37}, [2]float64{0.55, 0.55}, [2]float64{403, 393}, [2]float64{70, 68}},
		{retry.Decorrelated, [2]float64{2.01, 1.76}, [2]float64{0.59, 0.49}, [2]float64{310, 280}, [2]float64{57, 51}},
	} {
		b := retry.Backoff{Base: 100 * ms, Cap: 10 * second, Jitter: row.jitter}
		for i, spared := range []bool{false, true} {
			var last, median, attempts, peak []float64
			for _, seed := range s.seeds(300) {
				w := newWave(b, seed, spared)
				last, median = append(last, w.last()), append(median, w.median())
				attempts, peak = append(attempts, float64(w.attempts)), append(peak, w.peak())
			}
			name := row.jitter.String() + [...]string{"", ", first burst served"}[i]
			digits := 2
			if row.jitter == retry.None {
				digits = 1
			}
			s.mean(name+": last done", known{row.last[i], digits, "s"}, last, few(500))
			s.mean(name+": median", known{row.median[i], digits, "s"}, median, few(500))
			s.mean(name+": attempts", known{row.attempts[i], 0, ""}, attempts, few(500))
			s.mean(name+": most in a slot", known{row.peak[i], 0, ""}, peak, few(500))
		}
	}
	s.Note = lostTable + " Without jitter there are exactly ten waves, each of which serves " +
		"ten, and their gaps double up to the cap. The slot of the failure itself is left out " +
		"of the most in a slot."
}
