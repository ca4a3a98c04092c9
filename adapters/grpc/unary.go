package seakeepgrpc

import (
	"context"
	"io"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
)

// unary is a call with one request and one answer on its way through the
// ladder.
type unary struct {
	exchange
	caching
	req, reply any
	kind       protoreflect.MessageType // of the answer, if there may be copies
	invoke     func(ctx context.Context, w wish, opts []grpc.CallOption) error

	last *sending      // of the attempt that the call goes by
	got  proto.Message // its answer, if that is not in reply
	err  error         // its error

	mu   sync.Mutex // guards live
	live int        // attempts under way
}

func (u *unary) do() error {
	err := u.run()
	u.options.give(u.last)
	u.options.finish(err)
	return err
}

func (u *unary) run() error {
	if u.fresh(&u.exchange, u.reply) {
		return nil
	}
	defer u.release()
	var end seakeep.Ending
	ask := u.request()
	if u.hedged() && u.copyable() {
		ask.Hedge = true
		end = u.adapter.Race(u.ctx, ask, seakeep.Racer{Try: u.race,
			Facts: func() call.Facts { return u.facts(core.Result{}) }})
	} else {
		end = u.adapter.Run(u.ctx, ask, u.try)
	}
	if end.Verdict == call.Succeeded {
		if u.got != nil {
			fill(u.reply, u.got)
		}
		u.store(u.reply)
		u.exercise(u.reply)
		return nil
	}
	failure := withStatus(u.adapter.Failure(u.ctx, u.key, end, u.err))
	if u.adapter.WantsFallback(&end) {
		why := u.fallBack(&u.exchange, u.reply)
		if why == nil {
			return nil
		}
		failure = u.adapter.Unanswered(failure, why)
	}
	leaveWord(u.ctx, failure, &end)
	return failure
}

// copyable makes ready for copies. An attempt that has lost may still be sending,
// or only be beginning, when the caller has its answer and uses its messages for
// something else, so that attempts work on messages of their own.
func (u *unary) copyable() bool {
	req, ok := u.req.(proto.Message)
	reply, also := u.reply.(proto.Message)
	if !ok || !also {
		return false
	}
	u.req, u.kind = proto.Clone(req), reply.ProtoReflect().Type()
	return true
}

// try makes one attempt of a call that has no copies.
func (u *unary) try(ctx context.Context, attempt int) seakeep.Tried {
	a := &leg{}
	r := a.send(ctx, u, wish{attempt: attempt, req: u.req, reply: u.reply})
	u.last, u.err = &a.sending, a.err
	if r.Outcome == core.Success {
		return seakeep.Tried{Result: r, Note: seakeep.NoteOf(a.hurt.Names())}
	}
	return seakeep.Tried{Result: r, Facts: u.facts(r), Note: seakeep.NoteOf(a.hurt.Names())}
}

// race makes one attempt of a call that may have others under way.
func (u *unary) race(ctx context.Context, attempt int) seakeep.Tried {
	u.mu.Lock()
	copied := u.live > 0
	u.live++
	u.mu.Unlock()
	defer func() {
		u.mu.Lock()
		u.live--
		u.mu.Unlock()
	}()
	a, reply := &leg{}, u.kind.New().Interface()
	r := a.send(ctx, u, wish{attempt, copied, u.req, reply})
	return seakeep.Tried{Result: r, Facts: u.facts(r), Note: &seakeep.Note{Faults: a.hurt.Names(),
		Then: func(kept bool) {
			if kept {
				u.last, u.err, u.got = &a.sending, a.err, reply
			}
		}}}
}

// leg is one attempt.
type leg struct {
	sending
	err  error
	hurt *seakeep.Hurt // on purpose; nil: not at all
}

var errCutShort = status.Error(codes.Unavailable, "seakeepgrpc: the call was cut short")

// wish is what an attempt is to be.
type wish struct {
	attempt    int
	copied     bool
	req, reply any
}

// send makes the attempt, unless a fault does something to it.
func (a *leg) send(ctx context.Context, u *unary, w wish) core.Result {
	sent := u.tell(ctx, w.attempt, w.copied)
	opts := a.with(&u.options, func(error) { a.ended = true })
	a.hurt = u.injury()
	a.err = injured(sent, a.hurt, func(ctx context.Context) error {
		return u.invoke(ctx, w, opts)
	})
	if a.err == io.EOF { // gRPC itself has repeated a refused stream, and has lost its status
		a.err = errCutShort
	}
	u.stated(ctx, a.err)
	return u.result(ctx, &a.sending, a.err)
}
