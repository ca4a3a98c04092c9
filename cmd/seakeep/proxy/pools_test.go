package proxy

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// eachPool runs a test with the proxy's own pool, and with net/http alone.
func eachPool(t *testing.T, test func(t *testing.T, o Options)) {
	for name, o := range map[string]Options{"own": {}, "net-http": {Standard: true}} {
		t.Run(name, func(t *testing.T) { test(t, o) })
	}
}

// TestLongBodies: spliced or not, the bytes are the same, the connections are
// used again and the counts agree.
func TestLongBodies(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789abcdef"), 1<<16) // 1 MiB
	backend := web(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(text)))
		_, _ = w.Write(text)
	})
	eachPool(t, func(t *testing.T, o Options) {
		for _, rung := range []string{"bulkhead: {limit: 4}", "fallback: [{cache: {stale: 1m}}]"} {
			u := startWith(t, policy(backend, rung), o)
			view := func() dependencyView { return u.dependencyView(u.set.File().Dependency("dep")) }
			c := u.dial()
			for range 4 {
				c.send("GET / HTTP/1.1", "Host: h", "", "")
				resp, body, err := c.answer("GET")
				if err != nil || resp.StatusCode != 200 || body != string(text) {
					t.Fatalf("got %d with %d bytes, %v", resp.StatusCode, len(body), err)
				}
			}
			until(t, "four successes", func() bool { return view().Calls.Succeeded == 4 })
			if v := view().Pool.Lanes; len(v) != 1 || v[0].Opened != 1 || v[0].Reused != 3 || v[0].Idle != 1 {
				t.Errorf("%+v", v)
			}
		}
	})
}

// TestLongBodyBreaksOff: the client sees it, and it counts against the dependency;
// a client that leaves within one does not.
func TestLongBodyBreaksOff(t *testing.T) {
	eachPool(t, func(t *testing.T, o Options) {
		b := scripted(t, func(c net.Conn, br *bufio.Reader) {
			if _, err := http.ReadRequest(br); err == nil {
				_, _ = fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", 1<<20)
				_, _ = c.Write(make([]byte, 1<<19))
			}
		})
		u := startWith(t, policy(b.url(), "breaker: {window: 10 calls, calls: 10}"), o)
		c := u.dial()
		c.send("GET / HTTP/1.1", "Host: h", "", "")
		if resp, body, err := c.answer("GET"); err == nil || resp.StatusCode != 200 || len(body) > 1<<19 {
			t.Errorf("got %d bytes, %v", len(body), err)
		}
		until(t, "a failure", func() bool { return u.snapshot("dep").Breaker.Window.Failed == 1 })
	})
}

func TestClientLeavesWithinALongBody(t *testing.T) {
	eachPool(t, func(t *testing.T, o Options) {
		backend := web(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(64<<20))
			for range 64 {
				if _, err := w.Write(make([]byte, 1<<20)); err != nil {
					return
				}
			}
		})
		u := startWith(t, policy(backend, "breaker: {window: 10 calls, calls: 10}", "bulkhead: {limit: 1}"), o)
		c := u.dial()
		c.send("GET / HTTP/1.1", "Host: h", "", "")
		_, _ = io.ReadFull(c, make([]byte, 1<<20))
		_ = c.Conn.(*net.TCPConn).SetLinger(0)
		_ = c.Close()
		until(t, "the slot", func() bool { return u.snapshot("dep").Bulkhead.InUse == 0 })
		if s := u.snapshot("dep"); s.Breaker.Window.Failed != 0 {
			t.Errorf("the client's leaving counts: %+v", s.Breaker.Window)
		}
	})
}

// TestConnectionsOfTheFile: its limits hold, and after a reload its new ones.
func TestConnectionsOfTheFile(t *testing.T) {
	release := make(chan bool)
	backend := web(t, func(w http.ResponseWriter, r *http.Request) { <-release })
	text := func(acquire string) string {
		return policy(backend, "timeout: {acquire: "+acquire+"}", "connections: {max: 1, idle: 1}")
	}
	u := start(t, text("1ms"))
	first := make(chan int, 1)
	go func() {
		resp, _ := u.get("/")
		first <- resp.StatusCode
	}()
	v := func() (v laneView) {
		for _, l := range u.dependencyView(u.set.File().Dependency("dep")).Pool.Lanes {
			v = l
		}
		return v
	}
	until(t, "the connection", func() bool { return v().Open == 1 })
	resp, body := u.get("/")
	if resp.StatusCode != 503 || !strings.Contains(resp.Header.Get("Proxy-Status"), "error=connection_limit_reached") {
		t.Errorf("got %d %s", resp.StatusCode, body)
	}
	u.write(text("5s"))
	if err := u.Reload(); err != nil {
		t.Fatal(err)
	}
	second := make(chan int, 1)
	go func() {
		resp, _ := u.get("/")
		second <- resp.StatusCode
	}()
	until(t, "the second to wait", func() bool { return v().Waiting == 1 })
	close(release)
	if a, b := <-first, <-second; a != 200 || b != 200 || v().Opened != 1 {
		t.Errorf("got %d and %d, %+v", a, b, v())
	}
}

// TestSplicedReaderIsGivenUp: a client that stops is cut off, also where the bytes
// are spliced.
func TestSplicedReaderIsGivenUp(t *testing.T) {
	givenUp := make(chan struct{})
	backend := web(t, func(w http.ResponseWriter, _ *http.Request) {
		defer close(givenUp)
		w.Header().Set("Content-Length", fmt.Sprint(64<<20))
		for range 64 {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return
			}
		}
		t.Error("all of it was taken")
	})
	u := startWith(t, policy(backend, "bulkhead: {limit: 1}"), Options{stallTime: 100 * time.Millisecond})
	c := u.dial()
	c.send("GET / HTTP/1.1", "Host: h", "", "")
	select {
	case <-givenUp:
	case <-time.After(patience):
		t.Fatal("it is not given up")
	}
	until(t, "its end", func() bool { return u.snapshot("dep").Bulkhead.InUse == 0 })
}
