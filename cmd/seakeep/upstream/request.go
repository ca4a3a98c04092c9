package upstream

import (
	"maps"
	"net/http"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/seakeep/seakeep/cmd/seakeep/wire"
)

// heads are buffers for what is written.
var heads = sync.Pool{New: func() any { b := make([]byte, 0, bufferSize); return &b }}

// maxKeptHead is how large a buffer may have become that is kept.
const maxKeptHead = 64 << 10

// ours reports whether the request is one that is sent from here.
func (t *Transport) ours(req *http.Request) bool {
	u := req.URL
	if u == nil || u.Scheme != "http" || u.Host == "" || u.Opaque != "" || req.Header == nil ||
		len(req.TransferEncoding) > 0 || !plainMethod(req.Method) || !plainHost(hostOf(req)) ||
		!wire.IsHost(u.Host) || probes(req) ||
		u.RawQuery != "" && !wire.IsTarget(u.RawQuery) {
		return false
	}
	if _, ok := req.Header["Expect"]; ok {
		return false
	}
	if _, ok := req.Header["Upgrade"]; ok {
		return false
	}
	for name, values := range req.Header {
		if !wire.IsToken(name) {
			return false
		}
		for _, value := range values {
			if !wire.IsValue(value) {
				return false
			}
		}
	}
	if t.options.Proxy != nil {
		if by, err := t.options.Proxy(req); by != nil || err != nil {
			return false
		}
	}
	return true
}

// probes reports whether the request has a body of unknown length and is of a
// kind that seldom has one: net/http looks first whether it is empty.
func probes(req *http.Request) bool {
	return req.Body != nil && req.Body != http.NoBody && req.ContentLength <= 0 &&
		!usuallyHasBody(req.Method)
}

func plainMethod(m string) bool {
	return m == "" || m != http.MethodConnect && wire.IsToken(m)
}

// plainHost reports whether a host can be sent as it is.
func plainHost(host string) bool {
	return host != "" && wire.IsHost(host) && !strings.Contains(host, "%")
}

func hostOf(req *http.Request) string {
	if req.Host != "" {
		return req.Host
	}
	return req.URL.Host
}

// framing is how the request's body is delimited.
type framing struct {
	size    int64 // -1: in chunks; 0: there is none
	trailer bool
}

// appendHead appends the request's line and fields, and the empty line.
func appendHead(b []byte, req *http.Request, f framing) []byte {
	if req.Method == "" {
		b = append(b, http.MethodGet...)
	} else {
		b = append(b, req.Method...)
	}
	b = append(b, ' ')
	b = appendTarget(b, req)
	b = append(b, " HTTP/1.1\r\nHost: "...)
	b = append(b, hostOf(req)...)
	b = append(b, "\r\n"...)
	if values, said := req.Header["User-Agent"]; !said {
		b = append(b, "User-Agent: Go-http-client/1.1\r\n"...)
	} else if len(values) > 0 && values[0] != "" {
		b = appendField(b, "User-Agent", values[0])
	}
	switch {
	case f.size < 0:
		b = append(b, "Transfer-Encoding: chunked\r\n"...)
	case f.size > 0 || usuallyHasBody(req.Method):
		b = append(b, "Content-Length: "...)
		b = append(strconv.AppendInt(b, f.size, 10), "\r\n"...)
	}
	if f.trailer {
		b = appendTrailerNames(b, req.Trailer)
	}
	if req.Close && req.Header["Connection"] == nil {
		b = append(b, "Connection: close\r\n"...)
	}
	for name, values := range req.Header {
		switch name {
		case "Host", "User-Agent", "Content-Length", "Transfer-Encoding", "Trailer":
			continue
		}
		for _, value := range values {
			b = appendField(b, name, value)
		}
	}
	return append(b, "\r\n"...)
}

func appendField(b []byte, name, value string) []byte {
	b = append(b, name...)
	b = append(b, ": "...)
	b = append(b, textproto.TrimString(value)...)
	return append(b, "\r\n"...)
}

// appendTarget appends the path and the query.
func appendTarget(b []byte, req *http.Request) []byte {
	u := req.URL
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	b = append(b, path...)
	if u.ForceQuery || u.RawQuery != "" {
		b = append(b, '?')
		b = append(b, u.RawQuery...)
	}
	return b
}

// usuallyHasBody reports whether servers expect a length of such a request, even
// if that is nothing.
func usuallyHasBody(method string) bool {
	return method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch
}

func appendTrailerNames(b []byte, trailer http.Header) []byte {
	b = append(b, "Trailer: "...)
	for i, name := range slices.Sorted(maps.Keys(trailer)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, name...)
	}
	return append(b, "\r\n"...)
}

// closes reports whether the request says that the connection ends with it.
func closes(req *http.Request) bool {
	return req.Close || hasToken(req.Header["Connection"], "close")
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
