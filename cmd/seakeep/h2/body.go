package h2

import (
	"io"
	"net/http"
	"os"
	"sync"

	"golang.org/x/net/http2/hpack"
)

// body is a request's body as its handler reads it.
type body struct {
	st *stream
	mu sync.Mutex // held by who reads
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	st := b.st
	c := st.c
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		switch {
		case st.handled:
			return 0, http.ErrBodyReadAfterClose
		case st.gone != nil:
			return 0, st.gone
		case over(st.readUntil):
			return 0, os.ErrDeadlineExceeded
		case st.from < len(st.body):
			n := copy(p, st.body[st.from:])
			if st.from += n; st.from == len(st.body) {
				st.body, st.from = st.body[:0], 0
			}
			st.giveBack(int64(n))
			return n, nil
		case st.remoteEnded:
			st.passTrailer()
			return 0, io.EOF
		case len(p) == 0:
			return 0, nil
		}
		st.askOn()
		st.readable.wait(&c.mu, st.readUntil)
	}
}

// passTrailer gives the handler what was announced and has come. mu is held.
func (st *stream) passTrailer() {
	for name, values := range st.trailer {
		if _, announced := st.r.Trailer[name]; announced {
			st.r.Trailer[name] = values
		}
	}
	st.trailer = nil
}

// askOn asks a client to go on that waits for that. mu is held.
func (st *stream) askOn() {
	if st.expects {
		st.expects = false
		st.c.writeFields(st.id, []hpack.HeaderField{{Name: ":status", Value: "100"}}, false)
		st.c.pump()
	}
}

// Close implements io.Closer. What is left is dropped when the handler has ended.
func (b *body) Close() error { return nil }
