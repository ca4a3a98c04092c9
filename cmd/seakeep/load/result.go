package load

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

const (
	// Held is the share of a step's requests that must be good for it to hold.
	Held = 0.99
	// lateShare of what is good is how late the generator's slowest requests may
	// be before a step is about the generator.
	lateShare = 0.2
	leastLate = 10 * time.Millisecond
)

// Percentiles of a latency, in milliseconds.
type Percentiles struct {
	P50  float64 `json:"p50_ms"`
	P90  float64 `json:"p90_ms"`
	P99  float64 `json:"p99_ms"`
	P999 float64 `json:"p999_ms"`
	Max  float64 `json:"max_ms"`
}

// Bucket counts answers whose latency is at most UpToUS and above that of the
// bucket before.
type Bucket struct {
	UpToUS int64 `json:"up_to_us"`
	Count  int64 `json:"count"`
}

// Result is what came of a step.
type Result struct {
	From     float64 `json:"from"`    // planned rate at its beginning, a second
	To       float64 `json:"to"`      // and at its end
	Seconds  float64 `json:"seconds"` // how long it ran
	Offered  float64 `json:"offered"` // requests that were due, a second
	Goodput  float64 `json:"goodput"` // good ones, a second
	Due      int     `json:"due"`
	Answered int     `json:"answered"` // with whatever status
	Good     int     `json:"good"`
	NotSent  int     `json:"not_sent"` // due while as many as may be were under way
	// FromPlan is the latency of answers from the moment that was planned,
	// FromSend from that at which they were sent.
	FromPlan Percentiles    `json:"latency_from_planned_start"`
	FromSend Percentiles    `json:"latency_from_real_send"`
	Late     Percentiles    `json:"generator_late"`
	Errors   map[string]int `json:"errors,omitempty"`
	// Example is the first thing of the most frequent kind of Errors that went
	// wrong, in the words of whoever noticed.
	Example string `json:"example,omitempty"`
	Cut     bool   `json:"cut,omitempty"` // ended early: it could not hold any more
	Holds   bool   `json:"holds"`
	// Generator says that this machine was late, so that the step says little
	// about the server.
	Generator bool     `json:"generator_late_too_often,omitempty"`
	Latencies []Bucket `json:"latencies,omitempty"` // of good and other answers with 2xx, from the plan
}

// tally counts a step while it runs.
type tally struct {
	mu                  sync.Mutex
	good                time.Duration
	fromPlan, fromSend  *hdrhistogram.Histogram
	late, ok            *hdrhistogram.Histogram
	due, notSent, nGood int
	answered            int
	errors              map[string]int
	examples            map[string]error // of kinds: the first
}

func newTally(good time.Duration) *tally {
	h := func() *hdrhistogram.Histogram { return hdrhistogram.New(1, int64(time.Hour/time.Microsecond), 3) }
	return &tally{good: good, fromPlan: h(), fromSend: h(), late: h(), ok: h(), errors: map[string]int{},
		examples: map[string]error{}}
}

// put counts one request that has ended. Kind is "" for an answer with 2xx.
func (t *tally) put(planned, sent, ended time.Duration, kind string, answered bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	record(t.late, sent-planned)
	if kind != "" {
		t.errors[kind]++
	}
	if !answered {
		return
	}
	t.answered++
	record(t.fromPlan, ended-planned)
	record(t.fromSend, ended-sent)
	if kind == "" {
		record(t.ok, ended-planned)
		if ended-planned <= t.good {
			t.nGood++
		}
	}
}

// explain keeps the first reason of each kind.
func (t *tally) explain(kind string, why error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if why != nil && t.examples[kind] == nil {
		t.examples[kind] = why
	}
}

// example is that of the most frequent kind.
func (t *tally) example() string {
	best := ""
	for _, kind := range slices.Sorted(maps.Keys(t.examples)) {
		if best == "" || t.errors[kind] > t.errors[best] {
			best = kind
		}
	}
	if best == "" {
		return ""
	}
	return t.examples[best].Error()
}

// bad is how many requests are known not to be good.
func (t *tally) bad() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.notSent + int(t.ok.TotalCount()) - t.nGood
	for _, k := range t.errors {
		n += k
	}
	return n
}

func (t *tally) skip() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.notSent++
}

func record(h *hdrhistogram.Histogram, d time.Duration) {
	us := min(max(int64(d/time.Microsecond), 1), h.HighestTrackableValue())
	_ = h.RecordValue(us) // it is within the bounds
}

func percentiles(h *hdrhistogram.Histogram) Percentiles {
	ms := func(q float64) float64 { return float64(h.ValueAtQuantile(q)) / 1000 }
	if h.TotalCount() == 0 {
		return Percentiles{}
	}
	return Percentiles{ms(50), ms(90), ms(99), ms(99.9), float64(h.Max()) / 1000}
}

// result sums the step up.
func (t *tally) result(s Step, ran time.Duration, cut bool) Result {
	t.mu.Lock()
	defer t.mu.Unlock()
	seconds := ran.Seconds()
	r := Result{From: s.From, To: s.To, Seconds: seconds, Due: t.due, Answered: t.answered, Good: t.nGood,
		NotSent: t.notSent, FromPlan: percentiles(t.fromPlan), FromSend: percentiles(t.fromSend),
		Late: percentiles(t.late), Errors: t.errors, Cut: cut, Example: t.example()}
	if seconds > 0 {
		r.Offered, r.Goodput = float64(t.due)/seconds, float64(t.nGood)/seconds
	}
	for _, b := range t.ok.Distribution() {
		if b.Count > 0 {
			r.Latencies = append(r.Latencies, Bucket{b.To, b.Count})
		}
	}
	r.Holds = !cut && t.due > 0 && float64(t.nGood) >= Held*float64(t.due)
	limit := max(leastLate, time.Duration(lateShare*float64(t.good)))
	r.Generator = !r.Holds && r.Late.P99 > float64(limit)/float64(time.Millisecond)
	return r
}
