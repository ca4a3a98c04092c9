package stats

import "math"

const (
	defaultMin   = 5
	defaultMax   = 1000
	defaultLevel = 0.95
)

// Stop says when there are enough replications. The zero value wishes nothing
// and stops at the least number.
type Stop struct {
	// Half is the half-width wished, in the figure's own unit. Zero wishes
	// none.
	Half float64
	// Share is the half-width wished as a share of the mean. Zero wishes none.
	Share float64
	// Min is the least number of replications. Zero means 5: the spread of
	// fewer says little, and stopping at the first narrow interval makes the
	// intervals that are narrow by luck the ones that are kept.
	Min int
	// Max ends it though the wish is not met. Zero means 1000.
	Max int
}

// Done reports whether e needs no more replications.
func (s Stop) Done(e Estimate) bool {
	return e.N >= s.least() && (e.N >= s.most() || s.Met(e))
}

// Met reports whether e is as exact as wished.
func (s Stop) Met(e Estimate) bool { return e.Half <= s.wish(e) }

// Needs returns about how many replications in all will do, from the spread of
// those that there are.
func (s Stop) Needs(e Estimate) int {
	wish := s.wish(e)
	if math.IsInf(wish, 1) || e.Half == 0 {
		return s.least()
	}
	ratio := e.Half / wish
	n := float64(e.N) * float64(ratio*ratio)
	if !(n < float64(s.most())) { // not a number, too, if nothing is known yet
		return s.most()
	}
	return max(int(math.Ceil(n)), s.least())
}

// wish returns the half-width that both wishes allow.
func (s Stop) wish(e Estimate) float64 {
	w := math.Inf(1)
	if s.Half > 0 {
		w = s.Half
	}
	if s.Share > 0 {
		w = min(w, s.Share*math.Abs(e.Mean))
	}
	return w
}

func (s Stop) least() int {
	if s.Min == 0 {
		return defaultMin
	}
	return s.Min
}

func (s Stop) most() int {
	if s.Max == 0 {
		return max(defaultMax, s.least())
	}
	return s.Max
}

// Replicate runs once for each seed, one after another from the first, until s
// is content, and returns all answers and their estimate at 95 %.
func Replicate(s Stop, first uint64, run func(seed uint64) float64) ([]float64, Estimate) {
	var xs []float64
	for {
		xs = append(xs, run(first+uint64(len(xs))))
		if e := Mean(xs, defaultLevel); s.Done(e) {
			return xs, e
		}
	}
}
