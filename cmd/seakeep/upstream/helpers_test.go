package upstream

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seakeep/seakeep/internal/connpool"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const patience = 30 * time.Second

// until waits for something that happens soon, beyond a socket.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for: %s", what)
		}
	}
}

// server is one whose every byte is the test's own.
type server struct {
	net.Listener
	conns atomic.Int64
	wg    sync.WaitGroup
	mu    sync.Mutex
	open  map[net.Conn]struct{}
}

// serve starts a server whose connections are handled by script, which is told
// their number, from 1 on.
func serve(t testing.TB, script func(c net.Conn, br *bufio.Reader, n int)) *server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{Listener: l, open: map[net.Conn]struct{}{}}
	s.wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			n := int(s.conns.Add(1))
			s.mu.Lock()
			s.open[c] = struct{}{}
			s.mu.Unlock()
			s.wg.Go(func() {
				defer c.Close()
				script(c, bufio.NewReader(c), n)
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		s.cut()
		s.wg.Wait()
	})
	return s
}

// cut closes all connections.
func (s *server) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.open {
		_ = c.Close()
		delete(s.open, c)
	}
}

func (s *server) url() string { return "http://" + s.Addr().String() }

// request reads a request with its body, or reports that there is none.
func request(br *bufio.Reader) (*http.Request, string, bool) {
	r, err := http.ReadRequest(br)
	if err != nil {
		return nil, "", false
	}
	body, _ := io.ReadAll(r.Body)
	return r, string(body), true
}

// always answers every request with the same bytes.
func always(answer string) func(net.Conn, *bufio.Reader, int) {
	return func(c net.Conn, br *bufio.Reader, _ int) {
		for {
			if _, _, ok := request(br); !ok {
				return
			}
			if _, err := io.WriteString(c, answer); err != nil {
				return
			}
		}
	}
}

const okAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

// standard is net/http's transport as the proxy uses it.
func standard(t testing.TB) *http.Transport {
	tr := &http.Transport{DisableCompression: true, MaxResponseHeaderBytes: 64 << 10, MaxIdleConnsPerHost: 128}
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}

func pool(t testing.TB, s Settings) *Transport {
	t.Helper()
	var d net.Dialer
	tr, err := New(Options{Dial: d.DialContext, Fallback: standard(t)}, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}

// state is the state of a transport's only server, or nothing.
func state(p *Transport) connpool.Snapshot {
	if all := p.Snapshot(); len(all) == 1 {
		return all[0]
	}
	return connpool.Snapshot{}
}

func newRequest(t testing.TB, method, url string, body io.Reader) *http.Request {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// get returns the answer to a GET, with its body.
func get(t testing.TB, rt http.RoundTripper, url string) (*http.Response, string) {
	t.Helper()
	return send(t, rt, newRequest(t, "GET", url, nil))
}

func send(t testing.TB, rt http.RoundTripper, req *http.Request) (*http.Response, string) {
	t.Helper()
	resp, err := rt.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(text)
}

// whole is a body in memory, as the proxy has them.
type whole struct {
	io.Reader
	text []byte
}

func inOne(text string) *whole { return &whole{strings.NewReader(text), []byte(text)} }

func (w *whole) Whole() []byte { return w.text }
func (w *whole) Close() error  { return nil }
