package upstream

import (
	"net"
	"sync"
	"syscall"
	"time"
)

const (
	// bufferSize holds the head and the body of most answers of a service.
	bufferSize = 4 << 10
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

	watch watch

	peek  func(fd uintptr) bool // c.look, made once
	one   [1]byte
	seen  seen // by look
	close sync.Once

	prev, next *conn // in host.busy; under its lock
}

func newConn(nc net.Conn, h *host) *conn {
	c := &conn{Conn: nc, host: h}
	c.watch.cut = c.interrupt
	if tcp, ok := nc.(*net.TCPConn); ok {
		c.tcp = tcp
		if raw, err := tcp.SyscallConn(); err == nil && canLook {
			c.raw, c.peek = raw, c.look
		}
	}
	return c
}

// alive reports whether the server has neither closed the idle connection nor
// said something on it.
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

// lastWords leaves a moment for an answer that has been sent already.
func (c *conn) lastWords() {
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
	n, err := c.Conn.Read(c.buf[c.w:])
	if c.w += n; n > 0 {
		return nil // an error comes again with the next read
	}
	return err
}

func (c *conn) interrupt() { _ = c.Conn.SetDeadline(past) }

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
		c.host.closed(c)
	})
}
