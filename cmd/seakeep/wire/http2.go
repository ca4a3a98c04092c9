package wire

import (
	"net/http"
	"strings"
)

// preface is what a client of HTTP/2 begins with (RFC 9113, section 3.4).
const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// prefaced looks for the preface of HTTP/2 in the first bytes of a connection.
// begun says that they may be it, and whole that they are.
func prefaced(b []byte) (begun, whole bool) {
	n := min(len(b), len(preface))
	begun = string(b[:n]) == preface[:n]
	return begun, begun && n == len(preface)
}

// HTTP2 reports whether the connection has begun with the preface of HTTP/2. It is
// for whoever reads, once something was read.
func (c *Conn) HTTP2() bool {
	return c.scanner.known && c.scanner.state == inTunnel && !c.scanner.upgrade
}

// judge2 judges a request of HTTP/2. Its framing is not in doubt, and the server
// lets no field pass that is a matter of one hop, and no malformed code in a path.
// But it takes any text for a method, a target or a host, and whoever is behind
// may speak HTTP/1.1, where such a text is a second request. And it ends the
// connection where one field is too large.
func judge2(r *http.Request, maxHead int) *Refusal {
	h, uri := r.Header, r.RequestURI
	switch {
	case size2(r) > maxHead:
		return headTooLarge
	case !allToken(r.Method):
		return badMethod
	case r.Method == http.MethodConnect: // it is refused elsewhere, whatever it names
	case !allTarget(uri), len(uri) == 0, strings.IndexByte(uri, '#') >= 0,
		uri[0] != '/' && (uri != "*" || r.Method != http.MethodOptions):
		return badTarget
	}
	if !goodHost([]byte(r.Host)) {
		return badHostName
	}
	if hosts := h["Host"]; hosts != nil {
		if len(hosts) > 1 || !strings.EqualFold(hosts[0], r.Host) {
			return badHost
		}
		delete(h, "Host") // as in HTTP/1.1
	}
	for _, value := range h["Expect"] {
		if value != "" && !strings.EqualFold(value, "100-continue") {
			return badExpect
		}
	}
	var lengths head
	for _, value := range h["Content-Length"] {
		if r := lengths.contentLength([]byte(value)); r != nil {
			return r
		}
	}
	return nil
}

// fieldCost is what a field of HTTP/2 counts beside its name and its value (RFC
// 9113, section 6.5.2).
const fieldCost = 32

// size2 is the size of a request's head, as HTTP/2 counts it.
func size2(r *http.Request) int {
	n := len(":method"+":scheme"+"http"+":path"+":authority") + 4*fieldCost +
		len(r.Method) + len(r.RequestURI) + len(r.Host)
	for name, values := range r.Header {
		for _, value := range values {
			n += len(name) + len(value) + fieldCost
		}
	}
	return n
}
