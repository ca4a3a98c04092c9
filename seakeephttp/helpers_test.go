package seakeephttp

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
)

// quick retries at once, so that tests need not wait.
var quick = seakeep.Backoff{Base: time.Nanosecond, Cap: time.Nanosecond}

// policy makes a policy, named "test" unless it has a name.
func policy(tb testing.TB, c seakeep.Config) *seakeep.Policy {
	tb.Helper()
	if c.Name == "" {
		c.Name = "test"
	}
	p, err := seakeep.New(c)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// retries is a policy that makes n attempts and has no budget.
func retries(tb testing.TB, n int) *seakeep.Policy {
	return policy(tb, seakeep.Config{Retry: &seakeep.Retry{Attempts: n, Backoff: quick},
		More: &seakeep.More{Unbudgeted: true}})
}

// breaker is one that a single failure opens.
func breaker() *seakeep.Breaker {
	return &seakeep.Breaker{Window: seakeep.Window{Consecutive: 1}, Open: seakeep.Pause{For: time.Minute}}
}

// setOf makes the policies of a file.
func setOf(tb testing.TB, text string) *seakeep.Set {
	tb.Helper()
	set, err := seakeep.NewSet(fileOf(tb, text), seakeep.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return set
}

func fileOf(tb testing.TB, text string) *config.File {
	tb.Helper()
	file, err := config.Parse("test.yaml", []byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return file
}

// own is a connection pool that does not outlive the test.
func own(tb testing.TB) *http.Transport {
	tr := &http.Transport{MaxIdleConnsPerHost: 100, MaxResponseHeaderBytes: 16 << 10}
	tb.Cleanup(tr.CloseIdleConnections)
	return tr
}

// serve starts a server on loopback.
func serve(tb testing.TB, h http.HandlerFunc) *httptest.Server {
	s := httptest.NewServer(h)
	tb.Cleanup(s.Close)
	return s
}

// request makes a request whose body, if any, cannot be made anew, as that of a
// proxy's client.
func request(tb testing.TB, method, url string, body io.Reader) *http.Request {
	tb.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, url, body)
	if err != nil {
		tb.Fatal(err)
	}
	req.GetBody = nil
	return req
}

// got is what a round trip came to.
type got struct {
	status int
	header http.Header
	body   string
	err    error // of the round trip, or of the body
}

// send makes a round trip and reads the whole answer.
func send(rt http.RoundTripper, req *http.Request) got {
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return got{err: err}
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return got{resp.StatusCode, resp.Header, string(b), err}
}

func get(tb testing.TB, rt http.RoundTripper, url string) got {
	return send(rt, request(tb, "GET", url, nil))
}

// raw is a TCP server that handles the connections it is given in turn; the
// last handler has all further ones.
type raw struct {
	net.Listener
	url      string
	accepted atomic.Int32
	wg       sync.WaitGroup
}

func rawServer(tb testing.TB, handlers ...func(net.Conn, *bufio.Reader)) *raw {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	r := &raw{Listener: l, url: "http://" + l.Addr().String()}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			h := handlers[min(int(r.accepted.Add(1)), len(handlers))-1]
			r.wg.Go(func() {
				defer c.Close()
				h(c, bufio.NewReader(c))
			})
		}
	}()
	tb.Cleanup(func() {
		_ = l.Close()
		r.wg.Wait()
	})
	return r
}

// readRequest reads a request with its body.
func readRequest(r *bufio.Reader) string {
	req, err := http.ReadRequest(r)
	if err != nil {
		return ""
	}
	b, _ := io.ReadAll(req.Body)
	return string(b)
}

// reset closes a connection with a reset.
func reset(c net.Conn) {
	_ = c.(*net.TCPConn).SetLinger(0)
	_ = c.Close()
}

// resetAfter reads a request, writes some text and resets.
func resetAfter(text string) func(net.Conn, *bufio.Reader) {
	return func(c net.Conn, r *bufio.Reader) {
		readRequest(r)
		_, _ = io.WriteString(c, text)
		if text != "" {
			time.Sleep(20 * time.Millisecond) // or the reset overtakes the text
		}
		reset(c)
	}
}

// answers reads requests and writes the same text for each.
func answers(text string) func(net.Conn, *bufio.Reader) {
	return func(c net.Conn, r *bufio.Reader) {
		for {
			if _, err := r.Peek(1); err != nil {
				return
			}
			readRequest(r)
			if _, err := io.WriteString(c, text); err != nil {
				return
			}
		}
	}
}

// refused is an address at which nobody listens.
func refused(tb testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String()
}

// noLeak fails the test if goroutines are left when it and its clean-ups have
// ended. Call it first.
func noLeak(tb testing.TB) {
	before := runtime.NumGoroutine()
	tb.Cleanup(func() {
		for range 200 {
			if runtime.NumGoroutine() <= before {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		buf := make([]byte, 1<<16)
		tb.Errorf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(),
			buf[:runtime.Stack(buf, true)])
	})
}

// eventually waits for what another goroutine does soon.
func eventually(tb testing.TB, what string, ok func() bool) {
	tb.Helper()
	for range 500 {
		if ok() {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
	tb.Fatalf("never happened: %s", what)
}

// idle fails the test unless all slots are free.
func idle(tb testing.TB, p *seakeep.Policy) {
	tb.Helper()
	eventually(tb, "all slots free", func() bool {
		s := p.Snapshot()
		return s.Bulkhead == nil || s.Bulkhead.InUse == 0
	})
}

// baseFunc is a base transport in one function.
type baseFunc func(*http.Request) (*http.Response, error)

func (f baseFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// closes is a body that counts how often it is closed.
type closes struct {
	io.Reader
	n atomic.Int32
}

func (c *closes) Close() error {
	c.n.Add(1)
	return nil
}

// answer is an answer in memory.
func answer(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, ProtoMajor: 1, ContentLength: int64(len(body)),
		Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
}

// recorder keeps events.
type recorder struct {
	mu     sync.Mutex
	events []core.Event
}

func (r *recorder) Observe(e core.Event) {
	r.mu.Lock()
	r.events = append(r.events, e)
	r.mu.Unlock()
}

func (r *recorder) count(ok func(core.Event) bool) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events {
		if ok(e) {
			n++
		}
	}
	return n
}
