package h1

import (
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/wire"
)

// Server serves connections. All fields must be set before it does.
type Server struct {
	// Handler answers what is served here. It must do without what few need: no
	// type is guessed for an answer that has no Content-Type, and a connection
	// cannot be taken over.
	Handler http.Handler
	// Others serves the connections that are not served here. Its handler must
	// be one from wire.Handler.
	Others *http.Server
	// HTTP2 serves a connection to its end that begins with the preface of HTTP/2,
	// which was put back. nil: Others does.
	HTTP2 func(*wire.Conn)
	// IdleTime is how long a connection may wait for its next request.
	IdleTime time.Duration
	// ErrorLog is told of panics. nil is the log package's own.
	ErrorLog *log.Logger

	others   handover
	mu       sync.Mutex // for what follows
	listener *wire.Listener
	conns    map[*conn]struct{}
	none     chan struct{} // closed when the last connection has gone; nil: nobody waits
	ended    atomic.Bool   // no more requests are taken
}

// Serve accepts connections until the listener is closed. It returns
// http.ErrServerClosed after Shutdown or Close.
func (s *Server) Serve(l *wire.Listener) error {
	s.mu.Lock()
	s.listener = l
	s.mu.Unlock()
	if s.ended.Load() {
		return http.ErrServerClosed
	}
	s.others.init(l)
	broken := make(chan error, 1)
	go func() { broken <- s.Others.Serve(&s.others) }()
	defer func() { s.others.shut(); <-broken }()
	for {
		nc, err := l.Accept()
		if err != nil {
			if s.ended.Load() {
				return http.ErrServerClosed
			}
			var temporary interface{ Temporary() bool }
			if errors.As(err, &temporary) && temporary.Temporary() {
				time.Sleep(acceptPause) // out of files, most likely
				continue
			}
			return err
		}
		s.take(nc)
	}
}

// acceptPause is how long to wait when connections cannot be accepted for now.
const acceptPause = 20 * time.Millisecond

// take serves a connection here, or has it served.
func (s *Server) take(nc net.Conn) {
	judged, ok := nc.(*wire.Conn)
	if !ok {
		s.others.give(nc)
		return
	}
	c := &conn{s: s, nc: judged}
	var serve func()
	switch tcp, plain := judged.Conn.(*net.TCPConn); {
	case plain && canWatch:
		c.tcp, serve = tcp, c.serve
	case s.HTTP2 != nil:
		serve = c.sort
	default:
		s.others.give(nc)
		return
	}
	if !s.add(c) {
		_ = nc.Close()
		return
	}
	go func() {
		serve()
		if c.http2 {
			s.HTTP2(judged)
		}
	}()
}

func (s *Server) add(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended.Load() {
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
	if len(s.conns) == 0 && s.none != nil {
		close(s.none)
		s.none = nil
	}
}

// Shutdown stops accepting, takes no more requests, and waits until those under
// way have ended, or ctx has, whose error it then returns.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.ended.Store(true)
	s.stopAccepting()
	none := make(chan struct{})
	if len(s.conns) == 0 {
		close(none)
	} else {
		s.none = none
	}
	for c := range s.conns {
		c.leaveIfIdle()
	}
	s.mu.Unlock()
	// A connection that is handed over from now on is closed by handover.
	err := s.Others.Shutdown(ctx)
	select {
	case <-none:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close ends every connection as it is.
func (s *Server) Close() error {
	s.mu.Lock()
	s.ended.Store(true)
	s.stopAccepting()
	for c := range s.conns {
		_ = c.nc.Conn.Close() // whoever serves it does the rest
	}
	s.mu.Unlock()
	return s.Others.Close()
}

func (s *Server) stopAccepting() {
	if s.listener != nil {
		_ = s.listener.Close()
	}
}

// handover is the listener of the other server.
type handover struct {
	addr  net.Addr
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (h *handover) init(l net.Listener) {
	h.addr, h.conns, h.done = l.Addr(), make(chan net.Conn), make(chan struct{})
}

// give hands a connection over, or closes it if it is too late for that.
func (h *handover) give(c net.Conn) {
	select {
	case h.conns <- c:
	case <-h.done:
		_ = c.Close()
	}
}

func (h *handover) shut() { h.once.Do(func() { close(h.done) }) }

// Accept implements net.Listener.
func (h *handover) Accept() (net.Conn, error) {
	select {
	case c := <-h.conns:
		return c, nil
	case <-h.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (h *handover) Close() error {
	h.shut()
	return nil
}

// Addr implements net.Listener.
func (h *handover) Addr() net.Addr { return h.addr }
