package proxy

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"
)

func itoa(n int) string { return strconv.Itoa(n) }

// TestF104NothingIsHeldBack: every piece arrives before the next is written,
// whether or not the length is known.
func TestF104NothingIsHeldBack(t *testing.T) {
	for name, length := range map[string]string{"stream": "", "known length": "3"} {
		t.Run(name, func(t *testing.T) {
			next := make(chan struct{})
			backend := web(t, func(w http.ResponseWriter, r *http.Request) {
				if length != "" {
					w.Header().Set("Content-Length", length)
				}
				for _, piece := range []string{"a", "b", "c"} {
					_, _ = io.WriteString(w, piece)
					_ = http.NewResponseController(w).Flush()
					select {
					case <-next:
					case <-r.Context().Done():
						return
					}
				}
			})
			u := start(t, policy(backend, "retry: {attempts: 3}", "timeout: {request: 5s}"))
			c := u.dial()
			c.send("GET / HTTP/1.1", "Host: h", "", "")
			resp, err := http.ReadResponse(c.br, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := make([]byte, 1)
			for _, want := range "abc" {
				if _, err := resp.Body.Read(got); err != nil && err != io.EOF || rune(got[0]) != want {
					t.Fatalf("got %q, %v; want %q", got, err, want)
				}
				next <- struct{}{}
			}
			if rest, err := io.ReadAll(resp.Body); err != nil || len(rest) != 0 {
				t.Errorf("then %q, %v", rest, err)
			}
		})
	}
}

func TestF159TailAfterAFlush(t *testing.T) {
	var hits atomic.Int32
	backend := web(t, func(w http.ResponseWriter, _ *http.Request) {
		hits.Add(1)
		rc := http.NewResponseController(w)
		for _, piece := range []string{"a", "b"} {
			_, _ = io.WriteString(w, piece)
			_ = rc.Flush()
		}
		_, _ = io.WriteString(w, "c")
	})
	u := start(t, policy(backend, "retry: {attempts: 3}"))
	if _, body := u.get("/"); body != "abc" || hits.Load() != 1 {
		t.Errorf("got %q after %d attempts", body, hits.Load())
	}
}

// TestF100StreamsOutliveTheLimits: neither the attempt's limit nor the total
// ends a stream that has begun.
func TestF100StreamsOutliveTheLimits(t *testing.T) {
	go_ := make(chan struct{})
	backend := web(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "a")
		_ = http.NewResponseController(w).Flush()
		<-go_
		_, _ = io.WriteString(w, "b")
	})
	u := start(t, policy(backend, "timeout: {request: 40ms, total: 60ms}"))
	c := u.dial()
	c.send("GET / HTTP/1.1", "Host: h", "", "")
	resp, err := http.ReadResponse(c.br, nil)
	if err != nil {
		t.Fatal(err)
	}
	until(t, "both limits to pass", func() bool { return passed(u, 100) })
	close(go_)
	if body, err := io.ReadAll(resp.Body); err != nil || string(body) != "ab" {
		t.Errorf("got %q, %v", body, err)
	}
}

func TestTrailers(t *testing.T) {
	sums := make(chan string, 1)
	b := scripted(t, func(c net.Conn, br *bufio.Reader) {
		r, err := http.ReadRequest(br)
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		sums <- r.Trailer.Get("X-Sum")
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Told\r\n\r\n"+
			"2\r\nok\r\n0\r\nX-Told: 1\r\nX-Untold: 2\r\n\r\n")
	})
	u := start(t, policy(b.url()))
	c := u.dial()
	c.send("POST / HTTP/1.1", "Host: h", "TE: trailers", "Transfer-Encoding: chunked", "Trailer: X-Sum", "",
		"5", "hello", "0", "X-Sum: 42", "", "")
	resp, body, err := c.answer("POST")
	if err != nil || body != "ok" {
		t.Fatalf("got %q, %v", body, err)
	}
	if got := <-sums; got != "42" {
		t.Errorf("the dependency got trailer %q", got)
	}
	if resp.Trailer.Get("X-Told") != "1" || resp.Trailer.Get("X-Untold") != "2" {
		t.Errorf("the client got trailer %v", resp.Trailer)
	}
}

// TestBothWaysAtOnce: the answer begins while the request is still coming, and
// no byte of either is lost.
func TestBothWaysAtOnce(t *testing.T) {
	backend := web(t, func(w http.ResponseWriter, r *http.Request) {
		rc := http.NewResponseController(w)
		_ = rc.EnableFullDuplex()
		_ = rc.Flush()
		buf := make([]byte, 1)
		for {
			if _, err := r.Body.Read(buf); err != nil {
				return
			}
			_, _ = w.Write(buf)
			_ = rc.Flush()
		}
	})
	u := start(t, policy(backend, "retry: {attempts: 2}"))
	c := u.dial()
	c.send("POST / HTTP/1.1", "Host: h", "Transfer-Encoding: chunked", "", "")
	resp, err := http.ReadResponse(c.br, nil)
	if err != nil || !resp.Close {
		t.Fatalf("got %v, %v; want an answer that ends the connection", resp, err)
	}
	got := make([]byte, 1)
	for _, want := range "abcdefgh" {
		c.send("1", string(want), "")
		if _, err := io.ReadFull(resp.Body, got); err != nil || rune(got[0]) != want {
			t.Fatalf("got %q, %v; want %q", got, err, want)
		}
	}
	c.send("0", "", "")
	if rest, err := io.ReadAll(resp.Body); err != nil || len(rest) != 0 {
		t.Errorf("then %q, %v", rest, err)
	}
	if rest := c.rest(); rest != "" {
		t.Errorf("after the answer: %q", rest)
	}
}
