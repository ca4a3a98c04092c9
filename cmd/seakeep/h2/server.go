package h2

import (
	"cmp"
	"context"
	"log"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/wire"
)

// Server serves connections. All fields must be set before it does.
type Server struct {
	// Handler answers requests. It must be one from wire.Handler.
	Handler http.Handler
	// MaxHead is the most that a request's head may have: names, values and 32
	// bytes for each field. What is larger is answered with 431 here. It should be
	// twice what package wire has for a limit, which then is the one that counts.
	MaxHead int
	// HeadTime is how long a client may take for its first frame, and for a head in
	// several. Zero is 10s.
	HeadTime time.Duration
	// IdleTime is how long a connection may have no stream.
	IdleTime time.Duration
	// WriteTime is how long a client may take nothing at all of what is sent. Zero
	// is 60s.
	WriteTime time.Duration
	// PingAfter is how long a connection may say nothing before it is asked whether
	// it is there, and PingTime how long it may take to say so. Both may be late
	// by a quarter of it. They must be above zero.
	PingAfter, PingTime time.Duration
	// MaxRequests is how many requests may be under way on all connections together.
	// More are refused with REFUSED_STREAM, after which a client may ask again. Zero:
	// as many as there may be on each.
	MaxRequests int
	// ErrorLog is told of panics. nil: nobody is.
	ErrorLog *log.Logger

	workers workers
	date    date
	running atomic.Int64 // handlers
	mu      sync.Mutex   // for what follows
	conns   map[*conn]struct{}
	none    chan struct{} // closed when the last connection has gone; nil: nobody waits
	ended   bool          // no more connections are taken
}

// Serve serves a connection to its end. It may have been read from, if what was
// read was put back.
func (s *Server) Serve(nc *wire.Conn) {
	c := newConn(s, nc)
	c.greet() // package wire has seen the preface
	if !s.add(c) {
		c.end()
		return
	}
	c.serve()
}

func (s *Server) writeTime() time.Duration { return cmp.Or(s.WriteTime, lastWrite) }

func (s *Server) headTime() time.Duration { return cmp.Or(s.HeadTime, headTime) }

// full reports whether no more requests are taken for now.
func (s *Server) full() bool { return s.MaxRequests > 0 && s.running.Load() >= int64(s.MaxRequests) }

func (s *Server) add(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return false
	}
	if s.conns == nil {
		s.conns = map[*conn]struct{}{}
	}
	s.conns[c] = struct{}{}
	return true
}

func (s *Server) remove(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	if len(s.conns) > 0 {
		return
	}
	if s.none != nil {
		close(s.none)
		s.none = nil
	}
	if s.ended {
		s.workers.end()
	}
}

// Shutdown takes no more connections and no more requests, and waits until those
// under way have ended and their connections too, or ctx has, whose error it then
// returns.
func (s *Server) Shutdown(ctx context.Context) error {
	none := s.end(func(c *conn) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.leave()
	})
	select {
	case <-none:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close ends every connection as it is.
func (s *Server) Close() error {
	s.end(func(c *conn) { _ = c.nc.Conn.Close() })
	return nil
}

// end takes no more connections, and tells those that are here.
func (s *Server) end(tell func(*conn)) (none <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	if s.none == nil {
		s.none = make(chan struct{})
	}
	none = s.none
	if len(s.conns) == 0 {
		close(s.none)
		s.none = nil
		s.workers.end()
	}
	for c := range s.conns {
		tell(c)
	}
	return none
}

func (s *Server) logf(format string, args ...any) {
	if s.ErrorLog != nil {
		s.ErrorLog.Printf(format, args...)
	}
}

// date is the field of that name, made once a second.
type date struct {
	mu     sync.Mutex
	second int64
	text   string
}

func (d *date) now() string {
	now := time.Now()
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := now.Unix(); s != d.second {
		d.second, d.text = s, now.UTC().Format(http.TimeFormat)
	}
	return d.text
}
