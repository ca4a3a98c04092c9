package h1

import (
	"net/http"
	"strconv"
	"strings"
)

// finish sends what is left when the handler has ended. It reports whether the
// connection can be used again.
func (w *response) finish() bool {
	if !w.began {
		w.WriteHeader(http.StatusOK)
	}
	switch {
	case w.err != nil:
		return false
	case w.head && !w.framed:
		if w.written > 0 && w.written <= smallBody {
			w.out.b = append(w.out.b, "Content-Length: "...)
			w.out.b = append(strconv.AppendInt(w.out.b, w.written, 10), "\r\n"...)
		}
		w.chunk()
	case !w.framed && !w.trailers(): // all of it is here
		body := append([]byte(nil), w.out.b[w.body:]...)
		b := append(w.out.b[:w.body], "Content-Length: "...)
		b = append(strconv.AppendInt(b, w.written, 10), "\r\n\r\n"...)
		w.out.b = append(b, body...)
	case !w.framed:
		w.chunk()
	case w.length >= 0 && !w.head && w.written != w.length:
		_ = w.send(nil)
		w.c.reset() // the client must see that it is not whole
		return false
	}
	if w.chunked {
		w.out.b = append(w.out.b, "0\r\n"...)
		w.appendTrailer()
		w.out.b = append(w.out.b, "\r\n"...)
	}
	return w.send(nil) == nil && !w.closes
}

// trailers reports whether something is to be said behind the body.
func (w *response) trailers() bool {
	if len(w.header["Trailer"]) > 0 {
		return true
	}
	for name := range w.header {
		if strings.HasPrefix(name, http.TrailerPrefix) {
			return true
		}
	}
	return false
}

// appendTrailer writes the fields that were announced, and those that were not
// and are marked.
func (w *response) appendTrailer() {
	h := http.Header{}
	for name := range announced(w.header) {
		if values := w.header[name]; len(values) > 0 {
			h[name] = values
		}
	}
	for name, values := range w.header {
		if rest, ok := strings.CutPrefix(name, http.TrailerPrefix); ok {
			h[rest] = values
		}
	}
	w.out.b = w.appendFields(w.out.b, h)
}
