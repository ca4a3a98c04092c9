package h1

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/wire"
)

// conn is one connection, which one goroutine serves.
type conn struct {
	s     *Server
	nc    *wire.Conn
	tcp   *net.TCPConn
	state atomic.Int32
	watch watch
	date  date

	buf        []byte // read and judged; what is not used yet is buf[from:to]
	from, to   int
	remote     string
	writeUntil time.Time // the deadline for writing
	given      bool      // to the other server
	http2      bool      // ... or to the one of HTTP/2
}

// What a connection does. Whoever makes it leave has it closed.
const (
	idle    int32 = iota // it waits for a request
	busy                 // a request is under way
	leaving              // it is closed
)

const (
	// readSize holds nearly all heads. Larger ones grow their connection's
	// buffer, which is dropped behind them.
	readSize = 4 << 10
	// lastWrite is how long a client may take to take what is written at a time,
	// if the handler does not say.
	lastWrite = 60 * time.Second
)

// leaveIfIdle ends a connection that waits for a request.
func (c *conn) leaveIfIdle() {
	if c.state.CompareAndSwap(idle, leaving) {
		_ = c.nc.Close()
	}
}

func (c *conn) serve() {
	defer c.end()
	c.remote = c.tcp.RemoteAddr().String()
	c.buf = make([]byte, readSize)
	for {
		head, ok := c.head()
		if !ok {
			return
		}
		var q request
		if !q.parse(head) {
			c.handOver()
			return
		}
		if !c.exchange(&q) {
			return
		}
		if c.s.ended.Load() || !c.state.CompareAndSwap(busy, idle) {
			return
		}
		if c.s.ended.Load() { // Shutdown may have looked before
			return
		}
	}
}

// end closes the connection, unless it was handed over. A mistake in what reads
// requests costs this connection, and not the process.
func (c *conn) end() {
	if v := recover(); v != nil {
		c.s.logf("panic reading from %s: %v\n%s", c.remote, v, debug.Stack())
	}
	c.watch.end(c)
	c.s.remove(c)
	if c.given {
		return
	}
	_ = c.nc.Close()
}

// handOver gives the connection to another server, with what was read.
func (c *conn) handOver() {
	if c.s.ended.Load() {
		return
	}
	c.given = true
	c.http2 = c.s.HTTP2 != nil && c.nc.HTTP2()
	c.nc.Unread(c.buf[c.from:c.to])
	c.buf = nil
	_ = c.nc.SetDeadline(time.Time{})
	if !c.http2 {
		c.s.others.give(c.nc)
	}
}

// sort waits for the first bytes of a connection that is not served here, to see
// who serves it.
func (c *conn) sort() {
	defer c.end()
	c.buf = make([]byte, readSize)
	c.nc.Await(c.s.IdleTime)
	if c.to, _ = c.nc.Read(c.buf); c.to > 0 && c.state.CompareAndSwap(idle, busy) {
		c.handOver()
	}
}

var headEnd = []byte("\r\n\r\n")

// head waits for a request's head, which stays where it is in the buffer. It
// leaves the connection busy.
func (c *conn) head() (head []byte, ok bool) {
	seen := 0
	for {
		if waiting := c.buf[c.from:c.to]; len(waiting) > 0 {
			if c.state.Load() == idle && !c.state.CompareAndSwap(idle, busy) {
				return nil, false
			}
			if i := bytes.Index(waiting[seen:], headEnd); i >= 0 {
				return waiting[:seen+i+len(headEnd)], true
			}
			seen = max(len(waiting)-len(headEnd)+1, 0)
		} else {
			c.from, c.to = 0, 0
		}
		c.makeRoom()
		c.nc.Await(c.s.IdleTime)
		n, err := c.nc.Read(c.buf[c.to:])
		if c.to += n; err != nil && n == 0 {
			return nil, false
		}
	}
}

// makeRoom sees to it that something can be read.
func (c *conn) makeRoom() {
	if c.to < len(c.buf) {
		return
	}
	if c.from > 0 {
		c.to = copy(c.buf, c.buf[c.from:c.to])
		c.from = 0
		return
	}
	// package wire lets no head pass that is too long
	c.buf = append(c.buf, make([]byte, len(c.buf))...)
}

// shrink drops a buffer that was made for a large head: the request may take
// long, and all that is kept of it was copied.
func (c *conn) shrink() {
	if len(c.buf) > readSize && c.to-c.from <= readSize {
		c.buf = append(make([]byte, 0, readSize), c.buf[c.from:c.to]...)[:readSize]
		c.from, c.to = 0, c.to-c.from
	}
}

// exchange handles one request. It reports whether the connection can be used
// for another.
func (c *conn) exchange(q *request) (again bool) {
	ctx, cancel := context.WithCancel(context.Background())
	b := body{c: c, left: q.length, none: q.length == 0}
	r := q.build(ctx, c.remote)
	q.header = nil // it is the request's now
	c.from += q.size
	c.shrink()
	if q.length > 0 {
		r.Body = &b
		_ = c.nc.SetReadDeadline(time.Time{}) // whoever reads it says how long it may take
	}
	w := newResponse(c, r, q)
	c.watch.begin(c, &b, cancel)
	defer func() {
		v := recover()
		c.watch.end(c)
		cancel()
		b.shut()
		w.free()
		if v == nil {
			return
		}
		again = false
		if v != http.ErrAbortHandler {
			c.s.logf("panic serving %s: %v\n%s", c.remote, v, debug.Stack())
		}
		c.reset()
	}()
	c.s.Handler.ServeHTTP(w, r)
	c.watch.end(c)
	again = w.finish()
	b.shut()
	return again && b.whole()
}

// reset makes the client see that its answer is not whole.
func (c *conn) reset() { _ = c.nc.Close() }

func (s *Server) logf(format string, args ...any) {
	if s.ErrorLog != nil {
		s.ErrorLog.Printf(format, args...)
	}
}

// setWriteDeadline moves the deadline for writing if that makes a difference:
// each move costs more than a small answer's own bytes.
func (c *conn) setWriteDeadline(t time.Time) error {
	if !t.IsZero() && !c.writeUntil.IsZero() && t.After(c.writeUntil) {
		if left := time.Until(t); t.Sub(c.writeUntil) < left/16 {
			return nil
		}
	}
	c.writeUntil = t
	return c.nc.SetWriteDeadline(t)
}
