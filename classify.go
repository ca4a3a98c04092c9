package seakeep

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/seakeep/seakeep/core"
)

// verdict is an error whose author has said how policies should see it.
type verdict struct {
	error
	result core.Result
}

func (v *verdict) Unwrap() error { return v.error }

// Ignore marks an error as the caller's own mistake, such as a 404: no policy
// counts it and it is not retried. A nil error stays nil.
func Ignore(err error) error {
	return Mark(err, core.Result{Outcome: core.Ignored, Cause: core.ClientError})
}

// Overloaded marks an error as the other side's refusal, with the time it asks
// to be left alone, or zero. It counts as a failure and may be retried.
func Overloaded(err error, retryAfter time.Duration) error {
	return Mark(err, core.Result{Outcome: core.Overloaded, Cause: core.Unavailable,
		RetryAfter: retryAfter})
}

// NoRetry marks an error as one that must not be tried again, for example
// because a layer below has retried already.
func NoRetry(err error) error {
	return Mark(err, core.Result{Outcome: core.Overloaded, Cause: core.Unavailable, NoRetry: true})
}

// Unsent marks an error of a request that never reached the other side, so
// that repeating it is safe whatever it does.
func Unsent(err error) error {
	return Mark(err, core.Result{Outcome: core.Failure, Cause: core.Unsent})
}

// Mark says of an error what policies should see in it, for an adapter whose
// errors Classify does not know. A nil error stays nil.
func Mark(err error, r core.Result) error {
	if err == nil {
		return nil
	}
	return &verdict{err, r}
}

// Marked reports whether Mark, or one of the functions that use it, has said
// what policies should see in the error.
func Marked(err error) bool {
	var v *verdict
	return errors.As(err, &v)
}

// Classify turns an error into what policies decide by. It is what Do uses
// unless Config.Classify has an answer of its own.
//
// A nil error is a success. A caller's cancellation is neutral. A deadline is
// a timeout. A refused or failed connection attempt was never sent. A broken
// connection is a reset. A Rejection of another policy further down is an
// overload that must not be retried here, because it was refused on purpose.
// Anything else is a failure of unknown cause.
func Classify(err error) core.Result {
	if err == nil {
		return core.Result{Outcome: core.Success}
	}
	var v *verdict
	var r *Rejection
	rejected := errors.As(err, &r)
	// The outer word counts: what a Rejection wraps was said to the policy
	// further down, not to us.
	if errors.As(err, &v) && !(rejected && r.Last != nil && errors.Is(r.Last, v)) {
		return v.result
	}
	if rejected {
		return classifyRejection(r)
	}
	if errors.Is(err, context.Canceled) {
		return core.Result{Outcome: core.Cancelled}
	}
	var f *FaultError
	if errors.As(err, &f) {
		return f.Hurt.Result()
	}
	return core.Result{Outcome: outcomeOf(err), Cause: CauseOf(err)}
}

func outcomeOf(err error) core.Outcome {
	if isTimeout(err) {
		return core.Timeout
	}
	return core.Failure
}

// CauseOf says what went wrong on the way, for an error of the net package or
// one that wraps it.
func CauseOf(err error) core.Cause {
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case errors.As(err, &dns):
		return core.Unsent
	case errors.As(err, &op) && op.Op == "dial":
		return core.Unsent
	case errors.Is(err, syscall.ECONNREFUSED):
		return core.Unsent
	case isTimeout(err):
		return core.TimedOut
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return core.Reset
	}
	return core.Unknown
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) ||
		(errors.As(err, &t) && t.Timeout())
}

func classifyRejection(r *Rejection) core.Result {
	if r.Is(context.DeadlineExceeded) {
		return core.Result{Outcome: core.Timeout, Cause: core.TimedOut, NoRetry: true}
	}
	if r.Reason == core.CallerCancelled {
		return core.Result{Outcome: core.Cancelled}
	}
	return core.Result{Outcome: core.Overloaded, Cause: core.Unavailable, NoRetry: true,
		RetryAfter: r.RetryAfter}
}
