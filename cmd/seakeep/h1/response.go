package h1

import (
	"io"
	"maps"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// response writes an answer. Its bytes are gathered until they are many, or the
// handler wants them sent, or has ended.
type response struct {
	c      *conn
	header http.Header
	out    *buffer

	began    bool // the final head is in out, save how its body ends
	framed   bool // ... and that too
	head     bool // the request was HEAD
	bodyless bool // its status allows none
	chunked  bool
	closes   bool  // the connection ends with the answer
	timed    bool  // the handler says how long writing may take
	length   int64 // of the body, as the handler has said; -1: not said
	written  int64
	body     int // where the body begins in out, while it is not framed
	err      error
}

const (
	// outSize holds a head and a small body.
	outSize = 4 << 10
	// smallBody is how much of a body of unknown length is gathered, in the hope
	// of its end. net/http has the same.
	smallBody = 2 << 10
)

type buffer struct{ b []byte }

var buffers = sync.Pool{New: func() any { return &buffer{make([]byte, 0, outSize)} }}

func newResponse(c *conn, r *http.Request, q *request) *response {
	return &response{c: c, header: make(http.Header, 8), out: buffers.Get().(*buffer),
		head: r.Method == http.MethodHead, closes: q.close, length: -1}
}

// free gives the buffer back.
func (w *response) free() {
	if w.out != nil && cap(w.out.b) <= 4*outSize {
		w.out.b = w.out.b[:0]
		buffers.Put(w.out)
	}
	w.out = nil
}

// Header implements http.ResponseWriter.
func (w *response) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *response) WriteHeader(status int) {
	switch {
	case status < 100 || status > 999:
		panic("h1: there is no status " + strconv.Itoa(status))
	case w.began:
		w.c.s.logf("h1: a second WriteHeader was left out")
		return
	case status < 200 && status != http.StatusSwitchingProtocols:
		w.interim(status)
		return
	}
	w.began = true
	w.bodyless = status == http.StatusNoContent || status == http.StatusNotModified
	b := appendStatus(w.out.b, status)
	if said := w.header["Content-Length"]; len(said) > 0 {
		if n, err := strconv.ParseInt(said[0], 10, 64); err == nil && n >= 0 && len(said) == 1 {
			w.length = n
		} else {
			delete(w.header, "Content-Length")
		}
	}
	if w.bodyless { // as net/http has it
		w.length = -1
		delete(w.header, "Content-Length")
		if status == http.StatusNotModified {
			delete(w.header, "Content-Type")
		}
	}
	for _, value := range w.header["Connection"] {
		if value == "close" || hasToken(value, "close") {
			w.closes = true
		}
	}
	if w.c.s.ended.Load() {
		w.closes = true
	}
	if w.closes && w.header["Connection"] == nil {
		b = append(b, "Connection: close\r\n"...)
	}
	b = w.appendFields(b, w.headOnly())
	if w.header["Date"] == nil {
		b = w.c.date.append(b)
	}
	w.out.b = b
	switch {
	case w.length >= 0 || w.bodyless:
		w.out.b = append(w.out.b, "\r\n"...)
		w.framed = true
	default: // how long it is may turn out
		w.body = len(w.out.b)
		if w.header.Get("Transfer-Encoding") == "chunked" && !w.head { // it need not
			w.chunk()
		}
	}
}

// interim sends an answer before the answer. It has no body, and must not have a
// length either (RFC 9110, section 8.6).
func (w *response) interim(status int) {
	h := w.header
	if h["Content-Length"] != nil {
		h = maps.Clone(h)
		delete(h, "Content-Length")
	}
	b := appendStatus(w.out.b, status)
	w.out.b = append(w.appendFields(b, h), "\r\n"...)
	_ = w.send(nil) // the error is kept
}

// Write implements http.ResponseWriter.
func (w *response) Write(p []byte) (int, error) {
	if !w.began {
		w.WriteHeader(http.StatusOK)
	}
	switch {
	case w.err != nil:
		return 0, w.err
	case w.bodyless:
		return 0, http.ErrBodyNotAllowed
	}
	if w.written += int64(len(p)); w.length >= 0 && w.written > w.length {
		return 0, http.ErrContentLength
	}
	if w.head {
		return len(p), nil
	}
	if !w.framed {
		if w.written <= smallBody {
			w.out.b = append(w.out.b, p...)
			return len(p), nil
		}
		w.chunk()
	}
	return len(p), w.write(p)
}

// WriteString implements io.StringWriter.
func (w *response) WriteString(s string) (int, error) { return w.Write([]byte(s)) }

// write sends or gathers bytes of a body that is framed.
func (w *response) write(p []byte) error {
	if len(p) == 0 {
		return w.err
	}
	if w.chunked {
		w.out.b = append(strconv.AppendInt(w.out.b, int64(len(p)), 16), "\r\n"...)
	}
	if len(w.out.b)+len(p) <= outSize {
		w.out.b = append(w.out.b, p...)
	} else if w.send(p) != nil {
		return w.err
	}
	if w.chunked {
		w.out.b = append(w.out.b, "\r\n"...)
	}
	return nil
}

// chunk decides that the body has no length. What there is of it becomes its
// first chunk.
func (w *response) chunk() {
	w.framed, w.chunked = true, !w.head
	if w.head {
		w.out.b = append(w.out.b, "\r\n"...)
		return
	}
	first := w.out.b[w.body:]
	moved := append(make([]byte, 0, len(first)+smallBody), first...)
	w.out.b = append(w.out.b[:w.body], "Transfer-Encoding: chunked\r\n\r\n"...)
	if len(moved) > 0 {
		_ = w.write(moved) // the error is kept
	}
}

// send writes what was gathered, and more.
func (w *response) send(more []byte) error {
	if w.err != nil {
		return w.err
	}
	if !w.timed {
		_ = w.c.setWriteDeadline(time.Now().Add(lastWrite))
	}
	if len(w.out.b) > 0 {
		if _, w.err = w.c.nc.Write(w.out.b); w.err != nil {
			return w.err
		}
		w.out.b = w.out.b[:0]
	}
	if len(more) > 0 {
		_, w.err = w.c.nc.Write(more)
	}
	return w.err
}

// ReadFrom implements io.ReaderFrom, so that a body of known length can go from
// socket to socket.
func (w *response) ReadFrom(src io.Reader) (int64, error) {
	if !w.began {
		w.WriteHeader(http.StatusOK)
	}
	if w.bodyless || w.head || !w.framed || w.chunked || w.err != nil {
		return io.Copy(onlyWriter{w}, src)
	}
	if err := w.send(nil); err != nil {
		return 0, err
	}
	// The kernel moves what is at most one limit away from its socket.
	left := w.length - w.written
	limited, ok := src.(*io.LimitedReader)
	if !ok || limited.N > left {
		limited = &io.LimitedReader{R: src, N: left}
	}
	n, err := w.c.nc.ReadFrom(limited)
	if w.written += n; err != nil {
		w.err = err
	}
	return n, err
}

type onlyWriter struct{ io.Writer }

// FlushError sends what was written so far.
func (w *response) FlushError() error {
	if !w.began {
		w.WriteHeader(http.StatusOK)
	}
	if !w.framed {
		w.chunk()
	}
	return w.send(nil)
}

// Flush implements http.Flusher.
func (w *response) Flush() { _ = w.FlushError() }

// SetReadDeadline is for http.ResponseController.
func (w *response) SetReadDeadline(t time.Time) error { return w.c.nc.SetReadDeadline(t) }

// SetWriteDeadline is for http.ResponseController.
func (w *response) SetWriteDeadline(t time.Time) error {
	w.timed = true
	return w.c.setWriteDeadline(t)
}

// EnableFullDuplex is for http.ResponseController. An answer may begin before
// its request has ended, always.
func (w *response) EnableFullDuplex() error { return nil }
