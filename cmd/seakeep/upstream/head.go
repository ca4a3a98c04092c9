package upstream

import (
	"bytes"
	"net/http"
	"net/textproto"
	"strings"

	"github.com/seakeep/seakeep/cmd/seakeep/wire"
)

// head is an answer's first line and fields.
type head struct {
	status  int
	line    string // the status and its reason
	old     bool   // HTTP/1.0
	fields  http.Header
	length  int64 // by Content-Length; -1: there is none
	chunked bool
}

// edge looks for the end of a head as its bytes come.
type edge struct{ line, seen int }

var beginning = []byte("HTTP/1.")

// find returns the length of the head at the beginning of b, or 0 if its end has
// not come. b begins with the same bytes each time.
func (e *edge) find(b []byte) (int, error) {
	if n := min(len(b), len(beginning)); !bytes.Equal(b[:n], beginning[:n]) {
		return 0, errNotHTTP // its end may never come
	}
	for {
		i := bytes.IndexByte(b[e.seen:], '\n')
		if i < 0 {
			e.seen = len(b)
			return 0, nil
		}
		end := e.seen + i
		if end == 0 || b[end-1] != '\r' {
			return 0, errLineEnd
		}
		blank := end-1 == e.line
		e.seen, e.line = end+1, end+1
		if blank {
			return end + 1, nil
		}
	}
}

// head reads one head from the connection.
func (x *exchange) head() (*head, error) {
	c, limit := x.c, x.c.host.of.settings.Load().MaxHead
	var e edge
	for {
		n, err := e.find(c.buffered())
		switch {
		case err != nil:
			return nil, err
		case n > limit || n == 0 && c.w-c.r > limit:
			return nil, headTooLarge(limit)
		case n > 0:
			x.answered = head{}
			err := x.answered.parse(c.buf[c.r : c.r+n])
			c.r += n
			return &x.answered, err
		}
		if err := c.fill(); err != nil {
			return nil, ended(err, x.received)
		}
		if !x.received {
			x.received = true
			if x.trace != nil && x.trace.GotFirstResponseByte != nil {
				x.trace.GotFirstResponseByte()
			}
		}
	}
}

// parse reads a whole head, whose lines end in CR LF. It keeps nothing of b.
func (h *head) parse(b []byte) error {
	text := string(b[:len(b)-len("\r\n\r\n")])
	line, rest, _ := strings.Cut(text, "\r\n")
	h.length = -1
	if err := h.first(line); err != nil {
		return err
	}
	lines := bytes.Count(b, newline) - 2
	h.fields = make(http.Header, lines)
	values := make([]string, 0, lines) // of all fields: most have one
	for rest != "" {
		line, rest, _ = strings.Cut(rest, "\r\n")
		name, value, ok := strings.Cut(line, ":")
		if !ok || !wire.IsToken(name) {
			return errField
		}
		if value = trim(value); !wire.IsValue(value) {
			return errField
		}
		name = textproto.CanonicalMIMEHeaderKey(name)
		if keep, err := h.frame(name, value); err != nil || !keep {
			if err != nil {
				return err
			}
			continue
		}
		if had := h.fields[name]; had != nil {
			h.fields[name] = append(had, value)
			continue
		}
		values = append(values, value)
		h.fields[name] = values[len(values)-1 : len(values) : len(values)]
	}
	switch {
	case h.chunked && h.old:
		return errOldCoding
	case h.chunked && h.length >= 0:
		return errTwoFrames
	}
	return nil
}

var newline = []byte("\n")

// first reads the first line.
func (h *head) first(line string) error {
	const version = len("HTTP/1.1 ")
	if len(line) < version+3 || line[version-1] != ' ' || line[:version-2] != "HTTP/1." {
		return errNotHTTP
	}
	switch line[version-2] {
	case '0':
		h.old = true
	case '1':
	default:
		return errNotHTTP
	}
	h.line = line[version:]
	for i := range 3 {
		d := h.line[i] - '0'
		if d > 9 {
			return errNotHTTP
		}
		h.status = 10*h.status + int(d)
	}
	if h.status < 100 || len(h.line) > 3 && h.line[3] != ' ' || !wire.IsValue(h.line) {
		return errNotHTTP
	}
	return nil
}

// frame takes note of what says where the answer ends. keep is whether the field
// is kept: the coding is a matter of this connection, and of equal lengths one
// is enough.
func (h *head) frame(name, value string) (keep bool, err error) {
	switch name {
	case "Content-Length":
		n, ok := wire.Decimal([]byte(value))
		switch {
		case !ok:
			return false, errLength
		case h.length >= 0 && value != h.fields[name][0]: // to the letter
			return false, errTwoLengths
		case h.length >= 0:
			return false, nil
		}
		h.length = int64(n)
	case "Transfer-Encoding":
		if h.chunked || !strings.EqualFold(value, "chunked") {
			return false, errCoding
		}
		h.chunked = true
		return false, nil
	}
	return true, nil
}

// trim takes the blanks around a value off.
func trim(s string) string {
	for len(s) > 0 && (s[0] == ' ' || s[0] == '\t') {
		s = s[1:]
	}
	for len(s) > 0 && (s[len(s)-1] == ' ' || s[len(s)-1] == '\t') {
		s = s[:len(s)-1]
	}
	return s
}
