package h1

import (
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// body is a request's body of stated length. Another goroutine than the
// handler's may read it.
type body struct {
	c    *conn
	mu   sync.Mutex // held while it is read
	left int64
	err  error
	none bool // the request has no body

	gone atomic.Bool // the handler has ended
	seen atomic.Bool // it was read to its end
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.gone.Load():
		return 0, http.ErrBodyReadAfterClose
	case b.err != nil:
		return 0, b.err
	case b.left == 0:
		b.seen.Store(true)
		return 0, io.EOF
	}
	n, err := b.read(p[:min(int64(len(p)), b.left)])
	if b.left -= int64(n); b.left == 0 {
		b.seen.Store(true)
		return n, io.EOF
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		b.err = err
	}
	return n, err
}

// read takes what has come already first.
func (b *body) read(p []byte) (int, error) {
	if here := b.c.buf[b.c.from:b.c.to]; len(here) > 0 {
		n := copy(p, here)
		b.c.from += n
		return n, nil
	}
	return b.c.nc.Read(p)
}

// Close implements io.Closer. What is left is seen to when the handler ends.
func (b *body) Close() error { return nil }

// shut ends reads for good, also one that waits for the client.
func (b *body) shut() {
	b.gone.Store(true)
	if !b.mu.TryLock() {
		_ = b.c.nc.SetReadDeadline(time.Unix(1, 0))
		b.mu.Lock()
	}
	b.mu.Unlock()
}

// whole reports whether nothing is left of it, after the handler.
func (b *body) whole() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.left == 0 && b.err == nil
}

// ended reports whether the client has nothing more to send for this request.
func (b *body) ended() bool { return b.none || b.seen.Load() }
