package telemetry

import (
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep/core"
)

// Timed says which histogram an Exemplar is for.
type Timed uint8

const (
	// CallTimed is seakeep_call_duration_seconds.
	CallTimed Timed = iota
	// AttemptTimed is seakeep_attempt_duration_seconds.
	AttemptTimed
)

// Exemplar is one duration with the trace that it is from, so that somebody who
// sees a slow bucket can look at a call that is in it.
type Exemplar struct {
	Trace string // in hexadecimal
	Took  time.Duration
	At    time.Time
}

// exemplarEvery is how long an exemplar stays at least: a new one a second is
// as good as a thousand, and costs less.
const exemplarEvery = time.Second

// examples keeps the latest exemplar of each bucket, by outcome. Its memory is
// taken with the first.
type examples struct {
	at [2][outcomes]atomic.Pointer[[buckets]atomic.Pointer[Exemplar]]
}

func (x *examples) slot(what Timed, o core.Outcome, took time.Duration) *atomic.Pointer[Exemplar] {
	at := &x.at[what%2][int(o)%outcomes]
	if at.Load() == nil {
		at.CompareAndSwap(nil, new([buckets]atomic.Pointer[Exemplar]))
	}
	return &at.Load()[bucketOf(took)]
}

func (x *examples) read(what Timed, outcome int) (found []Exemplar) {
	at := x.at[what][outcome].Load()
	if at == nil {
		return nil
	}
	for i := range at {
		if e := at[i].Load(); e != nil {
			found = append(found, *e)
		}
	}
	return found
}

// store keeps an exemplar, unless the bucket has a recent one. trace is asked
// only if it is wanted.
func store(slot *atomic.Pointer[Exemplar], took time.Duration, trace func() string) {
	old, now := slot.Load(), time.Now()
	if old != nil && now.Sub(old.At) < exemplarEvery {
		return
	}
	slot.CompareAndSwap(old, &Exemplar{Trace: trace(), Took: took, At: now})
}

// Span is a duration that a trace knows of.
type Span struct {
	Policy  string // whose call or attempt it is
	Timed   Timed
	Outcome core.Outcome // for a call by CallOutcome
	Took    time.Duration
}

// Exemplify keeps a span's trace as the exemplar of its duration, if it is time
// for another.
func (m *Metrics) Exemplify(s Span, trace func() string) {
	p := (*m.policies.Load())[s.Policy]
	if p == nil { // nothing was counted of it, so that there is nothing to be an exemplar of
		return
	}
	store(p.examples.slot(s.Timed, s.Outcome, s.Took), s.Took, trace)
}

// ExemplifyRequest is Exemplify for a request that came in.
func (m *Metrics) ExemplifyRequest(c core.Criticality, s Span, trace func() string) {
	if i := c.Index(); i >= 0 && i < classes {
		store(m.door.examples[i].slot(CallTimed, s.Outcome, s.Took), s.Took, trace)
	}
}
