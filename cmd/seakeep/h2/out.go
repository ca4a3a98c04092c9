package h2

import (
	"errors"
	"os"
	"runtime"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// buffer is bytes that are used again.
type buffer struct{ b []byte }

var buffers = sync.Pool{New: func() any { return &buffer{make([]byte, 0, outSize)} }}

// free gives a buffer back, unless it has become large.
func (b *buffer) free() {
	if cap(b.b) <= 2*maxUnsent {
		b.b = b.b[:0]
		buffers.Put(b)
	}
}

// outWriter is where frames are written to.
type outWriter struct{ c *conn }

// Write implements io.Writer. mu is held.
func (o outWriter) Write(p []byte) (int, error) {
	if o.c.over {
		return len(p), nil // the client has been told that nothing more will come
	}
	if o.c.out == nil {
		o.c.out = buffers.Get().(*buffer)
	}
	o.c.out.b = append(o.c.out.b, p...)
	return len(p), nil
}

// blockWriter is where heads are encoded to.
type blockWriter struct{ c *conn }

// Write implements io.Writer. mu is held.
func (o blockWriter) Write(p []byte) (int, error) {
	o.c.encoded = append(o.c.encoded, p...)
	return len(p), nil
}

// unsent is how much waits to be sent. mu is held.
func (c *conn) unsent() int {
	if c.out == nil {
		return 0
	}
	return len(c.out.b)
}

// writeFields writes a head or a trailer. mu is held.
func (c *conn) writeFields(id uint32, fields []hpack.HeaderField, end bool) {
	c.encoded = c.encoded[:0]
	for _, f := range fields {
		_ = c.encoder.WriteField(f)
	}
	b := c.encoded
	n := min(len(b), c.maxFrame)
	_ = c.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: b[:n],
		EndStream: end, EndHeaders: n == len(b)})
	for b = b[n:]; len(b) > 0; b = b[n:] {
		n = min(len(b), c.maxFrame)
		_ = c.framer.WriteContinuation(id, n == len(b), b[:n])
	}
	if cap(c.encoded) > outSize {
		c.encoded = nil
	}
}

// writeData writes a piece of a body. The framer would copy it once more, and keep
// room for the largest for as long as the connection lives. mu is held.
func (c *conn) writeData(id uint32, b []byte, end bool) {
	n, flags := len(b), http2.Flags(0)
	if end {
		flags = http2.FlagDataEndStream
	}
	o := outWriter{c}
	_, _ = o.Write([]byte{byte(n >> 16), byte(n >> 8), byte(n), byte(http2.FrameData), byte(flags),
		byte(id >> 24), byte(id >> 16), byte(id >> 8), byte(id)})
	_, _ = o.Write(b)
}

// pump has what is unsent sent by a goroutine. mu is held.
func (c *conn) pump() {
	if c.pumping || c.writing || c.unsent() == 0 && (!c.over || c.shut) {
		return // who writes looks again
	}
	c.pumping = true
	go func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.pumping = false
		for !c.writing && c.unsent() > 0 {
			c.sendOut()
		}
		c.finish()
	}()
}

// flush sends what is unsent, unless somebody does. mu is held, and given up
// meanwhile.
func (c *conn) flush() {
	if c.writing || c.unsent() == 0 {
		c.pump()
		return
	}
	c.sendOut()
	c.finish()
	c.pump() // what has come meanwhile is for somebody else
}

// sendOut sends one buffer. mu is held, and given up meanwhile.
func (c *conn) sendOut() {
	c.writing = true
	if c.running > 0 { // others may be about to end, too
		c.mu.Unlock()
		runtime.Gosched()
		c.mu.Lock()
	}
	out := c.out
	c.out, c.replies = nil, 0
	c.mu.Unlock()
	err := c.write(out.b)
	out.free()
	c.mu.Lock()
	if err != nil {
		c.abandon(err)
		c.over, c.shut = true, true
		c.cut()
	}
	c.writing = false
	c.wake(maxUnsent / frameSize)
}

// finish tells the client that nothing more will come, behind the last of it. mu
// is held.
func (c *conn) finish() {
	if !c.over || c.shut || c.writing || c.unsent() > 0 {
		return
	}
	c.shut = true
	_ = c.nc.SetReadDeadline(time.Now().Add(lastTime))
	c.mu.Unlock()
	err := c.nc.CloseWrite() // which may take long with TLS
	c.mu.Lock()
	if err != nil {
		c.cut()
	}
}

// cut ends the connection as it is, and with it the reader. mu is held, and given
// up meanwhile: TLS says that this is the end, to a client that may not listen.
func (c *conn) cut() {
	c.mu.Unlock()
	_ = c.nc.Conn.Close()
	c.mu.Lock()
}

// write writes to the socket. One goroutine does at a time.
func (c *conn) write(b []byte) error {
	for {
		limit := c.s.writeTime()
		if now := time.Now(); c.until.Sub(now) < limit*15/16 {
			c.until = now.Add(limit)
			if err := c.nc.SetWriteDeadline(c.until); err != nil {
				return err
			}
		}
		n, err := c.nc.Write(b)
		if b = b[n:]; err == nil {
			return nil
		}
		// A client that is slow and takes some of it goes on. TLS cannot.
		if n == 0 || c.nc.TLS() != nil || !errors.Is(err, os.ErrDeadlineExceeded) {
			return err
		}
	}
}
