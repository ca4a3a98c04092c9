package h2

import (
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// response writes an answer. Its bytes are gathered until they are many, or the
// handler wants them sent, or has ended.
type response struct {
	st     *stream
	header http.Header

	mu       sync.Mutex // for what follows; before the connection's
	draft    *draft     // what is not written yet; nil: the answer has ended
	began    bool       // its status is known
	written  bool       // ... and its head is written
	head     bool       // the request was HEAD
	bodyless bool       // its status allows none
	length   int64      // of the body, as the handler has said; -1: not said
	size     int64      // ... and as it is
	late     []string   // names that were announced for the trailer
	err      error
}

var errLate = errors.New("h2: the handler has ended")

// draft is an answer's fields and the bytes of its body that are not written yet.
type draft struct {
	fields []hpack.HeaderField
	names  []string
	b      []byte
}

var drafts = sync.Pool{New: func() any { return &draft{b: make([]byte, 0, outSize)} }}

func newResponse(st *stream) *response {
	return &response{st: st, header: make(http.Header, 8), draft: drafts.Get().(*draft),
		head: st.r.Method == http.MethodHead, length: -1}
}

// free gives the draft back.
func (w *response) free() {
	d := w.draft
	w.draft = nil
	clear(d.fields)
	d.fields, d.b = d.fields[:0], d.b[:0]
	drafts.Put(d)
}

// Header implements http.ResponseWriter.
func (w *response) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *response) WriteHeader(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begin(status)
}

func (w *response) begin(status int) {
	switch {
	case status < 100 || status > 999:
		panic("h2: there is no status " + strconv.Itoa(status))
	case w.draft == nil || status == http.StatusSwitchingProtocols:
		return // HTTP/2 has no other protocols to switch to
	case w.began:
		w.st.c.s.logf("h2: a second WriteHeader was left out")
		return
	case status < 200:
		w.interim(status)
		return
	}
	w.began = true
	w.bodyless = status == http.StatusNoContent || status == http.StatusNotModified
	if said := w.header["Content-Length"]; len(said) > 0 {
		n, err := strconv.ParseUint(said[0], 10, 63)
		if err == nil && len(said) == 1 {
			w.length = int64(n)
		} else {
			delete(w.header, "Content-Length")
		}
	}
	if w.bodyless {
		if w.length = -1; status == http.StatusNoContent {
			delete(w.header, "Content-Length")
		}
	}
	w.announce()
	if closes(w.header["Connection"]) {
		w.st.c.mu.Lock()
		w.st.c.leave()
		w.st.c.mu.Unlock()
	}
	w.draft.head(status, w.header, w.late)
	if w.header["Date"] == nil {
		w.draft.add("date", w.st.c.s.date.now())
	}
}

// interim writes an answer before the answer.
func (w *response) interim(status int) {
	d := w.draft
	d.head(status, w.header, nil)
	c := w.st.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.err = w.st.room(); w.err == nil {
		w.st.expects = w.st.expects && status != http.StatusContinue
		c.writeFields(w.st.id, d.fields, false)
		c.pump()
	}
	d.fields = d.fields[:0]
}

// Write implements http.ResponseWriter.
func (w *response) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.began {
		w.begin(http.StatusOK)
	}
	switch {
	case w.draft == nil:
		return 0, errLate
	case w.err != nil:
		return 0, w.err
	case w.bodyless:
		return 0, http.ErrBodyNotAllowed
	}
	if w.length >= 0 && w.size+int64(len(p)) > w.length {
		return 0, http.ErrContentLength
	}
	w.size += int64(len(p))
	switch d := w.draft; {
	case w.head:
	case len(d.b)+len(p) <= outSize:
		d.b = append(d.b, p...)
	default:
		if w.send(p); w.err != nil {
			return 0, w.err
		}
	}
	return len(p), nil
}

// WriteString implements io.StringWriter.
func (w *response) WriteString(s string) (int, error) { return w.Write([]byte(s)) }

// Flush implements http.Flusher.
func (w *response) Flush() { _ = w.FlushError() }

// FlushError is for http.ResponseController.
func (w *response) FlushError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.began {
		w.begin(http.StatusOK)
	}
	if w.draft != nil {
		w.send(nil)
	}
	return w.err
}

// send writes what was gathered, and then p.
func (w *response) send(p []byte) {
	if w.err != nil {
		return
	}
	st := w.st
	c := st.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.err = w.writeHead(false); w.err == nil {
		w.err = st.write(w.draft.b, false)
	}
	if w.draft.b = w.draft.b[:0]; w.err == nil {
		w.err = st.write(p, false)
	}
	c.pump()
}

// writeHead writes the head, if it is not written yet. c.mu is held.
func (w *response) writeHead(end bool) error {
	if w.written {
		return w.st.gone
	}
	if err := w.st.room(); err != nil {
		return err
	}
	w.written, w.st.expects = true, false
	w.st.c.writeFields(w.st.id, w.draft.fields, end)
	return nil
}

// finish writes what is left when the handler has ended, and whole says if that
// was as it should.
func (w *response) finish(whole bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.free()
	if whole && !w.began {
		w.begin(http.StatusOK)
	}
	var trailer []hpack.HeaderField
	if whole {
		trailer = w.trailer()
		if d := w.draft; !w.written && w.length < 0 && !w.bodyless && trailer == nil &&
			(w.size > 0 || !w.head) {
			d.add("content-length", strconv.FormatInt(w.size, 10))
		}
	}
	st := w.st
	c := st.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if whole = whole && w.err == nil && (w.length < 0 || w.head || w.size == w.length); whole {
		whole = w.end(trailer) == nil
	}
	switch {
	case st.gone != nil:
	case whole:
		c.endLocal(st)
	default: // the client must see that it is not
		c.reset(st, http2.ErrCodeInternal)
	}
}

// end writes the rest. c.mu is held.
func (w *response) end(trailer []hpack.HeaderField) error {
	st, b := w.st, w.draft.b
	bare := len(b) == 0 && trailer == nil
	ended := bare && !w.written
	if err := w.writeHead(ended); err != nil {
		return err
	}
	if !ended && (len(b) > 0 || bare) {
		if err := st.write(b, trailer == nil); err != nil || trailer == nil {
			return err
		}
	}
	if trailer != nil {
		if err := st.room(); err != nil {
			return err
		}
		st.c.writeFields(st.id, trailer, true)
	}
	return nil
}

// SetReadDeadline is for http.ResponseController.
func (w *response) SetReadDeadline(t time.Time) error {
	st := w.st
	st.c.mu.Lock()
	defer st.c.mu.Unlock()
	st.readUntil = t
	st.readable.wake()
	return nil
}

// SetWriteDeadline is for http.ResponseController.
func (w *response) SetWriteDeadline(t time.Time) error {
	st := w.st
	st.c.mu.Lock()
	defer st.c.mu.Unlock()
	st.writeUntil = t
	st.writable.wake()
	return nil
}

// EnableFullDuplex is for http.ResponseController. Nothing else is known here.
func (w *response) EnableFullDuplex() error { return nil }
