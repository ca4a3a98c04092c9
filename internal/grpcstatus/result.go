package grpcstatus

import (
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/retry"
)

// The names of gRPC's fields about attempts, in lower case as metadata has them.
const (
	// PushbackField is a trailer: when to try again, if at all.
	PushbackField = "grpc-retry-pushback-ms"
	// AttemptsField goes with a request: how many attempts were made before.
	AttemptsField = "grpc-previous-rpc-attempts"
)

// results is what an attempt that ended with a code means to the policies.
var results = [Codes]core.Result{
	OK:                {Outcome: core.Success},
	Cancelled:         {Outcome: core.Cancelled},
	Unknown:           {Outcome: core.Failure, Cause: core.Unknown},
	DeadlineExceeded:  {Outcome: core.Timeout, Cause: core.TimedOut},
	ResourceExhausted: {Outcome: core.Overloaded, Cause: core.TooMany},
	Internal:          {Outcome: core.Failure, Cause: core.ServerError},
	Unavailable:       {Outcome: core.Failure, Cause: core.Unavailable},
	DataLoss:          {Outcome: core.Failure, Cause: core.ServerError},
}

// Result says what an attempt that ended with this code means to the policies,
// given the values of its trailer grpc-retry-pushback-ms. A code without a name
// is Unknown. Every other code is the caller's own mistake, or an answer.
//
// Unavailable with a pushback is a refusal on purpose, which ran nothing;
// without one the server may as well have broken down halfway. Cancelled is
// neutral: whoever knows that the caller is still there must look for itself.
func (c Code) Result(pushback []string) core.Result {
	if c >= Codes {
		c = Unknown
	}
	r := results[c]
	if r.Outcome == 0 {
		r = core.Result{Outcome: core.Ignored, Cause: core.ClientError}
	}
	wait, again, told := retry.ParsePushback(pushback)
	if !told || !r.Outcome.Failed() {
		return r
	}
	if c == Unavailable {
		r.Outcome = core.Overloaded
	}
	if r.NoRetry = !again; again {
		r.RetryAfter = max(wait, time.Nanosecond) // 0 would be "it did not say"
		r.Exact = true
	}
	return r
}

// OfReason returns the code of a refusal that Seakeep makes, and whether the
// caller should be told not to try again.
func OfReason(r core.Reason) (c Code, noRetry bool) {
	switch r {
	case core.TenantLimit:
		return ResourceExhausted, true
	case core.DeadlineExceeded, core.DeadlineTooShort:
		return DeadlineExceeded, true
	case core.CallerCancelled:
		return Cancelled, true
	case core.Shed, core.AdmissionReduced, core.TwinStarted:
		return Unavailable, true
	}
	return Unavailable, false
}

// Pushback writes a value of PushbackField: when to come back, rounded up to
// milliseconds, or -1 for "do not".
func Pushback(after time.Duration, noRetry bool) string {
	if noRetry {
		return "-1"
	}
	return millis(after)
}
