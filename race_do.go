package seakeep

import (
	"context"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
)

// raced carries a Go function's call that may have copies, and returns what the
// attempt left that the call went by. once makes an attempt.
func raced[T any](ctx context.Context, s *state, info *Call,
	once func(context.Context) (Tried, attempted[T]), end *Ending) (got attempted[T]) {
	req := info.request(ctx)
	req.Hedge = true
	s.race(ctx, &req, info.Report, Racer{Facts: info.facts, Try: func(ctx context.Context, _ int) Tried {
		tried, mine := once(ctx)
		tried.note().Then = func(kept bool) {
			switch {
			case kept:
				got = mine
			case mine.err == nil && info.Discard != nil:
				info.Discard(mine.v)
			}
		}
		return tried
	}}, end)
	return got
}

// calls makes an attempt of Do.
func calls[T any](s *state, info *Call,
	fn func(context.Context) (T, error)) func(context.Context) (Tried, attempted[T]) {
	return func(ctx context.Context) (Tried, attempted[T]) {
		h := s.hurt(info)
		v, err := injured(ctx, h, fn)
		if err == nil {
			return Tried{Result: core.Result{Outcome: core.Success}, Note: NoteOf(h.Names())}, attempted[T]{v: v}
		}
		return s.tried(info, err, h), attempted[T]{v: v, err: err}
	}
}

// facts is what a copy of a function's call depends on: it can always be called
// again, and only the policy can know that it then asks somebody else.
func (c *Call) facts() call.Facts { return call.Facts{Safety: c.Safety(), Replayable: true} }
