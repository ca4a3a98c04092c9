package seakeep

import (
	"context"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/retry"
)

// Call says what only the caller knows about one call. Its zero value says
// nothing, which is safe: the call is not repeated once it may have run, and
// nothing is cached.
type Call struct {
	// Idempotent says that repeating the call is safe, whatever it does.
	Idempotent bool
	// IdempotencyKey says that the other side recognises a repetition by this
	// key. HTTP adapters send it as Idempotency-Key.
	IdempotencyKey string
	// Key chooses the breaker of a policy that keeps one per key, for example
	// a tenant's name.
	Key string
	// CacheKey names what the call asks for. A policy with a cache fallback
	// keeps and finds answers by it; without one nothing is cached, because
	// one user's answer must never become another's.
	CacheKey string
	// RetriedAbove says that a layer above is retrying this call, so that
	// this one must not.
	RetriedAbove bool
	// Faults names the rules, with commas between, that this call asks to be
	// hurt by. HTTP adapters take them from X-Seakeep-Fault.
	Faults string
	// Discard, if set, is given the answer of a copy that came when another
	// attempt had been first, so that it can be closed. It runs on any
	// goroutine.
	Discard func(answer any)
	// Unhurt says that no fault may hurt the call: it is a health check.
	Unhurt bool
	// Report, if set, is filled in when the call ends. It is for one call:
	// those that are made within it, or by its fallback, do not write to it.
	Report *Report
}

type callKey struct{}

// With returns a context that tells the next Do about its call. It holds for
// every policy below, but for the Report, until another With replaces it.
func With(ctx context.Context, c Call) context.Context {
	return context.WithValue(ctx, callKey{}, &c)
}

var noCall Call

// CallOf returns what With said. It must not be changed.
func CallOf(ctx context.Context) *Call {
	if c, ok := ctx.Value(callKey{}).(*Call); ok {
		return c
	}
	return &noCall
}

// Safety says what is known of repeating the call.
func (c *Call) Safety() retry.Safety {
	switch {
	case c.Idempotent:
		return retry.Idempotent
	case c.IdempotencyKey != "":
		return retry.Keyed
	}
	return retry.Unknown
}

// Report explains one call: which rung decided, what was tried, and when to
// come back.
type Report struct {
	Policy     string
	Verdict    call.Verdict
	Reason     core.Reason   // which rule refused the call or its next attempt
	RetryAfter time.Duration // when to come back; zero: unknown
	Took       time.Duration
	Attempts   []AttemptReport // at most 16
	Fallback   string          // which fallback answered: cache, static, omit, dependency, function
	Age        time.Duration   // how old a cached answer is
}

// AttemptReport is one attempt of a Report.
type AttemptReport struct {
	Result core.Result
	Took   time.Duration
	Faults string // what hurt it on purpose, with commas between; empty: nothing
}

// begin empties the call's report and returns the context for what it does. The
// calls below are others, and may go on when this one is over and its report read.
func (c *Call) begin(ctx context.Context) context.Context {
	if c.Report == nil {
		return ctx
	}
	*c.Report = Report{}
	below := *c
	below.Report = nil
	return With(ctx, below)
}

const reportedAttempts = 16

func (r *Report) attempt(t *Tried, took time.Duration) {
	if len(r.Attempts) < reportedAttempts {
		r.Attempts = append(r.Attempts, reportOf(t, took))
	}
}

func reportOf(t *Tried, took time.Duration) AttemptReport {
	a := AttemptReport{Result: t.Result, Took: took}
	if t.Note != nil {
		a.Faults = t.Note.Faults
	}
	return a
}

func (r *Report) end(name string, e *Ending, took time.Duration) {
	r.Policy, r.Verdict, r.Reason = name, e.Verdict, e.Reason
	r.RetryAfter, r.Took = e.RetryAfter, took
}
