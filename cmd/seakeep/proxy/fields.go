package proxy

import (
	"net"
	"net/http"
	"net/textproto"
	"strings"

	"github.com/seakeep/seakeep/cmd/seakeep/wire"
	"github.com/seakeep/seakeep/internal/problem"
)

// hopFields are meant for the next hop only, beside those that Connection
// names (RFC 9110, section 7.6.1).
var hopFields = [...]string{"Connection", "Proxy-Connection", "Keep-Alive", "Te",
	"Transfer-Encoding", "Upgrade", "Proxy-Authenticate", "Proxy-Authorization"}

// stripHop takes out what is meant for this hop. It comes before the proxy sets
// anything, so that nobody can take the proxy's own fields out by naming them.
func stripHop(h http.Header) {
	for _, value := range h["Connection"] {
		for name := range strings.SplitSeq(value, ",") {
			if name = textproto.TrimString(name); name != "" {
				h.Del(name)
			}
		}
	}
	for _, name := range hopFields {
		delete(h, name)
	}
}

// hasToken reports whether a list field holds a word.
func hasToken(values []string, word string) bool {
	for _, value := range values {
		for token := range strings.SplitSeq(value, ",") {
			if strings.EqualFold(textproto.TrimString(token), word) {
				return true
			}
		}
	}
	return false
}

// upgradeOf returns the protocol that a message switches to, or "". What names
// no Connection does not mean it.
func upgradeOf(h http.Header) string {
	if !hasToken(h["Connection"], "upgrade") {
		return ""
	}
	return wire.Upgrade(h)
}

// fieldValues are the values of fields that nearly every request gets here: one
// allocation, with their exchange.
type fieldValues struct{ via, client, scheme, host, back [1]string }

// one returns a value as a field has it. Whoever appends to it gets a copy.
func (fieldValues) one(room *[1]string, value string) []string {
	room[0] = value
	return room[:]
}

// forwardFields turns the fields of a request that came in into those of the
// one that goes out.
func (x *exchange) forwardFields() {
	h := x.r.Header
	trailers := hasToken(h["Te"], "trailers")
	stripHop(h)
	if trailers {
		h["Te"] = []string{"trailers"}
	}
	if x.upgrade != "" {
		h["Connection"], h["Upgrade"] = []string{"Upgrade"}, []string{x.upgrade}
	}
	if x.body == nil {
		delete(h, "Expect")
	}
	if h["User-Agent"] == nil {
		h["User-Agent"] = nil // or net/http would name itself
	}
	v := &x.fields
	if via := x.via(); h["Via"] == nil {
		h["Via"] = v.one(&v.via, via)
	} else {
		h["Via"] = append(h["Via"], via)
	}
	if host, _, err := net.SplitHostPort(x.r.RemoteAddr); err == nil {
		if before := h["X-Forwarded-For"]; len(before) > 0 {
			host = strings.Join(before, ", ") + ", " + host
		}
		h["X-Forwarded-For"] = v.one(&v.client, host)
	}
	if h["X-Forwarded-Proto"] == nil {
		h["X-Forwarded-Proto"] = v.one(&v.scheme, x.scheme())
	}
	if h["X-Forwarded-Host"] == nil && x.r.Host != "" {
		h["X-Forwarded-Host"] = v.one(&v.host, x.r.Host)
	}
}

// scheme is how the client has come to us.
func (x *exchange) scheme() string {
	if x.r.TLS != nil {
		return "https"
	}
	return "http"
}

// via is this hop. The comment tells this proxy, on its way to this dependency,
// from every other one: many proxies in a row may be called seakeep, but whoever
// passes the same one twice goes round in circles.
func (x *exchange) via() string {
	switch {
	case x.r.ProtoMajor == 2:
		return x.route.via[2]
	case x.r.ProtoMinor == 0:
		return x.route.via[0]
	}
	return x.route.via[1]
}

// viaBack is this hop for an answer: the version is that in which it came.
func viaBack(resp *http.Response) string {
	if resp.ProtoMajor == 2 {
		return "2 " + problem.Pseudonym
	}
	return "1.1 " + problem.Pseudonym
}

// loops reports whether the request has been here before.
func (x *exchange) loops() bool {
	for _, value := range x.r.Header["Via"] {
		if strings.Contains(value, x.route.mark) {
			return true
		}
	}
	return false
}

// passFields puts the fields of an answer into the one that goes out.
func passFields(to, from http.Header) {
	stripHop(from)
	for name, values := range from {
		to[name] = values
	}
	if to["Content-Type"] == nil {
		to["Content-Type"] = nil // or net/http would guess
	}
}
