package upstream

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// wire returns a request as the server gets it: its lines in order of names, and
// its body as it comes.
func onWire(t *testing.T, rt http.RoundTripper, req *http.Request) string {
	got := make(chan string, 1)
	s := serve(t, func(c net.Conn, br *bufio.Reader, _ int) {
		var lines []string
		first, _ := br.ReadString('\n')
		size := 0
		for {
			line, err := br.ReadString('\n')
			if err != nil || line == "\r\n" {
				break
			}
			_, _ = fmt.Sscanf(line, "Content-Length: %d", &size)
			lines = append(lines, line)
		}
		slices.Sort(lines)
		var body strings.Builder
		_, _ = io.CopyN(&body, br, int64(size))
		if slices.Contains(lines, "Transfer-Encoding: chunked\r\n") {
			for !strings.HasSuffix(body.String(), "\r\n\r\n") {
				if _, err := io.CopyN(&body, br, 1); err != nil {
					break
				}
			}
		}
		got <- first + strings.Join(lines, "") + "\r\n" + body.String()
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
		_ = c.(*net.TCPConn).CloseWrite()
		_, _ = io.Copy(io.Discard, br)
	})
	req.URL.Host = s.Addr().String()
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return "error"
	}
	_ = resp.Body.Close()
	return strings.ReplaceAll(<-got, s.Addr().String(), "SERVER")
}

// builders are requests of every kind.
var builders = map[string]func(t *testing.T) *http.Request{
	"plain":       func(t *testing.T) *http.Request { return newRequest(t, "GET", "http://x/a/b?c=d&e", nil) },
	"no path":     func(t *testing.T) *http.Request { return newRequest(t, "GET", "http://x", nil) },
	"empty query": func(t *testing.T) *http.Request { return newRequest(t, "GET", "http://x/?", nil) },
	"raw path":    func(t *testing.T) *http.Request { return newRequest(t, "GET", "http://x//a%2Fb/%7e/ü?q=%zz;a", nil) },
	"method":      func(t *testing.T) *http.Request { return newRequest(t, "QUERY", "http://x/", nil) },
	"asterisk": func(t *testing.T) *http.Request {
		r := newRequest(t, "OPTIONS", "http://x/", nil)
		r.URL.Path = "*"
		return r
	},
	"host": func(t *testing.T) *http.Request {
		r := newRequest(t, "GET", "http://x/", nil)
		r.Host = "other.example:81"
		return r
	},
	"fields": func(t *testing.T) *http.Request {
		r := newRequest(t, "GET", "http://x/", nil)
		r.Header = http.Header{"X-A": {"1", " 2\t"}, "x-b": {""}, "Te": {"trailers"}, "X-Latin": {"caf\xe9"},
			"Host": {"no"}, "Content-Length": {"7"}, "Transfer-Encoding": {"x"}, "Trailer": {"X"}}
		return r
	},
	"agent": func(t *testing.T) *http.Request {
		r := newRequest(t, "GET", "http://x/", nil)
		r.Header["User-Agent"] = []string{"me", "too"}
		return r
	},
	"no agent": func(t *testing.T) *http.Request {
		r := newRequest(t, "GET", "http://x/", nil)
		r.Header["User-Agent"] = nil
		return r
	},
	"close": func(t *testing.T) *http.Request {
		r := newRequest(t, "GET", "http://x/", nil)
		r.Close = true
		return r
	},
	"POST without a body": func(t *testing.T) *http.Request { return newRequest(t, "POST", "http://x/", nil) },
	"body in memory": func(t *testing.T) *http.Request {
		r := newRequest(t, "POST", "http://x/", inOne("hello"))
		r.ContentLength = 5
		return r
	},
	"large body in memory": func(t *testing.T) *http.Request {
		r := newRequest(t, "POST", "http://x/", inOne(strings.Repeat("hello", 20_000)))
		r.ContentLength = 100_000
		return r
	},
	"body of known length": func(t *testing.T) *http.Request { return newRequest(t, "PUT", "http://x/", strings.NewReader("hello")) },
	"body of unknown length": func(t *testing.T) *http.Request {
		return newRequest(t, "POST", "http://x/", io.MultiReader(strings.NewReader("hello")))
	},
	"empty body of unknown length": func(t *testing.T) *http.Request {
		return newRequest(t, "POST", "http://x/", io.MultiReader(strings.NewReader("")))
	},
	"DELETE with a body of unknown length": func(t *testing.T) *http.Request {
		return newRequest(t, "DELETE", "http://x/", io.MultiReader(strings.NewReader("hello")))
	},
	"GET with an empty body of unknown length": func(t *testing.T) *http.Request {
		return newRequest(t, "GET", "http://x/", io.MultiReader(strings.NewReader("")))
	},
	"GET with a body": func(t *testing.T) *http.Request { return newRequest(t, "GET", "http://x/", strings.NewReader("hello")) },
	"trailer": func(t *testing.T) *http.Request {
		r := newRequest(t, "POST", "http://x/", io.MultiReader(strings.NewReader("hello")))
		r.Trailer = http.Header{"X-Sum": {"7"}}
		return r
	},
	"bad method": func(t *testing.T) *http.Request {
		r := newRequest(t, "GET", "http://x/", nil)
		r.Method = "A B"
		return r
	},
	"bad name": func(t *testing.T) *http.Request {
		r := newRequest(t, "GET", "http://x/", nil)
		r.Header["a b"] = []string{"c"}
		return r
	},
	"bad value": func(t *testing.T) *http.Request {
		r := newRequest(t, "GET", "http://x/", nil)
		r.Header["A"] = []string{"b\r\nc: d"}
		return r
	},
	"bad query": func(t *testing.T) *http.Request {
		r := newRequest(t, "GET", "http://x/", nil)
		r.URL.RawQuery = "a b"
		return r
	},
	"bad host": func(t *testing.T) *http.Request {
		r := newRequest(t, "GET", "http://x/", nil)
		r.Host = "a b"
		return r
	},
}

// TestRequestsAreWrittenAlike: as net/http writes them, but for the order of
// fields.
func TestRequestsAreWrittenAlike(t *testing.T) {
	for name, build := range builders {
		t.Run(name, func(t *testing.T) {
			own, theirs := onWire(t, pool(t, Settings{}), build(t)), onWire(t, standard(t), build(t))
			if own != theirs {
				t.Errorf("here\n%q\nnet/http\n%q", own, theirs)
			}
		})
	}
}

// TestLeftToTheFallback: what is not sent from here.
func TestLeftToTheFallback(t *testing.T) {
	var asked atomic.Int64
	fallback := roundTripper(func(*http.Request) (*http.Response, error) {
		asked.Add(1)
		return nil, errors.New("asked")
	})
	p, err := New(Options{Fallback: fallback}, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*http.Request){
		"https":        func(r *http.Request) { r.URL.Scheme = "https" },
		"upgrade":      func(r *http.Request) { r.Header = http.Header{"Upgrade": {"x"}, "Connection": {"Upgrade"}} },
		"expect":       func(r *http.Request) { r.Header = http.Header{"Expect": {"100-continue"}} },
		"CONNECT":      func(r *http.Request) { r.Method = "CONNECT" },
		"no host":      func(r *http.Request) { r.URL.Host = "" },
		"zone":         func(r *http.Request) { r.Host = "[fe80::1%25eth0]" },
		"no URL":       func(r *http.Request) { r.URL = nil },
		"unusual name": func(r *http.Request) { r.Host = "exämple" },
	} {
		before := asked.Load()
		r := newRequest(t, "GET", "http://x/", nil)
		change(r)
		if _, err := p.RoundTrip(r); err == nil || asked.Load() != before+1 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
