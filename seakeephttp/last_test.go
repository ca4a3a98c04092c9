package seakeephttp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/bulkhead"
	"github.com/seakeep/seakeep/core/retry"
)

func TestF071LastAnswerPassesWhole(t *testing.T) {
	noLeak(t)
	for _, size := range []int{1, wholeLimit, wholeLimit + 1, 1 << 20} {
		var n atomic.Int32
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(503)
			_, _ = w.Write(bytes.Repeat([]byte{'a' + byte(n.Add(1)-1)}, size))
		})
		g := get(t, Wrap(retries(t, 3), own(t)), s.URL)
		if n.Load() != 3 || g.status != 503 || g.err != nil || g.body != strings.Repeat("c", size) {
			t.Errorf("%d bytes: %d attempts, %d %v with %d bytes", size, n.Load(), g.status, g.err, len(g.body))
		}
		if g.header.Get(retry.NoRetryHeader) != "1" {
			t.Error("not marked as retried")
		}
	}
}

// TestF071EarlierAnswerIfTheLastHasNone: what the dependency said last is
// better than an error of ours.
func TestF071EarlierAnswerIfTheLastHasNone(t *testing.T) {
	n := 0
	rt := Wrap(retries(t, 3), baseFunc(func(*http.Request) (*http.Response, error) {
		if n++; n == 3 {
			return nil, &net.OpError{Op: "dial", Err: errors.New("refused")}
		}
		return answer(503, string(rune('a'+n-1))), nil
	}))
	if g := get(t, rt, "http://test/"); g.status != 503 || g.body != "b" || n != 3 {
		t.Errorf("%+v after %d attempts", g, n)
	}
}

// TestAnswerOutlivesARefusalAfterTheWait: the attempt was planned, and the
// bulkhead has no place for it when its time has come.
func TestAnswerOutlivesARefusalAfterTheWait(t *testing.T) {
	for _, size := range []int{3, wholeLimit + 1} {
		synctest.Test(t, func(t *testing.T) {
			p := policy(t, seakeep.Config{
				Timeout: seakeep.Timeout{Request: time.Second},
				Retry: &seakeep.Retry{Attempts: 2, Backoff: seakeep.Backoff{Base: time.Second,
					Jitter: retry.None}},
				Bulkhead: &seakeep.Bulkhead{Limit: 1, Holds: bulkhead.Attempts},
			})
			first := true
			rt := Wrap(p, baseFunc(func(r *http.Request) (*http.Response, error) {
				if first {
					first = false
					resp := answer(503, strings.Repeat("x", size))
					resp.Body = io.NopCloser(&whileAlive{resp.Body, r.Context().Err})
					return resp, nil
				}
				time.Sleep(time.Hour)
				return answer(200, ""), nil
			}))
			var other sync.WaitGroup
			defer other.Wait()
			other.Go(func() {
				time.Sleep(500 * time.Millisecond)
				get(t, rt, "http://test/takes-the-slot")
			})
			g := get(t, rt, "http://test/")
			var rejected *seakeep.Rejection
			switch {
			case size <= wholeLimit:
				if g.status != 503 || len(g.body) != size || g.err != nil {
					t.Errorf("%+v", g)
				}
			case !errors.As(g.err, &rejected) || rejected.Reason != core.BulkheadFull ||
				!strings.Contains(g.err.Error(), "answered 503"):
				t.Errorf("%+v", g)
			}
		})
	}
}

// whileAlive is a body that breaks when its request's context does, as that of
// net/http's transport.
type whileAlive struct {
	io.Reader
	err func() error
}

func (w *whileAlive) Read(p []byte) (int, error) {
	if err := w.err(); err != nil {
		return 0, err
	}
	return w.Reader.Read(p)
}

func TestFailedAnswersConnectionIsUsedAgain(t *testing.T) {
	noLeak(t)
	s := rawServer(t, answers("HTTP/1.1 503 No\r\nContent-Length: 3\r\n\r\nbad"))
	get(t, Wrap(retries(t, 3), own(t)), s.url)
	if n := s.accepted.Load(); n != 1 {
		t.Errorf("three attempts took %d connections", n)
	}
}

// TestF072ResetByWhatWasSent: before a request is read nothing has happened;
// after it, only what may run twice is sent elsewhere; once the answer has
// begun nothing is.
func TestF072ResetByWhatWasSent(t *testing.T) {
	noLeak(t)
	ok := answers("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nB")
	refuse := func(c net.Conn, _ *bufio.Reader) { reset(c) }
	for _, c := range []struct {
		name, method string
		a            func(net.Conn, *bufio.Reader)
		want         string
	}{
		{"get, before", "GET", refuse, "B"},
		{"get, after", "GET", resetAfter(""), "B"},
		{"post, after", "POST", resetAfter(""), "error"},
		{"get, body begun", "GET", resetAfter("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nA"), "A and error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := rawServer(t, c.a), rawServer(t, ok)
			settings := turns + "\n    retry: {attempts: 3, backoff: {base: 1ms}}"
			tr := inTurn(t, setOf(t, file(settings, a.url, b.url)), nil)
			g := send(tr, request(t, c.method, "http://test/", strings.NewReader("abc")))
			what := g.body
			if g.err != nil {
				what = strings.TrimPrefix(what+" and error", " and ")
			}
			if what != c.want {
				t.Errorf("%s, want %s; %v", what, c.want, g.err)
			}
		})
	}
}

// TestF129ThreeTiers: only the lowest retries, because what it gives up on is
// marked.
func TestF129ThreeTiers(t *testing.T) {
	noLeak(t)
	for _, c := range []struct {
		strip bool
		want  int32
	}{{true, 27}, {false, 3}} {
		var calls atomic.Int32
		next := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			calls.Add(1)
			w.WriteHeader(503)
		})
		for range 2 {
			next = tier(t, next, c.strip)
		}
		rt := Wrap(retries(t, 3), own(t))
		if g := get(t, rt, next.URL); g.status != 503 {
			t.Error(g)
		}
		if n := calls.Load(); n != c.want {
			t.Errorf("marks stripped: %v; %d calls of the backend, want %d", c.strip, n, c.want)
		}
	}
}

// tier is a server that passes requests on with three attempts of its own.
func tier(t *testing.T, next *httptest.Server, strip bool) *httptest.Server {
	rt := Wrap(retries(t, 3), own(t))
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		call := seakeep.Call{}
		if n, ok := retry.ParseAttempt(r.Header.Get(retry.AttemptHeader)); ok && !strip {
			call.RetriedAbove = n > 1
		}
		g := send(rt, request(t, "GET", next.URL, nil).WithContext(seakeep.With(r.Context(), call)))
		if g.header.Get(retry.NoRetryHeader) != "" && !strip {
			w.Header().Set(retry.NoRetryHeader, "1")
		}
		w.WriteHeader(g.status)
	})
}

// TestF129RetriesAboveAreNotRepeated: a repetition from above is passed on as
// one, and gets one attempt.
func TestF129RetriesAboveAreNotRepeated(t *testing.T) {
	var marks []string
	rt := Wrap(retries(t, 3), baseFunc(func(r *http.Request) (*http.Response, error) {
		marks = append(marks, r.Header.Get(retry.AttemptHeader))
		return answer(503, ""), nil
	}))
	req := request(t, "GET", "http://test/", nil)
	req.Header.Set(retry.AttemptHeader, "3")
	g := send(rt, req.WithContext(seakeep.With(t.Context(), seakeep.Call{RetriedAbove: true})))
	if strings.Join(marks, ",") != "3" || g.header.Get(retry.NoRetryHeader) != "" {
		t.Errorf("sent as %q, answered with %v", marks, g.header)
	}
	marks = nil
	req.Header.Del(retry.AttemptHeader)
	send(rt, req.WithContext(seakeep.With(t.Context(), seakeep.Call{RetriedAbove: true})))
	if strings.Join(marks, ",") != "2" {
		t.Errorf("a repetition that only the program knows of was sent as %q", marks)
	}
	marks = nil
	get(t, rt, "http://test/")
	if strings.Join(marks, ",") != ",2,3" {
		t.Errorf("attempts marked %q", marks)
	}
}
