package h2

import (
	"context"
	"net/http"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"

	"github.com/seakeep/seakeep/cmd/seakeep/wire"
	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/http2/hpack"
)

// line is what is in the first fields of a request.
type line struct {
	method, scheme, path, authority string
	named                           bool // there is an authority, which may be empty
}

// request makes what handlers know of a head. Without a request the head is
// malformed; a status then says how it is answered, and 0 that it is not.
func (c *conn) request(st *stream) (r *http.Request, status int) {
	var l line
	n := 0
	for ; n < len(c.fields) && c.fields[n].IsPseudo(); n++ {
		if !l.take(c.fields[n]) {
			return nil, 0
		}
	}
	fields := c.fields[n:]
	h := make(http.Header, len(fields)+2) // and some that handlers add
	values := make([]string, len(fields))
	for _, f := range fields {
		if ofHop(f.Name) || f.Name == "te" && f.Value != "trailers" {
			return nil, http.StatusBadRequest
		}
		name, value := wire.FieldName(f.Name), textproto.TrimString(f.Value)
		if old, ok := h[name]; ok {
			h[name] = append(old, value)
			continue
		}
		one := values[:1:1]
		values = values[1:]
		one[0] = value
		h[name] = one
	}
	if l.authority == "" {
		l.authority = h.Get("Host")
	}
	u := l.url()
	if u == nil || strings.IndexByte(l.authority, '@') >= 0 {
		return nil, 0
	}
	if cookies := h["Cookie"]; len(cookies) > 1 { // they may come in pieces
		h["Cookie"] = []string{strings.Join(cookies, "; ")}
	}
	r = &http.Request{Method: l.method, URL: u, Proto: "HTTP/2.0", ProtoMajor: 2, Header: h,
		Host: l.authority, RequestURI: l.path, RemoteAddr: c.remote, Body: http.NoBody}
	if l.method == http.MethodConnect {
		r.RequestURI = l.authority
	}
	if !st.sized(r) {
		return nil, 0
	}
	trailer := announcedTrailer(h)
	if !c.block.end {
		st.reads.st = st
		st.expects = httpguts.HeaderValuesContainsToken(h["Expect"], "100-continue")
		r.Body = &st.reads
		r.Trailer = trailer
	}
	ctx, cancel := context.WithCancel(c.ctx)
	st.cancel = cancel
	return r.WithContext(ctx), 0
}

// take takes a field of the request line, each of which there is once.
func (l *line) take(f hpack.HeaderField) bool {
	to := &l.method
	switch f.Name {
	case ":method":
	case ":scheme":
		to = &l.scheme
	case ":path":
		to = &l.path
	case ":authority":
		if l.named {
			return false
		}
		to, l.named = &l.authority, true
	default:
		return false
	}
	if *to != "" || f.Value == "" && to != &l.authority {
		return false
	}
	*to = f.Value
	return true
}

// url is what the request is for, or nil if that is not to be understood.
func (l *line) url() *url.URL {
	switch {
	case l.method == http.MethodConnect:
		if l.path != "" || l.scheme != "" || l.authority == "" {
			return nil
		}
		return &url.URL{Host: l.authority}
	case l.method == "" || l.path == "" || l.scheme != "http" && l.scheme != "https":
		return nil
	case l.path[0] == '/' && !strings.HasPrefix(l.path, "//") && wire.IsPlainPath(l.path):
		path, query, asked := strings.Cut(l.path, "?")
		return &url.URL{Path: path, RawQuery: query, ForceQuery: asked && query == ""}
	}
	u, err := url.ParseRequestURI(l.path)
	if err != nil {
		return nil
	}
	return u
}

// ofHop reports whether a field is a matter of one connection of HTTP/1.1.
func ofHop(name string) bool {
	switch name {
	case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade":
		return true
	}
	return false
}

// sized reads how long the body is. What package wire's handler refuses has no
// length here.
func (st *stream) sized(r *http.Request) bool {
	if !st.remoteEnded {
		r.ContentLength = -1
	}
	said := r.Header["Content-Length"]
	if len(said) == 0 {
		return true
	}
	for _, again := range said[1:] {
		if again != said[0] {
			return true
		}
	}
	n, err := strconv.ParseUint(said[0], 10, 63)
	if err != nil {
		return true
	}
	if st.remoteEnded {
		return n == 0
	}
	st.length, r.ContentLength = int64(n), int64(n)
	return true
}

// announcedTrailer is the trailer with the names that the head lists.
func announcedTrailer(h http.Header) (t http.Header) {
	for _, list := range h["Trailer"] {
		for name := range strings.SplitSeq(list, ",") {
			name = http.CanonicalHeaderKey(textproto.TrimString(name))
			if name == "" || !httpguts.ValidTrailerHeader(name) {
				continue
			}
			if t == nil {
				t = http.Header{}
			}
			t[name] = nil
		}
	}
	delete(h, "Trailer")
	return t
}
