package seakeephttp

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/deadline"
)

// FallbackHeader is set on every answer that a fallback gave, and names its
// kind: cache, static, dependency or omit.
const FallbackHeader = "X-Seakeep-Fallback"

const (
	kindCache      = "cache"
	kindStatic     = "static"
	kindDependency = "dependency"
	kindOmit       = "omit"
)

var (
	errNothingCached = errors.New("nothing cached")
	errNoFile        = errors.New("another dependency needs a policy file")
	errNotTwice      = errors.New("the call may have run, and may not run elsewhere as well")
)

// fallBack returns the answer of the first fallback that has one, or why the
// last had none. o is how the last attempt went, until the caller's deadline.
func (x *exchange) fallBack(o core.Outcome, until core.Instant) (*http.Response, error) {
	var why error
	for _, a := range x.order() {
		resp, kind, err := x.answer(a, o, until)
		if err != nil {
			why = err
			continue
		}
		var age time.Duration
		if kind == kindCache {
			age = x.caching.age
		}
		setHeader(resp, FallbackHeader, kind)
		resp.Request = x.req
		x.adapter.Answered(x.info, kind, age)
		x.answered = true
		return resp, nil
	}
	return nil, why
}

// answer asks one fallback.
func (x *exchange) answer(a config.Answer, o core.Outcome, until core.Instant) (
	resp *http.Response, kind string, err error) {
	switch {
	case a.Cache != nil:
		resp, err = x.stale()
		return resp, kindCache, err
	case a.Static != nil:
		return static(x.req, a.Static), kindStatic, nil
	case a.Omit != nil:
		return made(x.req, a.Omit.Status, nil, ""), kindOmit, nil
	}
	resp, err = x.elsewhere(a.Dependency, o, until)
	return resp, kindDependency, err
}

// elsewhere sends the request to another dependency, through its own ladder.
// The place in this one's is given up before, so that a slow fallback takes
// nothing from it.
func (x *exchange) elsewhere(name string, o core.Outcome, until core.Instant) (
	*http.Response, error) {
	if x.mayHaveRun {
		return nil, errNotTwice
	}
	if x.open() {
		x.takeWhole()
	}
	if !x.usable() {
		x.putAside()
	}
	if !x.open() {
		x.close(o)
	}
	body, again, err := x.nextBody()
	if err != nil {
		return nil, err
	}
	req := x.req.WithContext(quiet(x.req.Context(), x.info))
	if req.Body, req.GetBody = body, again; x.upload != nil {
		req.GetBody = nil // which is gone sooner than the other ladder would think
	}
	if req.Header[deadline.Header] != nil { // some of it has passed
		req = req.WithContext(context.WithValue(req.Context(), ownTimeKey{}, true))
		req.Header = maps.Clone(req.Header)
		req.Header.Set(deadline.Header, deadline.EncodeMillis(until.Sub(seakeep.Now())))
	}
	if !x.adapter.BeginFallback() {
		closeBody(req)
		return nil, seakeep.ErrFallbackFull
	}
	defer x.adapter.EndFallback()
	return x.pool.of.ask(name, req)
}

// ask sends a request to another dependency. An answer that says it has failed
// as well is none.
func (t *Transport) ask(name string, req *http.Request) (*http.Response, error) {
	if t.set == nil {
		closeBody(req)
		return nil, errNoFile
	}
	other, err := t.family.member(t.set, name)
	if err != nil {
		closeBody(req)
		return nil, err
	}
	resp, err := other.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if r := classifyAnswer(resp); r.Outcome.Failed() {
		discard(resp)
		return nil, statusError(resp.StatusCode)
	}
	return resp, nil
}

// quiet keeps the other ladder from writing this call's report.
func quiet(ctx context.Context, c *seakeep.Call) context.Context {
	if c.Report == nil {
		return ctx
	}
	mute := *c
	mute.Report = nil
	return seakeep.With(ctx, mute)
}

// discard ends an answer that nobody wants. A small one is read, so that its
// connection can be used again.
func discard(resp *http.Response) {
	if resp.ContentLength >= 0 && resp.ContentLength <= wholeLimit {
		_, _ = io.Copy(io.Discard, resp.Body)
	}
	_ = resp.Body.Close()
}

// setHeader sets a field of an answer, whose transport may have left it without
// any.
func setHeader(resp *http.Response, name, value string) {
	if resp.Header == nil {
		resp.Header = make(http.Header, 1)
	}
	resp.Header.Set(name, value)
}

// static is the answer that stands in the policy file.
func static(req *http.Request, s *config.Static) *http.Response {
	h := make(http.Header, len(s.Headers)+2)
	for _, f := range s.Headers {
		h.Add(f.Name, f.Value)
	}
	return made(req, s.Status, h, s.Body)
}

// made returns an answer that no server gave, with the length of its body and
// nothing that belongs to another.
func made(req *http.Request, status int, h http.Header, body string) *http.Response {
	if h == nil {
		h = make(http.Header, 2)
	}
	resp := &http.Response{StatusCode: status, Header: h, Body: http.NoBody, Request: req,
		Status: strconv.Itoa(status) + " " + http.StatusText(status),
		Proto:  "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
	if status == http.StatusNoContent || status == http.StatusNotModified {
		return resp
	}
	resp.ContentLength = int64(len(body))
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if req.Method != http.MethodHead && body != "" {
		resp.Body = io.NopCloser(strings.NewReader(body))
	}
	return resp
}
