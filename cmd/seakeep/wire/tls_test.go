package wire

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seakeep/seakeep/internal/certtest"
)

// secured is limits with TLS.
func secured(t *testing.T, failed *atomic.Int32) (Limits, *tls.Config) {
	a := certtest.New(t, "wire")
	l := limits()
	server := &tls.Config{Certificates: []tls.Certificate{a.Pair("server", "127.0.0.1")},
		NextProtos: []string{"h2", "http/1.1"}}
	l.TLS = func() *tls.Config { return server }
	l.Failed = func(net.Addr, error) { failed.Add(1) }
	return l, &tls.Config{RootCAs: a.Pool(), ServerName: "127.0.0.1", NextProtos: []string{"h2"}}
}

// Requests are judged beneath TLS as without, and the handler sees it.
func TestTLS(t *testing.T) {
	var failed atomic.Int32
	l, client := secured(t, &failed)
	s := serve(t, l, nil)
	c := tls.Client(s.dial(t), client)
	p := dial2(t, c)
	p.greet()
	p.ask(1, ":method", "GET", ":scheme", "https", ":path", "/p", ":authority", "h")
	if status, body := p.answer(); status != "200" || body != "GET /p []" {
		t.Errorf("HTTP/2: %s %q", status, body)
	}
	if failed.Load() != 0 {
		t.Errorf("%d handshakes failed", failed.Load())
	}
}

// A handshake that does not end is ended, and takes its place among the
// connections until then; others are served meanwhile.
func TestTLSHandshakeHasATime(t *testing.T) {
	var failed atomic.Int32
	l, client := secured(t, &failed)
	l.HeadTime = 500 * time.Millisecond // the good one shakes hands in that, too
	s := serve(t, l, nil)
	slow := s.dial(t)
	_, _ = slow.Write([]byte{0x16, 3, 1}) // the beginning of a hello
	until(t, func() bool { return s.listener.Open() == 1 })
	p := dial2(t, tls.Client(s.dial(t), client))
	p.greet()
	p.ask(1, ":method", "GET", ":scheme", "https", ":path", "/p", ":authority", "h")
	if status, _ := p.answer(); status != "200" {
		t.Errorf("beside a slow client: %s", status)
	}
	if _, err := io.ReadAll(slow); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Errorf("the slow one: %v", err)
	}
	until(t, func() bool { return s.listener.Open() == 1 && failed.Load() == 1 })
}

// A connection without TLS where there is TLS, and one that breaks off.
func TestTLSForgotten(t *testing.T) {
	var failed atomic.Int32
	l, _ := secured(t, &failed)
	s := serve(t, l, nil)
	for send, want := range map[string]string{"GET / HTTP/1.1\r\nHost: h\r\n\r\n": "HTTP/1.1 400 ",
		"SSH-2.0-x\r\n": "", "": ""} {
		c := s.dial(t)
		_, _ = io.WriteString(c, send)
		_ = c.(*net.TCPConn).CloseWrite()
		got, _ := io.ReadAll(c)
		if want == "" && strings.Contains(string(got), "HTTP") || !strings.HasPrefix(string(got), want) {
			t.Errorf("%q is answered %q", send, got)
		}
	}
	until(t, func() bool { return s.listener.Open() == 0 && failed.Load() == 3 })
	if n := s.handled.Load(); n != 0 {
		t.Errorf("%d requests are handled", n)
	}
}

// A client of TLS that takes nothing does not hold up whoever closes the server: the
// end that TLS says waits behind what is being written.
func TestTLSIsClosedOverAWrite(t *testing.T) {
	var failed atomic.Int32
	l, client := secured(t, &failed)
	written := make(chan struct{}, 1)
	s := serve(t, l, func(w http.ResponseWriter, _ *http.Request) {
		defer func() { written <- struct{}{} }()
		for {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return
			}
		}
	})
	client.NextProtos = nil
	c := tls.Client(s.dial(t), client)
	_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	if _, err := c.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond) // all buffers are full
	began := time.Now()
	_ = s.Server.Close()
	if d := time.Since(began); d > patience/2 {
		t.Errorf("Close takes %v", d)
	}
	select {
	case <-written:
	case <-time.After(patience):
		t.Fatal("the handler is not told")
	}
	until(t, func() bool { return s.listener.Open() == 0 })
}
