package seakeep

import (
	"context"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/bulkhead"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/stale"
)

// Adapter is what a package such as seakeephttp needs of a policy beside Run.
// It is taken once a call, so that the call never sees half of a reload.
type Adapter struct {
	s     *state
	began core.Instant // only where an objective wants to know
}

// Adapter returns the policy as it is now.
func (p *Policy) Adapter() Adapter {
	s := p.state.Load()
	return Adapter{s, s.begins()}
}

// Run is Policy.Run.
func (a Adapter) Run(ctx context.Context, req call.Request, try Try) (end Ending) {
	info := CallOf(ctx)
	a.s.run(info.begin(ctx), &req, info.Report, try, &end)
	a.ended(&end)
	return end
}

// Race is Run for a call that may have copies: its request has Hedge set.
func (a Adapter) Race(ctx context.Context, req call.Request, with Racer) (end Ending) {
	info := CallOf(ctx)
	a.s.race(info.begin(ctx), &req, info.Report, with, &end)
	a.ended(&end)
	return end
}

// ended counts a call for the objectives, unless a fallback has the last word.
func (a Adapter) ended(end *Ending) {
	if a.s.promised != nil && !a.WantsFallback(end) {
		a.s.promise(a.began, end.outcome(), 0)
	}
}

// Plan returns the compiled policy.
func (a Adapter) Plan() *call.Plan { return a.s.plan }

// Faults returns what hurts the policy's attempts on purpose, and the name of
// the operation that it is for.
func (a Adapter) Faults() (f *Faults, operation string) { return a.s.faults, a.s.operation }

// Classify turns an error into what policies decide by: by the program's own
// word if it has one, or the package's Classify. An error that it calls good is
// Ignored here, because an adapter has no answer to go with it.
func (a Adapter) Classify(err error) core.Result {
	r := a.s.result(err)
	if err != nil && r.Outcome == core.Success {
		r = core.Result{Outcome: core.Ignored}
	}
	return r
}

// Failure returns the error of a call that has no answer: a *Rejection, or
// last, the error of its last attempt. It is never nil.
func (a Adapter) Failure(ctx context.Context, key string, end Ending, last error) error {
	if err := a.s.failure(ctx, key, &end, last); err != nil {
		return err
	}
	return context.Canceled
}

// Fallback returns the policy's fallbacks, which must not be changed.
func (a Adapter) Fallback() *Fallback { return &a.s.fallback.cfg }

// Cache returns where the cache fallback keeps its answers, and its settings;
// nil if the policy has none.
func (a Adapter) Cache() (*stale.Cache, *Cache) {
	return a.s.fallback.cache, a.s.fallback.cacheCfg
}

// WantsFallback reports whether the ending leaves the caller without an answer
// that it could have had from a fallback.
func (a Adapter) WantsFallback(end *Ending) bool {
	return len(a.s.fallback.cfg.Order) > 0 && end.wantsFallback()
}

// BeginFallback takes one of the slots for fallbacks that do work. If it
// reports true, EndFallback gives the slot back.
func (a Adapter) BeginFallback() bool { return a.s.fallback.slots.TryAcquire(Now(), bulkhead.Place{}) }

// EndFallback gives the slot back.
func (a Adapter) EndFallback() { a.s.fallback.slots.Release(Now(), bulkhead.Place{}) }

// ErrFallbackFull is why BeginFallback reports false.
var ErrFallbackFull = errFallbackFull

// Answered records that a fallback of this kind answered the call: cache,
// static, dependency or omit. age is that of a cached answer.
func (a Adapter) Answered(c *Call, kind string, age time.Duration) {
	for i, name := range kinds {
		if name == kind {
			a.s.answered(i)
			a.s.promise(a.began, core.Success, age)
		}
	}
	a.Reported(c, kind, age)
}

// Reported fills in the call's Report for an answer that did not come from the
// dependency. The ladder may not have been entered at all.
func (a Adapter) Reported(c *Call, kind string, age time.Duration) {
	r := c.Report
	if r == nil {
		return
	}
	if r.Policy == "" {
		r.Policy, r.Verdict = a.s.name, call.Succeeded
	}
	r.Fallback, r.Age = kind, age
}

// Unanswered records that no fallback answered and returns both failures as
// one error. why is nil if none applied.
func (a Adapter) Unanswered(failure, why error) error {
	a.s.promise(a.began, core.Failure, 0)
	return a.s.unanswered(failure, why)
}

// ExerciseDue reports whether this healthy call should exercise the fallbacks.
func (a Adapter) ExerciseDue() bool { return a.s.fallback.due() }

// Exercised records how exercising a fallback went: which kind answered, or
// why none did.
func (a Adapter) Exercised(kind string, err error) { a.s.exercised(kind, err) }

// TimeLeft returns how much time an attempt has, given the context that its Try
// was called with; false if it has no limit. For a limit of the policy it is
// the time as of the attempt's start, which costs no look at the clock: call it
// first thing.
func TimeLeft(ctx context.Context) (time.Duration, bool) {
	if c, ok := ctx.(*attemptContext); ok {
		if limit := core.Instant(c.limit.Load()); limit != core.Never {
			return limit.Sub(c.started), true
		}
	}
	if t, ok := ctx.Deadline(); ok {
		return time.Until(t), true
	}
	return 0, false
}
