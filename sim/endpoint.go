package sim

import (
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/window"
)

// endpointStats counts what users saw of a route, in all and over time. A
// request belongs to the moment at which it was made: what was made before the
// warm-up ended counts nowhere.
type endpointStats struct {
	total   Outcomes
	slices  []Outcomes
	latency window.Histogram
	open    uint64 // made after the warm-up, not ended
}

// Outcomes counts requests by their end.
type Outcomes struct {
	Sent     uint64 `json:"sent"`
	OK       uint64 `json:"ok"`       // answered by what was asked
	Fallback uint64 `json:"fallback"` // answered with the help of a fallback
	GaveUp   uint64 `json:"gave_up"`  // the user's patience ended
	TimedOut uint64 `json:"timed_out"`
	Refused  uint64 `json:"refused"`
	Errored  uint64 `json:"errored"`
}

// Answered is how many got an answer.
func (o Outcomes) Answered() uint64 { return o.OK + o.Fallback }

// Failed is how many got none.
func (o Outcomes) Failed() uint64 { return o.GaveUp + o.TimedOut + o.Refused + o.Errored }

// Success is the share of ended requests that got an answer; false without any.
func (o Outcomes) Success() (float64, bool) {
	n := o.Answered() + o.Failed()
	return float64(o.Answered()) / float64(max(n, 1)), n > 0
}

// ending is how one request ended.
type ending struct {
	began    core.Instant
	took     time.Duration
	ok       bool
	fallback bool
	why      why
}

func (s *endpointStats) sent(w *World) {
	s.slice(w, w.now).Sent++
	if w.now >= w.warm {
		s.total.Sent++
		s.open++
	}
}

func (s *endpointStats) ended(w *World, e ending) {
	s.slice(w, e.began).count(e)
	if e.began < w.warm {
		return
	}
	s.open--
	s.total.count(e)
	if e.ok {
		s.latency.Record(e.took)
	}
}

func (o *Outcomes) count(e ending) {
	switch {
	case e.ok && e.fallback:
		o.Fallback++
	case e.ok:
		o.OK++
	case e.why == gaveUp:
		o.GaveUp++
	case e.why == timedOut:
		o.TimedOut++
	case e.why == refused:
		o.Refused++
	default:
		o.Errored++
	}
}

// slice returns the counts of the slice of time that an instant lies in.
func (s *endpointStats) slice(w *World, at core.Instant) *Outcomes {
	i := int(at / w.width)
	for len(s.slices) <= i {
		s.slices = append(s.slices, Outcomes{})
	}
	return &s.slices[i]
}
