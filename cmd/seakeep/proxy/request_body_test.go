package proxy

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestRefusedBodies: small ones are dropped and the connection goes on, large
// ones end it; either way the client can read why.
func TestRefusedBodies(t *testing.T) {
	u := start(t, policy("http://127.0.0.1:1", breakerOf5))
	u.open()
	c := u.dial()
	for range 2 {
		c.send("POST / HTTP/1.1", "Host: h", "Content-Length: 5", "", "hello")
		if resp, _, _ := c.answer("POST"); resp.StatusCode != 503 || resp.Close {
			t.Fatalf("small: got %d, close %v", resp.StatusCode, resp.Close)
		}
	}
	c = u.dial()
	large := strings.Repeat("x", 4<<20)
	go func() {
		_, _ = io.WriteString(c, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: "+itoa(len(large))+"\r\n\r\n"+large)
	}()
	if resp, _, _ := c.answer("POST"); resp.StatusCode != 503 || !resp.Close {
		t.Errorf("large: got %d, close %v", resp.StatusCode, resp.Close)
	}
	c = u.dial()
	c.send("POST / HTTP/1.1", "Host: h", "Content-Length: 100000", "", "half") // and never the rest
	if resp, _, _ := c.answer("POST"); resp.StatusCode != 503 || !resp.Close {
		t.Errorf("half: got %d, close %v", resp.StatusCode, resp.Close)
	}
	if rest := c.rest(); rest != "" {
		t.Errorf("after the answer: %q", rest)
	}
}

// TestEarlyAnswer: the dependency answers without reading the request, whose
// rest never comes.
func TestEarlyAnswer(t *testing.T) {
	b := scripted(t, func(c net.Conn, br *bufio.Reader) {
		if _, err := http.ReadRequest(br); err != nil {
			return
		}
		_, _ = io.WriteString(c, "HTTP/1.1 401 Who\r\nContent-Length: 2\r\n\r\nno")
		_, _ = io.Copy(io.Discard, br)
	})
	u := start(t, policy(b.url()))
	c := u.dial()
	c.send("POST / HTTP/1.1", "Host: h", "Content-Length: 100000", "", "half")
	resp, body, err := c.answer("POST")
	if err != nil || resp.StatusCode != 401 || body != "no" || !resp.Close {
		t.Errorf("got %v %q, %v", resp, body, err)
	}
	if rest := c.rest(); rest != "" {
		t.Errorf("after the answer: %q", rest)
	}
}

// TestSlowClientsCostNobodyElse: while a client is slow to send a small body it
// holds no slot, and its slowness does not count against the dependency.
func TestSlowClientsCostNobodyElse(t *testing.T) {
	got := make(chan string, 1)
	backend := web(t, func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- string(body)
	})
	u := start(t, policy(backend, "timeout: {request: 100ms}", "bulkhead: {limit: 1}",
		"breaker: {window: 5 calls, calls: 1, failures: 1%}"))
	c := u.dial()
	c.send("POST / HTTP/1.1", "Host: h", "Content-Length: 10", "", "01234")
	until(t, "the limit to pass", func() bool { return passed(u, 150) && u.front().active.Load() == 1 })
	if resp, _ := u.get("/"); resp.StatusCode != 200 {
		t.Errorf("beside a slow client: %d", resp.StatusCode)
	}
	<-got
	c.send("56789")
	if resp, _, _ := c.answer("POST"); resp.StatusCode != 200 {
		t.Errorf("the slow client: %d", resp.StatusCode)
	}
	if body := <-got; body != "0123456789" {
		t.Errorf("the dependency got %q", body)
	}
	if s := u.snapshot("dep"); s.Breaker.Window.Failed != 0 || s.Stats.Timeouts != 0 {
		t.Errorf("the client's slowness counts: %+v %+v", s.Breaker.Window, s.Stats)
	}
	if n := u.gathered.Load(); n != 0 {
		t.Errorf("%d bytes stay held", n)
	}
}

func TestBodiesThatDoNotCome(t *testing.T) {
	u := startWith(t, policy("http://127.0.0.1:1", breakerOf5), Options{bodyTime: 20 * time.Millisecond})
	c := u.dial()
	c.send("POST / HTTP/1.1", "Host: h", "Content-Length: 10", "", "half")
	resp, _, _ := c.answer("POST")
	if status := resp.Header.Get("Proxy-Status"); resp.StatusCode != 408 || !resp.Close ||
		!strings.Contains(status, "body-timeout") {
		t.Errorf("got %d, close %v, %q", resp.StatusCode, resp.Close, status)
	}
	if rest := c.rest(); rest != "" {
		t.Errorf("after the answer: %q", rest)
	}
	if s := u.snapshot("dep"); s.Breaker.Window.Calls != 0 || u.gathered.Load() != 0 {
		t.Errorf("the breaker counts %+v, %d bytes stay held", s.Breaker.Window, u.gathered.Load())
	}
}

// TestF057BodiesBeyondTheBound stream, and are not repeated.
func TestF057BodiesBeyondTheBound(t *testing.T) {
	for _, size := range []int{gatherBytes, gatherBytes + 1} {
		sizes := make(chan int64, 5)
		backend := web(t, func(w http.ResponseWriter, r *http.Request) {
			n, _ := io.Copy(io.Discard, r.Body)
			if sizes <- n; len(sizes) == 1 {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		})
		u := start(t, policy(backend, "retry: {attempts: 2, backoff: {base: 1ms}, budget: none, idempotent: always}"))
		resp, _ := u.do("PUT", "/", strings.Repeat("x", size))
		want, attempts := 200, 2
		if size > gatherBytes {
			want, attempts = 503, 1
		}
		if resp.StatusCode != want || len(sizes) != attempts {
			t.Errorf("%d bytes: status %d after %d attempts", size, resp.StatusCode, len(sizes))
		}
		for range attempts {
			if n := <-sizes; n != int64(size) {
				t.Errorf("%d bytes: the dependency got %d", size, n)
			}
		}
	}
}
