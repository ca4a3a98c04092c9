package core

import "time"

// EventKind says what an Event records.
type EventKind uint8

const (
	// CallStarted: a call entered the ladder. Left is how much time its caller
	// gives it.
	CallStarted EventKind = iota + 1
	// CallQueued: the call waits for a slot.
	CallQueued
	// CallRejected: a rung refused the call before any attempt. With Observed
	// set the rung only said what it would have done.
	CallRejected
	// AttemptStarted: an attempt was launched. For the first, Took is how long
	// the call waited for a slot.
	AttemptStarted
	// AttemptEnded: an attempt ended with Outcome after Took. The Detail of a
	// copy is "hedge", as at its start.
	AttemptEnded
	// RetryScheduled: another attempt follows after a wait of Took.
	RetryScheduled
	// RetryDenied: the failure stands, for Reason.
	RetryDenied
	// BreakerChanged: a breaker went From one state To another. Policy is whose
	// breaker it is: that of a dependency, also if a call of one of its
	// operations changed it.
	BreakerChanged
	// LateReport: an attempt's result belonged to an earlier era of its
	// breaker and changed nothing.
	LateReport
	// FallbackAnswered: a fallback answered; Detail names which.
	FallbackAnswered
	// FallbackRefused: no fallback answered.
	FallbackRefused
	// CallEnded: the call left the ladder with Outcome after Took.
	CallEnded

	// RequestQueued: a request that came in waits for a slot.
	RequestQueued
	// RequestAdmitted: a request that came in begins to be served. Took is how
	// long it waited, Left how much time its caller gave it when it came.
	RequestAdmitted
	// RequestRefused: a request that came in was turned away for Reason, Took
	// after it came; Left is as of RequestAdmitted. With Observed set it was let
	// in all the same.
	RequestRefused
	// RequestEnded: a request that was served ended with Outcome. Took is from
	// its arrival, its wait included, until its answer began, or ended if nobody
	// said when it began. The Detail "late" means that it came to nobody who
	// still waited, or after its deadline.
	RequestEnded
	// LimitChanged: the concurrency limit went From one number To another.
	LimitChanged
	// ShedChanged: what is let in went From one level To another.
	ShedChanged
	// DegradeChanged: the level of planned degradation went From one To another.
	DegradeChanged
	// RecoveryChanged: the share of the demand that is let in went From one To
	// another, by the way back from an overload or, with the Reason Operator, by
	// hand. Took is the ramp over which everything is let in again; 0: none.
	RecoveryChanged

	// FaultInjected: an attempt is hurt on purpose by the rules in Key, after a
	// wait of Took; Detail names the kind.
	FaultInjected
	// FaultChanged: the fault in Key went From off To on, or back, for Detail.
	FaultChanged

	// HedgeDenied: a copy of a slow call was due and not sent, for Reason. With
	// Observed set nothing but the mode was against it. One that is sent is an
	// AttemptStarted with the Detail "hedge".
	HedgeDenied

	// EndpointChanged: the endpoint in Key went From one state To another.
	EndpointChanged
	// PanicChanged: too few endpoints are up, so that all are used, went From
	// off To on, or back.
	PanicChanged
	// EndpointsFound: DNS has another answer; Key is the name, and Detail says
	// how many endpoints came and went.
	EndpointsFound
	// ResolveFailed: DNS has no answer for the name in Key, for Detail. The
	// endpoints stay as they were.
	ResolveFailed

	// FailoverChanged: where calls of a dependency with a second provider go
	// went From one state To another. Detail names the second provider.
	FailoverChanged

	// CertificatesRead: files of certificates have changed and were read again.
	// They are in use, or Detail says why not: then those before stay.
	CertificatesRead
	// BurnChanged: the error budget of the objective in Key went From quiet To
	// burning too fast over the window in Detail, or back.
	BurnChanged
	// BudgetChanged: the steps that are taken because little is left of the error
	// budget of the objective in Key went From one number To another; Detail says
	// how much is left.
	BudgetChanged
)

var eventNames = [...]string{
	"none", "call-started", "call-queued", "call-rejected", "attempt-started", "attempt-ended",
	"retry-scheduled", "retry-denied", "breaker-changed", "late-report", "fallback-answered",
	"fallback-refused", "call-ended", "request-queued", "request-admitted", "request-refused",
	"request-ended", "limit-changed", "shed-changed", "degrade-changed", "recovery-changed",
	"fault-injected", "fault-changed",
	"hedge-denied",
	"endpoint-changed", "panic-changed", "endpoints-found", "resolve-failed",
	"failover-changed",
	"certificates-read",
	"burn-changed", "budget-changed",
}

// String returns the kind's name in lower case with hyphens.
func (k EventKind) String() string { return nameOf(eventNames[:], int(k)) }

// Event is one decision. There is one schema for all uses: what the dashboard
// shows live, what the simulator traces, what a log keeps and what tests
// compare are these values. Fields that do not apply are zero.
type Event struct {
	At       Instant
	Kind     EventKind
	Reason   Reason
	Outcome  Outcome
	Cause    Cause
	Attempt  uint8         // 0 is the first
	Observed bool          // the rung ran in observe mode: the call passed all the same
	Policy   string        // the dependency, or dependency/operation
	Key      string        // for a policy kept per key: which
	Took     time.Duration // how long it took, or will be waited
	Left     time.Duration // until the caller's deadline; negative: it has passed; 0: it has none
	From, To string        // of what has changed: states by name, or numbers
	Seq      uint64        // BreakerChanged, FailoverChanged: rises by one with each of its changes
	Detail   string        // a fixed word more, such as the kind of fallback

	Criticality Criticality // of the request, where it is known
}

// Left returns what an Event says of a deadline.
func Left(now, deadline Instant) time.Duration {
	switch {
	case deadline == Never:
		return 0
	case deadline <= now:
		return min(deadline.Sub(now), -1)
	}
	return deadline.Sub(now)
}

// Observer receives events. Observe is called on the goroutine that made the
// decision, after every lock is released, and must return quickly; it may call
// back into Seakeep. Events of one call come in order; those of a breaker
// carry a rising Seq, because two goroutines may report two changes at once.
type Observer interface {
	Observe(Event)
}
