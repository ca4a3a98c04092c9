package seakeephttp

import (
	"io"
	"net/http"
)

// payload is the request's body as attempts need it.
type payload struct {
	upload *upload // keeps the body; nil: there is none, or it can be made anew, or it goes once
	sent   bool    // the request's own Body was handed out
	ended  bool
}

// carries reports whether a request has a body.
func carries(req *http.Request) bool { return req.Body != nil && req.Body != http.NoBody }

// asksOthers reports whether another dependency may be sent the request.
func (x *exchange) asksOthers() bool {
	for _, a := range x.order() {
		if a.Dependency != "" {
			return true
		}
	}
	return false
}

// next returns the body for another attempt, and how a transport may have it
// once more.
func (p *payload) next(req *http.Request) (body io.ReadCloser, again func() (io.ReadCloser, error),
	err error) {
	switch {
	case !carries(req):
		return req.Body, req.GetBody, nil
	case p.upload != nil:
		body, err = p.upload.next()
		return body, p.upload.next, err
	case !p.sent:
		p.sent = true
		return req.Body, req.GetBody, nil
	case req.GetBody == nil:
		return nil, nil, errBodyGone
	}
	body, err = req.GetBody()
	return body, req.GetBody, err
}

// replayable reports whether next will work after an attempt. With pause it
// stays true: an attempt that still reads the body is cut off.
func (p *payload) replayable(req *http.Request, pause bool) bool {
	switch {
	case !carries(req), req.GetBody != nil:
		return true
	case p.upload != nil:
		return p.upload.replayable(pause)
	}
	return !p.sent
}

// end says that no further attempt follows. A body that no transport has seen
// is closed here, since RoundTrip must close it.
func (p *payload) end(req *http.Request) {
	switch {
	case p.ended:
	case p.upload != nil:
		p.upload.end()
	case !p.sent:
		closeBody(req)
	}
	p.ended = true
}
