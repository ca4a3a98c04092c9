package seakeephttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core/retry"
)

// TestBaseThatLeavesThingsOut: what a careless base does not give must not take
// the program down.
func TestBaseThatLeavesThingsOut(t *testing.T) {
	for _, c := range []struct {
		resp *http.Response
		want int
	}{{nil, 0}, {&http.Response{StatusCode: 503}, 503}, {&http.Response{StatusCode: 200}, 200}} {
		rt := Wrap(retries(t, 2), baseFunc(func(*http.Request) (*http.Response, error) {
			if c.resp == nil {
				return nil, nil
			}
			resp := *c.resp
			return &resp, nil
		}))
		g := get(t, rt, "http://test/")
		if g.status != c.want || (g.err == nil) != (c.want > 0) {
			t.Errorf("%+v", g)
		}
		if c.want == 503 && g.header.Get(retry.NoRetryHeader) != "1" {
			t.Error("not marked")
		}
	}
	if _, err := Wrap(retries(t, 2), nil).RoundTrip(&http.Request{}); !errors.Is(err, errNoURL) {
		t.Error(err)
	}
}

// endless is a body that never ends and never gives a byte, until it is closed.
type endless chan struct{}

func (e endless) Read([]byte) (int, error) { <-e; return 0, io.ErrClosedPipe }
func (e endless) Close() error             { close(e); return nil }

// TestFailingStreamIsNotWaitedFor: an error whose text never comes does not
// hold up the next attempt, nor a fallback.
func TestFailingStreamIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		stuck := func(*http.Request) (*http.Response, error) {
			if n++; n > 1 {
				return answer(200, "fine"), nil
			}
			resp := answer(503, "")
			resp.Body, resp.ContentLength = make(endless), -1
			return resp, nil
		}
		start := time.Now()
		if g := get(t, Wrap(retries(t, 2), baseFunc(stuck)), "http://test/"); g.body != "fine" || time.Since(start) != 0 {
			t.Errorf("%+v after %v", g, time.Since(start))
		}
		n = 0
		h := &hosts{by: map[string]func(*http.Request) (*http.Response, error){
			"a:1": fixed(503, "busy"), "b:2": stuck}}
		if g := get(t, transport(t, setOf(t, share("0")), h), "http://test/"); g.body != "busy" ||
			time.Since(start) > 10*time.Millisecond {
			t.Errorf("%+v after %v", g, time.Since(start))
		}
	})
}

// TestFailingStreamWithinTheLimit of its attempt is read, and kept if it is
// small.
func TestFailingStreamWithinTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		p := policy(t, seakeep.Config{Timeout: seakeep.Timeout{Request: time.Second},
			Retry: &seakeep.Retry{Attempts: 2, Backoff: quick}, More: &seakeep.More{Unbudgeted: true}})
		rt := Wrap(p, baseFunc(func(*http.Request) (*http.Response, error) {
			if n++; n > 1 {
				return nil, io.ErrUnexpectedEOF
			}
			resp := answer(503, "busy")
			resp.ContentLength = -1
			return resp, nil
		}))
		if g := get(t, rt, "http://test/"); g.body != "busy" || n != 2 {
			t.Errorf("%+v after %d attempts", g, n)
		}
	})
}

// TestAnswerLostAtTheLastMomentRan: a POST whose answer came too late has run,
// and is not sent to another dependency.
func TestAnswerLostAtTheLastMomentRan(t *testing.T) {
	h := &hosts{by: map[string]func(*http.Request) (*http.Response, error){
		"a:1": func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return answer(200, "charged"), nil
		}, "b:2": fixed(200, "charged twice")}}
	text := strings.Replace(share("0"), "bulkhead: {limit: 1}", "timeout: {request: 10ms}", 1)
	tr := transport(t, setOf(t, text), h)
	g := send(tr, request(t, "POST", "http://test/", strings.NewReader("abc")))
	if !errors.Is(g.err, context.DeadlineExceeded) || strings.Contains(h.log(), "b:2") {
		t.Errorf("%+v", g)
	}
	if g := get(t, tr, "http://test/"); g.body != "charged twice" {
		t.Errorf("%+v", g)
	}
}

// TestBodyThatCannotBeMadeAnew: the caller hears of the failure that came
// before, not of the body.
func TestBodyThatCannotBeMadeAnew(t *testing.T) {
	broken := errors.New("broken")
	rt := Wrap(retries(t, 3), baseFunc(func(r *http.Request) (*http.Response, error) {
		_ = r.Body.Close()
		return nil, broken
	}))
	req := request(t, "PUT", "http://test/", strings.NewReader("abc"))
	req.GetBody = func() (io.ReadCloser, error) { return nil, errors.New("the file is gone") }
	if g := send(rt, req); !errors.Is(g.err, broken) {
		t.Error(g.err)
	}
}
