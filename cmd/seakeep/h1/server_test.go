package h1

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const patience = 5 * time.Second

// dial connects and sends.
func dial(t testing.TB, address, send string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(conn, send); err != nil {
		t.Fatal(err)
	}
	return conn
}

func answer(t testing.TB, r *bufio.Reader) *http.Response {
	t.Helper()
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

const get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

// A client that leaves ends its request's context, with or without a body
// before it, and wherever the connection is served.
func TestClientLeaves(t *testing.T) {
	for _, own := range []bool{true, false} {
		came, ended := make(chan struct{}, 1), make(chan error, 1)
		address, _ := listen(t, own, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadAll(r.Body)
			came <- struct{}{}
			select {
			case <-r.Context().Done():
				ended <- r.Context().Err()
			case <-time.After(patience):
				ended <- nil
			}
		}))
		for _, send := range []string{get, "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab"} {
			conn := dial(t, address, send)
			<-came
			_ = conn.Close()
			if err := <-ended; err != context.Canceled {
				t.Errorf("own %v, %.4s: the context ends with %v", own, send, err)
			}
		}
	}
}

// A client that sends its next request early has not left, and is answered.
func TestPipelinedWhileBusy(t *testing.T) {
	release := make(chan struct{}, 2)
	gone := make(chan error, 2)
	address, _ := listen(t, true, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		<-release
		gone <- r.Context().Err()
	}))
	conn := dial(t, address, get)
	time.Sleep(3 * watchAfter) // it is being watched
	if _, err := io.WriteString(conn, get); err != nil {
		t.Fatal(err)
	}
	time.Sleep(3 * watchAfter)
	r := bufio.NewReader(conn)
	for range 2 {
		release <- struct{}{}
		if resp := answer(t, r); resp.StatusCode != 200 {
			t.Errorf("answered %s", resp.Status)
		}
		if err := <-gone; err != nil {
			t.Errorf("the context ended: %v", err)
		}
	}
}

// Shutdown closes who waits, and lets who is served end.
func TestShutdown(t *testing.T) {
	came, release := make(chan struct{}, 1), make(chan struct{})
	address, shutdown := listen(t, true, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			came <- struct{}{}
			<-release
		}
	}))
	waits := dial(t, address, get)
	r := bufio.NewReader(waits)
	answer(t, r)
	busy := dial(t, address, "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
	<-came
	other := dial(t, address, "GET /slow HTTP/1.0\r\n\r\n") // net/http has this one
	<-came
	ended := make(chan error, 1)
	go func() { ended <- shutdown() }()
	if _, err := r.ReadByte(); err != io.EOF {
		t.Errorf("who waits reads %v", err)
	}
	if c, err := net.Dial("tcp", address); err == nil {
		_ = c.SetDeadline(time.Now().Add(patience))
		if _, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a new connection reads %v", err)
		}
		_ = c.Close()
	}
	select {
	case err := <-ended:
		t.Fatalf("Shutdown has not waited: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	close(release)
	for _, conn := range []net.Conn{busy, other} {
		resp := answer(t, bufio.NewReader(conn))
		if resp.StatusCode != 200 || !resp.Close {
			t.Errorf("answered %s, close %v", resp.Status, resp.Close)
		}
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Shutdown does not wait longer than it may, and Close then ends what is left.
func TestShutdownIsCut(t *testing.T) {
	came := make(chan struct{}, 1)
	address, shutdown := listen(t, true, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		came <- struct{}{}
		<-r.Context().Done()
	}))
	conn := dial(t, address, get)
	<-came
	go func() {
		_ = shutdown() // which ends when Close has ended the request
	}()
	time.Sleep(20 * time.Millisecond)
	t.Cleanup(func() { _ = conn.Close() })
}

// A connection that waits too long is closed, and one that has asked again is
// given its time anew.
func TestIdleTime(t *testing.T) {
	var asked atomic.Int32
	address, _ := listenIdle(t, 300*time.Millisecond, http.HandlerFunc(
		func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	conn := dial(t, address, get)
	r := bufio.NewReader(conn)
	began := time.Now()
	for range 3 {
		answer(t, r)
		time.Sleep(200 * time.Millisecond)
		if _, err := io.WriteString(conn, get); err != nil {
			t.Fatal(err)
		}
	}
	answer(t, r)
	if _, err := r.ReadByte(); err != io.EOF {
		t.Errorf("read %v", err)
	}
	if took := time.Since(began); took < 850*time.Millisecond || asked.Load() != 4 {
		t.Errorf("closed after %v, with %d requests", took, asked.Load())
	}
}

// A body that the handler leaves unread does not become the next request.
func TestUnreadBody(t *testing.T) {
	address, _ := listen(t, true, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	conn := dial(t, address, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n"+get)
	r := bufio.NewReader(conn)
	answer(t, r)
	if rest, err := io.ReadAll(r); len(rest) > 0 || err != nil && !strings.Contains(err.Error(), "reset") {
		t.Errorf("read on: %q, %v", rest, err)
	}
}

// A goroutine that still reads the body when the handler has ended is stopped.
func TestBodyIsReadTooLong(t *testing.T) {
	ended := make(chan error, 1)
	address, _ := listen(t, true, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		reads := make(chan struct{})
		go func() {
			close(reads)
			_, err := io.ReadAll(r.Body)
			ended <- err
		}()
		<-reads
		time.Sleep(10 * time.Millisecond)
	}))
	conn := dial(t, address, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc")
	answer(t, bufio.NewReader(conn))
	if err := <-ended; err == nil {
		t.Error("the whole body was read")
	}
}

// A deadline that the handler sets for reading ends its read, and does not
// outlive it.
func TestReadDeadline(t *testing.T) {
	address, _ := listen(t, true, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rc := http.NewResponseController(w)
		_ = rc.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
		if _, err := io.ReadAll(r.Body); errors.Is(err, os.ErrDeadlineExceeded) {
			w.WriteHeader(http.StatusRequestTimeout)
		}
	}))
	conn := dial(t, address, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab")
	r := bufio.NewReader(conn)
	answer(t, r)
	time.Sleep(40 * time.Millisecond)
	if _, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na"); err != nil {
		t.Fatal(err)
	}
	if resp := answer(t, r); resp.StatusCode != http.StatusRequestTimeout {
		t.Errorf("answered %s", resp.Status)
	}
}

// A body of known length goes from one socket to the other.
func TestReadFrom(t *testing.T) {
	far, near := pipe(t)
	address, _ := listen(t, true, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "300000")
		n, err := w.(io.ReaderFrom).ReadFrom(near)
		if n != 300000 || err != nil {
			t.Errorf("passed on %d, %v", n, err)
		}
	}))
	go func() {
		_, _ = io.WriteString(far, strings.Repeat("z", 300000)+"more")
		_ = far.Close()
	}()
	conn := dial(t, address, get+get[:0])
	resp := answer(t, bufio.NewReader(conn))
	body, err := io.ReadAll(resp.Body)
	if string(body) != strings.Repeat("z", 300000) || err != nil {
		t.Errorf("%d bytes, %v", len(body), err)
	}
}

// pipe is a connection over a socket.
func pipe(t *testing.T) (a, b net.Conn) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	a, err = net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if b, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close(); _ = b.Close() })
	return a, b
}
