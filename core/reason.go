package core

// Reason says which rule made a decision. The zero value, NoReason, means that
// nothing was refused.
type Reason uint8

const (
	// NoReason is the reason of a call that nobody hindered.
	NoReason Reason = iota

	// CircuitOpen refuses a call because the breaker is open.
	CircuitOpen
	// TrialsTaken refuses a call because the breaker is half-open and its
	// trial calls are all taken.
	TrialsTaken
	// Ramping refuses a call because the breaker has closed a moment ago and
	// lets traffic back gradually.
	Ramping
	// ForcedOpen refuses a call because an operator holds the breaker open.
	ForcedOpen
	// BulkheadFull refuses a call because all slots, and the queue, are taken.
	BulkheadFull
	// QueueTimeout refuses a call that waited too long for a slot.
	QueueTimeout
	// KeysExhausted refuses a call because too many keys are being tracked
	// and none may be forgotten.
	KeysExhausted
	// DeadlineExceeded ends a call whose time is up.
	DeadlineExceeded
	// DeadlineTooShort refuses work that cannot finish in the time left.
	DeadlineTooShort
	// CallerCancelled ends a call whose caller left.
	CallerCancelled

	// AttemptsExhausted stops retrying: the allowed attempts are used up.
	AttemptsExhausted
	// BudgetExhausted stops retrying: the retry budget is spent.
	BudgetExhausted
	// NotRetryable stops retrying: this kind of failure would repeat.
	NotRetryable
	// NotIdempotent stops retrying: the call may have run, and running it
	// twice is not known to be safe.
	NotIdempotent
	// NotReplayable stops retrying: the request's body is gone.
	NotReplayable
	// DoNotRetry stops retrying: the other side asked for that.
	DoNotRetry
	// RetriedAbove stops retrying: a layer above is already retrying.
	RetriedAbove
	// WaitTooLong stops retrying: the wait, or the wait plus a useful
	// attempt, would pass the deadline.
	WaitTooLong

	// FailureRate opens a breaker: too large a share of calls failed.
	FailureRate
	// SlowRate opens a breaker: too large a share of calls was slow.
	SlowRate
	// Consecutive opens a breaker: too many failures in a row.
	Consecutive
	// TrialFailed opens a breaker again: the trial calls did not go well.
	TrialFailed
	// TrialLost opens a breaker again: a trial call never reported.
	TrialLost
	// TrialsPassed closes a breaker.
	TrialsPassed
	// OpenElapsed makes an open breaker half-open.
	OpenElapsed
	// Operator is a change made by hand.
	Operator

	// FallbackFull refuses a fallback: too many of them are running.
	FallbackFull
	// FallbackFailed means that no fallback had an answer.
	FallbackFailed
	// Exercise sends a healthy call to the fallback on purpose, so that the
	// fallback is known to work.
	Exercise

	// Throttled refuses a call before it is sent: the dependency refuses most
	// of what we ask of it.
	Throttled

	// Shed refuses a request because under this pressure only more important
	// ones are let in.
	Shed
	// AdmissionReduced refuses a request because only a share of the demand is
	// let in for now: an operator, or the way back from an overload, wants it.
	AdmissionReduced
	// TenantLimit refuses a request because its tenant has its share already.
	TenantLimit
	// QueueDelay drops a request that waited while the queue was too slow for
	// too long (Controlled Delay).
	QueueDelay
	// Evicted drops a waiting request whose place a more important or a newer
	// one took.
	Evicted
	// FeatureOff refuses work on a feature that is off under this pressure.
	FeatureOff

	// KeyMissing refuses a write without the idempotency key it must have.
	KeyMissing
	// KeyInvalid refuses a request whose idempotency key cannot be one.
	KeyInvalid
	// KeyBusy refuses a request whose idempotency key is in use by another
	// that has not ended.
	KeyBusy
	// KeyReused refuses a request whose idempotency key belongs to a different
	// request.
	KeyReused
	// KeyUnknown refuses to repeat a write of which nobody knows how it ended.
	KeyUnknown
	// KeyNotStored refuses to repeat a write whose answer could not be kept.
	KeyNotStored
	// KeyReplayed answers a repeated write with the answer kept from the first.
	KeyReplayed

	// EverythingSlow sends no copy of a slow call: too many calls are slow for
	// it to be the tail.
	EverythingSlow
	// Pushback sends no copy of a slow call: the dependency asks to be left
	// alone for now.
	Pushback
	// NoOtherEndpoint sends no copy of a slow call: there is nowhere else to
	// send it.
	NoOtherEndpoint

	// TwinStarted drops a waiting request because its twin, which waited
	// elsewhere, is being served.
	TwinStarted
)

var reasonNames = [...]string{
	"none", "circuit-open", "trials-taken", "ramping", "forced-open", "bulkhead-full",
	"queue-timeout", "keys-exhausted", "deadline-exceeded", "deadline-too-short",
	"caller-cancelled", "attempts-exhausted", "budget-exhausted", "not-retryable",
	"not-idempotent", "not-replayable", "do-not-retry", "retried-above", "wait-too-long",
	"failure-rate", "slow-rate", "consecutive-failures", "trial-failed", "trial-lost",
	"trials-passed", "open-elapsed", "operator", "fallback-full", "fallback-failed", "exercise",
	"throttled", "shed", "admission-reduced", "tenant-limit", "queue-delay", "evicted",
	"feature-off", "key-missing", "key-invalid", "key-busy", "key-reused", "key-unknown",
	"key-not-stored", "key-replayed", "everything-slow", "pushback", "no-other-endpoint",
	"twin-started",
}

// String returns the reason's name in lower case with hyphens, as it appears
// in answers, metrics and logs.
func (r Reason) String() string { return nameOf(reasonNames[:], int(r)) }
