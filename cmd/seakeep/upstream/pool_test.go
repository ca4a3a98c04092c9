package upstream

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seakeep/seakeep/internal/connpool"
)

func TestConnectionIsUsedAgain(t *testing.T) {
	s := serve(t, always(okAnswer))
	p := pool(t, Settings{})
	var got httptrace.GotConnInfo
	var put error = errors.New("not told")
	for range 3 {
		req := newRequest(t, "GET", s.url(), nil)
		req = req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
			GotConn: func(i httptrace.GotConnInfo) { got = i }, PutIdleConn: func(err error) { put = err }}))
		if _, text := send(t, p, req); text != "ok" {
			t.Fatalf("got %q", text)
		}
	}
	want := connpool.Counts{Opened: 1, Reused: 2}
	if v := state(p); v.Counts != want || v.Open != 1 || v.Idle != 1 || s.conns.Load() != 1 || !got.Reused || put != nil {
		t.Errorf("%+v, %d connections, %+v, %v", v, s.conns.Load(), got, put)
	}
}

// TestDeadConnectionIsFound: the server closes after each answer, without having
// said so. Nothing fails, not even what may run once only.
func TestDeadConnectionIsFound(t *testing.T) {
	closed := make(chan bool, 1)
	s := serve(t, func(c net.Conn, br *bufio.Reader, _ int) {
		if _, _, ok := request(br); ok {
			_, _ = io.WriteString(c, okAnswer)
			_ = c.Close()
			closed <- true
		}
	})
	p := pool(t, Settings{})
	for range 3 {
		if resp, _ := send(t, p, newRequest(t, "POST", s.url(), inOne("a"))); resp.StatusCode != 200 {
			t.Fatal(resp.Status)
		}
		<-closed
		time.Sleep(time.Millisecond) // the end is on its way
	}
	if v := state(p); v.Dead != 2 || v.Resent != 0 || v.Opened != 3 {
		t.Errorf("%+v", v)
	}
}

// TestUnasked: what comes on an idle connection is not the next answer.
func TestUnasked(t *testing.T) {
	said := make(chan bool, 1)
	s := serve(t, func(c net.Conn, br *bufio.Reader, n int) {
		for {
			if _, _, ok := request(br); !ok {
				return
			}
			_, _ = io.WriteString(c, okAnswer)
			if n == 1 {
				_, _ = io.WriteString(c, strings.Replace(okAnswer, "ok", "no", 1))
				said <- true
			}
		}
	})
	p := pool(t, Settings{})
	get(t, p, s.url())
	<-said
	time.Sleep(time.Millisecond)
	if _, text := get(t, p, s.url()); text != "ok" || s.conns.Load() != 2 {
		t.Errorf("got %q over %d connections", text, s.conns.Load())
	}
}

// TestMaxConns: the next request waits its turn, in order, and no longer than it
// may.
func TestMaxConns(t *testing.T) {
	release := make(chan bool)
	s := serve(t, func(c net.Conn, br *bufio.Reader, _ int) {
		for {
			if _, _, ok := request(br); !ok {
				return
			}
			<-release
			_, _ = io.WriteString(c, okAnswer)
		}
	})
	t.Cleanup(func() { close(release) })
	p := pool(t, Settings{MaxConns: 1, Acquire: 20 * time.Millisecond})
	first := make(chan error, 1)
	go func() {
		resp, err := p.RoundTrip(newRequest(t, "GET", s.url(), nil))
		if err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
		}
		first <- err
	}()
	until(t, "the first request", func() bool { return state(p).Open == 1 })
	_, err := p.RoundTrip(newRequest(t, "GET", s.url(), nil))
	var busy *connpool.AcquireError
	if !errors.As(err, &busy) || busy.Max != 1 || busy.Wait != 20*time.Millisecond {
		t.Errorf("the error is %v", err)
	}
	soon := connpool.WithAcquire(t.Context(), time.Millisecond)
	_, err = p.RoundTrip(newRequest(t, "GET", s.url(), nil).WithContext(soon))
	if !errors.As(err, &busy) || busy.Wait != time.Millisecond {
		t.Errorf("with a wait of its own: %v", err)
	}
	left, leave := context.WithCancel(t.Context())
	leave()
	if _, err := p.RoundTrip(newRequest(t, "GET", s.url(), nil).WithContext(left)); err != context.Canceled {
		t.Errorf("of who has left: %v", err)
	}
	if err := p.Use(Settings{MaxConns: 1}); err != nil {
		t.Fatal(err)
	}
	second := make(chan error, 1)
	go func() {
		resp, err := p.RoundTrip(newRequest(t, "GET", s.url(), nil))
		if err == nil {
			_ = resp.Body.Close()
		}
		second <- err
	}()
	until(t, "the second to wait", func() bool { return state(p).Waiting == 1 })
	release <- true
	release <- true
	if a, b := <-first, <-second; a != nil || b != nil || s.conns.Load() != 1 {
		t.Errorf("%v, %v over %d connections", a, b, s.conns.Load())
	}
}

// TestRoomIsPassedOn: a connection that ends makes room for who waits.
func TestRoomIsPassedOn(t *testing.T) {
	release := make(chan bool, 1)
	s := serve(t, func(c net.Conn, br *bufio.Reader, _ int) {
		if _, _, ok := request(br); ok {
			<-release
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
		}
	})
	p := pool(t, Settings{MaxConns: 1})
	done := make(chan error, 2)
	for range 2 {
		go func() {
			resp, err := p.RoundTrip(newRequest(t, "GET", s.url(), nil))
			if err == nil {
				_ = resp.Body.Close()
			}
			done <- err
		}()
	}
	until(t, "one to wait", func() bool { return state(p).Waiting == 1 })
	release <- true
	release <- true
	if a, b := <-done, <-done; a != nil || b != nil {
		t.Errorf("%v, %v", a, b)
	}
	until(t, "no connection", func() bool { return state(p).Open == 0 })
}

func TestIdleLimits(t *testing.T) {
	s := serve(t, always(okAnswer))
	p := pool(t, Settings{IdleTime: 100 * time.Millisecond})
	get(t, p, s.url())
	until(t, "the idle connection's end", func() bool { return state(p).Open == 0 })

	p = pool(t, Settings{Lifetime: time.Nanosecond, Jitter: 1})
	get(t, p, s.url())
	if v := state(p); v.Open != 0 {
		t.Errorf("past its lifetime: %+v", v)
	}
	large := serve(t, always("HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n"+strings.Repeat("x", 9999)))
	p = pool(t, Settings{MaxIdle: 1})
	var open []*http.Response
	for range 3 {
		resp, err := p.RoundTrip(newRequest(t, "GET", large.url(), nil))
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, resp)
	}
	if v := state(p); v.Open != 3 || v.Idle != 0 {
		t.Errorf("%+v", v)
	}
	for _, resp := range open {
		_, _ = io.Copy(io.Discard, resp.Body)
	}
	if v := state(p); v.Open != 1 || v.Idle != 1 {
		t.Errorf("%+v", v)
	}
	p.CloseIdleConnections()
	if v := state(p); v.Open != 0 || v.Idle != 0 {
		t.Errorf("after the close: %+v", v)
	}
}

// TestWarm: connections are there before they are asked for, and stay.
func TestWarm(t *testing.T) {
	s := serve(t, always(okAnswer))
	p := pool(t, Settings{Warm: 3, IdleTime: 200 * time.Millisecond})
	get(t, p, s.url())
	until(t, "three", func() bool { return state(p).Idle == 3 })
	s.cut()
	until(t, "others in their place", func() bool { v := state(p); return v.Opened >= 6 && v.Idle == 3 })
	p.CloseIdleConnections()
	until(t, "none", func() bool { return state(p).Open == 0 })
}

func TestDialErrorsPass(t *testing.T) {
	s := serve(t, always(okAnswer))
	url := s.url()
	_ = s.Close()
	p := pool(t, Settings{})
	_, err := p.RoundTrip(newRequest(t, "GET", url, nil))
	var op *net.OpError
	if !errors.As(err, &op) || op.Op != "dial" || !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("the error is %v", err)
	}
	if v := state(p); v.Open != 0 {
		t.Errorf("%+v", v)
	}
}

func TestSettings(t *testing.T) {
	if err := new(Settings).Validate(); err != nil {
		t.Error(err)
	}
	for name, s := range map[string]Settings{
		"MaxConns": {MaxConns: -1}, "Acquire": {Acquire: -1}, "MaxIdle": {MaxIdle: -1}, "Warm": {Warm: -1},
		"IdleTime": {IdleTime: -1}, "Lifetime": {Lifetime: -1}, "MaxHead": {MaxHead: -1}, "Jitter": {Jitter: 1.1},
		"Warm is 2": {MaxConns: 1, Warm: 2},
	} {
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := New(Options{}, s); err == nil {
			t.Errorf("%s: a transport", name)
		}
	}
}
