package upstream

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// slow is a body whose parts come when they are sent.
type slow struct {
	parts  chan string
	closed chan bool
}

func newSlow() *slow { return &slow{make(chan string), make(chan bool, 9)} }

func (s *slow) Read(p []byte) (int, error) {
	part, ok := <-s.parts
	if !ok {
		return 0, io.EOF
	}
	return copy(p, part), nil
}

func (s *slow) Close() error { s.closed <- true; return nil }

// TestEarlyAnswer: it comes before the request's body has been sent, whose rest
// goes on until the answer is over. The connection serves nobody else.
func TestEarlyAnswer(t *testing.T) {
	more := make(chan string, 1)
	s := serve(t, func(c net.Conn, br *bufio.Reader, _ int) {
		r, err := http.ReadRequest(br)
		if err != nil {
			return
		}
		part := make([]byte, 5)
		_, _ = io.ReadFull(r.Body, part)
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n")
		_, _ = io.ReadFull(r.Body, part)
		more <- string(part)
		_, _ = io.WriteString(c, "0\r\n\r\n")
		_, _ = io.Copy(io.Discard, br)
	})
	p := pool(t, Settings{})
	body := newSlow()
	go func() { body.parts <- "hello" }()
	resp, err := p.RoundTrip(newRequest(t, "POST", s.url(), body))
	if err != nil {
		t.Fatal(err)
	}
	body.parts <- "again"
	if text, err := io.ReadAll(resp.Body); string(text) != "ok" || err != nil || <-more != "again" {
		t.Errorf("got %q, %v", text, err)
	}
	if v := state(p); v.Open != 0 {
		t.Errorf("%+v", v)
	}
	close(body.parts)
	<-body.closed
}

// TestRefusedBody: the server answers and closes before it has read a large body
// to its end.
func TestRefusedBody(t *testing.T) {
	for _, size := range []int{maxInline, 4 << 20} {
		s := serve(t, func(c net.Conn, br *bufio.Reader, _ int) {
			if _, err := http.ReadRequest(br); err == nil {
				_, _ = io.WriteString(c, "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
				_ = c.(*net.TCPConn).CloseWrite()
				time.Sleep(10 * time.Millisecond)
			}
		})
		req := newRequest(t, "POST", s.url(), inOne(strings.Repeat("x", size)))
		req.ContentLength = int64(size)
		if resp, _ := send(t, pool(t, Settings{}), req); resp.StatusCode != 413 {
			t.Errorf("%d bytes: %s", size, resp.Status)
		}
	}
}

// TestBodyFault: what is wrong with the request's body is what the caller hears.
func TestBodyFault(t *testing.T) {
	s := serve(t, always(okAnswer))
	p := pool(t, Settings{})
	broken := errors.New("the source broke")
	body := io.MultiReader(strings.NewReader("hello"), failing{broken})
	if _, err := p.RoundTrip(newRequest(t, "POST", s.url(), body)); err != broken {
		t.Errorf("the error is %v", err)
	}
	for _, size := range []int64{4, 6} { // it has 5
		req := newRequest(t, "POST", s.url(), io.MultiReader(strings.NewReader("hello")))
		req.ContentLength = size
		if _, err := p.RoundTrip(req); err == nil || !strings.Contains(err.Error(), "Content-Length") {
			t.Errorf("with a length of %d: %v", size, err)
		}
	}
	if v := state(p); v.Open != 0 || v.Resent != 0 {
		t.Errorf("%+v", v)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// TestUploadIsCalledOff: RoundTrip does not return before nobody reads the
// request's body any more.
func TestUploadIsCalledOff(t *testing.T) {
	s := serve(t, func(c net.Conn, br *bufio.Reader, _ int) { _, _ = io.Copy(io.Discard, br) })
	p := pool(t, Settings{})
	ctx, cancel := context.WithCancel(t.Context())
	body := newSlow()
	end := make(chan error, 1)
	go func() {
		_, err := p.RoundTrip(newRequest(t, "POST", s.url(), body).WithContext(ctx))
		end <- err
	}()
	body.parts <- "hello"
	cancel()
	until(t, "the connection's end", func() bool { return state(p).Open == 0 })
	select {
	case err := <-end:
		t.Fatalf("it returned %v while the body is read", err)
	default:
	}
	close(body.parts)
	if err := <-end; err != context.Canceled || !<-body.closed {
		t.Errorf("the error is %v", err)
	}
}
