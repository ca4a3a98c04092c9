package seakeephttp

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
)

// served is a real server behind a door, with the admission at a share.
func served(t *testing.T, serve string, share float64, next http.HandlerFunc) (*httptest.Server, *seakeep.Set) {
	t.Helper()
	h, set := guarded(t, serve, next)
	if err := set.Door().Admit(share, 0); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s, set
}

// wired is a connection whose every byte is the test's own.
func wired(t *testing.T, s *httptest.Server, lines ...string) (net.Conn, *bufio.Reader) {
	t.Helper()
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.WriteString(c, strings.Join(lines, "\r\n")); err != nil {
		t.Fatal(err)
	}
	return c, bufio.NewReader(c)
}

func hear(t *testing.T, from *bufio.Reader) *http.Response {
	t.Helper()
	resp, err := http.ReadResponse(from, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp
}

// Whoever is refused must not be able to say when: a body that does not come is
// not waited for, and one that has come does not cost the connection.
func TestARefusalDoesNotWaitForTheBody(t *testing.T) {
	s, _ := served(t, "{concurrency: {}}", 0, func(http.ResponseWriter, *http.Request) {})
	for name, lines := range map[string][]string{
		"chunks that stop": {"POST / HTTP/1.1", "Host: x", "Transfer-Encoding: chunked", "", "1", "x", ""},
		"a part of it":     {"POST / HTTP/1.1", "Host: x", "Content-Length: 1000", "", "part"},
		"a large one":      {"POST / HTTP/1.1", "Host: x", "Content-Length: 1000000", "", "part"},
		"nobody asked":     {"POST / HTTP/1.1", "Host: x", "Content-Length: 10", "Expect: 100-continue", "", ""},
	} {
		_, from := wired(t, s, lines...)
		if resp := hear(t, from); resp.StatusCode != 503 || !resp.Close {
			t.Errorf("%s: %d, closes: %v", name, resp.StatusCode, resp.Close)
		}
		if _, err := from.ReadByte(); err != io.EOF {
			t.Errorf("%s: the connection goes on: %v", name, err)
		}
	}
	// Two in a row, the second before the first is answered.
	_, from := wired(t, s, "POST / HTTP/1.1", "Host: x", "Content-Length: 4", "", "bodyHEAD / HTTP/1.1", "Host: x", "", "")
	if resp := hear(t, from); resp.StatusCode != 503 || resp.Close {
		t.Errorf("a whole body: %d, closes: %v", resp.StatusCode, resp.Close)
	}
	resp, err := http.ReadResponse(from, &http.Request{Method: "HEAD"})
	if err != nil || resp.StatusCode != 503 || resp.ContentLength <= 0 {
		t.Errorf("the next request: %v, %v", resp, err)
	}
}

// A server that shuts down ends the contexts of those that wait. They were not
// served, and must not be told 200.
func TestWhoIsGivenUpIsNotTold200(t *testing.T) {
	// Whatever the cause is, it is no word of ours.
	for _, cause := range []error{nil, &seakeep.Rejection{Policy: "another", Reason: core.CircuitOpen}} {
		synctest.Test(t, func(t *testing.T) { givesUp(t, cause) })
	}
}

func givesUp(t *testing.T, cause error) {
	h, set := guarded(t, "{concurrency: {algorithm: fixed, limit: 1}, queue: {length: 5, wait: 1h}}",
		func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, shutdown := context.WithCancelCause(context.Background())
	var all sync.WaitGroup
	var codes [2]int
	for i := range codes {
		all.Go(func() {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil).WithContext(ctx))
			codes[i] = w.Code
		})
		synctest.Wait()
	}
	shutdown(cause)
	all.Wait()
	if codes[1] != 503 {
		t.Errorf("who waited gets %d", codes[1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil).WithContext(ctx))
	if w.Code != 503 || strings.Contains(w.Body.String(), "another") {
		t.Errorf("who comes then gets %d", w.Code)
	}
	if n := set.Door().Snapshot(); n.Slots.InUse != 0 || n.Classes[2].Left != 2 {
		t.Errorf("%+v %+v", n.Slots, n.Classes[2])
	}
}

// Libraries for WebSockets ask for http.Hijacker by type, and what they make of
// the connection lives longer than a request.
func TestAHijackedConnectionIsTheHandlers(t *testing.T) {
	s, set := served(t, "{deadline: {default: 100ms}, concurrency: {algorithm: aimd, min: 1, max: 50, limit: 50}}",
		1, func(w http.ResponseWriter, r *http.Request) {
			c, rw, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			select {
			case <-r.Context().Done():
				t.Error("the deadline ends the connection")
			case <-time.After(250 * time.Millisecond):
			}
			_, _ = rw.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nhello")
			_ = rw.Flush()
		})
	_, from := wired(t, s, "GET / HTTP/1.1", "Host: x", "Connection: Upgrade", "Upgrade: x", "", "")
	if text, err := io.ReadAll(from); err != nil || !strings.HasSuffix(string(text), "\r\n\r\nhello") {
		t.Errorf("%q, %v", text, err)
	}
	waitFor(t, func() bool { return set.Door().Snapshot().Slots.InUse == 0 })
	if n := set.Door().Snapshot(); n.Classes[2].Useful != 1 || n.Latency.Max > 90*time.Millisecond ||
		n.Limit.Limit != 50 {
		t.Errorf("%+v, longest %v, limit %d", n.Classes[2], n.Latency.Max, n.Limit.Limit)
	}
}

func waitFor(t *testing.T, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain")
		}
	}
}

// A stream of events begins in time and ends when its client has had enough.
func TestAStreamOfEventsIsNotLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, set := guarded(t, "{deadline: {default: 1s}, concurrency: {}}",
			func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			})
		ctx, leave := context.WithTimeout(context.Background(), time.Hour)
		defer leave()
		began := time.Now()
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil).WithContext(ctx))
		if time.Since(began) != time.Hour {
			t.Errorf("it ends after %v", time.Since(began))
		}
		if n := set.Door().Snapshot(); n.Classes[2].Useful != 1 || n.Latency.Max > time.Second {
			t.Errorf("%+v, longest %v", n.Classes[2], n.Latency.Max)
		}
	})
}

// A body that stops coming holds its slot no longer than the deadline, whoever
// reads it; one that has come leaves the connection as it was.
func TestAStalledBodyEndsWithTheDeadline(t *testing.T) {
	for _, serve := range []string{"{deadline: {default: 300ms}, concurrency: {}}",
		"{deadline: {default: 300ms}, concurrency: {}, idempotency: {}}"} {
		s, set := served(t, serve, 1, func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				w.WriteHeader(http.StatusBadRequest)
			}
		})
		began := time.Now()
		_, from := wired(t, s, "POST / HTTP/1.1", "Host: x", "Idempotency-Key: \"k\"", "Transfer-Encoding: chunked",
			"", "1", "x", "")
		if resp := hear(t, from); resp.StatusCode != 400 || !resp.Close || time.Since(began) > 3*time.Second {
			t.Errorf("%d after %v, closes: %v", resp.StatusCode, time.Since(began), resp.Close)
		}
		waitFor(t, func() bool { return set.Door().Snapshot().Slots.InUse == 0 })
		c, from := wired(t, s, "POST / HTTP/1.1", "Host: x", "Content-Length: 4", "", "body")
		if resp := hear(t, from); resp.StatusCode != 200 || resp.Close {
			t.Errorf("a whole body: %d, closes: %v", resp.StatusCode, resp.Close)
		}
		time.Sleep(400 * time.Millisecond) // past its deadline
		_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		if resp := hear(t, from); resp.StatusCode != 200 {
			t.Errorf("the next: %d", resp.StatusCode)
		}
	}
}
