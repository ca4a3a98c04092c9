package h1

import (
	"bytes"
	"context"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"

	"github.com/seakeep/seakeep/cmd/seakeep/wire"
)

// request is a head that was taken apart.
type request struct {
	size   int // of the head
	method string
	target string
	host   string
	header http.Header
	length int64
	close  bool // the client wants the connection to end with the answer
}

// methods are those that are served here. A strange one is for net/http.
var methods = map[string]string{
	http.MethodGet: http.MethodGet, http.MethodHead: http.MethodHead,
	http.MethodPost: http.MethodPost, http.MethodPut: http.MethodPut,
	http.MethodPatch: http.MethodPatch, http.MethodDelete: http.MethodDelete,
	http.MethodOptions: http.MethodOptions,
}

const version = " HTTP/1.1"

// parse takes a head apart. It reports false if the request is for the other
// server.
func (q *request) parse(head []byte) bool {
	end := bytes.IndexByte(head, '\n')
	line := head[:end-1] // package wire has seen the CR
	sp := bytes.IndexByte(line, ' ')
	if sp < 0 || len(line) < sp+1+len(version) || string(line[len(line)-len(version):]) != version {
		return false
	}
	method, ok := methods[string(line[:sp])]
	if !ok || line[sp+1] != '/' {
		return false
	}
	text := string(head[sp+1 : len(head)-2]) // all values are parts of it
	q.size, q.method = len(head), method
	q.target = text[:len(line)-len(version)-sp-1]
	return q.fields(text[end-sp:])
}

// usualFields is for how many fields room is made at once: a head of 64 KiB can
// have sixteen thousand lines, and perhaps all of one name.
const usualFields = 64

// fields reads the lines behind the first.
func (q *request) fields(text string) bool {
	n := min(strings.Count(text, "\n"), usualFields)
	q.header = make(http.Header, n)
	values := make([]string, n) // one allocation for all fields of one value
	for len(text) > 0 {
		i := strings.IndexByte(text, '\n')
		line := text[:i-1]
		text = text[i+1:]
		colon := strings.IndexByte(line, ':')
		name, value := wire.FieldName(line[:colon]), strings.Trim(line[colon+1:], " \t")
		switch name {
		case "Host":
			q.host = value
			continue
		case "Transfer-Encoding", "Expect", "Upgrade", "Trailer", "Pragma":
			return false
		case "Content-Length":
			if !q.sized(value) {
				return false
			}
		case "Connection":
			if !q.connection(value) {
				return false
			}
		}
		if old, ok := q.header[name]; ok {
			q.header[name] = append(old, value)
			continue
		}
		if len(values) == 0 {
			values = make([]string, n)
		}
		one := values[:1:1]
		values = values[1:]
		one[0] = value
		q.header[name] = one
	}
	if q.host == "" { // nobody leaves it empty who means it
		return false
	}
	return true
}

// sized reads a length, which package wire has found to be a number, and to be
// the same if it was said before.
func (q *request) sized(value string) bool {
	if q.header["Content-Length"] != nil {
		return false
	}
	for _, c := range []byte(value) {
		q.length = q.length*10 + int64(c-'0')
	}
	return true
}

// connection reads what the client wants to happen to the connection. What is
// for this hop only is for the handler to see to.
func (q *request) connection(value string) bool {
	if strings.EqualFold(value, "keep-alive") {
		return true
	}
	for token := range strings.SplitSeq(value, ",") {
		switch token = textproto.TrimString(token); {
		case strings.EqualFold(token, "close"):
			q.close = true
		case strings.EqualFold(token, "upgrade"):
			return false
		}
	}
	return true
}

// build makes what handlers know.
func (q *request) build(ctx context.Context, remote string) *http.Request {
	r := http.Request{Method: q.method, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: q.header, Host: q.host, RequestURI: q.target, RemoteAddr: remote,
		Body: http.NoBody, ContentLength: q.length, Close: q.close, URL: q.url()}
	return r.WithContext(ctx)
}

// url reads the target, in which package wire has found every percent sign to
// begin a code.
func (q *request) url() *url.URL {
	if strings.HasPrefix(q.target, "//") { // it is no host
		path, query, asked := strings.Cut(q.target, "?")
		u, err := url.ParseRequestURI("/" + strings.TrimLeft(path, "/"))
		if err != nil {
			return &url.URL{Path: path, RawQuery: query, ForceQuery: asked && query == ""}
		}
		lead := strings.Repeat("/", len(path)-len(strings.TrimLeft(path, "/"))-1)
		u.Path = lead + u.Path
		if u.RawPath != "" {
			u.RawPath = lead + u.RawPath
		}
		u.RawQuery, u.ForceQuery = query, asked && query == ""
		return u
	}
	if !wire.IsPlainPath(q.target) {
		if u, err := url.ParseRequestURI(q.target); err == nil {
			return u
		}
	}
	path, query, asked := strings.Cut(q.target, "?")
	return &url.URL{Path: path, RawQuery: query, ForceQuery: asked && query == ""}
}
