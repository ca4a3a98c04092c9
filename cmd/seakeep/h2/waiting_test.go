package h2

import (
	"net/http"
	"testing"

	"golang.org/x/net/http2"
)

// only is the one connection of a server.
func (s *server) only(t *testing.T) (c *conn) {
	t.Helper()
	until(t, "the connection", func() bool {
		s.own.mu.Lock()
		defer s.own.mu.Unlock()
		for c = range s.own.conns {
			return true
		}
		return false
	})
	return c
}

// looks waits until something holds of a connection.
func (c *conn) looks(t *testing.T, what string, ok func() bool) {
	t.Helper()
	until(t, what, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return ok()
	})
}

// Streams that are given up while they wait for room do not take the turn of those
// that still do.
func TestThoseGivenUpTakeNobodysTurn(t *testing.T) {
	const given, stay = 40, 3
	s := listen(t, asIs, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for n := 0; n < 4 || r.URL.Path == "/endless"; n++ {
			if _, err := w.Write(make([]byte, 256<<10)); err != nil {
				return
			}
		}
	}))
	p := s.dial(t, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1<<31 - 1})
	_ = p.WriteWindowUpdate(0, 1<<31-1-65535)
	c := s.only(t)
	ask := func(path string, from, n uint32) {
		for i := range n {
			p.ask(2*(from+i)+1, true, "GET", path)
		}
		c.looks(t, "all to wait", func() bool { return len(c.waiting) == int(from+n) })
	}
	ask("/endless", 0, given)
	ask("/", given, stay)
	for i := range uint32(given) {
		_ = p.WriteRSTStream(2*i+1, http2.ErrCodeCancel)
	}
	c.looks(t, "the resets", func() bool { return len(c.streams) == stay })
	for ended := 0; ended < stay; {
		f := p.next()
		if f == nil {
			t.Fatalf("%d of %d answers have ended", ended, stay)
		}
		if d, ok := f.(*http2.DataFrame); ok && d.StreamEnded() {
			ended++
		}
	}
}
