package seakeephttp

import (
	"context"
	"net/http"
	"sync/atomic"

	"github.com/seakeep/seakeep/core/idempotency"
)

// saying is what the handler said of its run beside its answer.
type saying struct{ notSent, notAnswered atomic.Bool }

func (s *saying) sayNotSent()     { s.notSent.Store(true) }
func (s *saying) sayNotAnswered() { s.notAnswered.Store(true) }

// run runs the write, which has its claim, stores its end and lets the client
// have the answer.
func (x *keyed) run(w http.ResponseWriter, r *http.Request) {
	write := new(KeyedWrite)
	ctx, cancel := stay(context.WithValue(r.Context(), keyedWriteKey{}, write))
	defer cancel()
	c := newCapture(w, r.Method, x.Limits.Answer)
	ended := false
	defer func() {
		if ended {
			return
		}
		// A panic goes on to the server, which cuts the connection: the client
		// gets no answer, and nobody knows how far the write had come.
		end := idempotency.Ending{State: idempotency.Unknown}
		if write.surelyNothing() {
			end.State = idempotency.Fresh
		}
		_, _ = x.Store.Report(wallNow(), x.claim, end)
	}()
	x.next.ServeHTTP(c, x.again(ctx, r))
	c.end()
	end := x.ending(write, c, ctx.Err() != nil)
	ended = true
	// The store counts its failures. The client has its answer all the same,
	// because the write ran; a repetition finds the key busy, and then unknown.
	_, _ = x.Store.Report(wallNow(), x.claim, end)
	c.finish()
}

// stay returns a context with the parent's values and deadline that does not
// end when the client leaves.
func stay(parent context.Context) (context.Context, context.CancelFunc) {
	ctx := context.WithoutCancel(parent)
	if deadline, ok := parent.Deadline(); ok {
		return context.WithDeadline(ctx, deadline)
	}
	return ctx, func() {}
}

func (k *KeyedWrite) surelyNothing() bool {
	return k.said.notSent.Load() && !k.said.notAnswered.Load()
}

// ending turns an answer, and what was said beside it, into the end of the run.
// late says that the request's deadline has passed.
func (x *keyed) ending(write *KeyedWrite, c *capture, late bool) idempotency.Ending {
	fate := x.Fates.Of(c.status)
	switch {
	case write.said.notAnswered.Load():
		fate = x.Fates.NoAnswer()
	case write.surelyNothing():
		fate = idempotency.Forget
	case late && fate == idempotency.Forget:
		// "Come back later" from somebody whose time was up does not mean that
		// nothing was done.
		fate = x.Fates.NoAnswer()
	}
	switch {
	case fate == idempotency.Forget:
		return idempotency.Ending{State: idempotency.Fresh}
	case fate == idempotency.Doubt || c.cut():
		return idempotency.Ending{State: idempotency.Unknown}
	case c.lost():
		return idempotency.Ending{State: idempotency.NotStored}
	}
	return idempotency.Ending{State: idempotency.Done, Answer: c.answer().encode()}
}
