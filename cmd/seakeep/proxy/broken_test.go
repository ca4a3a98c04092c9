package proxy

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/internal/problem"
)

// hard makes the close of a connection a reset.
func hard(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) }

func (u *under) snapshot(name string) seakeep.Snapshot {
	return u.set.MustPolicy(name).Snapshot()
}

const breakerOf5 = "breaker: {window: 5 calls, calls: 2, failures: 50%}"

func TestF147ClientLeaves(t *testing.T) {
	arrived, left := make(chan struct{}, 1), make(chan struct{}, 1)
	backend := web(t, func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-r.Context().Done()
		left <- struct{}{}
	})
	u := start(t, policy(backend, "breaker: {window: 5 calls, calls: 1, failures: 1%}",
		"bulkhead: {limit: 5}"))
	c := u.dial()
	c.send("GET / HTTP/1.1", "Host: h", "", "")
	<-arrived
	_ = c.Close()
	<-left // the dependency's request is cancelled
	until(t, "the call to end", func() bool { return u.snapshot("dep").Stats.Cancelled == 1 })
	s := u.snapshot("dep")
	if s.Breaker.Window.Calls != 0 || s.Stats.Failures != 0 || s.Bulkhead.InUse != 0 {
		t.Errorf("the client's leaving counts: %+v, %+v, %+v", s.Breaker.Window, s.Stats, s.Bulkhead)
	}
	until(t, "the log", func() bool { return u.log.has("status=499") })
}

func TestF147ClientLeavesWithinItsBody(t *testing.T) {
	backend := web(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })
	u := start(t, policy(backend, "breaker: {window: 5 calls, calls: 1, failures: 1%}"))
	c := u.dial()
	c.send("POST / HTTP/1.1", "Host: h", "Content-Length: 100000", "", "half")
	until(t, "the request to arrive", func() bool { return u.front().active.Load() == 1 })
	_ = c.Close()
	until(t, "the exchange to end", func() bool { return u.front().active.Load() == 0 })
	if s := u.snapshot("dep"); s.Breaker.Window.Calls != 0 {
		t.Errorf("the client's leaving counts: %+v", s.Breaker.Window)
	}
}

func (u *under) front() *front {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, f := range u.fronts {
		if f.name() == "dep" {
			return f
		}
	}
	return nil
}

// TestDoubtfulBodyIsTheClientsFault: a body that turns out malformed on its way
// is answered with 400 and says nothing about the dependency.
func TestDoubtfulBodyIsTheClientsFault(t *testing.T) {
	for name, tc := range map[string]struct{ body, reason string }{
		"malformed":       {"5\r\nhello\r\nnonsense\r\n", "chunk"},
		"hardly anything": {strings.Repeat("1;"+strings.Repeat("x", 1000)+"\r\na\r\n", 30), "body"},
	} {
		t.Run(name, func(t *testing.T) {
			backend := web(t, func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })
			u := start(t, policy(backend, "breaker: {window: 5 calls, calls: 1, failures: 1%}",
				"retry: {attempts: 3, idempotent: always}"))
			c := u.dial()
			c.send("POST / HTTP/1.1", "Host: h", "Transfer-Encoding: chunked", "", tc.body)
			resp, _, _ := c.answer("POST")
			if got := resp.Header.Get("Proxy-Status"); resp.StatusCode != 400 || !resp.Close ||
				!strings.Contains(got, `details="`+tc.reason) {
				t.Errorf("got %d, close %v, Proxy-Status %q", resp.StatusCode, resp.Close, got)
			}
			if s := u.snapshot("dep"); s.Breaker.Window.Calls != 0 || s.Stats.Retries != 0 {
				t.Errorf("the client's fault counts: %+v, %+v", s.Breaker.Window, s.Stats)
			}
			c.rest()
		})
	}
}

func TestF149TruncatedAnswers(t *testing.T) {
	const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	half := strings.Repeat("x", 50)
	for name, tc := range map[string]struct {
		reset  bool
		answer string
		calls  uint64 // a stream has gone well once it has begun, and its break is one more
	}{
		"length":        {false, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + half, 1},
		"length, reset": {true, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + half, 1},
		"chunked":       {false, chunked + "32\r\n" + half + "\r\n", 2},
		"in a chunk":    {false, chunked + "32\r\n" + half + "\r\n64\r\n" + half[:20], 2},
		"bad chunk":     {false, chunked + "32\r\n" + half + "\r\nzz\r\n", 2},
	} {
		t.Run(name, func(t *testing.T) {
			read := make(chan struct{})
			b := scripted(t, func(c net.Conn, br *bufio.Reader) {
				if _, err := http.ReadRequest(br); err != nil {
					return
				}
				_, _ = io.WriteString(c, tc.answer)
				<-read // what was sent has arrived
				if tc.reset {
					hard(c)
				}
			})
			done := sync.OnceFunc(func() { close(read) })
			t.Cleanup(done)
			u := start(t, policy(b.url(), "breaker: {window: 5 calls, calls: 3, failures: 50%}",
				"retry: {attempts: 3}"))
			c := u.dial()
			c.send("GET / HTTP/1.1", "Host: h", "", "")
			resp, err := http.ReadResponse(c.br, nil)
			if err != nil {
				t.Fatal(err)
			}
			if tc.calls == 1 { // net/http holds unfinished chunks back
				if _, err := io.ReadFull(resp.Body, make([]byte, 50)); err != nil {
					t.Fatalf("the first half: %v", err)
				}
			}
			done()
			if more, err := io.ReadAll(resp.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("then %q, %v; want a broken connection", more, err)
			}
			until(t, "the report", func() bool { return u.snapshot("dep").Breaker.Window.Failed > 0 })
			s := u.snapshot("dep")
			if w := s.Breaker.Window; w.Calls != tc.calls || w.Failed != 1 {
				t.Errorf("the breaker counts %+v, want one failure among %d calls", w, tc.calls)
			}
			if n := b.conns.Load(); n != 1 {
				t.Errorf("%d attempts, want 1", n)
			}
			if u.log.has("panic") { // F148
				t.Errorf("a panic was logged: %s", u.log.buf.String())
			}
		})
	}
}

// TestF148OtherPanics: a mistake of the proxy's own is an honest 500 before the
// answer has begun.
func TestF148OtherPanics(t *testing.T) {
	u := start(t, policy("http://127.0.0.1:1"))
	u.front().route.Store(&route{name: "dep", mark: "none"}) // without a transport
	resp, body := u.get("/")
	if resp.StatusCode != 500 || !strings.Contains(resp.Header.Get("Proxy-Status"), problem.InternalError) {
		t.Errorf("got %d %s", resp.StatusCode, body)
	}
	if !u.log.has("panic") {
		t.Error("the panic is not in the log")
	}
}
