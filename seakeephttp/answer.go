package seakeephttp

import (
	"bytes"
	"io"
	"net/http"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/retry"
)

// wholeLimit is how much of a failing answer is read before another attempt. An
// error's text is shorter than that; what is longer is not worth the wait, and
// costs its connection.
const wholeLimit = 4 << 10

// takeWhole reads a failing answer that may be followed by another attempt, if
// it is small: then its connection can be used again, and it is there for the
// caller if it stays the last. One of unknown length may never end, so it is
// read within the attempt's limit or not at all.
func (x *exchange) takeWhole() {
	body, length := x.resp.Body, x.resp.ContentLength
	_, limited := x.last.req.Context().Deadline()
	if length > wholeLimit || (length < 0 && !limited) {
		return
	}
	var buf bytes.Buffer
	_, err := io.CopyN(&buf, body, wholeLimit+1)
	if err != io.EOF {
		x.resp.Body = &spliced{io.MultiReader(&buf, body), body}
		return
	}
	_ = body.Close()
	x.resp.Body = io.NopCloser(&buf)
	x.whole = true
	x.left()
}

// spliced is a body whose beginning was read already.
type spliced struct {
	io.Reader
	io.Closer
}

// putAside makes way for the next attempt. An answer that is in memory is
// kept, because that attempt may have none.
func (x *exchange) putAside() {
	if !x.open() {
		return
	}
	_ = x.resp.Body.Close()
	x.err = statusError(x.resp.StatusCode)
	x.resp = nil
	x.left()
}

// open reports whether there is an answer whose body is not in memory.
func (x *exchange) open() bool { return x.resp != nil && !x.whole }

// usable reports whether the answer's body can still be read. It cannot if its
// attempt was given up, for example for a repetition that was refused after the
// wait; one without a body always can.
func (x *exchange) usable() bool {
	return x.resp != nil && (x.whole || bodyless(x.req, x.resp) || x.last.req.Context().Err() == nil)
}

// finish turns the ladder's ending into what the caller gets. until is the
// caller's deadline.
func (x *exchange) finish(end *seakeep.Ending, until core.Instant) (*http.Response, error) {
	x.tail = end.Tail
	if end.Verdict == call.Succeeded {
		if resp := x.begin(core.Success); resp != nil {
			x.endBody()
			if x.exerciseDue() {
				x.exercise()
			}
			return resp, nil
		}
		x.late(end)
	}
	if !x.usable() {
		x.putAside()
	}
	failure := x.adapter.Failure(x.req.Context(), x.key(), *end, x.err)
	if x.adapter.WantsFallback(end) {
		resp, err := x.fallBack(end.Last.Outcome, until)
		if resp != nil {
			x.giveUp(end.Last.Outcome)
			return resp, nil
		}
		failure = x.adapter.Unanswered(failure, err)
	}
	x.endBody()
	if end.Verdict == call.Failed && x.usable() {
		if (retry.Config{}).MarkNoRetry(end.Reason, end.Attempts) {
			setHeader(x.resp, retry.NoRetryHeader, "1")
		}
		if resp := x.begin(end.Last.Outcome); resp != nil {
			return resp, nil
		}
	}
	x.giveUp(end.Last.Outcome)
	return nil, failure
}

// late turns a success that came too late to be read into a failure.
func (x *exchange) late(end *seakeep.Ending) {
	x.mayHaveRun = x.safety != retry.Idempotent
	end.Verdict, end.Reason = call.Failed, core.DeadlineExceeded
	end.Last = core.Result{Outcome: core.Timeout, Cause: core.TimedOut}
	if r := x.info.Report; r != nil {
		r.Verdict, r.Reason = end.Verdict, end.Reason
	}
}

// giveUp drops what is left of the call.
func (x *exchange) giveUp(o core.Outcome) {
	x.endBody()
	if x.resp != nil {
		_ = x.resp.Body.Close()
		x.resp = nil
	}
	x.close(o)
}

// lift takes the attempt's limit off. It reports false if that is too late.
func (x *exchange) lift(resp *http.Response, upgraded bool) bool {
	if !upgraded && answersGRPC(resp) {
		if x.grpc = grpcHeard; streams(resp) {
			x.grpc = grpcSilent
			return x.tail.Lift()
		}
	}
	return x.tail.Begun(upgraded || streams(resp))
}

// begin hands the answer over, with a body that gives everything back at its
// end. It returns nil if the answer was lost at the last moment, because a
// limit has passed. o is how the attempt went.
func (x *exchange) begin(o core.Outcome) *http.Response {
	resp := x.resp
	resp.Request = x.req
	upgraded := resp.StatusCode == http.StatusSwitchingProtocols
	switch {
	case x.whole:
		x.close(o)
		return resp
	case !upgraded && bodyless(x.req, resp):
		x.store(nil)
		x.close(o)
		return resp
	}
	if !x.lift(resp, upgraded) {
		return nil
	}
	x.rc = resp.Body
	if upgraded {
		if rw, ok := resp.Body.(io.ReadWriteCloser); ok {
			resp.Body = &tunnel{body: (*answerBody)(x), rw: rw}
			return resp
		}
	}
	if x.caching != nil && storable(resp) {
		x.caching.record = new(recording)
	}
	resp.Body = (*answerBody)(x)
	return resp
}
