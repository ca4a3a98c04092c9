package upstream

import (
	"io"
	"net/http"
	"sync"
)

const (
	// spliceFrom is how much must be left of a body for it to be spliced: less
	// is copied faster.
	spliceFrom = 16 << 10
	// splicePiece is how much is spliced at a time, so that a writer can give
	// each piece its time. It is what a pipe holds.
	splicePiece = 64 << 10
	copySize    = 32 << 10
)

var copies = sync.Pool{New: func() any { return new([copySize]byte) }}

// CanSplice reports whether WriteTo moves the rest of the body from socket to
// socket, given an io.ReaderFrom that does its part: its length is known, it is
// long, and its connection is plain TCP.
func (b *body) CanSplice() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.frame == sized && b.rest == nil && b.err == nil && b.left > spliceFrom &&
		b.x.c.tcp != nil
}

// WriteTo implements io.WriterTo. What can be spliced is, in pieces of at most
// 64 KiB, each of which is one call of w's ReadFrom. Whether an error was the
// body's or the writer's, Fault says.
func (b *body) WriteTo(w io.Writer) (n int64, err error) {
	rf, ok := w.(io.ReaderFrom)
	if !ok || !b.CanSplice() {
		return b.copyTo(w)
	}
	b.mu.Lock()
	if b.shut || b.reading {
		b.mu.Unlock()
		return 0, http.ErrBodyReadAfterClose
	}
	b.reading = true
	b.mu.Unlock()
	n, read, wrote := b.splice(w, rf)
	switch {
	case read == nil && wrote == nil:
		read = io.EOF
	case wrote != nil:
		b.mu.Lock()
		b.reading, b.shut = false, true // nobody knows what was lost on the way
		b.mu.Unlock()
		b.x.finish(false)
		return n, wrote
	}
	if err = b.stop(read); err == io.EOF {
		err = nil
	}
	return n, err
}

// splice moves the rest of a body of known length. It tells errors of the server
// from those of the writer.
func (b *body) splice(w io.Writer, rf io.ReaderFrom) (n int64, read, wrote error) {
	c := b.x.c
	if c.r < c.w {
		k, err := w.Write(c.buf[c.r:min(int64(c.w), int64(c.r)+b.left)])
		c.r += k
		n, b.left = n+int64(k), b.left-int64(k)
		if err != nil {
			return n, nil, err
		}
	}
	for b.left > 0 {
		piece := io.LimitedReader{R: c.tcp, N: min(b.left, splicePiece)}
		want := piece.N
		k, err := rf.ReadFrom(&piece)
		n, b.left = n+k, b.left-k
		switch {
		case err == nil && k < want:
			return n, ended(io.EOF, true), nil
		case err != nil && (b.x.ctx.Err() != nil || c.over()):
			return n, err, nil
		case err != nil:
			return n, nil, err
		}
	}
	return n, nil, nil
}

// copyTo is WriteTo for what is not spliced.
func (b *body) copyTo(w io.Writer) (n int64, err error) {
	buf := copies.Get().(*[copySize]byte)
	defer copies.Put(buf)
	for {
		k, err := b.Read(buf[:])
		if k > 0 {
			m, werr := w.Write(buf[:k])
			n += int64(m)
			if werr != nil {
				return n, werr
			}
		}
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}
