package proxy

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// hidden is the request that nobody has sent.
const hidden = "GET /hidden HTTP/1.1\r\nHost: h\r\n\r\n"

// smugglers are heads of HTTP/2 that might become more than one request in HTTP/1.1,
// or one with another end. What follows a name is its value; behind each comes a
// body that is a request itself.
var smugglers = map[string][]string{
	"nothing":                        {},
	"a length of nothing":            {"content-length", "0"},
	"a length that is too short":     {"content-length", "5"},
	"a length that is too long":      {"content-length", "500"},
	"a length twice":                 {"content-length", "5", "content-length", "5"},
	"two lengths":                    {"content-length", "5", "content-length", "34"},
	"a list of lengths":              {"content-length", "5, 5"},
	"a length with a sign":           {"content-length", "+5"},
	"a length in hexadecimal":        {"content-length", "0x5"},
	"a length and a coding":          {"content-length", "5", "transfer-encoding", "chunked"},
	"a coding":                       {"transfer-encoding", "chunked"},
	"a coding with a tab":            {"transfer-encoding", "\tchunked"},
	"another coding":                 {"transfer-encoding", "identity"},
	"a coding behind a line end":     {"x", "y\r\ntransfer-encoding: chunked"},
	"a coding in a name":             {"x: y\r\ntransfer-encoding", "chunked"},
	"a coding with a space":          {"transfer-encoding ", "chunked"},
	"a coding with an underscore":    {"transfer_encoding", "chunked"},
	"a coding in capitals":           {"Transfer-Encoding", "chunked"},
	"a name with a colon":            {"content-length:", "5"},
	"a request behind a line end":    {"x", "y\r\n\r\n" + hidden},
	"a request behind a line feed":   {"x", "y\n\n" + hidden},
	"a request behind a CR":          {"x", "y\r\r" + hidden},
	"a NUL":                          {"x", "y\x00"},
	"a name with a line feed":        {"x\n\n" + hidden + "y", "z"},
	"a trailer that is announced":    {"trailer", "transfer-encoding, content-length, host"},
	"connection that names a length": {"connection", "content-length"},
	"te":                             {"te", "trailers, chunked"},
	"an upgrade":                     {"upgrade", "h2c", "http2-settings", "AAMAAABkAAQCAAAAAAIAAAAA"},
	"an expectation":                 {"expect", "100-continue\r\n\r\n" + hidden},
	"another host":                   {"host", "other"},
	"two hosts":                      {"host", "h", "host", "h"},
	"method: a request":              {":method", "GET /a HTTP/1.1\r\nHost: h\r\n\r\nGET"},
	"method: a space":                {":method", "GET /a HTTP/1.1"},
	"path: a request":                {":path", "/a HTTP/1.1\r\nHost: h\r\n\r\nGET /hidden"},
	"path: a version":                {":path", "/hidden HTTP/1.1"},
	"path: a tab":                    {":path", "/a\tHTTP/1.1"},
	"path: an address":               {":path", "http://other/hidden"},
	"path: two slashes":              {":path", "//other/a"},
	"path: dots":                     {":path", "/a/../../b"},
	"path: a backslash":              {":path", "/\\other"},
	"path: escaped line ends":        {":path", "/a%0d%0ax:%20y"},
	"path: above 7 bits":             {":path", "/\xe9?\xe9"},
	"authority: a request":           {":authority", "h\r\n\r\n" + hidden},
	"authority: a space":             {":authority", "h /hidden"},
	"authority: a slash":             {":authority", "h/hidden"},
	"authority: a question mark":     {":authority", "h?x"},
	"authority: a user":              {":authority", "u:p@h"},
	"authority: none":                {":authority", ""},
	"scheme: a request":              {":scheme", "http://h/ HTTP/1.1\r\n\r\n" + hidden},
	"CONNECT to a request":           {":method", "CONNECT", ":authority", "h:1\r\n\r\n" + hidden},
	"CONNECT":                        {":method", "CONNECT", ":authority", "h:1"},
	"a websocket":                    {":method", "CONNECT", ":protocol", "websocket"},
}

// TestHTTP2SmugglesNothing: whatever a head says, what leaves for a server of
// HTTP/1.1 is one request with the body that came, or none.
func TestHTTP2SmugglesNothing(t *testing.T) {
	for name, fields := range smugglers {
		got := smuggle(t, fields)
		for _, g := range got {
			if strings.Contains(g.target, "hidden") || g.body != hidden && g.body != "" && g.body != "abc" {
				t.Errorf("%s: %+v", name, got)
			}
		}
		if n := len(got); n == 0 || n > 2 || got[n-1].target != "/last" {
			t.Errorf("%s: %+v", name, got)
		}
		if len(got) == 2 {
			t.Logf("%s: %+v", name, got[0])
		}
	}
}

// smuggled is a request as the dependency has it.
type smuggled struct{ method, target, host, length, body string }

// smuggle sends one head with its body, and a good request behind it, and returns
// what the dependency has got.
func smuggle(t *testing.T, fields []string) (got []smuggled) {
	t.Helper()
	var mu sync.Mutex
	b := scripted(t, func(c net.Conn, br *bufio.Reader) {
		for {
			r, err := http.ReadRequest(br)
			if err != nil {
				return
			}
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return
			}
			mu.Lock()
			got = append(got, smuggled{r.Method, r.RequestURI, r.Host, r.Header.Get("Content-Length"), string(body)})
			mu.Unlock()
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		}
	})
	u := start(t, policy(b.url(), "retry: {attempts: 1}"))
	defer u.stop()
	p, c := u.dialPeer("dep")
	_ = c.SetDeadline(time.Now().Add(patience))
	head := map[string]string{":method": "POST", ":scheme": "http", ":path": "/first", ":authority": "h"}
	var more []string
	for i := 0; i < len(fields); i += 2 {
		if strings.HasPrefix(fields[i], ":") && fields[i] != ":protocol" {
			head[fields[i]] = fields[i+1]
			continue
		}
		more = append(more, fields[i:i+2]...)
	}
	var all []string
	for _, name := range []string{":method", ":scheme", ":path", ":authority"} {
		if head[":method"] == "CONNECT" && more == nil && (name == ":scheme" || name == ":path") {
			continue
		}
		all = append(all, name, head[name])
	}
	p.head(1, false, append(all, more...)...)
	_ = p.WriteData(1, true, []byte(hidden))
	p.ended(t, 1)
	p.head(3, false, ":method", "POST", ":scheme", "http", ":path", "/last", ":authority", "h")
	_ = p.WriteData(3, true, []byte("abc"))
	p.ended(t, 3)
	mu.Lock()
	defer mu.Unlock()
	return got
}

// ended reads until a stream has ended.
func (p *peer) ended(t *testing.T, id uint32) {
	t.Helper()
	for {
		f, err := p.ReadFrame()
		if err != nil {
			t.Fatal(err)
		}
		if f.Header().StreamID != id {
			continue
		}
		if _, reset := f.(*http2.RSTStreamFrame); reset {
			return
		}
		if e, ok := f.(interface{ StreamEnded() bool }); ok && e.StreamEnded() {
			return
		}
	}
}
