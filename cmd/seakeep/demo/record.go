package demo

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/window"
)

// ending is what a user got.
type ending uint8

const (
	failed ending = iota
	answered
	fellBack // a fallback answered
)

// tally counts users' requests by what became of them.
type tally struct{ sent, ok, fallback, failed atomic.Uint64 }

func (t *tally) end(e ending) {
	switch e {
	case answered:
		t.ok.Add(1)
	case fellBack:
		t.fallback.Add(1)
	case failed:
		t.failed.Add(1)
	}
}

// counters are what is known of one endpoint and its dependency.
type counters struct {
	whole, counted tally            // of the run; of what the report is about
	latency        window.Histogram // of answered requests that the report is about
	recent         *window.Recent   // of answered requests lately

	calls, retries               atomic.Uint64 // of the run
	countedCalls, countedRetries atomic.Uint64
}

// maxTransitions bounds how many changes of breakers are kept: in an hour, one a
// second and more.
const maxTransitions = 5000

// transition is a breaker's change of state.
type transition struct {
	at       time.Duration
	policy   string
	from, to string
	reason   core.Reason
	seq      uint64 // rises with each change of this breaker
}

// recorder gathers what happens. It is the observer of the policies, too.
type recorder struct {
	clock   live.Clock
	counts  []span // when a request is planned that the report is about
	of      [len(names)]counters
	skipped atomic.Uint64 // users' requests beyond live.MaxOutstanding
	late    atomic.Int64  // the longest time between plan and start, in nanoseconds
	past    *past         // nil: nobody asks

	mu      sync.Mutex
	changes []transition // as they happened
	gone    int          // so many before them
}

// lately is how far back the latencies of the live view reach.
const lately = 4 * time.Second

func newRecorder(counts []span) *recorder {
	r := &recorder{counts: counts}
	for i := range r.of {
		r.of[i].recent = window.NewRecent(lately)
	}
	return r
}

// sent notes that a user makes a request, and how long after its plan. Only
// the users' own goroutine calls it.
func (r *recorder) sent(a arrival, late time.Duration) {
	r.late.Store(max(r.late.Load(), int64(late)))
	c := &r.of[a.endpoint]
	c.whole.sent.Add(1)
	r.past.sent(a, late)
	if within(r.counts, a.at) {
		c.counted.sent.Add(1)
	}
}

// ended notes what became of it, and how long after its plan.
func (r *recorder) ended(a arrival, e ending, took time.Duration) {
	c := &r.of[a.endpoint]
	c.whole.end(e)
	r.past.ended(a, e, took)
	if e != failed {
		c.recent.Record(r.clock.Instant(a.at+took), took)
	}
	if !within(r.counts, a.at) {
		return
	}
	c.counted.end(e)
	if e != failed {
		c.latency.Record(took)
	}
}

// called notes that an attempt has reached a dependency.
func (r *recorder) called(dependency int) {
	if !r.clock.Started() {
		return
	}
	c, now := &r.of[dependency], r.clock.Now()
	c.calls.Add(1)
	r.past.called(now, dependency)
	if within(r.counts, now) {
		c.countedCalls.Add(1)
	}
}

// Observe implements core.Observer.
func (r *recorder) Observe(e core.Event) {
	switch e.Kind {
	case core.RetryScheduled:
		c := &r.of[slices.Index(names[:], e.Policy)]
		c.retries.Add(1)
		if within(r.counts, r.clock.Since(e.At)) {
			c.countedRetries.Add(1)
		}
	case core.BreakerChanged:
		t := transition{r.clock.Since(e.At), e.Policy, e.From, e.To, e.Reason, e.Seq}
		r.mu.Lock()
		if len(r.changes) == maxTransitions { // the oldest go
			r.gone += maxTransitions / 2
			r.changes = append([]transition(nil), r.changes[maxTransitions/2:]...)
		}
		r.changes = append(r.changes, t)
		r.mu.Unlock()
	}
}

// transitions returns the changes of all breakers after the first few, as far as
// they are kept.
func (r *recorder) transitions(after int) []transition {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.changes[max(after-r.gone, 0):])
}
