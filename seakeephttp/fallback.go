package seakeephttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
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
	errNotExercised  = errors.New("a request that may change something is not exercised")
)

// exerciseTime bounds a fallback that nobody waits for.
const exerciseTime = 10 * time.Second

// fallBack returns the answer of the first fallback that has one, or why the
// last had none.
func (x *exchange) fallBack() (*http.Response, error) {
	var why error
	for _, a := range x.order() {
		resp, kind, err := x.answer(a)
		if err != nil {
			why = err
			continue
		}
		var age time.Duration
		if kind == kindCache {
			age = x.caching.age
		}
		resp.Header.Set(FallbackHeader, kind)
		resp.Request = x.req
		x.adapter.Answered(x.info, kind, age)
		return resp, nil
	}
	return nil, why
}

// answer asks one fallback.
func (x *exchange) answer(a config.Answer) (resp *http.Response, kind string, err error) {
	switch {
	case a.Cache != nil:
		resp, err = x.stale()
		return resp, kindCache, err
	case a.Static != nil:
		return static(x.req, a.Static), kindStatic, nil
	case a.Omit != nil:
		return made(x.req, a.Omit.Status, nil, ""), kindOmit, nil
	}
	resp, err = x.elsewhere(a.Dependency)
	return resp, kindDependency, err
}

// elsewhere sends the request to another dependency, through its own ladder.
// The place in this one's is given up before, so that a slow fallback takes
// nothing from it.
func (x *exchange) elsewhere(name string) (*http.Response, error) {
	if x.mayHaveRun {
		return nil, errNotTwice
	}
	if x.resp != nil && x.live != nil {
		x.takeWhole()
	}
	if !x.usable() {
		x.putAside()
	}
	if x.resp == nil || x.live == nil {
		x.close(x.ending.Last.Outcome)
	}
	body, again, err := x.payload.next(x.req)
	if err != nil {
		return nil, err
	}
	req := x.req.WithContext(quiet(x.req.Context(), x.info))
	req.Body, req.GetBody = body, again
	if !x.adapter.BeginFallback() {
		closeBody(req)
		return nil, seakeep.ErrFallbackFull
	}
	defer x.adapter.EndFallback()
	return x.ask(name, req)
}

// ask sends a request to another dependency. An answer that says it has failed
// as well is none.
func (x *exchange) ask(name string, req *http.Request) (*http.Response, error) {
	if x.t.set == nil {
		closeBody(req)
		return nil, errNoFile
	}
	other, err := x.t.family.member(x.t.set, name)
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

// exercise runs every fallback beside a healthy call and drops the answers, so
// that they are known to work on the day they are needed. Another dependency is
// only asked what changes nothing there.
func (x *exchange) exercise() {
	if !x.adapter.BeginFallback() {
		x.adapter.Exercised("", seakeep.ErrFallbackFull)
		return
	}
	ctx := context.WithoutCancel(quiet(x.req.Context(), x.info))
	harmless := readOnly(x.req)
	req := x.req.Clone(ctx)
	go func() {
		defer x.adapter.EndFallback()
		ctx, cancel := context.WithTimeout(ctx, exerciseTime)
		defer cancel()
		for _, a := range x.order() {
			kind, err := x.rehearse(a, req.WithContext(ctx), harmless)
			x.adapter.Exercised(kind, err)
		}
	}()
}

// rehearse asks one fallback whose answer nobody waits for.
func (x *exchange) rehearse(a config.Answer, req *http.Request, harmless bool) (string, error) {
	switch {
	case a.Static != nil:
		return kindStatic, nil
	case a.Omit != nil:
		return kindOmit, nil
	case a.Cache != nil:
		if x.caching == nil {
			return kindCache, errNothingCached
		}
		_, _, err := x.caching.lookup()
		return kindCache, err
	case !harmless:
		return kindDependency, errNotExercised
	}
	resp, err := x.ask(a.Dependency, req)
	if err != nil {
		return kindDependency, err
	}
	discard(resp)
	return kindDependency, nil
}

// readOnly reports whether a request can be sent without anybody having asked
// for it.
func readOnly(req *http.Request) bool {
	if carries(req) {
		return false
	}
	switch req.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions:
		return true
	}
	return false
}

// discard ends an answer that nobody wants, reading a little so that its
// connection may be used again.
func discard(resp *http.Response) {
	_, _ = io.CopyN(io.Discard, resp.Body, wholeLimit)
	_ = resp.Body.Close()
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
	resp := &http.Response{StatusCode: status, Status: strconv.Itoa(status) + " " + http.StatusText(status),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: h, Body: http.NoBody, Request: req}
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
