package seakeephttp

import (
	"io"
	"net/http"
)

// carries reports whether a request has a body.
func carries(req *http.Request) bool { return req.Body != nil && req.Body != http.NoBody }

// mayGoTwice reports whether the request may be sent again, to this dependency
// or to another.
func (x *exchange) mayGoTwice() bool {
	if x.retry() != nil {
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
