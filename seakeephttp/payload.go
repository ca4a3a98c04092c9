package seakeephttp

import (
	"io"
	"net/http"
)

// payload is the request's body as attempts need it.
type payload struct {
	req    *http.Request
	upload *upload // keeps the body; nil: there is none, or the request can make it anew, or it goes once
	sent   bool    // the request's own Body was handed out
	ended  bool
}

// init decides how the body will be repeated, if it may have to be.
func (p *payload) init(req *http.Request, limit int64, x *exchange) {
	p.req = req
	if req.Body == nil || req.Body == http.NoBody || req.GetBody != nil {
		return
	}
	if x.policy.Retry == nil && !x.asksOthers() {
		return
	}
	p.upload = newUpload(req.Body, req.ContentLength, limit, &x.t.family.kept)
}

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
func (p *payload) next() (body io.ReadCloser, again func() (io.ReadCloser, error), err error) {
	switch {
	case p.req.Body == nil || p.req.Body == http.NoBody:
		return p.req.Body, p.req.GetBody, nil
	case p.upload != nil:
		body, err = p.upload.next()
		return body, p.upload.next, err
	case !p.sent:
		p.sent = true
		return p.req.Body, p.req.GetBody, nil
	case p.req.GetBody == nil:
		return nil, nil, errBodyGone
	}
	body, err = p.req.GetBody()
	return body, p.req.GetBody, err
}

// replayable reports whether next will work after an attempt. With pause it
// stays true: an attempt that still reads the body is cut off.
func (p *payload) replayable(pause bool) bool {
	switch {
	case p.req.Body == nil, p.req.Body == http.NoBody, p.req.GetBody != nil:
		return true
	case p.upload != nil:
		return p.upload.replayable(pause)
	}
	return !p.sent
}

// end says that no further attempt follows. A body that no transport has seen
// is closed here, since RoundTrip must close it.
func (p *payload) end() {
	switch {
	case p.ended:
	case p.upload != nil:
		p.upload.end()
	case !p.sent:
		closeBody(p.req)
	}
	p.ended = true
}
