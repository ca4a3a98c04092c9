package upstream

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// pipe is two ends of a plain TCP connection.
func pipe(t *testing.T) (near, far *net.TCPConn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	o, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(); _ = o.Close() })
	return c.(*net.TCPConn), o.(*net.TCPConn)
}

// large is a server whose answers say that they are of size bytes and are of
// sent, and then end if end is set.
func large(t *testing.T, size, sent int, end bool) *server {
	text := bytes.Repeat([]byte("0123456789abcdef"), sent/16+1)[:sent]
	return serve(t, func(c net.Conn, br *bufio.Reader, _ int) {
		for {
			if _, _, ok := request(br); !ok {
				return
			}
			_, _ = fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", size)
			if _, err := c.Write(text); err != nil || end {
				return
			}
		}
	})
}

func open(t *testing.T, p *Transport, ctx context.Context, s *server) *body {
	t.Helper()
	resp, err := p.RoundTrip(newRequest(t, "GET", s.url(), nil).WithContext(ctx))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	b := resp.Body.(*body)
	if !b.CanSplice() {
		t.Fatal("it cannot be spliced")
	}
	return b
}

// pieces counts the calls of ReadFrom.
type pieces struct {
	*net.TCPConn
	n int
}

func (p *pieces) ReadFrom(r io.Reader) (int64, error) {
	p.n++
	return p.TCPConn.ReadFrom(r)
}

func TestSplice(t *testing.T) {
	const size = 1 << 20
	s := large(t, size, size, false)
	p := pool(t, Settings{})
	near, far := pipe(t)
	got := make(chan []byte, 1)
	go func() {
		text, _ := io.ReadAll(far)
		got <- text
	}()
	b := open(t, p, t.Context(), s)
	w := &pieces{TCPConn: near}
	if n, err := b.WriteTo(w); n != size || err != nil || b.Fault() != nil {
		t.Fatalf("%d bytes, %v, %v", n, err, b.Fault())
	}
	_ = near.Close()
	if text := <-got; !bytes.Equal(text, bytes.Repeat([]byte("0123456789abcdef"), size/16)) {
		t.Errorf("got %d bytes", len(text))
	}
	if want := size / splicePiece; w.n < want || w.n > want+1 {
		t.Errorf("in %d pieces", w.n)
	}
	if v := state(p); v.Idle != 1 || v.Open != 1 {
		t.Errorf("%+v", v)
	}
}

// TestSpliceFaults: it is known whose fault it was.
func TestSpliceFaults(t *testing.T) {
	t.Run("server", func(t *testing.T) {
		s := large(t, 1<<20, 1<<18, true)
		p := pool(t, Settings{})
		near, far := pipe(t)
		go func() { _, _ = io.Copy(io.Discard, far) }()
		b := open(t, p, t.Context(), s)
		n, err := b.WriteTo(near)
		var own *Error
		if !errors.As(err, &own) || own.Kind != Incomplete || b.Fault() != err || n > 1<<18 {
			t.Errorf("%d bytes, %v, %v", n, err, b.Fault())
		}
	})
	t.Run("client", func(t *testing.T) {
		s := large(t, 8<<20, 8<<20, false)
		p := pool(t, Settings{})
		near, far := pipe(t)
		_ = far.SetLinger(0)
		_ = far.Close()
		b := open(t, p, t.Context(), s)
		if _, err := b.WriteTo(near); err == nil || b.Fault() != nil {
			t.Errorf("%v, %v", err, b.Fault())
		}
		if _, err := b.Read(make([]byte, 1)); err != http.ErrBodyReadAfterClose {
			t.Errorf("it can be read on: %v", err)
		}
		if v := state(p); v.Open != 0 {
			t.Errorf("%+v", v)
		}
	})
	t.Run("client takes nothing", func(t *testing.T) {
		s := large(t, 64<<20, 64<<20, false)
		p := pool(t, Settings{})
		near, _ := pipe(t)
		b := open(t, p, t.Context(), s)
		_ = near.SetWriteDeadline(time.Now().Add(50 * time.Millisecond))
		if _, err := b.WriteTo(near); err == nil || b.Fault() != nil {
			t.Errorf("%v, %v", err, b.Fault())
		}
	})
	t.Run("context", func(t *testing.T) {
		s := large(t, 1<<20, 1<<18, false)
		p := pool(t, Settings{})
		near, far := pipe(t)
		go func() { _, _ = io.Copy(io.Discard, far) }()
		ctx, cancel := context.WithTimeout(t.Context(), 3*tick)
		defer cancel()
		b := open(t, p, ctx, s)
		if _, err := b.WriteTo(near); err != context.DeadlineExceeded || b.Fault() != err {
			t.Errorf("%v, %v", err, b.Fault())
		}
	})
}
