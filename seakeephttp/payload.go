package seakeephttp

import (
	"context"
	"io"
	"net/http"
	"time"
)

// carries reports whether a request has a body.
func carries(req *http.Request) bool { return req.Body != nil && req.Body != http.NoBody }

// mayGoTwice reports whether the request may be sent again, to this dependency
// or to another.
func (x *exchange) mayGoTwice() bool {
	if x.retry() != nil || x.adapter.Plan().Hedged() {
		return true
	}
	for _, a := range x.order() {
		if a.Dependency != "" {
			return true
		}
	}
	return false
}

// nextBody returns the request's body for another attempt, and how a transport
// may have it once more.
func (x *exchange) nextBody() (body io.ReadCloser, again func() (io.ReadCloser, error), err error) {
	req := x.req
	switch {
	case !carries(req):
		return req.Body, req.GetBody, nil
	case x.upload != nil:
		body, err = x.upload.next()
		return body, x.upload.next, err
	case !x.sent:
		x.sent = true
		return req.Body, req.GetBody, nil
	case req.GetBody == nil:
		return nil, nil, errBodyGone
	}
	body, err = req.GetBody()
	return body, req.GetBody, err
}

// interrupts tells the request's body when the attempt's limit has passed, if
// the body wants to know. net/http does not return before a read of the body
// has, so one that waits for a slow source would hold the call for ever. The read
// may begin a moment after the limit, so the body is told until net/http is back.
func (x *exchange) interrupts(ctx context.Context) (stop func()) {
	body, ok := x.req.Body.(interface{ Interrupt() })
	if !ok {
		return nothing
	}
	back := make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		again := time.NewTicker(interruptEvery)
		defer again.Stop()
		for {
			select {
			case <-back:
				return
			default:
			}
			body.Interrupt()
			select {
			case <-back:
				return
			case <-again.C:
			}
		}
	})
	return func() {
		cancel()
		close(back)
	}
}

func nothing() {}

// interruptEvery is much less than anybody's time limit.
const interruptEvery = 5 * time.Millisecond

// replayable reports whether nextBody will work after an attempt. With pause it
// stays so: an attempt that still reads the body is cut off.
func (x *exchange) replayable(pause bool) bool {
	switch {
	case !carries(x.req), x.req.GetBody != nil:
		return true
	case x.upload != nil:
		return x.upload.replayable(pause)
	}
	return !x.sent
}

// endBody says that no further attempt follows. A body that no transport has
// seen is closed here, since RoundTrip must close it. Calling it again does
// nothing.
func (x *exchange) endBody() {
	switch {
	case x.upload != nil:
		x.upload.end()
	case !x.sent:
		x.sent = true
		closeBody(x.req)
	}
}
