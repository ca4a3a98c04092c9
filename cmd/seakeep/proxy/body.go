package proxy

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// inbound is a client's request body on its way to the dependency. Closing it
// does not close what it reads from, because net/http would then read the rest,
// and ask a client that waits for 100 Continue to send it.
type inbound struct {
	src    io.Reader
	rc     *http.ResponseController // of the same exchange
	cancel func()                   // of the exchange
	behind trailer

	mu         sync.Mutex // held while src is read
	state      sync.Mutex // for what follows
	shut       bool
	touched    bool      // src was read
	reading    bool      // it is being read
	ended      bool      // to its end
	began, end time.Time // when it was asked for, and when it ended
	err        error     // what it ended with instead
}

// Read implements io.Reader.
func (b *inbound) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.touch() {
		return 0, http.ErrBodyReadAfterClose
	}
	n, err := b.src.Read(p)
	b.rest()
	if err != nil {
		b.note(err)
	}
	return n, err
}

func (b *inbound) touch() bool {
	b.state.Lock()
	defer b.state.Unlock()
	b.touched = b.touched || !b.shut
	b.reading = !b.shut
	return !b.shut
}

func (b *inbound) rest() {
	b.state.Lock()
	defer b.state.Unlock()
	b.reading = false
}

// Interrupt ends a read that waits for the client. The transport calls it when
// the time for the attempt is up: the client was too slow, not the dependency.
func (b *inbound) Interrupt() {
	b.state.Lock()
	defer b.state.Unlock()
	if b.reading && !b.shut {
		_ = b.rc.SetReadDeadline(time.Unix(1, 0))
	}
}

// note takes down how the body ended. If that was the client's fault nobody
// else may be blamed for what follows, so the exchange ends as one whose client
// has left.
func (b *inbound) note(err error) {
	b.state.Lock()
	defer b.state.Unlock()
	if err == io.EOF {
		b.ended, b.end = true, time.Now()
		b.behind.strip()
		return
	}
	if b.err == nil && !b.shut {
		b.err = err
		b.cancel()
	}
}

// Close implements io.Closer.
func (b *inbound) Close() error { return nil }

// fault returns what was wrong with the body, or nil.
func (b *inbound) fault() error {
	if b == nil {
		return nil
	}
	b.state.Lock()
	defer b.state.Unlock()
	return b.err
}

// done reports whether nothing is left to read. An untouched body is one that
// nobody has asked the client for yet, if it waits to be asked.
func (b *inbound) done() (done, touched bool) {
	if b == nil {
		return true, false
	}
	b.state.Lock()
	defer b.state.Unlock()
	return b.ended, b.touched
}

// close keeps a transport that is not done yet from reading on.
func (b *inbound) close() {
	if b == nil {
		return
	}
	b.state.Lock()
	b.shut = true
	b.state.Unlock()
}

// cut ends the body where it is, also for a read that waits for the client. It
// does not return before that read has: net/http would take the deadline off
// again, and wait for the rest itself.
func (b *inbound) cut(rc *http.ResponseController) {
	b.close()
	if done, _ := b.done(); done {
		return
	}
	_ = rc.SetReadDeadline(time.Unix(1, 0))
	b.mu.Lock()
	defer b.mu.Unlock()
}

const (
	// dropBytes and dropTime bound what is read of a body that nobody wants,
	// so that the connection can be used again. Most bodies are smaller and
	// have come already.
	dropBytes = 64 << 10
	dropTime  = 50 * time.Millisecond
)

// drop reads the rest of a body that no one else reads any more, if it is
// short and here.
func (b *inbound) drop(rc *http.ResponseController) {
	b.close()
	_ = rc.SetReadDeadline(time.Now().Add(dropTime))
	b.mu.Lock() // a transport may be at it still
	defer b.mu.Unlock()
	if _, err := io.CopyN(io.Discard, b.src, dropBytes+1); err == io.EOF {
		b.note(io.EOF)
		_ = rc.SetReadDeadline(time.Time{})
	}
}

// buffers are for answers' bodies. 32 KiB are a compromise: larger ones save
// system calls on large bodies, smaller ones memory with many streams.
var buffers = sync.Pool{New: func() any { return new([32 << 10]byte) }}

// errClient marks that the client could not be written to.
var errClient = errors.New("the client has gone")

// copyBody sends an answer's body on as it comes: whatever was read is sent at
// once unless the rest follows directly. size is its length, or -1. A client
// that takes nothing for the time of stall is given up: no other limit sees it,
// and it holds a place in the bulkhead.
func copyBody(w http.ResponseWriter, body io.Reader, size int64, stall time.Duration) error {
	rc := http.NewResponseController(w)
	clock := stallClock{rc: rc, stall: stall}
	clock.hurry()
	defer clock.hurry() // for what the server has kept; it takes the deadline off then
	var head *lateHead
	if size < 0 { // the first byte may be long in coming
		head = flushLater(rc)
		defer head.stop()
	}
	if size > spliceFrom {
		if done, err := splice(w, body, stall); done {
			return err
		}
	}
	buf := buffers.Get().(*[32 << 10]byte)
	defer buffers.Put(buf)
	left := size
	for {
		n, err := body.Read(buf[:])
		head.stop()
		if n > 0 {
			clock.hurry()
			if _, err := w.Write(buf[:n]); err != nil {
				return errClient
			}
			left -= int64(n)
		}
		switch {
		case err == io.EOF && left > 0:
			return io.ErrUnexpectedEOF
		case err == io.EOF:
			return nil
		case err != nil:
			_ = rc.Flush() // what did come
			return err
		case n > 0 && left != 0 && rc.Flush() != nil:
			return errClient
		}
	}
}

// stallClock bounds how long a client may take nothing.
type stallClock struct {
	rc    *http.ResponseController
	stall time.Duration
	since time.Time // when the deadline was set
}

// hurry gives the client its time anew. A deadline costs as much as a copy of
// many kilobytes, so one that is younger than a sixtieth of the time stays.
func (p *stallClock) hurry() {
	now := time.Now()
	if slack := p.stall / 60; p.since.IsZero() || now.Sub(p.since) > slack {
		p.since = now
		_ = p.rc.SetWriteDeadline(now.Add(p.stall + slack))
	}
}

// spliceFrom is how long a body must be at least for asking whether it can be
// spliced.
const spliceFrom = 16 << 10

// splicer is a body that can go from socket to socket, in pieces.
type splicer interface {
	io.WriterTo
	CanSplice() bool
	Fault() error // nil after WriteTo has failed: it was the writer
}

// splice sends a long body from socket to socket, if both sides can do that.
func splice(w http.ResponseWriter, body io.Reader, stall time.Duration) (done bool, err error) {
	to, ok := w.(io.ReaderFrom)
	if !ok {
		return false, nil
	}
	from, ok := body.(splicer)
	if !ok || !from.CanSplice() {
		return false, nil
	}
	clock := stallClock{rc: http.NewResponseController(w), stall: stall}
	if _, err = from.WriteTo(&pieces{w, to, clock}); err != nil && from.Fault() == nil {
		return true, errClient
	}
	return true, err
}

// pieces gives each piece of a body its time.
type pieces struct {
	w  io.Writer
	to io.ReaderFrom
	stallClock
}

func (s *pieces) Write(b []byte) (int, error) {
	s.hurry()
	return s.w.Write(b)
}

// ReadFrom implements io.ReaderFrom.
func (s *pieces) ReadFrom(r io.Reader) (int64, error) {
	s.hurry()
	return s.to.ReadFrom(r)
}
