package seakeephttp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/retry"
)

// script answers one status after the other and keeps what it was sent.
type script struct {
	statuses []int
	n        atomic.Int32
	bodies   [16]string
	lengths  [16]int64
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i := int(s.n.Add(1)) - 1
	b, _ := io.ReadAll(r.Body)
	s.bodies[i], s.lengths[i] = string(b), r.ContentLength
	w.WriteHeader(s.statuses[min(i, len(s.statuses)-1)])
	_, _ = io.WriteString(w, string(rune('a'+i)))
}

func TestF051CancelledBeforeTheFirstAttempt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, method := range []string{"PUT", "POST"} {
		for _, p := range []*seakeep.Policy{retries(t, 3), policy(t, seakeep.Config{})} {
			body := &closes{Reader: strings.NewReader("abc")}
			called := 0
			rt := Wrap(p, baseFunc(func(*http.Request) (*http.Response, error) {
				called++
				return answer(200, ""), nil
			}))
			g := send(rt, request(t, method, "http://test/", body).WithContext(ctx))
			if called != 0 || body.n.Load() != 1 || !errors.Is(g.err, context.Canceled) {
				t.Errorf("%d attempts, closed %d times, %v; want 0, 1, context canceled",
					called, body.n.Load(), g.err)
			}
		}
	}
}

func TestBodyIsClosedOnce(t *testing.T) {
	noLeak(t)
	s := serve(t, (&script{statuses: []int{503, 200}}).ServeHTTP)
	gone := refused(t)
	for name, c := range map[string]struct {
		rt  http.RoundTripper
		url string
	}{
		"repeated": {Wrap(retries(t, 3), own(t)), s.URL},
		"once":     {Wrap(policy(t, seakeep.Config{}), own(t)), s.URL},
		"refused":  {Wrap(retries(t, 3), own(t)), gone},
		"rejected": {Wrap(policy(t, seakeep.Config{Timeout: seakeep.Timeout{Request: time.Second,
			Total: time.Second, Needs: time.Minute}, Retry: &seakeep.Retry{Attempts: 2}}), own(t)), s.URL},
		"panics": {Wrap(retries(t, 3), baseFunc(func(*http.Request) (*http.Response, error) {
			panic("base")
		})), s.URL},
	} {
		t.Run(name, func(t *testing.T) {
			body := &closes{Reader: strings.NewReader("abc")}
			func() {
				defer func() {
					if r := recover(); r != nil && r != "base" {
						panic(r)
					}
				}()
				send(c.rt, request(t, "PUT", c.url, body))
			}()
			if name == "panics" { // its reader is still with the base, which has not closed it
				return
			}
			eventually(t, "the body is closed", func() bool { return body.n.Load() > 0 })
			time.Sleep(5 * time.Millisecond)
			if n := body.n.Load(); n != 1 {
				t.Errorf("closed %d times", n)
			}
		})
	}
}

func TestF056BodyGoesOutWholeAgain(t *testing.T) {
	noLeak(t)
	for _, remake := range []bool{false, true} {
		sc := &script{statuses: []int{503, 200}}
		s := serve(t, sc.ServeHTTP)
		req := request(t, "PUT", s.URL, strings.NewReader("abc"))
		if remake {
			req.GetBody = func() (io.ReadCloser, error) {
				return io.NopCloser(strings.NewReader("abc")), nil
			}
		}
		g := send(Wrap(retries(t, 3), own(t)), req)
		if g.status != 200 || sc.n.Load() != 2 {
			t.Fatalf("%+v after %d attempts", g, sc.n.Load())
		}
		for i := range 2 {
			if sc.bodies[i] != "abc" || sc.lengths[i] != 3 {
				t.Errorf("attempt %d had %q of length %d", i+1, sc.bodies[i], sc.lengths[i])
			}
		}
	}
}

func TestF057LargeBodyStreamsOnce(t *testing.T) {
	noLeak(t)
	for _, c := range []struct {
		size, attempts int
		chunked        bool
	}{
		{65536, 2, false}, {65537, 1, false}, {65536, 2, true}, {65537, 1, true}, {3 << 20, 1, true},
	} {
		sc := &script{statuses: []int{503, 200}}
		s := serve(t, sc.ServeHTTP)
		body := bytes.Repeat([]byte("x"), c.size)
		var r io.Reader = bytes.NewReader(body)
		if c.chunked {
			r = io.MultiReader(r)
		}
		tr := Wrap(retries(t, 3), own(t))
		g := send(tr, request(t, "PUT", s.URL, r))
		if int(sc.n.Load()) != c.attempts || len(sc.bodies[0]) != c.size {
			t.Errorf("%d bytes: %d attempts, the first with %d bytes", c.size, sc.n.Load(), len(sc.bodies[0]))
		}
		if want := map[int]int{1: 503, 2: 200}[c.attempts]; g.status != want {
			t.Errorf("%d bytes: %d", c.size, g.status)
		}
		eventually(t, "nothing kept", func() bool { return tr.Snapshot().Buffered == 0 })
	}
}

func TestF057KeptBodiesHaveABoundTogether(t *testing.T) {
	noLeak(t)
	tr := Wrap(retries(t, 3), own(t))
	tr.family.kept.max = 100
	release := make(chan struct{})
	waits := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-release
	})
	done := make(chan got)
	go func() { done <- send(tr, request(t, "PUT", waits.URL, strings.NewReader(strings.Repeat("x", 80)))) }()
	eventually(t, "80 bytes kept", func() bool { return tr.Snapshot().Buffered == 80 })

	sc := &script{statuses: []int{503, 200}}
	s := serve(t, sc.ServeHTTP)
	g := send(tr, request(t, "PUT", s.URL, strings.NewReader(strings.Repeat("y", 30))))
	if g.status != 503 || sc.n.Load() != 1 || len(sc.bodies[0]) != 30 {
		t.Errorf("%+v after %d attempts with %d bytes", g, sc.n.Load(), len(sc.bodies[0]))
	}
	close(release)
	if g := <-done; g.status != 200 {
		t.Error(g)
	}
}

func TestF061OnlyWhatMayRunTwice(t *testing.T) {
	noLeak(t)
	gone := refused(t)
	silent := func(c net.Conn, r *bufio.Reader) { readRequest(r); _, _ = r.ReadByte() }
	for _, c := range []struct {
		name, method, key string
		server            func(net.Conn, *bufio.Reader)
		want              int
	}{
		{"get times out", "GET", "", silent, 2},
		{"post times out", "POST", "", silent, 1},
		{"keyed post times out", "POST", "k1", silent, 2},
		{"get reset", "GET", "", resetAfter(""), 2},
		{"post reset", "POST", "", resetAfter(""), 1},
		{"keyed post reset", "POST", "k1", resetAfter(""), 2},
		{"get cut in the headers", "GET", "", resetAfter("HTTP/1.1 200 OK\r\n"), 2},
		{"post cut in the headers", "POST", "", resetAfter("HTTP/1.1 200 OK\r\n"), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := rawServer(t, c.server)
			p := policy(t, seakeep.Config{Timeout: seakeep.Timeout{Request: 100 * time.Millisecond},
				Retry: &seakeep.Retry{Attempts: 2, Backoff: quick}, More: &seakeep.More{Unbudgeted: true}})
			base := own(t)
			req := request(t, c.method, s.url, strings.NewReader("abc"))
			if c.key != "" {
				req.Header.Set("Idempotency-Key", c.key)
			}
			g := send(Wrap(p, base), req)
			if n := int(s.accepted.Load()); n != c.want || g.err == nil {
				t.Errorf("%d attempts, want %d; %+v", n, c.want, g)
			}
		})
	}
	for _, method := range []string{"GET", "POST"} {
		p := retries(t, 2)
		var report seakeep.Report
		req := request(t, method, gone, strings.NewReader("abc"))
		req = req.WithContext(seakeep.With(t.Context(), seakeep.Call{Report: &report}))
		send(Wrap(p, own(t)), req)
		if len(report.Attempts) != 2 || report.Attempts[0].Result.Cause != core.Unsent {
			t.Errorf("%s refused: %+v", method, report)
		}
	}
}

func TestF087KeyedPostKeepsItsKey(t *testing.T) {
	var keys []string
	rt := Wrap(retries(t, 2), baseFunc(func(r *http.Request) (*http.Response, error) {
		keys = append(keys, r.Header.Get("Idempotency-Key"))
		return answer(503, ""), nil
	}))
	req := request(t, "POST", "http://test/", strings.NewReader("abc"))
	send(rt, req.WithContext(seakeep.With(t.Context(), seakeep.Call{IdempotencyKey: `o"1`})))
	if len(keys) != 2 || keys[0] != `"o\"1"` || keys[1] != keys[0] {
		t.Errorf("sent with keys %q", keys)
	}
	if len(req.Header) != 0 {
		t.Errorf("the caller's request was changed: %v", req.Header)
	}
	keys = nil
	send(rt, request(t, "POST", "http://test/", strings.NewReader("abc")))
	if len(keys) != 1 {
		t.Errorf("a POST without a key was sent %d times", len(keys))
	}
}

// TestFailedAnswersBodyIsClosed, whatever becomes of the call.
func TestFailedAnswersBodyIsClosed(t *testing.T) {
	for _, size := range []int{3, wholeLimit + 1} {
		var bodies []*closes
		rt := Wrap(retries(t, 3), baseFunc(func(*http.Request) (*http.Response, error) {
			resp := answer(503, "")
			body := &closes{Reader: strings.NewReader(strings.Repeat("x", size))}
			bodies = append(bodies, body)
			resp.Body, resp.ContentLength = body, int64(size)
			return resp, nil
		}))
		get(t, rt, "http://test/")
		for i, body := range bodies {
			if n := body.n.Load(); n != 1 {
				t.Errorf("attempt %d of %d: closed %d times", i+1, len(bodies), n)
			}
		}
	}
}

func TestNoRetryMarksAreObeyed(t *testing.T) {
	for _, mark := range []string{retry.NoRetryHeader, envoyOverloaded, envoyRatelimited} {
		n := 0
		rt := Wrap(retries(t, 3), baseFunc(func(*http.Request) (*http.Response, error) {
			n++
			resp := answer(503, "busy")
			resp.Header.Set(mark, "1")
			return resp, nil
		}))
		g := get(t, rt, "http://test/")
		if n != 1 || g.body != "busy" || g.header.Get(retry.NoRetryHeader) != "1" {
			t.Errorf("%s: %d attempts, %+v", mark, n, g)
		}
	}
}
