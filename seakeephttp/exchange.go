package seakeephttp

import (
	"context"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/deadline"
	"github.com/seakeep/seakeep/core/retry"
)

// exchange is one request on its way through the ladder, and its answer. It
// has one owner until the answer is handed over; from then on only its body is
// in use. It is one allocation with the request that is sent and the body that
// is read, and its size is felt: each pointer more is one for the collector.
type exchange struct {
	req     *http.Request // the caller's; never changed
	info    *seakeep.Call
	adapter seakeep.Adapter
	pool    *pool
	file    *config.Settings // what the policy file has for it; nil: there is no file
	upload  *upload          // of a request's body that is kept for another attempt
	caching *caching         // nil: the answer is neither stored nor found
	last    *sending         // the latest attempt
	first   sending
	tried   uint64 // endpoints, a bit each
	only    uint64 // those that may serve it; 0: any

	resp *http.Response // the latest answer
	err  error          // of the latest attempt that had no answer
	tail seakeep.Tail   // what the call holds until its answer's body ends
	rc   io.ReadCloser  // what answerBody reads

	telling    sync.Mutex   // held while the tail is told something
	ended      atomic.Bool  // answerBody has given everything back
	unsent     uint8        // attempts that went on to another endpoint, having reached none
	safety     retry.Safety // what is known of running it twice
	mayHaveRun bool         // an attempt failed, and it may do harm to repeat it elsewhere
	whole      bool         // the answer's body is in memory
	sent       bool         // the request's own body was handed out
	answered   bool         // by a fallback or the cache
	grpc       grpcStage    // of the answer
	at         visit        // of the attempt under way or the open answer
}

func newExchange(t *Transport, req *http.Request) *exchange {
	x := &exchange{req: req, pool: t.current(), info: seakeep.CallOf(req.Context())}
	target := x.target()
	x.adapter, x.file = target.Policy.Adapter(), target.Settings
	x.safety = x.knownSafety()
	x.only = x.pool.tenants.of(req)
	if carries(req) && req.GetBody == nil && x.mayGoTwice() {
		replay := int64(defaultReplay)
		if x.file != nil {
			replay = x.file.Replay
		}
		x.upload = newUpload(req.Body, req.ContentLength, replay, &t.family.kept)
	}
	if cache, settings := x.adapter.Cache(); cache != nil {
		x.caching = x.newCaching(cache, settings)
	}
	return x
}

// target returns what the request is under.
func (x *exchange) target() seakeep.Target {
	if x.pool.config != nil && len(x.pool.config.Operations) > 0 {
		t, req := x.pool.of, x.req
		if m, ok := t.set.Match(t.name, seakeep.HTTPRequest{Method: req.Method,
			Host: hostOf(req), Path: req.URL.EscapedPath(), Header: req.Header.Get}); ok {
			return m
		}
	}
	return x.pool.whole
}

// key returns what the request's breaker is kept by: what the caller says, or
// the header that the file names.
func (x *exchange) key() string {
	if x.info.Key == "" && x.file != nil && x.file.KeyHeader != "" {
		return x.req.Header.Get(x.file.KeyHeader)
	}
	return x.info.Key
}

func hostOf(req *http.Request) string {
	if req.Host != "" {
		return req.Host
	}
	return req.URL.Host
}

// knownSafety says whether the request may run twice: by the caller's word, by
// a key that the other side knows it by, or by its method.
func (x *exchange) knownSafety() retry.Safety {
	if x.info.Idempotent {
		return retry.Idempotent
	}
	s := retry.MethodSafety(x.req.Method)
	if KeyedWriteOf(x.req.Context()) != nil {
		return s // the key is ours to keep: the other side may not know what it means
	}
	if s != retry.Idempotent && (x.info.IdempotencyKey != "" || x.req.Header.Get(keyHeader) != "") {
		return retry.Keyed
	}
	return s
}

// request says how the call enters the ladder. A deadline that came with the
// request, from whoever it is made for, holds as that of the context does, save
// that a stream may go on after it.
func (x *exchange) request() call.Request {
	r := call.Request{Deadline: core.Never, Key: x.key(), Tail: true,
		RetriedAbove: x.info.RetriedAbove}
	if x.adapter.Plan().Throttled() {
		r.Class = classOf(x.req.Header)
	}
	if t, ok := x.req.Context().Deadline(); ok {
		r.Deadline = seakeep.InstantOf(t)
	}
	if told := x.req.Header[deadline.Header]; len(told) > 0 {
		if left, err := deadline.DecodeMillis(told[0]); err == nil {
			r.Deadline = min(r.Deadline, seakeep.Now().Add(left-x.margin(left)))
		}
	}
	return r
}

// ownTimeKey is under which a context says that the time in its request's header
// was written here, with the margin kept back already.
type ownTimeKey struct{}

// margin is how much of a time that came with the request is kept back, beside
// the reserve of the policy file. A door has done that already.
func (x *exchange) margin(left time.Duration) time.Duration {
	ctx := x.req.Context()
	if seakeep.VisitOf(ctx) != nil || ctx.Value(ownTimeKey{}) != nil {
		return 0
	}
	return max(deadline.Margin(left)-x.adapter.Plan().Config().Timeout.Reserve, 0)
}

// mayRepeat reports whether an attempt that ended so may be followed by
// another, as far as the retry policy goes; the budget, the breaker and the
// deadline are asked later.
func (x *exchange) mayRepeat(attempt int, r core.Result) bool {
	again := x.retry()
	return again != nil && !x.info.RetriedAbove &&
		again.Check(attempt+1-int(x.unsent), r, x.safety, true) == core.NoReason &&
		x.replayable(true)
}

// try makes one attempt.
func (x *exchange) try(ctx context.Context, attempt int) seakeep.Tried {
	x.putAside()
	body, again, err := x.nextBody()
	if err != nil {
		if x.err == nil && x.resp == nil { // or what happened before tells more
			x.err = err
		}
		return x.told(core.Result{Outcome: core.Ignored, Cause: core.ClientError})
	}
	s := &x.first
	if attempt > 0 {
		s = new(sending) // the transport may not be done with the one before
	}
	x.last = s
	if !x.choose(ctx) {
		return x.nowhere(body)
	}
	x.tried |= x.at.bit()
	s.prepare(ctx, x, attempt)
	s.req.Body, s.req.GetBody = body, again
	stop := x.interrupts(ctx)
	resp, err := inTime(ctx, s, x)
	stop()
	var r core.Result
	if err == nil {
		r = s.classify(resp)
		x.resp, x.err, x.whole = resp, nil, false
	} else {
		err = overdue(ctx, err)
		f := failed{err: err, caller: x.req.Context(), unsent: s.traced && !s.got.Load()}
		r, x.err = f.result(x.adapter.Classify), err
	}
	x.at.ended(r, err == nil)
	if r.Outcome == core.Success {
		return seakeep.Tried{Result: r, Note: seakeep.NoteOf(s.hurt.Names())}
	}
	if r.Outcome.Failed() {
		x.failed(attempt, r)
	}
	return x.told(r)
}

// nowhere ends an attempt that no endpoint may be given. To try again at once
// would find the same.
func (x *exchange) nowhere(body io.Closer) seakeep.Tried {
	if body != nil {
		_ = body.Close()
	}
	x.err = x.pool.of.noEndpoint()
	return x.told(core.Result{Outcome: core.Failure, Cause: core.Unsent, NoRetry: true})
}

// failed takes note of a failed attempt.
func (x *exchange) failed(attempt int, r core.Result) {
	x.learn(r)
	if x.open() && x.mayRepeat(attempt, r) {
		x.takeWhole()
	}
}

// learn keeps of a failed attempt what others after it depend on.
func (x *exchange) learn(r core.Result) {
	switch {
	case r.Cause == core.Unsent:
		if x.pool.elsewhere(x.choice()) {
			x.unsent++
		}
	case r.RetryAfter == 0: // who asks to come back later has not run it
		x.mayHaveRun = x.safety != retry.Idempotent
	}
}

// told is what the ladder decides by when an attempt has failed.
func (x *exchange) told(r core.Result) seakeep.Tried {
	return seakeep.Tried{Result: r, Note: seakeep.NoteOf(x.last.hurtBy()), Facts: call.Facts{Safety: x.safety,
		Replayable: x.replayable(false), Elsewhere: x.pool.elsewhere(x.choice())}}
}

// left takes note that the endpoint is done with the request.
func (x *exchange) left() { x.at.left() }

// close gives back all that the call holds. Calling it again does nothing.
func (x *exchange) close(o core.Outcome) {
	x.release()
	x.left()
	x.tail.End(o)
}

// retry returns the policy's rung, or nil.
func (x *exchange) retry() *seakeep.Retry { return x.adapter.Plan().Config().Retry }

// order returns the fallbacks.
func (x *exchange) order() []config.Answer { return x.adapter.Fallback().Order }
