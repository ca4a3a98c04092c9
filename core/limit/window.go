package limit

import (
	"math"
	"slices"
	"time"

	"github.com/seakeep/seakeep/core"
)

// window is what was seen between two judgements.
type window struct {
	began core.Instant

	n        int // samples with a time
	dropped  int // samples without
	sum, sq  float64
	inFlight int64 // summed over all samples
	most     int   // in flight at once

	times []time.Duration // some of the times, for the median, if there is room
	some  int             // how many are there
	every int             // one of so many is kept
	skip  int             // how many come before the next that is kept

	// What follows is set when the window is judged.
	now   core.Instant
	took  time.Duration
	limit int
	short bool // it has fewer samples than it needs
}

const (
	// kept is how many times a window keeps. The median of more is hardly
	// better known.
	kept = 512
	// several is how many times as long as its mean a window must be where its
	// mean has to be good: times that follow each other closely are alike.
	several = 4
	// longest is the longest time that is told from longer ones.
	longest = 24 * time.Hour
)

func (w *window) reset(at core.Instant) {
	w.began = at
	w.n, w.dropped, w.sum, w.sq, w.inFlight, w.most = 0, 0, 0, 0, 0, 0
	w.some, w.every, w.skip = 0, 1, 0
}

func (w *window) count() int { return w.n + w.dropped }

func (w *window) add(s Sample) {
	w.inFlight += int64(s.InFlight)
	if s.InFlight > w.most {
		w.most = s.InFlight
	}
	if s.Dropped {
		w.dropped++
		return
	}
	rtt := min(max(s.RTT, 0), longest)
	x := float64(rtt)
	w.n++
	w.sum += x
	w.sq += float64(x * x)
	if w.times != nil {
		w.keep(rtt)
	}
}

// keep keeps every time until there is no room, then every second one, and so
// on: it needs no draw and favours none.
func (w *window) keep(rtt time.Duration) {
	if w.skip > 0 {
		w.skip--
		return
	}
	if w.some == kept {
		for i := range kept / 2 {
			w.times[i] = w.times[2*i]
		}
		w.some, w.every = kept/2, 2*w.every
	}
	w.times[w.some] = rtt
	w.some++
	w.skip = w.every - 1
}

// median returns the middle of the times kept, which it puts in order, or 0.
func (w *window) median() float64 {
	if w.some == 0 {
		return 0
	}
	slices.Sort(w.times[:w.some])
	return float64(w.times[w.some/2])
}

// mean returns the mean time in nanoseconds, at least 1; there must be one.
func (w *window) mean() float64 { return max(w.sum/float64(w.n), 1) }

// doubt returns the standard error of the mean, as if times were independent.
func (w *window) doubt() float64 {
	mean := w.mean()
	if w.n < 2 {
		return mean
	}
	n := float64(w.n)
	variance := max(w.sq/n-float64(mean*mean), 0)
	return math.Sqrt(variance / (n - 1))
}

// busy returns how many were in flight, on average over the samples.
func (w *window) busy() float64 { return float64(w.inFlight) / float64(w.count()) }

// rate returns how many requests ended in a nanosecond.
func (w *window) rate() float64 { return float64(w.count()) / float64(max(w.took, 1)) }

// idle reports whether less than half of the limit was in use. Then the limit
// hinders nobody, and the latency is not its doing.
func (w *window) idle() bool { return 2*w.most < w.limit }

// settled reports whether the window is long enough for its mean to be good.
func (w *window) settled(took time.Duration, r *rules) bool {
	return r.doubt == 0 || w.n == 0 || float64(took)*float64(w.n) >= several*w.sum
}

// ready reports whether the window is all that the rules ask for.
func (w *window) ready(took time.Duration, r *rules) bool {
	return w.count() >= r.samples && w.settled(took, r) &&
		(r.doubt == 0 || w.n == 0 || w.doubt() <= r.doubt*w.mean())
}
