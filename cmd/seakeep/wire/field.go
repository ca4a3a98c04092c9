package wire

import (
	"bytes"
	"math"
	"net/http"
	"net/url"
)

// head is what is known of the request whose head is read.
type head struct {
	old     bool // HTTP/1.0
	chunked bool
	sized   bool // Content-Length was given
	upgrade bool // something else than HTTP may follow
	hosts   uint8
	length  uint64
	digits  int // of length, as it was written
}

// first reads the request line.
func (h *head) first(line []byte) *Refusal {
	method, rest, ok := bytes.Cut(line, space)
	if !ok || !allToken(method) {
		return badRequestLine
	}
	target, version, ok := bytes.Cut(rest, space)
	if !ok || len(target) == 0 || !allTarget(target) {
		return badRequestLine
	}
	switch string(version) {
	case "HTTP/1.1":
	case "HTTP/1.0":
		h.old = true
	default:
		if len(version) == 8 && bytes.HasPrefix(version, httpSlash) && version[6] == '.' {
			return badVersion
		}
		return badRequestLine
	}
	if !goodTarget(method, target) {
		return badTarget
	}
	return nil
}

// goodTarget reports whether a target has one of the forms of RFC 9112, section
// 3.2. net/url knows more, which would leave here as something that is none.
func goodTarget(method, target []byte) bool {
	if string(method) == http.MethodConnect { // it is refused elsewhere, if it can be read
		_, err := url.ParseRequestURI("http://" + string(target))
		return target[0] == '/' || err == nil
	}
	if bytes.IndexByte(target, '#') >= 0 { // some cut off what follows
		return false
	}
	if target[0] != '/' {
		if string(target) == "*" {
			return string(method) == http.MethodOptions
		}
		scheme, rest, ok := bytes.Cut(target, schemeEnd)
		if !ok || !is(scheme, "http") && !is(scheme, "https") || len(rest) == 0 ||
			rest[0] == '/' || rest[0] == '?' {
			return false
		}
		if u, err := url.ParseRequestURI(string(target)); err != nil || u.User != nil {
			return false
		}
	}
	path, _, _ := bytes.Cut(target, query)
	for {
		_, code, ok := bytes.Cut(path, percent)
		if !ok {
			return true
		}
		if len(code) < 2 || hexDigits[code[0]] == noDigit || hexDigits[code[1]] == noDigit {
			return false
		}
		path = code[2:]
	}
}

// goodHost reports whether a Host is one: nothing, or a name or an address and
// perhaps a port (RFC 9110, section 7.2). What a name is made of is left to those
// who look it up.
func goodHost(host []byte) bool {
	if !allHost(host) {
		return false
	}
	name, port := host, []byte(nil)
	if i := bytes.IndexByte(host, ']'); i >= 0 {
		if host[0] != '[' || i+1 < len(host) && host[i+1] != ':' {
			return false
		}
		name, port = host[1:i], host[min(i+2, len(host)):]
	} else if i := bytes.IndexByte(host, ':'); i >= 0 {
		name, port = host[:i], host[i+1:]
	}
	for _, c := range port {
		if c < '0' || c > '9' {
			return false
		}
	}
	return bytes.IndexByte(name, '[') < 0
}

var (
	schemeEnd = []byte("://")
	query     = []byte("?")
	percent   = []byte("%")
	space     = []byte(" ")
	httpSlash = []byte("HTTP/")
)

// field reads a field's line.
func (h *head) field(line []byte) *Refusal {
	name, value, r := splitField(line)
	if r != nil {
		return r
	}
	switch len(name) { // most names are told apart by their length alone
	case len("Host"):
		if is(name, "host") {
			h.hosts = min(h.hosts+1, 2)
			if !goodHost(value) {
				return badHostName
			}
		}
	case len("Expect"):
		if is(name, "expect") && len(value) > 0 && !is(value, "100-continue") {
			return badExpect
		}
	case len("Upgrade"):
		if is(name, "upgrade") && len(value) > 0 && !is(value, "h2c") && !h.old {
			h.upgrade = true
		}
		if is(name, "trailer") && namesFraming(value) {
			return badTrailer
		}
	case len("Content-Length"):
		if is(name, "content-length") {
			return h.contentLength(value)
		}
	case len("Transfer-Encoding"):
		if is(name, "transfer-encoding") {
			if h.chunked || !is(value, "chunked") {
				return badCoding
			}
			h.chunked = true
		}
	}
	return nil
}

// namesFraming reports whether a list has a field that says where a message
// ends, which a trailer comes too late for.
func namesFraming(list []byte) bool {
	for name := range bytes.SplitSeq(list, comma) {
		name = bytes.TrimSpace(name)
		if is(name, "content-length") || is(name, "transfer-encoding") || is(name, "trailer") {
			return true
		}
	}
	return false
}

var comma = []byte(",")

// contentLength reads a Content-Length. A second one must be the same to the
// letter, because parsers differ on leading zeros.
func (h *head) contentLength(value []byte) *Refusal {
	n, ok := decimal(value)
	switch {
	case !ok:
		return badLength
	case h.sized && (n != h.length || len(value) != h.digits):
		return twoLengths
	}
	h.sized, h.length, h.digits = true, n, len(value)
	return nil
}

// judge looks at the head as a whole.
func (h *head) judge() *Refusal {
	switch {
	case h.chunked && h.sized:
		return bothLengths
	case h.chunked && h.old: // HTTP/1.0 knows no codings
		return badCoding
	case h.hosts > 1 || h.hosts == 0 && !h.old:
		return badHost
	}
	return nil
}

// splitField takes a field's line apart. The value has no space around it.
func splitField(line []byte) (name, value []byte, r *Refusal) {
	if isBlank(line[0]) {
		return nil, nil, folded
	}
	name, value, ok := bytes.Cut(line, colon)
	if !ok || !allToken(name) {
		return nil, nil, badName
	}
	if !allValue(value) {
		return nil, nil, badValue
	}
	for len(value) > 0 && isBlank(value[0]) {
		value = value[1:]
	}
	for len(value) > 0 && isBlank(value[len(value)-1]) {
		value = value[:len(value)-1]
	}
	return name, value, nil
}

var colon = []byte(":")

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// is compares with a lower-case word, regardless of case.
func is(text []byte, word string) bool {
	if len(text) != len(word) {
		return false
	}
	for i, c := range text {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != word[i] {
			return false
		}
	}
	return true
}

// decimal reads a number that an int64 can hold.
func decimal(text []byte) (n uint64, ok bool) {
	for _, c := range text {
		if c < '0' || c > '9' || n > (math.MaxInt64-uint64(c-'0'))/10 {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	return n, len(text) > 0
}
