package wire

import (
	"net/http"
	"strings"
)

// preface is what a client of HTTP/2 begins with (RFC 9113, section 3.4).
const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// fieldCost is what a field of HTTP/2 counts beside its name and its value (RFC
// 9113, section 6.5.2).
const fieldCost = 32

// prefaced looks for the preface of HTTP/2 in the first bytes of a connection.
// begun says that they may be it, and whole that they are.
func prefaced(b []byte) (begun, whole bool) {
	n := min(len(b), len(preface))
	begun = string(b[:n]) == preface[:n]
	return begun, begun && n == len(preface)
}

// judge2 judges a request of HTTP/2. Its framing is not in doubt, and net/http
// lets no field pass that is a matter of one hop. But it takes any text for a
// method, a target or a host, and whoever is behind may speak HTTP/1.1, where
// such a text is a second request.
func judge2(r *http.Request, maxHead int) *Refusal {
	h := r.Header
	if size2(r) > maxHead {
		return headTooLarge
	}
	switch {
	case !allToken([]byte(r.Method)):
		return badMethod
	case r.Method != http.MethodConnect && r.RequestURI != "" &&
		(!allTarget([]byte(r.RequestURI)) || !goodTarget([]byte(r.Method), []byte(r.RequestURI))):
		return badTarget
	case !allHost([]byte(r.Host)):
		return badHostName
	}
	if hosts := h["Host"]; hosts != nil {
		if len(hosts) > 1 || !strings.EqualFold(hosts[0], r.Host) {
			return badHost
		}
		delete(h, "Host") // as in HTTP/1.1
	}
	for _, value := range h["Expect"] {
		if value != "" && !is([]byte(value), "100-continue") {
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

// size2 is the size of a request's head, as HTTP/2 counts it.
func size2(r *http.Request) int {
	n := len(":method:scheme:path:authority") + len(r.Method) + len("https") + len(r.RequestURI) +
		len(r.Host) + 4*fieldCost
	for name, values := range r.Header {
		for _, value := range values {
			n += len(name) + len(value) + fieldCost
		}
	}
	return n
}
