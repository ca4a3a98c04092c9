package upstream

import (
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
)

// maxInterim bounds the answers before the answer.
const maxInterim = 100

// maxInline is how large a body may be that is written with its head by who
// reads the answer: it fits into what a socket takes at once, so that nobody
// waits for a server which answers before it has read.
const maxInline = 16 << 10

// exchange is one request on one connection, and its answer: a single
// allocation, with the answer and its body.
type exchange struct {
	req     *http.Request
	ctx     context.Context
	trace   *httptrace.ClientTrace // nil: nobody wants to know
	payload io.ReadCloser          // the request's body
	c       *conn
	up      *upload // sends the body; nil: it was sent at once, or there is none

	wrote    bool // something of the request may have left
	refused  bool // not all of it could be written
	received bool // something of an answer was read
	last     bool // the connection ends with the exchange

	answered head // the latest
	resp     http.Response
	body     body
}

// Whole is a request's body that is in memory. Whoever sends it may take its
// bytes from here instead of reading it, and must not change them.
type Whole interface{ Whole() []byte }

// run sends the request and reads the head of its answer.
func (x *exchange) run() (*http.Response, error) {
	if err := x.send(); err != nil {
		// A server that refuses a request may answer before it closes.
		if !x.wrote {
			return nil, ended(err, false)
		}
		x.refused = true
		x.c.lastWords()
		resp, readErr := x.answer()
		if readErr != nil {
			return nil, ended(err, x.received)
		}
		return resp, nil
	}
	return x.answer()
}

// send writes the request, or has the rest of it written.
func (x *exchange) send() error {
	size, body := x.measure()
	inline, whole := inMemory(body, size)
	f := framing{size: size, trailer: size < 0 && len(x.req.Trailer) > 0}
	buf := heads.Get().(*[]byte)
	b := appendHead((*buf)[:0], x.req, f)
	if whole {
		b = append(b, inline...)
	}
	n, err := x.c.Conn.Write(b)
	if x.wrote = n > 0; cap(b) <= maxKeptHead {
		*buf = b
		heads.Put(buf)
	}
	switch {
	case err != nil:
		return err
	case whole || size == 0:
		x.closePayload()
		x.told()
		return nil
	}
	x.up = &upload{x: x, body: body, framing: f, done: make(chan struct{})}
	go x.up.run()
	return nil
}

// told says that the request was written, to who wants to know.
func (x *exchange) told() {
	if x.trace == nil {
		return
	}
	if x.trace.WroteHeaders != nil {
		x.trace.WroteHeaders()
	}
	if x.trace.WroteRequest != nil {
		x.trace.WroteRequest(httptrace.WroteRequestInfo{})
	}
}

// measure returns the length of the request's body, or -1.
func (x *exchange) measure() (size int64, body io.Reader) {
	switch {
	case x.payload == nil || x.payload == http.NoBody:
		return 0, nil
	case x.req.ContentLength > 0:
		return x.req.ContentLength, x.payload
	}
	return -1, x.payload
}

// inMemory returns a body that is small and in memory.
func inMemory(body io.Reader, size int64) (text []byte, ok bool) {
	if w, is := body.(Whole); is && size <= maxInline {
		text = w.Whole()
		return text, int64(len(text)) == size
	}
	return nil, false
}

// answer reads the head of the answer, past those before it.
func (x *exchange) answer() (*http.Response, error) {
	for interim := 0; ; interim++ {
		h, err := x.head()
		if err != nil {
			return nil, err
		}
		if h.status >= 200 || h.status == http.StatusSwitchingProtocols {
			return x.begin(h)
		}
		if interim == maxInterim {
			return nil, errManyInterm
		}
		if err := x.pass(h); err != nil {
			return nil, err
		}
	}
}

// pass passes an answer before the answer on.
func (x *exchange) pass(h *head) error {
	if x.trace == nil {
		return nil
	}
	if h.status == http.StatusContinue && x.trace.Got100Continue != nil {
		x.trace.Got100Continue()
	}
	if x.trace.Got1xxResponse != nil {
		return x.trace.Got1xxResponse(h.status, textproto.MIMEHeader(h.fields))
	}
	return nil
}
