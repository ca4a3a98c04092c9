package seakeep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/stale"
)

// Do calls fn through the policy: within its deadline, at most as often and as
// many at once as it allows, and not at all while its breaker is open.
//
// fn runs on the caller's goroutine, once per attempt, with a context that
// carries the attempt's limit; fn must heed it, or use DoAbandon. A call is
// attempted again only if its failure may go away and repeating it is safe,
// which With or the policy must say. With a Hedge that may send copies of such
// a call, its attempts run on goroutines of their own, perhaps two at once.
//
// Do returns fn's answer, or a fallback's, or fn's last error as it came, or a
// *Rejection. An answer that comes after the attempt's limit is still given to
// the caller; the policies count it as a timeout.
func Do[T any](ctx context.Context, p *Policy, fn func(context.Context) (T, error)) (T, error) {
	return doOr(ctx, p, fn, nil)
}

// DoOr is Do with a fallback in Go, tried after those of the policy. It is
// given the error of the call. It must be cheaper than fn and must not depend
// on what fn depends on.
func DoOr[T any](ctx context.Context, p *Policy, fn func(context.Context) (T, error),
	fallback func(context.Context, error) (T, error)) (T, error) {
	return doOr(ctx, p, fn, fallback)
}

func doOr[T any](ctx context.Context, p *Policy, fn func(context.Context) (T, error),
	or func(context.Context, error) (T, error)) (v T, err error) {
	s := p.state.Load()
	if s.tracer != nil {
		return tracedDo(ctx, s, func(ctx context.Context) (T, error) { return through(ctx, s, fn, or) })
	}
	return through(ctx, s, fn, or)
}

// through is doOr by the policy as it is now.
func through[T any](ctx context.Context, s *state, fn func(context.Context) (T, error),
	or func(context.Context, error) (T, error)) (v T, err error) {
	began := s.begins()
	info := CallOf(ctx)
	ctx = info.begin(ctx)
	if s.fallback.cache != nil && info.CacheKey != "" {
		v, ok, done := cached[T](s, info)
		defer done()
		if ok {
			return v, nil
		}
	}
	var end Ending
	req := info.request(ctx)
	if s.plan.Hedges(info.Safety(), false) {
		got := raced(ctx, s, info, calls(s, info, fn), &end)
		return finish(ctx, s, info, &end, outcome[T]{got.v, got.err, or, began})
	}
	s.run(ctx, &req, info.Report, func(ctx context.Context, _ int) Tried {
		h := s.hurt(info)
		v, err = injured(ctx, h, fn)
		if err == nil {
			return Tried{Result: core.Result{Outcome: core.Success}, Note: NoteOf(h.Names())}
		}
		return s.tried(info, err, h)
	}, &end)
	return finish(ctx, s, info, &end, outcome[T]{v, err, or, began})
}

// outcome is what the attempts of a call left, and its fallback in Go.
type outcome[T any] struct {
	v   T
	err error
	or  func(context.Context, error) (T, error)

	began core.Instant // only where an objective wants to know
}

// finish turns an ending into what the caller gets.
func finish[T any](ctx context.Context, s *state, info *Call, end *Ending, o outcome[T]) (T, error) {
	if end.Verdict == call.Succeeded {
		s.promise(o.began, core.Success, 0)
		if o.err != nil { // good to the policy, by Classify's word, and still the caller's error
			return o.v, o.err
		}
		if s.fallback.cache != nil && info.CacheKey != "" {
			s.fallback.cache.Store(Now(), info.CacheKey, o.v, sizeOf(o.v))
		}
		if s.fallback.due() {
			exercise(ctx, s, o.or)
		}
		return o.v, nil
	}
	err := s.failure(ctx, info.Key, end, o.err)
	if !end.wantsFallback() || (len(s.fallback.cfg.Order) == 0 && o.or == nil) {
		s.promise(o.began, end.outcome(), 0)
		return o.v, err
	}
	v, kind, fbErr := fallBack(ctx, s, info, fallbackFor[T]{err, o.or})
	if fbErr != nil {
		s.promise(o.began, core.Failure, 0)
		return o.v, s.unanswered(err, fbErr)
	}
	s.answered(kind)
	s.promise(o.began, core.Success, 0)
	if info.Report != nil {
		info.Report.Fallback = kinds[kind]
	}
	return v, nil
}

// unanswered records that no fallback answered and joins both failures.
func (s *state) unanswered(failure, why error) error {
	s.fallback.refused.Add(1)
	reason := core.FallbackFailed
	if errors.Is(why, errFallbackFull) {
		reason = core.FallbackFull
	}
	s.plan.Emit(core.Event{At: Now(), Kind: core.FallbackRefused, Reason: reason})
	return &FallbackError{Call: failure, Fallback: why}
}

func (s *state) answered(kind int) {
	s.fallback.answered[kind].Add(1)
	s.plan.Emit(core.Event{At: Now(), Kind: core.FallbackAnswered, Detail: kinds[kind]})
}

// wantsFallback reports whether the ending leaves the caller without an answer
// that it could have had. A caller's own mistake stays one, and a caller that
// has left wants nothing.
func (e *Ending) wantsFallback() bool {
	return e.Verdict == call.Rejected || (e.Verdict == call.Failed && e.Last.Outcome.Failed())
}

// request says how the call enters the ladder.
func (c *Call) request(ctx context.Context) call.Request {
	return call.Request{Deadline: deadlineOf(ctx), Key: c.Key, RetriedAbove: c.RetriedAbove}
}

// tried classifies a failed attempt of Do. A Go function can always be called
// again; whether that is safe is the caller's or the policy's word.
func (s *state) tried(info *Call, err error, h *Hurt) Tried {
	t := Tried{Result: s.result(err), Note: NoteOf(h.Names())}
	t.Facts.Safety, t.Facts.Replayable = info.Safety(), true
	return t
}

// failure is the error of a call that has no answer of its own.
func (s *state) failure(ctx context.Context, key string, end *Ending, last error) error {
	if end.Attempts == 0 {
		last = nil
	}
	switch end.Verdict {
	case call.Cancelled:
		err := ctx.Err()
		if last == nil || err == nil || errors.Is(last, err) {
			return cmp.Or(last, err)
		}
		return errors.Join(err, last)
	case call.Failed:
		if !refused(end.Reason) {
			return last
		}
	}
	return s.reject(end, key, last)
}

// refused reports whether a reason is a rung's refusal of an attempt that
// could have been made, rather than the plain end of trying.
func refused(r core.Reason) bool {
	return r != core.NoReason && (r < core.AttemptsExhausted || r == core.BudgetExhausted ||
		r == core.WaitTooLong)
}

// cached looks for a fresh answer, or for a stale one while another caller
// renews it. done gives the lease back, if this caller has it.
func cached[T any](s *state, info *Call) (v T, ok bool, done func()) {
	c, now := s.fallback.cache, Now()
	found, age, status := c.Lookup(now, info.CacheKey)
	if status == stale.Miss || s.fallback.cacheCfg.Fresh == 0 {
		return v, false, func() {}
	}
	if status == stale.Stale && c.Lease(now, info.CacheKey) {
		return v, false, func() { c.Done(Now(), info.CacheKey) }
	}
	if v, ok = found.(T); ok && info.Report != nil {
		info.Report.Policy, info.Report.Fallback = s.name, kinds[kindCache]
		info.Report.Verdict, info.Report.Age = call.Succeeded, age
	}
	return v, ok, func() {}
}

// sizeOf is what an answer counts against the cache's bound. Only text has a
// size that is cheap to know; everything else counts as one KiB, and the bound
// on entries is what holds.
func sizeOf(v any) int64 {
	switch v := v.(type) {
	case []byte:
		return int64(len(v))
	case string:
		return int64(len(v))
	}
	return 1024
}

// fallbackFor is what a fallback in Go is given.
type fallbackFor[T any] struct {
	err error
	or  func(context.Context, error) (T, error)
}

// fallBack tries the answers in their order and returns the first, with its
// kind, or why the last one had none.
func fallBack[T any](ctx context.Context, s *state, info *Call, f fallbackFor[T]) (v T, kind int,
	err error) {
	err = errors.New("no answer applies")
	for _, a := range s.fallback.cfg.Order {
		switch {
		case a.Cache != nil && info.CacheKey != "":
			found, age, status := s.fallback.cache.Lookup(Now(), info.CacheKey)
			if v, ok := found.(T); ok && status != stale.Miss {
				info.Report.aged(age)
				return v, kindCache, nil
			}
			err = errors.New("nothing cached")
		case a.Static != nil:
			if v, err = decode[T](a.Static.Body); err == nil {
				return v, kindStatic, nil
			}
		case a.Omit != nil:
			var none T
			return none, kindOmit, nil
		case a.Dependency != "":
			err = fmt.Errorf("another dependency (%s) can be asked over HTTP only", a.Dependency)
		}
	}
	if f.or == nil {
		return v, 0, err
	}
	err = s.fallback.guard(ctx, func(ctx context.Context) (err error) {
		v, err = f.or(ctx, f.err)
		return err
	})
	return v, kindFunction, err
}

func (r *Report) aged(age time.Duration) {
	if r != nil {
		r.Age = age
	}
}
