package retry

import (
	"time"

	"github.com/seakeep/seakeep/core"
)

// Check says whether a call may be tried again after an attempt that ended as
// r. attempt counts the attempts that have ended, s is what is known of the
// call, and replayable says that its body can be sent once more.
//
// It returns core.NoReason if it may. Otherwise it returns the first reason
// that applies, ordered so that the one that no setting can mend comes first:
//
//   - CallerCancelled: the caller left.
//   - NotRetryable: nothing failed, or the failure would repeat.
//   - DoNotRetry: the other side asks not to be tried again.
//   - WaitTooLong: it wants to be tried again, but only after MaxWait.
//   - NotIdempotent: it may have run, and may not run twice.
//   - NotReplayable: the request cannot be sent again.
//   - AttemptsExhausted: it could be tried again, but often enough is enough.
func (c Config) Check(attempt int, r core.Result, s Safety, replayable bool) core.Reason {
	cause := r.Cause
	if cause == core.NoCause {
		cause = core.Unknown
	}
	switch {
	case r.Outcome == core.Cancelled:
		return core.CallerCancelled
	case !r.Outcome.Failed() || !c.causes().Has(cause):
		return core.NotRetryable
	case r.NoRetry:
		return core.DoNotRetry
	case r.Exact && !c.IgnoreRetryAfter && r.RetryAfter > c.maxWait():
		return core.WaitTooLong
	case !c.safe(cause, r, s):
		return core.NotIdempotent
	case !replayable:
		return core.NotReplayable
	case attempt >= c.Attempts:
		return core.AttemptsExhausted
	}
	return core.NoReason
}

// safe reports whether the call may run again, given how it failed.
func (c Config) safe(cause core.Cause, r core.Result, s Safety) bool {
	if cause == core.Unsent {
		return true // it never ran
	}
	if (cause == core.Unavailable || cause == core.TooMany) && (r.RetryAfter > 0 || r.Exact) {
		// Whoever names a time to come back has refused the call on purpose
		// and did not run it. A bare 503 may also stand for a server that
		// broke down halfway, behind a gateway.
		return true
	}
	switch c.Idempotent {
	case Always:
		return true
	case Never:
		return false
	}
	return s == Idempotent || s == Keyed
}

func (c Config) causes() Causes {
	if c.Causes == 0 {
		return DefaultCauses
	}
	return c.Causes & possibleCauses
}

// Wait returns how long to wait after k attempts, the last of which ended as
// r: the backoff, or what the server asked for up to MaxWait, whichever is
// longer; a wait that is Exact is the server's alone. prev and draw are those of
// Backoff.Delay.
func (c Config) Wait(k int, prev time.Duration, r core.Result, draw float64) time.Duration {
	wait := c.Backoff.Delay(k, prev, draw)
	switch {
	case c.IgnoreRetryAfter:
		return wait
	case r.Exact:
		return r.RetryAfter
	}
	return max(wait, min(r.RetryAfter, c.maxWait()))
}

func (c Config) maxWait() time.Duration {
	if c.MaxWait == 0 {
		return defaultMaxWait
	}
	return max(c.MaxWait, 0)
}

// MarkNoRetry reports whether the answer to a call that failed should carry
// NoRetryHeader, so that the layer above does not try again what this layer
// has dealt with. attempts is how many this layer made and why is the reason
// that ended the call or kept it from starting.
//
// It is so when this layer has retried, and when it sheds on purpose: its
// retry budget is spent, a breaker, bulkhead or throttle refused, or the layer
// below asked for it. It is not so when the layer above is the one that
// retries, or when it may know better, for example that a call is idempotent.
func (Config) MarkNoRetry(why core.Reason, attempts int) bool {
	switch why {
	case core.RetriedAbove, core.CallerCancelled:
		return false
	case core.BudgetExhausted, core.DoNotRetry,
		core.CircuitOpen, core.TrialsTaken, core.Ramping, core.ForcedOpen,
		core.BulkheadFull, core.QueueTimeout, core.KeysExhausted, core.Throttled:
		return true
	}
	return attempts > 1
}
