package seakeephttp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"

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
// caller if it stays the last.
func (x *exchange) takeWhole() {
	body := x.resp.Body
	if x.resp.ContentLength > wholeLimit {
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
	x.live = nil
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
	if x.resp == nil || x.live == nil {
		return
	}
	_ = x.resp.Body.Close()
	x.err = statusError(x.resp.StatusCode)
	x.resp = nil
	x.left()
}

// usable reports whether the answer's body can still be read. It cannot if its
// attempt was given up, for example for a repetition that was refused after the
// wait.
func (x *exchange) usable() bool {
	return x.resp != nil && (x.live == nil || x.live.Err() == nil)
}

// finish turns the ladder's ending into what the caller gets.
func (x *exchange) finish() (*http.Response, error) {
	end := &x.ending
	if end.Verdict == call.Succeeded {
		if resp := x.begin(); resp != nil {
			x.payload.end(x.req)
			if x.adapter.ExerciseDue() {
				x.exercise()
			}
			return resp, nil
		}
		x.late()
	}
	if !x.usable() {
		x.putAside()
	}
	failure := x.adapter.Failure(x.req.Context(), *end, x.err)
	if x.adapter.WantsFallback(end) {
		resp, err := x.fallBack()
		if resp != nil {
			x.giveUp()
			return resp, nil
		}
		failure = x.adapter.Unanswered(failure, err)
	}
	x.payload.end(x.req)
	if end.Verdict == call.Failed && x.usable() {
		x.mark()
		if resp := x.begin(); resp != nil {
			return resp, nil
		}
	}
	x.giveUp()
	return nil, failure
}

// late turns a success that came too late to be read into a failure.
func (x *exchange) late() {
	x.ending.Verdict, x.ending.Reason = call.Failed, core.DeadlineExceeded
	x.ending.Last = core.Result{Outcome: core.Timeout, Cause: core.TimedOut}
	if r := x.info.Report; r != nil {
		r.Verdict, r.Reason = x.ending.Verdict, x.ending.Reason
	}
}

// mark says on the last answer that the layer above must not try again.
func (x *exchange) mark() {
	if (retry.Config{}).MarkNoRetry(x.ending.Reason, x.ending.Attempts) {
		x.resp.Header.Set(retry.NoRetryHeader, "1")
	}
}

// giveUp drops what is left of the call.
func (x *exchange) giveUp() {
	x.payload.end(x.req)
	if x.resp != nil {
		_ = x.resp.Body.Close()
		x.resp = nil
	}
	x.close(x.ending.Last.Outcome)
}

// begin hands the answer over, with a body that gives everything back at its
// end. It returns nil if the answer was lost at the last moment, because a
// limit has passed.
func (x *exchange) begin() *http.Response {
	resp := x.resp
	resp.Request = x.req
	upgraded := resp.StatusCode == http.StatusSwitchingProtocols
	switch {
	case x.live == nil: // it is in memory
		x.close(x.ending.Last.Outcome)
		return resp
	case !upgraded && bodyless(x.req, resp):
		x.store(nil)
		x.close(x.ending.Last.Outcome)
		return resp
	}
	if stream := upgraded || streams(resp); !x.ending.Tail.Begun(stream) {
		return nil
	}
	x.rc = resp.Body
	if rw, ok := resp.Body.(io.ReadWriteCloser); ok && upgraded {
		resp.Body = &tunnel{body: (*answerBody)(x), rw: rw}
		return resp
	}
	if x.caching != nil && storable(resp) {
		x.caching.record = new(recording)
	}
	resp.Body = (*answerBody)(x)
	return resp
}

// bodyless reports whether the answer ends with its headers.
func bodyless(req *http.Request, resp *http.Response) bool {
	return resp.Body == nil || resp.Body == http.NoBody || req.Method == http.MethodHead
}

// streams reports whether nobody knows where the answer ends. One that the
// transport has decompressed on its own had a length before.
func streams(resp *http.Response) bool {
	if resp.ContentLength >= 0 {
		return false
	}
	sized := resp.Uncompressed && resp.ProtoMajor == 1 && len(resp.TransferEncoding) == 0 && !resp.Close
	return !sized
}

// answerBody is the body that the caller reads: an exchange whose answer was
// handed over.
type answerBody exchange

// Read implements io.Reader.
func (b *answerBody) Read(p []byte) (int, error) {
	n, err := b.rc.Read(p)
	if b.caching != nil {
		b.caching.record.add(p[:n])
	}
	switch {
	case err == nil:
	case err == io.EOF:
		b.end(core.Success)
	default:
		b.end(broken(err, b.req.Context()))
	}
	return n, err
}

// Close implements io.Closer. A caller that stops early has what it wanted.
func (b *answerBody) Close() error {
	err := b.rc.Close()
	if b.caching != nil {
		b.caching.record.drop()
	}
	b.end(core.Success)
	return err
}

// end gives everything back, once, however many goroutines use the body.
func (b *answerBody) end(o core.Outcome) {
	if b.ended.Swap(true) {
		return
	}
	x := (*exchange)(b)
	if o == core.Success && x.caching != nil && x.caching.record != nil {
		x.store(x.caching.record)
	}
	x.close(o)
}

// broken says what a body that ended early means to the policies.
func broken(err error, caller context.Context) core.Outcome {
	switch {
	case caller.Err() == context.Canceled:
		return core.Cancelled
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return core.Timeout
	case errors.Is(err, http.ErrBodyReadAfterClose):
		return core.Success
	}
	return core.Failure
}

// tunnel is the connection of an answer that switched protocols. It ends when
// it is closed, since either direction may end before the other.
type tunnel struct {
	body *answerBody
	rw   io.ReadWriteCloser
}

func (t *tunnel) Read(p []byte) (int, error)  { return t.rw.Read(p) }
func (t *tunnel) Write(p []byte) (int, error) { return t.rw.Write(p) }

// Close implements io.Closer.
func (t *tunnel) Close() error {
	err := t.rw.Close()
	t.body.end(core.Success)
	return err
}

// CloseWrite ends one direction, where the connection can do that.
func (t *tunnel) CloseWrite() error {
	if c, ok := t.rw.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return http.ErrNotSupported
}
