package limit

import "math"

// fixed never moves.
type fixed struct{}

func (fixed) begin(limit float64) verdict           { return verdict{limit: limit} }
func (fixed) step(limit float64, _ *window) verdict { return verdict{limit: limit} }
func (fixed) baseline() float64                     { return 0 }

// aimd is additive increase and multiplicative decrease.
type aimd struct{ cfg Config }

func (a *aimd) begin(limit float64) verdict { return verdict{limit: limit} }

func (a *aimd) step(limit float64, w *window) verdict {
	switch {
	case w.short:
		return verdict{limit: limit}
	case w.dropped > 0:
		return verdict{limit: math.Floor(limit * 0.9), why: "dropped", gradient: 0.9}
	case w.mean() > float64(a.cfg.Slow):
		return verdict{limit: math.Floor(limit * 0.9), why: "slow", gradient: 0.9}
	case w.idle():
		return verdict{limit: limit}
	}
	return verdict{limit: limit + 1, why: "good", gradient: 1}
}

func (a *aimd) baseline() float64 { return 0 }

// vegas is TCP Vegas on requests: the queue is the part of the limit that the
// latency above its minimum accounts for.
type vegas struct {
	draws  draws
	base   float64
	steps  float64 // since base was measured on purpose
	jitter float64
}

func newVegas(seed uint64) *vegas {
	v := &vegas{draws: draws(seed)}
	v.jitter = v.draws.between(0.5, 1)
	return v
}

func (v *vegas) begin(limit float64) verdict { return verdict{limit: limit} }

func (v *vegas) step(limit float64, w *window) verdict {
	if w.short {
		return verdict{limit: limit}
	}
	if w.n > 0 {
		rtt := w.mean()
		v.steps++
		if v.steps >= v.jitter*30*limit {
			v.steps, v.jitter, v.base = 0, v.draws.between(0.5, 1), rtt
			return verdict{limit: limit}
		}
		if v.base == 0 || rtt < v.base {
			v.base = rtt
			return verdict{limit: limit}
		}
	}
	return v.move(limit, w)
}

func (v *vegas) move(limit float64, w *window) verdict {
	unit := max(1, math.Floor(math.Log10(limit)))
	if w.dropped > 0 {
		return verdict{limit: limit - unit, why: "dropped"}
	}
	if w.idle() {
		return verdict{limit: limit}
	}
	gradient := v.base / max(w.mean(), 1)
	queue := math.Ceil(limit * (1 - gradient))
	out := verdict{limit: limit, why: "good", gradient: gradient}
	switch {
	case queue <= unit:
		out.limit += 6 * unit
	case queue < 3*unit:
		out.limit += unit
	case queue > 6*unit:
		out.limit -= unit
		out.why = "slow"
	}
	return out
}

func (v *vegas) baseline() float64 { return v.base }

// gradient2 compares a window's latency with a long average of itself.
type gradient2 struct {
	cfg       Config
	long      float64
	seen      float64 // windows, while the average is a plain mean
	published bool    // as it was published, see Departures in doc.go
}

func (g *gradient2) begin(limit float64) verdict { return verdict{limit: limit} }

func (g *gradient2) step(limit float64, w *window) verdict {
	if w.short || w.n == 0 {
		return verdict{limit: limit}
	}
	const early, factor = 10, 2.0 / (600 + 1)
	short := max(w.mean(), 1)
	if g.seen < early {
		g.seen++
		g.long += (short - g.long) / g.seen
	} else {
		g.long += float64(factor * (short - g.long))
	}
	long := g.long
	if long > 2*short {
		g.long *= 0.95
	}
	if w.idle() {
		return verdict{limit: limit}
	}
	gradient := min(max(g.cfg.Tolerance*long/short, 0.5), 1)
	next := limit + float64(0.2*(float64(limit*gradient)+4-limit))
	if gradient < 1 && !g.published {
		next = min(next, limit)
	}
	return verdict{limit: next, why: moved(limit, next), gradient: gradient}
}

func (g *gradient2) baseline() float64 { return g.long }

// moved says why a limit that follows the latency has moved.
func moved(from, to float64) string {
	if to < from {
		return "slow"
	}
	return "good"
}
