package seakeep

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/serve"
)

// ErrRejected matches every Rejection: errors.Is(err, seakeep.ErrRejected).
var ErrRejected = errors.New("seakeep: rejected")

// Rejection is the error Do returns for a call that its policy refused, before
// the first attempt (Last is nil) or before another one (Last is the failure of
// the attempt that was made). A dependency's own error is returned as it came.
//
// A Rejection matches ErrRejected, unwraps to Last, and one for want of time
// matches context.DeadlineExceeded. Rejections without Last are shared between
// calls: do not change their fields.
type Rejection struct {
	Policy     string        // as named in the policy file
	Reason     core.Reason   // which rule refused, for example core.CircuitOpen
	RetryAfter time.Duration // when to come back; zero: unknown
	Last       error         // the last attempt's error, if one was made

	plan *call.Plan
	key  string      // of a breaker kept per key
	door *serve.Door // of a request that came in
}

// Error says who refused, why, and when to come back, in one line.
func (r *Rejection) Error() string {
	var b strings.Builder
	b.WriteString("seakeep: ")
	b.WriteString(r.Policy)
	b.WriteString(": ")
	b.WriteString(r.Reason.String())
	if r.RetryAfter > 0 {
		fmt.Fprintf(&b, ", retry after %v", r.RetryAfter.Round(time.Millisecond))
	}
	if r.Last != nil {
		b.WriteString(": ")
		b.WriteString(r.Last.Error())
	}
	return b.String()
}

// Unwrap returns the last attempt's error, or nil.
func (r *Rejection) Unwrap() error { return r.Last }

// Is matches ErrRejected, and context.DeadlineExceeded where time was the
// reason.
func (r *Rejection) Is(target error) bool {
	if target == context.DeadlineExceeded {
		switch r.Reason {
		case core.DeadlineExceeded, core.DeadlineTooShort, core.WaitTooLong, core.QueueTimeout:
			return true
		}
	}
	return target == ErrRejected
}

// ErrFallback matches the error of a call whose fallback did not answer either.
var ErrFallback = errors.New("seakeep: no fallback answered")

// FallbackError carries both failures of a call whose fallbacks had no answer:
// errors.Is and errors.As find the call's own error and the fallbacks'.
type FallbackError struct {
	Call     error // why the call failed
	Fallback error // why the last fallback tried did not answer; nil: none applied
}

// Error gives both failures in one line.
func (f *FallbackError) Error() string {
	if f.Fallback == nil {
		return f.Call.Error()
	}
	return f.Call.Error() + " (fallback: " + f.Fallback.Error() + ")"
}

// Unwrap returns both failures.
func (f *FallbackError) Unwrap() []error {
	if f.Fallback == nil {
		return []error{f.Call}
	}
	return []error{f.Call, f.Fallback}
}

// Is matches ErrFallback.
func (f *FallbackError) Is(target error) bool { return target == ErrFallback }

// granule is how finely a shared Rejection tells the time: refusals within it
// are given the same value, so that refusing does not allocate.
const granule = 10 * time.Millisecond

// reasonSlots is how many reasons have a Rejection that is shared.
const reasonSlots = 64

// coarse rounds a wait up to the granule.
func coarse(after time.Duration) time.Duration {
	if after <= 0 {
		return after
	}
	return (min(after, math.MaxInt64-granule) + granule - 1).Truncate(granule)
}

// reject returns the Rejection for an ending, shared where it can be.
func (s *state) reject(end *Ending, key string, last error) *Rejection {
	r, after := end.Reason, coarse(end.RetryAfter)
	fresh := func() *Rejection {
		return &Rejection{Policy: s.name, Reason: r, RetryAfter: after, Last: last, plan: s.plan,
			key: key}
	}
	if last != nil || key != "" || int(r) >= len(s.rejections) {
		return fresh()
	}
	slot := &s.rejections[r]
	if old := slot.Load(); old != nil && old.RetryAfter == after {
		return old
	}
	made := fresh()
	slot.Store(made)
	return made
}
