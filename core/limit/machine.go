package limit

import (
	"time"

	"github.com/seakeep/seakeep/core"
)

// algorithm turns windows into limits. It keeps what it has learned; the limit
// itself is handed in and out.
type algorithm interface {
	// begin says what holds before anything was seen.
	begin(limit float64) verdict
	// step judges a window. A short one has too few samples and only says that
	// what the algorithm waits for has not come.
	step(limit float64, w *window) verdict
	// baseline returns the no-load latency it believes in, in nanoseconds.
	baseline() float64
}

// verdict is what holds until the next window is judged.
type verdict struct {
	limit    float64 // with a fraction, which is not shown
	why      string  // in case the limit moves
	gradient float64 // what the limit was multiplied by; 0: nothing new
	next     rules
}

// rules say when the next window may be judged, besides what the settings say.
// The zero value adds nothing.
type rules struct {
	settle   time.Duration // it begins so much later
	fresh    bool          // it counts only requests that begin within it
	samples  int           // it should have so many
	doubt    float64       // its mean should have no larger a relative error; 0: any
	patience int           // so many windows later it is taken as it is
}

// machine is the limit without its lock. It never reads a clock; now may
// repeat but, seen from here, never goes back, because Limit clamps it.
type machine struct {
	cfg   Config
	algo  algorithm
	limit int // what the world sees: whole, and within Min and Max
	v     verdict
	w     window

	patience time.Duration // how old the window may be, by its rules
	last     core.Instant  // when the last sample came

	why     string
	latency time.Duration // of the last window that was judged
	samples uint64
	changes uint64
}

// stale is how many windows old a window may become with too few samples
// before they are thrown away: they would have little to do with each other.
const stale = 10

func newMachine(c Config, seed uint64) machine {
	m := machine{cfg: c, algo: newAlgorithm(c, seed), limit: c.Initial, why: "start"}
	if c.Algorithm == Envoy {
		m.w.times = make([]time.Duration, kept)
	}
	m.apply(m.algo.begin(float64(c.Initial)))
	m.changes = 0
	return m
}

func newAlgorithm(c Config, seed uint64) algorithm {
	switch c.Algorithm {
	case Fixed:
		return fixed{}
	case AIMD:
		return &aimd{cfg: c}
	case Vegas:
		return newVegas(seed)
	case Gradient2:
		return &gradient2{cfg: c}
	case Envoy:
		return newEnvoy(c, seed)
	}
	return newKnee(c, seed)
}

// report counts a sample, and judges the window if it is over.
func (m *machine) report(now core.Instant, s Sample) {
	m.samples++
	w := &m.w
	took := now.Sub(w.began)
	first := m.samples == 1
	if first || took > m.patience && (w.count() < m.cfg.Samples || now.Sub(m.last) > m.patience) {
		if !first {
			m.judge(now, true)
		}
		w.reset(now.Add(-m.lead(s.RTT)))
		took = now.Sub(w.began)
	}
	m.last = now
	if took < 0 || m.v.next.fresh && took < s.RTT {
		return
	}
	w.add(s)
	if took < m.cfg.Window || w.count() < m.cfg.Samples {
		return
	}
	if w.ready(took, &m.v.next) || took > m.patience && w.settled(took, &m.v.next) {
		m.judge(now, false)
	}
}

// lead returns how long before its first sample a window begins. A moment, so
// that its length is never nothing; or with the request, where only those count
// that begin within it.
func (m *machine) lead(rtt time.Duration) time.Duration {
	if m.v.next.fresh {
		return max(rtt, 1)
	}
	return 1
}

func (m *machine) judge(now core.Instant, short bool) {
	w := &m.w
	w.now, w.took, w.limit, w.short = now, now.Sub(w.began), m.limit, short
	if !short && w.n > 0 {
		m.latency = time.Duration(w.mean())
	}
	m.apply(m.algo.step(m.v.limit, w))
	w.reset(now.Add(m.v.next.settle))
}

// apply makes a verdict hold. Whatever an algorithm wants, the limit stays
// within Min and Max.
func (m *machine) apply(v verdict) {
	v.limit = min(max(v.limit, float64(m.cfg.Min)), float64(m.cfg.Max))
	if v.gradient == 0 {
		v.gradient = m.v.gradient
	}
	m.v = v
	m.patience = time.Duration(max(v.next.patience, stale)) * m.cfg.Window
	if n := int(v.limit); n != m.limit {
		m.limit, m.why = n, v.why
		m.changes++
	}
}

func (m *machine) snapshot() Snapshot {
	return Snapshot{Algorithm: m.cfg.Algorithm, Limit: m.limit,
		Baseline: time.Duration(m.algo.baseline()), Latency: m.latency, Gradient: m.v.gradient,
		Why: m.why, Samples: m.samples, Changes: m.changes}
}
