package seakeephttp

import (
	"bufio"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// capture is the http.ResponseWriter of a keyed write. It holds the answer back
// until it is stored, so that whoever has seen one gets the same again. Flush,
// Hijack and an answer that is too large to be kept let it through at once.
//
// A client that has left does not end the write: as long as the answer may
// still be stored, errors of its connection stay here.
type capture struct {
	w      http.ResponseWriter
	method string
	limit  int64

	header http.Header // what the handler sets
	before http.Header // what was set outside before it began
	sent   http.Header // header as it was at WriteHeader

	status   int
	body     []byte
	length   int64 // of the body, as far as the handler has written it
	dropped  bool  // too large: body is gone
	through  bool  // everything so far went to the client
	hijacked bool
}

func newCapture(w http.ResponseWriter, method string, limit int64) *capture {
	return &capture{w: w, method: method, limit: limit,
		header: w.Header().Clone(), before: w.Header().Clone()}
}

// Header implements http.ResponseWriter.
func (c *capture) Header() http.Header {
	if c.header == nil {
		c.header = make(http.Header)
	}
	return c.header
}

// WriteHeader implements http.ResponseWriter. Interim answers pass.
func (c *capture) WriteHeader(status int) {
	switch {
	case c.status != 0 || c.hijacked:
		return
	case status >= 100 && status <= 199 && status != http.StatusSwitchingProtocols,
		status < 100 || status > 999: // for the server to panic about
		c.setHeader(c.header)
		c.w.WriteHeader(status)
		return
	}
	c.status, c.sent = status, c.header.Clone()
	if status == http.StatusSwitchingProtocols {
		c.pass()
	}
}

// setHeader makes the client's header the given one.
func (c *capture) setHeader(h http.Header) {
	to := c.w.Header()
	clear(to)
	maps.Copy(to, h)
}

// Write implements io.Writer.
func (c *capture) Write(p []byte) (int, error) {
	if c.hijacked {
		return 0, http.ErrHijacked
	}
	if c.status == 0 {
		c.WriteHeader(http.StatusOK)
	}
	if !hasBody(c.status) {
		return 0, http.ErrBodyNotAllowed
	}
	c.length += int64(len(p))
	if c.method == http.MethodHead {
		return len(p), nil
	}
	if stated, ok := c.stated(); ok && c.length > stated {
		return 0, http.ErrContentLength
	}
	if !c.dropped && c.length <= c.limit {
		c.body = append(c.body, p...)
		if c.through {
			_, _ = c.w.Write(p)
		}
		return len(p), nil
	}
	c.pass()
	c.dropped, c.body = true, nil
	return c.w.Write(p)
}

// pass lets through what was held back.
func (c *capture) pass() {
	if c.through {
		return
	}
	c.through = true
	c.setHeader(c.sent)
	c.w.WriteHeader(c.status)
	if len(c.body) > 0 {
		_, _ = c.w.Write(c.body)
	}
}

// Flush implements http.Flusher.
func (c *capture) Flush() { _ = c.FlushError() }

// FlushError lets everything so far through, for http.ResponseController. That
// the client has left is not the handler's concern.
func (c *capture) FlushError() error {
	if c.hijacked {
		return http.ErrHijacked
	}
	if c.status == 0 {
		c.WriteHeader(http.StatusOK)
	}
	c.pass()
	err := http.NewResponseController(c.w).Flush()
	if !c.dropped {
		return nil
	}
	return err
}

// Hijack implements http.Hijacker. What happens on the connection is not kept.
func (c *capture) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(c.w).Hijack()
	if err == nil {
		c.hijacked = true
	}
	return conn, rw, err
}

// Unwrap lets http.ResponseController find the deadlines.
func (c *capture) Unwrap() http.ResponseWriter { return c.w }

// end is called when the handler has ended.
func (c *capture) end() {
	if c.status == 0 && !c.hijacked {
		c.WriteHeader(http.StatusOK)
	}
}

// finish lets the rest through.
func (c *capture) finish() {
	if c.hijacked {
		return
	}
	trailer := c.trailer()
	if !c.through {
		prefixed(c.sent, trailer)
		if len(trailer) == 0 {
			setLength(c.sent, c.method, c.status, len(c.body))
		}
	}
	c.pass()
	maps.Copy(c.w.Header(), trailer)
}

// setLength states the body's length, which the server would find out only for
// a short one.
func setLength(h http.Header, method string, status, length int) {
	if method != http.MethodHead && hasBody(status) && h.Get("Content-Length") == "" &&
		h.Get("Transfer-Encoding") == "" && h.Get("Trailer") == "" {
		h.Set("Content-Length", strconv.Itoa(length))
	}
}

// trailer returns the fields that follow the body: those that were announced,
// and those with the server's prefix for others.
func (c *capture) trailer() http.Header {
	trailer := http.Header{}
	for _, line := range c.sent["Trailer"] {
		for name := range strings.SplitSeq(line, ",") {
			name = http.CanonicalHeaderKey(strings.TrimSpace(name))
			if values, ok := c.header[name]; ok {
				trailer[name] = values
			}
		}
	}
	for name, values := range c.header {
		if strings.HasPrefix(name, http.TrailerPrefix) {
			trailer[name] = values
		}
	}
	return trailer
}

// prefixed puts those fields of the trailer that were not announced into the
// header, where the server looks whether there will be any. It does not send
// them there.
func prefixed(h, trailer http.Header) {
	for name, values := range trailer {
		if strings.HasPrefix(name, http.TrailerPrefix) {
			h[name] = values
		}
	}
}

// stated returns the length that the handler has announced.
func (c *capture) stated() (int64, bool) {
	length, err := strconv.ParseInt(c.sent.Get("Content-Length"), 10, 64)
	return length, err == nil && length >= 0
}

// cut reports whether the body is shorter than was announced.
func (c *capture) cut() bool {
	stated, ok := c.stated()
	return ok && !c.hijacked && c.method != http.MethodHead && hasBody(c.status) && c.length < stated
}

// lost reports whether the answer is one that cannot be given again.
func (c *capture) lost() bool {
	return c.hijacked || c.dropped || c.status == http.StatusSwitchingProtocols
}

// answer returns what repetitions get. Fields that were set outside are set
// there again, and those that belong to one connection or moment are left out.
func (c *capture) answer() *KeyedAnswer {
	a := &KeyedAnswer{Status: c.status, Header: c.sent.Clone(), Trailer: c.trailer(), Body: c.body}
	for _, line := range a.Header["Connection"] {
		for name := range strings.SplitSeq(line, ",") {
			a.Header.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range momentary {
		a.Header.Del(name)
	}
	if c.method != http.MethodHead {
		a.Header.Del("Content-Length")
	}
	for name, values := range c.before {
		if slices.Equal(a.Header[name], values) {
			delete(a.Header, name)
		}
	}
	for name := range a.Header {
		if strings.HasPrefix(name, http.TrailerPrefix) {
			delete(a.Header, name)
		}
	}
	return a
}

// momentary are fields that belong to a connection, or to the first answer
// only.
var momentary = []string{"Connection", "Proxy-Connection", "Keep-Alive", "Te",
	"Transfer-Encoding", "Upgrade", "Date"}

// hasBody reports whether answers with this status have one.
func hasBody(status int) bool {
	return status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
}
