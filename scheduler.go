package seakeep

import (
	"math"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/seakeep/seakeep/core"
)

// measureEvery is how often the scheduler's latency is read. A reading costs
// some ten microseconds.
const measureEvery = 100 * time.Millisecond

// schedQuantile is the share of goroutines that waited no longer than what is
// reported. Most goroutines never wait, so the mean would hide the trouble.
const schedQuantile = 0.99

// scheduler measures how long goroutines that could run have waited for a
// processor. It is a signal of overload that no queue of ours shows: work that
// waits there has been let in. Whoever comes first after a while measures.
type scheduler struct {
	mu      sync.Mutex
	begun   bool // or else due means nothing
	due     core.Instant
	samples []metrics.Sample
	before  []uint64
	read    func() (time.Duration, bool) // instead, in tests; nil: the runtime's
}

// measure returns the latency since the last measurement; false if that was a
// moment ago, or nothing ran.
func (s *scheduler) measure(now core.Instant) (time.Duration, bool) {
	if !s.mu.TryLock() {
		return 0, false
	}
	defer s.mu.Unlock()
	if s.begun && now < s.due {
		return 0, false
	}
	s.begun, s.due = true, now.Add(measureEvery)
	if s.read != nil {
		return s.read()
	}
	if s.samples == nil {
		s.samples = []metrics.Sample{{Name: "/sched/latencies:seconds"}}
	}
	metrics.Read(s.samples)
	if s.samples[0].Value.Kind() != metrics.KindFloat64Histogram {
		return 0, false
	}
	h := s.samples[0].Value.Float64Histogram()
	first := s.before == nil
	if first {
		s.before = make([]uint64, len(h.Counts))
	}
	latency, ok := quantileSince(s.before, h, schedQuantile)
	copy(s.before, h.Counts)
	return latency, ok && !first
}

// quantileSince returns a quantile of what a histogram counted since before: the
// upper end of its bucket, or the lower end of the last.
func quantileSince(before []uint64, h *metrics.Float64Histogram, q float64) (time.Duration, bool) {
	var total uint64
	for i, n := range h.Counts {
		total += n - before[i]
	}
	if total == 0 {
		return 0, false
	}
	rank := uint64(math.Ceil(q * float64(total)))
	var sum uint64
	for i, n := range h.Counts {
		if sum += n - before[i]; sum >= rank {
			bound := h.Buckets[i+1]
			if math.IsInf(bound, 1) {
				bound = h.Buckets[i]
			}
			return time.Duration(bound * float64(time.Second)), true
		}
	}
	return 0, false
}
