package serve

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/window"
)

// reasons bounds the tables kept per reason.
const reasons = 64

// recently is how far back the latencies of a snapshot reach.
const recently = time.Minute

// classStats counts what happened to the requests of one class.
type classStats struct {
	offered, admitted, refused, left, useful atomic.Uint64
}

// Stats counts what happened at a door. It outlives reloads.
type Stats struct {
	classes  [core.Criticalities]classStats
	reasons  [reasons]atomic.Uint64
	observed atomic.Uint64
	latency  *window.Recent
}

func newStats() *Stats { return &Stats{latency: window.NewRecent(recently)} }

func (s *Stats) offered(c core.Criticality)  { s.classes[c.Index()].offered.Add(1) }
func (s *Stats) admitted(c core.Criticality) { s.classes[c.Index()].admitted.Add(1) }
func (s *Stats) left(c core.Criticality)     { s.classes[c.Index()].left.Add(1) }

func (s *Stats) refused(c core.Criticality, r core.Reason) {
	s.classes[c.Index()].refused.Add(1)
	s.reasons[r%reasons].Add(1)
}

func (s *Stats) ended(c core.Criticality, useful bool) {
	if useful {
		s.classes[c.Index()].useful.Add(1)
	}
}

// meter measures the pressure: the mean wait since it was last asked, and the
// scheduler's latency, each against its target, whichever is worse.
type meter struct {
	mu    sync.Mutex
	sum   time.Duration
	n     int
	sched time.Duration
	work  time.Duration // how long serving takes, smoothed; 0: not known yet
	tuned time.Duration // ... when the queue was last set by it
	level atomic.Int64  // of degradation, as it was last told of
	cut   atomic.Int64  // the shedder's, as it was last told of; 0: none
}

func (m *meter) wait(d time.Duration) {
	m.mu.Lock()
	m.sum += d
	m.n++
	m.mu.Unlock()
}

// served takes down how long one request took to serve.
func (m *meter) served(d time.Duration) {
	m.mu.Lock()
	if m.work == 0 {
		m.work = max(d, 1)
	} else {
		m.work += (d - m.work) / 64
	}
	m.mu.Unlock()
}

// retune returns how long serving takes, and whether that has changed by a
// quarter since it was last told.
func (m *meter) retune() (work time.Duration, changed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if d := m.work - m.tuned; d <= m.tuned/4 && d >= -m.tuned/4 {
		return m.work, false
	}
	m.tuned = m.work
	return m.work, true
}

// setBy returns what the queue was last set by.
func (m *meter) setBy() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tuned
}

func (m *meter) scheduler(d time.Duration) {
	m.mu.Lock()
	m.sched = d
	m.mu.Unlock()
}

// pressure is 0 at rest and 1 at a target, and begins a new measurement.
func (m *meter) pressure(target, sched time.Duration) float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := 0.0
	if m.n > 0 && target > 0 {
		p = float64(m.sum) / float64(m.n) / float64(target)
	}
	if sched > 0 {
		p = max(p, float64(m.sched)/float64(sched))
	}
	m.sum, m.n = 0, 0
	return p
}
