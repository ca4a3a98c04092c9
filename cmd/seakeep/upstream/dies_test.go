package upstream

import (
	"bufio"
	"errors"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
)

// TestDiesInUse: the connection was alive when it was taken and dies before
// anything of an answer. Only what may run twice is sent again, and once.
func TestDiesInUse(t *testing.T) {
	for _, tc := range []struct {
		name, method string
		key          bool
		body         io.Reader
		again        bool
	}{
		{"GET", "GET", false, nil, true},
		{"HEAD", "HEAD", false, nil, true},
		{"POST", "POST", false, inOne("a"), false},
		{"POST with a key", "POST", true, strings.NewReader("a"), true},
		{"POST with a key, body gone", "POST", true, io.MultiReader(strings.NewReader("a")), false},
		{"DELETE", "DELETE", false, nil, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var requests atomic.Int64
			s := serve(t, func(c net.Conn, br *bufio.Reader, n int) {
				for i := 0; ; i++ {
					if _, _, ok := request(br); !ok {
						return
					}
					if requests.Add(1); n == 1 && i == 1 {
						return // closed, without an answer
					}
					_, _ = io.WriteString(c, okAnswer)
				}
			})
			p := pool(t, Settings{})
			get(t, p, s.url())
			req := newRequest(t, tc.method, s.url(), tc.body)
			if tc.key {
				req.Header.Set("Idempotency-Key", `"k"`)
			}
			resp, err := p.RoundTrip(req)
			var own *Error
			switch {
			case tc.again && err != nil:
				t.Error(err)
			case !tc.again && (!errors.As(err, &own) || own.Kind != Lost || !errors.Is(err, io.EOF)):
				t.Errorf("the error is %v", err)
			case err == nil:
				_ = resp.Body.Close()
			}
			want := map[bool]int64{true: 3, false: 2}[tc.again]
			if n := requests.Load(); n != want {
				t.Errorf("the server saw %d requests, want %d", n, want)
			}
		})
	}
}

// TestDiesEachTime: a new connection that dies is no reason to try again.
func TestDiesEachTime(t *testing.T) {
	var requests atomic.Int64
	s := serve(t, func(c net.Conn, br *bufio.Reader, n int) {
		for i := 0; ; i++ {
			if _, _, ok := request(br); !ok {
				return
			}
			if requests.Add(1); n > 1 || i == 1 {
				return
			}
			_, _ = io.WriteString(c, okAnswer)
		}
	})
	p := pool(t, Settings{})
	get(t, p, s.url())
	if _, err := p.RoundTrip(newRequest(t, "GET", s.url(), nil)); err == nil || requests.Load() != 3 {
		t.Errorf("%v after %d requests", err, requests.Load())
	}
}

// TestHalfAnAnswerIsNotAskedAgain: something was received, so it ran.
func TestHalfAnAnswerIsNotAskedAgain(t *testing.T) {
	s := serve(t, func(c net.Conn, br *bufio.Reader, _ int) {
		for i := 0; ; i++ {
			if _, _, ok := request(br); !ok {
				return
			}
			if i == 1 {
				_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nX-A")
				return
			}
			_, _ = io.WriteString(c, okAnswer)
		}
	})
	p := pool(t, Settings{})
	get(t, p, s.url())
	_, err := p.RoundTrip(newRequest(t, "GET", s.url(), nil))
	var own *Error
	if !errors.As(err, &own) || own.Kind != Incomplete || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the error is %v", err)
	}
	if v := state(p); v.Resent != 0 || v.Open != 0 {
		t.Errorf("%+v", v)
	}
}
