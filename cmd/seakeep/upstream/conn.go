package upstream

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

const (
	// bufferSize holds the head and the body of most answers of a service.
	bufferSize = 4 << 10
	// tick is how long an exchange takes before its context is listened to.
	tick = 5 * time.Millisecond
	// lastTime is how long an answer may take to come that was sent before the
	// request could be written to its end.
	lastTime = 50 * time.Millisecond
)

// buffers are for what is read. A connection has one only while it is in use.
var buffers = sync.Pool{New: func() any { return new([bufferSize]byte) }}

// past is a deadline that ends whatever waits.
var past = time.Unix(1, 0)

// conn is a connection to a server. It has one owner at a time.
type conn struct {
	net.Conn
	tcp     *net.TCPConn    // nil: it is no plain TCP
	raw     syscall.RawConn // nil: it cannot be looked into
	host    *host
	expires time.Time // zero: never
	since   time.Time // since when it is idle
	used    bool      // it has carried a request

	pooled *[bufferSize]byte // what buf began with; nil: there is no buffer
	buf    []byte
	r, w   int // what was read and not yet taken

	ctx     context.Context // of the exchange
	patient bool            // its context is listened to
	stop    func() bool     // ends that; nil: nothing to stop

	peek  func(fd uintptr) bool // c.look, made once
	cut   func()                // c.interrupt, made once
	one   [1]byte
	seen  seen // by look
	close sync.Once
}

func newConn(nc net.Conn, h *host) *conn {
	c := &conn{Conn: nc, host: h}
	c.cut = c.interrupt
	if tcp, ok := nc.(*net.TCPConn); ok {
		c.tcp = tcp
		if raw, err := tcp.SyscallConn(); err == nil && canLook {
			c.raw, c.peek = raw, c.look
		}
	}
	return c
}

// begin readies the connection for an exchange that begins now.
func (c *conn) begin(ctx context.Context, now time.Time) {
	c.ctx, c.patient, c.stop = ctx, false, nil
	first := now.Add(tick)
	if d, ok := ctx.Deadline(); ok && d.Before(first) {
		first = d
	}
	_ = c.Conn.SetReadDeadline(first) // fails only if the next read does too
}

// alive reports whether the server has neither closed the idle connection nor
// said something on it. Call begin before.
func (c *conn) alive() bool {
	if c.raw == nil {
		return true
	}
	c.seen = itsEnd
	return c.raw.Read(c.peek) == nil && c.seen == silence
}

// over reports whether the server has ended the connection.
func (c *conn) over() bool {
	c.seen = itsEnd
	return c.raw == nil || c.raw.Read(c.peek) != nil || c.seen == itsEnd
}

// seen is what there is in a socket to be read.
type seen uint8

const (
	silence seen = iota
	bytesCame
	itsEnd // or an error
)

// listen ends what waits on the connection when the exchange's context ends.
func (c *conn) listen() {
	if c.patient {
		return
	}
	c.patient = true
	_ = c.Conn.SetDeadline(time.Time{})
	// Contexts of seakeep have the function themselves, which saves a layer.
	if own, ok := c.ctx.(interface{ AfterFunc(func()) func() bool }); ok {
		c.stop = own.AfterFunc(c.cut)
		return
	}
	if c.ctx.Done() != nil {
		c.stop = context.AfterFunc(c.ctx, c.cut)
	}
}

func (c *conn) interrupt() { _ = c.Conn.SetDeadline(past) }

// rest ends the exchange's claim. It reports false if the context has ended
// meanwhile, and the connection with it.
func (c *conn) rest() bool {
	stop := c.stop
	c.ctx, c.stop = nil, nil
	return stop == nil || stop()
}

// read reads from the socket, past the first tick.
func (c *conn) read(p []byte) (int, error) {
	for {
		n, err := c.Conn.Read(p)
		if n > 0 || err == nil {
			return n, nil
		}
		if c.patient || !errors.Is(err, os.ErrDeadlineExceeded) {
			return 0, err
		}
		c.listen()
	}
}

// lastWords leaves a moment for an answer that has been sent already.
func (c *conn) lastWords() {
	c.listen()
	_ = c.Conn.SetReadDeadline(time.Now().Add(lastTime))
}

// fill reads more into the buffer, which grows for what was not yet taken: its
// reader bounds that.
func (c *conn) fill() error {
	if c.buf == nil {
		c.pooled = buffers.Get().(*[bufferSize]byte)
		c.buf, c.r, c.w = c.pooled[:], 0, 0
	}
	switch {
	case c.r == c.w:
		c.r, c.w = 0, 0
	case c.w == len(c.buf) && c.r > 0:
		c.w = copy(c.buf, c.buf[c.r:c.w])
		c.r = 0
	case c.w == len(c.buf):
		larger := make([]byte, 2*len(c.buf))
		copy(larger, c.buf)
		c.buf = larger
	}
	n, err := c.read(c.buf[c.w:])
	c.w += n
	return err
}

// buffered is what was read and not yet taken.
func (c *conn) buffered() []byte { return c.buf[c.r:c.w] }

// free gives the buffer back, or to whoever has taken it.
func (c *conn) free() {
	if c.pooled != nil {
		buffers.Put(c.pooled)
	}
	c.pooled, c.buf, c.r, c.w = nil, nil, 0, 0
}

// discard closes the connection and makes room for another. Others may still be
// waiting for it to read or to write.
func (c *conn) discard() {
	c.close.Do(func() {
		_ = c.Conn.Close()
		c.host.counts.closed.Add(1)
		c.host.closed()
	})
}
