package seakeephttp

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/retry"
)

// exchange is one request on its way through the ladder, and its answer. It
// has one owner until the answer is handed over; from then on only its body is
// in use. It is one allocation with the request that is sent and the body that
// is read, and its size is felt: each pointer more is one for the collector.
type exchange struct {
	t       *Transport
	req     *http.Request // the caller's; never changed
	info    *seakeep.Call
	adapter seakeep.Adapter
	retry   *seakeep.Retry // nil: none
	pool    *pool
	payload payload
	caching *caching // nil: the answer is neither stored nor found
	first   sending

	tried      uint64       // endpoints, a bit each
	unsent     uint8        // attempts that went on to another endpoint, having reached none
	safety     retry.Safety // what is known of running it twice
	mayHaveRun bool         // an attempt failed, and it may do harm to repeat it elsewhere

	resp   *http.Response  // the latest answer
	live   context.Context // of resp; nil: its body is in memory
	at     *endpoint       // of the attempt under way, or whose answer's body is open
	err    error           // of the latest attempt that had no answer
	ending seakeep.Ending

	rc    io.ReadCloser // what answerBody reads
	ended atomic.Bool   // answerBody has given everything back
}

func newExchange(t *Transport, req *http.Request) *exchange {
	x := &exchange{t: t, req: req, pool: t.current(), info: seakeep.CallOf(req.Context())}
	target := x.target()
	x.adapter = target.Policy.Adapter()
	x.retry = x.adapter.Plan().Config().Retry
	x.safety = x.knownSafety()
	if carries(req) && req.GetBody == nil && (x.retry != nil || x.asksOthers()) {
		replay := int64(defaultReplay)
		if target.Settings != nil {
			replay = target.Settings.Replay
		}
		x.payload.upload = newUpload(req.Body, req.ContentLength, replay, &t.family.kept)
	}
	if cache, settings := x.adapter.Cache(); cache != nil {
		x.caching = x.newCaching(cache, settings)
	}
	return x
}

// target returns what the request is under.
func (x *exchange) target() seakeep.Target {
	if x.pool.config != nil && len(x.pool.config.Operations) > 0 {
		if m, ok := x.t.set.Match(x.t.name, seakeep.HTTPRequest{Method: x.req.Method, Host: hostOf(x.req),
			Path: x.req.URL.EscapedPath(), Header: x.req.Header.Get}); ok {
			return m
		}
	}
	return x.pool.whole
}

// key returns what the request's breaker is kept by: what the caller says, or
// the header that the file names.
func (x *exchange) key() string {
	if x.info.Key == "" && x.pool.config != nil {
		if name := x.target().Settings.KeyHeader; name != "" {
			return x.req.Header.Get(name)
		}
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
	if s != retry.Idempotent && (x.info.IdempotencyKey != "" || x.req.Header.Get(keyHeader) != "") {
		return retry.Keyed
	}
	return s
}

// request says how the call enters the ladder.
func (x *exchange) request() call.Request {
	r := call.Request{Deadline: core.Never, Key: x.key(), RetriedAbove: x.info.RetriedAbove, Tail: true}
	if t, ok := x.req.Context().Deadline(); ok {
		r.Deadline = seakeep.InstantOf(t)
	}
	return r
}

// mayRepeat reports whether an attempt that ended so may be followed by
// another, as far as the retry policy goes; the budget, the breaker and the
// deadline are asked later.
func (x *exchange) mayRepeat(attempt int, r core.Result) bool {
	return x.retry != nil && !x.info.RetriedAbove &&
		x.retry.Check(attempt+1-int(x.unsent), r, x.safety, true) == core.NoReason &&
		x.payload.replayable(x.req, true)
}

// try makes one attempt.
func (x *exchange) try(ctx context.Context, attempt int) seakeep.Tried {
	x.putAside()
	body, again, err := x.payload.next(x.req)
	if err != nil {
		x.err = err
		return x.told(core.Result{Outcome: core.Ignored, Cause: core.ClientError})
	}
	s := &x.first
	if attempt > 0 {
		s = new(sending) // the transport may not be done with the one before
	}
	i := x.choose()
	s.prepare(ctx, x, attempt)
	s.req.Body, s.req.GetBody = body, again
	resp, err := x.t.base.RoundTrip(&s.req)
	var r core.Result
	if err == nil {
		r = classifyAnswer(resp)
		x.resp, x.err, x.live = resp, nil, ctx
	} else {
		f := failed{err: err, caller: x.req.Context(), unsent: s.traced && !s.got.Load()}
		r, x.err = f.result(x.adapter.Classify), err
		x.left()
	}
	x.visited(i, r, err == nil)
	if r.Outcome.Failed() {
		x.failed(attempt, r)
	}
	return x.told(r)
}

// failed takes note of a failed attempt.
func (x *exchange) failed(attempt int, r core.Result) {
	switch {
	case r.Cause == core.Unsent:
		if x.tried != x.pool.all {
			x.unsent++
		}
	case r.RetryAfter == 0: // who asks to come back later has not run it
		x.mayHaveRun = x.safety != retry.Idempotent
	}
	if x.resp != nil && x.live != nil && x.mayRepeat(attempt, r) {
		x.takeWhole()
	}
}

func (x *exchange) told(r core.Result) seakeep.Tried {
	t := seakeep.Tried{Result: r}
	if r.Outcome != core.Success {
		t.Facts.Safety, t.Facts.Replayable = x.safety, x.payload.replayable(x.req, false)
		t.Facts.Elsewhere = x.tried != x.pool.all
	}
	return t
}

// choose picks the endpoint of the next attempt; -1: the request's own address.
func (x *exchange) choose() int {
	p := x.pool
	if p.balancer == nil {
		return -1
	}
	i, _ := p.balancer.Pick(seakeep.Now(), x.tried)
	x.tried |= 1 << i
	x.at = p.endpoints[i]
	x.at.inFlight.Add(1)
	return i
}

// visited takes note of how an attempt went for its endpoint.
func (x *exchange) visited(i int, r core.Result, answered bool) {
	if i < 0 {
		return
	}
	if up, known := reached(r, answered); known {
		x.pool.balancer.Report(seakeep.Now(), i, up)
	}
}

// left takes note that the endpoint is done with the request.
func (x *exchange) left() {
	if x.at != nil {
		x.at.inFlight.Add(-1)
		x.at = nil
	}
}

// close gives back all that the call holds. Calling it again does nothing.
func (x *exchange) close(o core.Outcome) {
	x.release()
	x.left()
	x.ending.Tail.End(o)
}

// order returns the fallbacks.
func (x *exchange) order() []config.Answer { return x.adapter.Fallback().Order }
