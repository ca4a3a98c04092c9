package proxy

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep/internal/problem"
)

const (
	// gatherBytes is how large a body may be that is awaited before its request
	// enters the ladder.
	gatherBytes = 64 << 10
	// gatherAll bounds what all requests together have gathered.
	gatherAll = 64 << 20
)

// gathered is a small request body, whole.
type gathered struct {
	text []byte
	used *atomic.Int64
}

// gather awaits a small body. A slow client then costs nobody a place in the
// bulkhead, and its slowness is not taken for the dependency's. A client that
// waits for 100 Continue is not asked yet: the ladder decides first. It reports
// false if the exchange has ended with that.
func (x *exchange) gather() bool {
	size := x.r.ContentLength
	if size <= 0 || size > gatherBytes || x.r.Header["Expect"] != nil {
		return true
	}
	if x.p.gathered.Add(size) > gatherAll {
		x.p.gathered.Add(-size)
		return true // it streams
	}
	g := &gathered{make([]byte, size), &x.p.gathered}
	rc := http.NewResponseController(x.w)
	_ = rc.SetReadDeadline(time.Now().Add(x.p.options.bodyTime))
	if _, err := io.ReadFull(x.r.Body, g.text); err != nil {
		g.drop()
		x.unread(err)
		return false
	}
	// The end must be seen too: net/http then begins to watch for the client's
	// leaving, without a deadline.
	_, _ = x.r.Body.Read(make([]byte, 1))
	x.small = g
	return true
}

// unread answers a request whose body did not come.
func (x *exchange) unread(err error) {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		x.last()
		x.answer(problem.Problem{Status: http.StatusRequestTimeout, Error: problem.RequestError, Reason: "body-timeout",
			Detail: "The request's body did not come in time."})
		return
	}
	x.leave()
}

// body returns the body from its beginning.
func (g *gathered) body() (io.ReadCloser, error) {
	b := &smallBody{text: g.text}
	b.Reset(g.text)
	return b, nil
}

// smallBody reads a body that is in memory.
type smallBody struct {
	bytes.Reader
	text []byte
}

// Whole implements upstream.Whole.
func (b *smallBody) Whole() []byte { return b.text }

// Close implements io.Closer.
func (b *smallBody) Close() error { return nil }

// drop forgets the body, if there is one, once nobody reads it any more.
func (g *gathered) drop() {
	if g != nil {
		g.used.Add(-int64(cap(g.text)))
	}
}
