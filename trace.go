package seakeep

import (
	"context"
	"sync"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
)

// Tracer follows calls from their beginning to their end: what an Observer
// cannot, because it is told of decisions and not of contexts. adapters/otel
// makes spans of it. It is used by many goroutines, and must be quick.
type Tracer interface {
	// StartCall is told of a call that begins under a policy. The context it
	// returns is the one that attempts and fallbacks are made with.
	StartCall(ctx context.Context, policy string) (context.Context, CallTrace)
}

// CallTrace follows one call.
type CallTrace interface {
	// StartAttempt is told of an attempt that begins, the first being number 0;
	// copied says that it is a copy of one under way. The context it returns is
	// the one that the attempt is made with.
	StartAttempt(ctx context.Context, number int, copied bool) (context.Context, AttemptTrace)
	// EndCall is told how the call ended, once. It is the last of the call, save
	// for attempts that nobody waits for any more.
	EndCall(CallEnd)
}

// AttemptTrace follows one attempt.
type AttemptTrace interface {
	// EndAttempt is told how the attempt ended, once, on any goroutine. For an
	// answer with a body that is when the body ended; Took is until it began.
	EndAttempt(AttemptReport)
}

// CallEnd is how a call ended.
type CallEnd struct {
	Verdict  call.Verdict
	Reason   core.Reason // which rule refused the call or its next attempt
	Last     core.Result // of the last attempt
	Attempts int
	Took     time.Duration // until the answer began, or the failure stood
	Fallback string        // which fallback answered; empty: none
}

// Trace is a call that a Tracer follows. The nil Trace is one that none does.
type Trace struct {
	of    *state
	call  CallTrace
	began core.Instant

	mu     sync.Mutex
	taken  bool // a run has it
	told   bool // end is known
	end    CallEnd
	kept   AttemptTrace // of the answer whose body is still to come
	report AttemptReport
}

type (
	traceKey   struct{}
	attemptKey struct{}
)

// Trace begins to follow a call that is about to Run, so that the fallbacks
// that come after it are followed as well. Whoever begins one ends it with
// Ended; a Run with another context begins and ends its own. It returns nil if
// nobody follows calls.
func (a Adapter) Trace(ctx context.Context) (context.Context, *Trace) { return a.s.trace(ctx) }

// Traced reports whether somebody follows calls.
func (a Adapter) Traced() bool { return a.s.tracer != nil }

func (s *state) trace(ctx context.Context) (context.Context, *Trace) {
	if s.tracer == nil {
		return ctx, nil
	}
	t := &Trace{of: s, began: Now()}
	ctx, t.call = s.tracer.StartCall(ctx, s.name)
	return context.WithValue(ctx, traceKey{}, t), t
}

// traced returns the trace for a run: that which its caller has begun, or one
// of its own.
func (s *state) traced(ctx context.Context) (_ context.Context, t *Trace, own bool) {
	if t, ok := ctx.Value(traceKey{}).(*Trace); ok && t.of == s {
		t.mu.Lock()
		free := !t.taken
		t.taken = true
		t.mu.Unlock()
		if free {
			return ctx, t, false
		}
	}
	ctx, t = s.trace(ctx)
	t.taken = true
	return ctx, t, true
}

// attempt begins an attempt.
func (t *Trace) attempt(ctx context.Context, number int, copied bool) (context.Context, AttemptTrace) {
	ctx, leg := t.call.StartAttempt(ctx, number, copied)
	return context.WithValue(ctx, attemptKey{}, leg), leg
}

// AttemptTraceOf returns what follows the attempt that a context belongs to; nil
// if nothing does. Adapters ask it whether it wants to know more: see
// seakeephttp.RequestTrace.
func AttemptTraceOf(ctx context.Context) AttemptTrace {
	t, _ := ctx.Value(attemptKey{}).(AttemptTrace)
	return t
}

// keep leaves an attempt open until its answer's body has ended.
func (t *Trace) keep(leg AttemptTrace, r AttemptReport) {
	t.mu.Lock()
	t.kept, t.report = leg, r
	t.mu.Unlock()
}

// bodyEnded ends the attempt that was kept, and the call if that has ended too.
func (t *Trace) bodyEnded(o core.Outcome) {
	if t == nil {
		return
	}
	t.mu.Lock()
	leg, told := t.kept, t.told
	t.kept = nil
	r, end := t.report, t.end
	t.mu.Unlock()
	if leg == nil {
		return
	}
	if o != 0 && o != core.Success && r.Result.Outcome == core.Success {
		r.Result = core.Result{Outcome: o, Cause: core.Reset}
		if o == core.Cancelled {
			r.Result.Cause = core.NoCause
		}
	}
	leg.EndAttempt(r)
	if told {
		t.call.EndCall(end)
	}
}

// Ended ends a call, or has the end of its answer's body do it. end is what Run
// returned; fallback is the kind that answered in its place.
func (t *Trace) Ended(end *Ending, fallback string) {
	if t == nil {
		return
	}
	e := CallEnd{Verdict: end.Verdict, Reason: end.Reason, Last: end.Last, Attempts: end.Attempts,
		Took: Now().Sub(t.began), Fallback: fallback}
	t.mu.Lock()
	open, told := t.kept != nil, t.told
	t.told, t.end = true, e
	t.mu.Unlock()
	if !open && !told {
		t.call.EndCall(e)
	}
}

// broken is the report of an attempt that did not come back.
func broken(started core.Instant) AttemptReport {
	return AttemptReport{Result: core.Result{Outcome: core.Failure, Cause: core.Unknown, NoRetry: true},
		Took: Now().Sub(started)}
}

// returned takes note of an attempt that came back. One with an answer whose
// body is to come stays open.
func (t *Trace) returned(leg AttemptTrace, tried *Tried, took time.Duration, tail bool) {
	r := reportOf(tried, took)
	if tail && tried.Result.Outcome == core.Success {
		t.keep(leg, r)
		return
	}
	leg.EndAttempt(r)
}

// tracedDo follows a call of Do, its fallback included. What came of it is in its
// report.
func tracedDo[T any](ctx context.Context, s *state,
	do func(context.Context) (T, error)) (T, error) {
	info := *CallOf(ctx)
	if info.Report == nil {
		info.Report = new(Report)
	}
	ctx, t := s.trace(With(ctx, info))
	defer func() {
		end, _ := info.Report.ending()
		if end.Verdict == 0 { // the function has panicked
			end.Verdict = call.Failed
		}
		end.Attempts = len(info.Report.Attempts)
		t.Ended(&end, info.Report.Fallback)
	}()
	return do(ctx)
}

// follow begins to follow the call.
func (d *drive) follow(s *state) { d.ctx, d.trace, d.own = s.traced(d.ctx) }

// farewell ends what follow has begun.
func (d *drive) farewell(end *Ending) {
	if d.own {
		d.trace.Ended(end, "")
	}
}

// lostTrace ends the traces of a call that did not come to its end.
func (d *drive) lostTrace() {
	if d.trace == nil {
		return
	}
	if d.leg != nil {
		d.leg.EndAttempt(broken(d.call.Started()))
		d.leg = nil
	}
	d.trace.bodyEnded(core.Failure)
	d.farewell(&Ending{Verdict: call.Failed, Attempts: d.call.Attempts(),
		Last: core.Result{Outcome: core.Failure, Cause: core.Unknown}})
}
