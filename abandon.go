package seakeep

import (
	"context"
	"errors"

	"github.com/seakeep/seakeep/core"
)

// DoAbandon is Do for a function that cannot be trusted to heed its context.
// Each attempt runs on a goroutine of its own, and the call moves on when the
// attempt's limit passes, even if fn does not.
//
// Walking away does not stop the work: it goes on, unseen, and keeps its slot
// of the bulkhead until it truly ends, so that the slots never promise more
// room than there is. Snapshot counts the abandoned attempts. A panic in fn is
// passed on to the caller, unless the caller has walked away by then; then it
// ends the program, as a panic on any goroutine does.
func DoAbandon[T any](ctx context.Context, p *Policy,
	fn func(context.Context) (T, error)) (T, error) {
	s := p.state.Load()
	if s.tracer != nil {
		return tracedDo(ctx, s, func(ctx context.Context) (T, error) { return abandon(ctx, s, fn) })
	}
	return abandon(ctx, s, fn)
}

// abandon is DoAbandon by the policy as it is now.
func abandon[T any](ctx context.Context, s *state, fn func(context.Context) (T, error)) (T, error) {
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
	var got attempted[T]
	var end Ending
	req := info.request(ctx)
	if s.plan.Hedges(info.Safety(), false) {
		got = raced(ctx, s, info, func(ctx context.Context) (Tried, attempted[T]) {
			return walk(ctx, s, info, fn)
		}, &end)
		return finish(ctx, s, info, &end, outcome[T]{got.v, got.err, nil, began})
	}
	s.run(ctx, &req, info.Report, func(ctx context.Context, _ int) Tried {
		tried, a := walk(ctx, s, info, fn)
		got = a
		return tried
	}, &end)
	return finish(ctx, s, info, &end, outcome[T]{got.v, got.err, nil, began})
}

// errExited is the error of a function that ended by runtime.Goexit.
var errExited = errors.New("seakeep: the function ended without returning")

// attempted is what came out of fn.
type attempted[T any] struct {
	v        T
	err      error
	panicked any
	exited   bool
}

// walk runs fn on its own goroutine until it ends or the context does.
func walk[T any](ctx context.Context, s *state, info *Call,
	fn func(context.Context) (T, error)) (Tried, attempted[T]) {
	work := &orphan{plan: s.plan}
	h := s.hurt(info)
	ended := make(chan attempted[T], 1)
	go func() {
		var a attempted[T]
		a.exited = true
		defer func() {
			if a.exited && work.word.Load() == undecided {
				a.panicked, a.err = recover(), errExited
			}
			ended <- a
			work.done()
		}()
		a.v, a.err = injured(ctx, h, fn)
		a.exited = false
	}()
	select {
	case a := <-ended:
		if a.panicked != nil {
			panic(a.panicked)
		}
		if a.err == nil {
			return Tried{Result: core.Result{Outcome: core.Success}, Note: NoteOf(h.Names())}, a
		}
		return s.tried(info, a.err, h), a
	case <-ctx.Done():
		a := attempted[T]{err: ctx.Err()}
		tried := s.tried(info, a.err, h)
		tried.note().orphan = work
		return tried, a
	}
}
