package upstream

import (
	"context"
	"io"
	"net/http"
	"sync"
)

// body is an answer's body. It may be closed while it is read, which ends that.
type body struct {
	x     *exchange
	frame frame
	left  int64 // sized: bytes to come; inChunks: of the chunk under way
	lines chunks

	mu      sync.Mutex
	reading bool  // the connection belongs to somebody who reads
	shut    bool  // it was closed
	err     error // what it ended with; nil: it has not

	rest []byte            // of a body that came with its head
	keep *[bufferSize]byte // the buffer it is in
}

// begin hands the body over. If all of it is here the connection is free.
func (b *body) begin(x *exchange, f frame, length int64) {
	b.x, b.frame, b.left = x, f, length
	c := x.c
	x.resp.Body = b
	switch {
	case f == noBody:
		x.resp.Body = http.NoBody
		b.err = io.EOF
		x.finish(x.resp.StatusCode != http.StatusSwitchingProtocols)
	case f == sized && length <= int64(c.w-c.r):
		b.rest, b.keep = c.buf[c.r:c.r+int(length)], c.pooled
		over := c.r+int(length) == c.w
		c.pooled, c.buf, c.r, c.w = nil, nil, 0, 0
		x.finish(over)
	}
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	switch {
	case b.shut:
		b.mu.Unlock()
		return 0, http.ErrBodyReadAfterClose
	case b.err != nil:
		b.mu.Unlock()
		return 0, b.err
	case b.rest != nil:
		defer b.mu.Unlock()
		n := copy(p, b.rest)
		if b.rest = b.rest[n:]; len(b.rest) == 0 {
			b.release()
			return n, io.EOF
		}
		return n, nil
	case len(p) == 0:
		b.mu.Unlock()
		return 0, nil
	}
	b.reading = true
	b.mu.Unlock()
	n, err := b.more(p)
	return n, b.stop(err)
}

// release forgets a body in memory. The caller holds the lock.
func (b *body) release() {
	if b.keep != nil {
		buffers.Put(b.keep)
	}
	b.rest, b.keep, b.err = nil, nil, io.EOF
}

// more reads from the connection.
func (b *body) more(p []byte) (n int, err error) {
	switch b.frame {
	case sized:
		n, err = b.take(p[:min(int64(len(p)), b.left)])
		if b.left -= int64(n); b.left == 0 {
			return n, io.EOF
		}
		if err == io.EOF {
			err = ended(err, true)
		}
	case inChunks:
		n, err = b.chunk(p)
	default:
		n, err = b.take(p)
	}
	return n, err
}

// take reads what is buffered, or else from the socket.
func (b *body) take(p []byte) (int, error) {
	c := b.x.c
	if c.r < c.w {
		n := copy(p, c.buffered())
		c.r += n
		return n, nil
	}
	return c.Conn.Read(p)
}

// stop ends a read. If the body has ended with it the connection is given back.
func (b *body) stop(err error) error {
	b.mu.Lock()
	b.reading = false
	shut := b.shut
	if err != nil && b.err == nil {
		b.err = b.because(err)
	}
	err = b.err
	b.mu.Unlock()
	if shut || err != nil {
		b.x.finish(err == io.EOF && !shut)
	}
	if shut && err != io.EOF {
		return http.ErrBodyReadAfterClose
	}
	return err
}

// because says why a body has ended. One that ends with its connection is whole
// if the server has closed that in good order.
func (b *body) because(err error) error {
	if err == io.EOF {
		return err
	}
	if b.x.ctx.Err() != nil {
		return context.Cause(b.x.ctx)
	}
	if _, ok := err.(*Error); ok {
		return err
	}
	return ended(err, true)
}

// Fault returns what was wrong with the body, or nil if it has not ended, or
// well. It tells whose fault it was when WriteTo has failed.
func (b *body) Fault() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == io.EOF {
		return nil
	}
	return b.err
}

// Close implements io.Closer. If what is left has come already it is dropped;
// otherwise the connection is.
func (b *body) Close() error {
	b.mu.Lock()
	if b.shut {
		b.mu.Unlock()
		return nil
	}
	b.shut = true
	switch {
	case b.rest != nil:
		b.release()
		b.mu.Unlock()
		return nil
	case b.err != nil:
		b.mu.Unlock()
		return nil
	case b.reading:
		err := b.x.c.Conn.Close() // who reads gives the connection back
		b.mu.Unlock()
		return err
	}
	whole := b.drain()
	b.err = http.ErrBodyReadAfterClose
	b.mu.Unlock()
	b.x.finish(whole)
	return nil
}

// drain reports whether the rest of the body is in the buffer, and takes it out.
func (b *body) drain() bool {
	c := b.x.c
	switch b.frame {
	case sized:
		if b.left > int64(c.w-c.r) {
			return false
		}
		c.r += int(b.left)
		return true
	case inChunks:
		return b.skip()
	}
	return false
}

// finish ends the exchange. If the answer was whole and nothing speaks against
// it the connection can serve another.
func (x *exchange) finish(whole bool) {
	c := x.c
	again := whole && !x.last && !x.refused && c.r == c.w
	if again && x.up != nil {
		again = x.up.through()
	}
	if !c.watch.end() || !again {
		c.discard()
		c.free()
		x.tellIdle(errNotKept)
		return
	}
	c.put()
	x.tellIdle(nil)
}

func (x *exchange) tellIdle(err error) {
	if x.trace != nil && x.trace.PutIdleConn != nil {
		x.trace.PutIdleConn(err)
	}
}
