package call

import (
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/retry"
)

// Action is everything the driver must do before it may step the call again.
// It has four fields: with more, Go passes it through memory and a step costs
// several times as much.
type Action struct {
	WakeAt  core.Instant // step with Woke by then, or early, or again; core.Never: no timer
	Start   uint8        // bit i: launch the attempt in lane i
	Cancel  uint8        // bit i: the attempt in lane i no longer matters
	Verdict Verdict      // zero: still running
}

// Verdict is where a call stands.
type Verdict uint8

const (
	// Running calls have an attempt under way or wait for the next.
	Running Verdict = iota
	// WantSlot calls found no free slot and may queue: the driver calls Join.
	WantSlot
	// Succeeded calls have an answer.
	Succeeded
	// Failed calls made an attempt, and its failure is the call's. Reason
	// says why there was no further attempt.
	Failed
	// Rejected calls were refused before their first attempt.
	Rejected
	// Cancelled calls lost their caller.
	Cancelled
)

var verdictNames = [...]string{
	"running", "want-slot", "succeeded", "failed", "rejected", "cancelled",
}

// String returns the verdict's name in lower case.
func (v Verdict) String() string {
	if int(v) < len(verdictNames) {
		return verdictNames[v]
	}
	return "invalid"
}

// Done reports whether the call is over.
func (v Verdict) Done() bool { return v >= Succeeded }

// Kind says what happened to a call.
type Kind uint8

const (
	// Returned: the attempt in Event.Lane ended with Event.Result.
	Returned Kind = iota + 1
	// Woke: the time of Action.WakeAt came, or the queue granted a slot.
	Woke
	// CopyDue: the time of Call.CopyAt came. Woke says that too, and that the
	// limit of an attempt may have passed.
	CopyDue
	// CallerLeft: nobody waits for the answer any more.
	CallerLeft
)

// Event is what the driver tells a call.
type Event struct {
	Kind   Kind
	Lane   uint8       // Returned: which attempt
	Result core.Result // Returned: how it ended
	Draw   float64     // Returned: a random number in [0, 1) for the jitter, if it failed
	Facts  Facts       // about another attempt; read when one failed or a copy is due
	Orphan bool        // Returned: the driver walked away, and the attempt's work goes on
	Lost   bool        // Returned: it was dropped unserved, because its twin is served elsewhere
}

// Facts is what only the driver knows about repeating a call.
type Facts struct {
	Safety     retry.Safety // what is known of repeating it
	Replayable bool         // the request can be sent again
	Elsewhere  bool         // an endpoint not yet tried is left
	Tied       bool         // a copy costs next to nothing: of the two only one is served
}

// Request is what is known of a call when it begins.
type Request struct {
	Deadline     core.Instant // the caller's; core.Never: none
	Key          string       // for a breaker kept per key
	RetriedAbove bool         // a layer above is retrying: this one must not
	Tail         bool         // the answer has a body to come: see Tail
	Hedge        bool         // copies may be under way at once: see Plan.Hedges
	Left         bool         // the caller is gone before the call began

	// A plan with a throttle (Plan.Throttled) needs to know these two.
	Class core.Criticality // how important the call is
	Draw  float64          // a random number in [0, 1), another for each call
}
