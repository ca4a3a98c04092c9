package proxy

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const patience = 10 * time.Second

// until waits for something that happens soon, on another goroutine or beyond
// a socket.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for: %s", what)
		}
	}
}

// lines is a log that tests can read.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *lines) has(part string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.buf.String(), part)
}

// under is a running proxy.
type under struct {
	*Proxy
	t    *testing.T
	path string
	log  *lines
	stop context.CancelFunc
	end  chan error // what Run returned

	once  sync.Once // for passed
	asked time.Time
}

// policy is a file with one dependency called dep.
func policy(endpoints string, rungs ...string) string {
	return "version: 1\nservice: test\nadmin: {listen: 127.0.0.1:0}\ndependencies:\n  dep:\n" +
		"    listen: 127.0.0.1:0\n    endpoints: [" + endpoints + "]\n" + indent(rungs)
}

func indent(rungs []string) string {
	var b strings.Builder
	for _, rung := range rungs {
		b.WriteString("    " + strings.ReplaceAll(rung, "\n", "\n    ") + "\n")
	}
	return b.String()
}

func start(t *testing.T, text string) *under { return startWith(t, text, Options{}) }

func startWith(t *testing.T, text string, o Options) *under {
	t.Helper()
	path := filepath.Join(t.TempDir(), "seakeep.yaml")
	(&under{t: t, path: path}).write(text)
	return startAt(t, path, o)
}

func startAt(t *testing.T, path string, o Options) *under {
	t.Helper()
	u := &under{t: t, path: path, log: &lines{}, end: make(chan error, 1)}
	o.Log = u.log.logger()
	if o.Grace == 0 {
		o.Grace = patience
	}
	p, err := Open(u.path, o)
	if err != nil {
		t.Fatal(err)
	}
	u.Proxy = p
	ctx, cancel := context.WithCancel(context.Background())
	u.stop = cancel
	go func() { u.end <- p.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		u.Close()
		u.wait()
	})
	return u
}

// wait returns what Run returned.
func (u *under) wait() error {
	u.t.Helper()
	select {
	case err := <-u.end:
		u.end <- err
		return err
	case <-time.After(patience):
		u.t.Fatal("Run does not return")
		return nil
	}
}

// write replaces the policy file as careful programs do: by renaming.
func (u *under) write(text string) {
	u.t.Helper()
	next := u.path + ".next"
	if err := os.WriteFile(next, []byte(text), 0o600); err != nil {
		u.t.Fatal(err)
	}
	if err := os.Rename(next, u.path); err != nil {
		u.t.Fatal(err)
	}
}

func (u *under) url(name, path string) string { return "http://" + u.Addr(name).String() + path }

// plain is a client that changes nothing and keeps no connections.
var plain = &http.Client{
	Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true},
	Timeout:   patience,
}

// get returns the answer to a GET, with its body.
func (u *under) get(path string) (*http.Response, string) {
	u.t.Helper()
	return u.do(http.MethodGet, path, "")
}

func (u *under) do(method, path, body string) (*http.Response, string) {
	u.t.Helper()
	req, err := http.NewRequest(method, u.url("dep", path), strings.NewReader(body))
	if err != nil {
		u.t.Fatal(err)
	}
	return u.send(req)
}

func (u *under) send(req *http.Request) (*http.Response, string) {
	u.t.Helper()
	resp, err := plain.Do(req)
	if err != nil {
		u.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		u.t.Fatalf("the answer's body: %v", err)
	}
	return resp, string(text)
}

// raw is a connection on which every byte is the test's own.
type raw struct {
	net.Conn
	t  *testing.T
	br *bufio.Reader
}

func (u *under) dial() *raw {
	u.t.Helper()
	c, err := net.Dial("tcp", u.Addr("dep").String())
	if err != nil {
		u.t.Fatal(err)
	}
	u.t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(patience))
	return &raw{c, u.t, bufio.NewReader(c)}
}

func (r *raw) send(lines ...string) {
	r.t.Helper()
	if _, err := io.WriteString(r, strings.Join(lines, "\r\n")); err != nil {
		r.t.Fatal(err)
	}
}

// answer reads one answer, to a request of that method.
func (r *raw) answer(method string) (*http.Response, string, error) {
	r.t.Helper()
	resp, err := http.ReadResponse(r.br, &http.Request{Method: method})
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp, string(body), err
}

// rest reads what is left until the connection ends.
func (r *raw) rest() string {
	r.t.Helper()
	text, err := io.ReadAll(r.br)
	if e, ok := err.(net.Error); ok && e.Timeout() {
		r.t.Fatalf("the connection does not end; so far %q", text)
	}
	return string(text)
}

// backend is a dependency that says exactly what a test wants.
type backend struct {
	net.Listener
	t     *testing.T
	bytes atomic.Int64 // received
	conns atomic.Int64
	wg    sync.WaitGroup
	mu    sync.Mutex
	open  map[net.Conn]struct{}
}

// scripted starts a dependency whose connections are handled by script.
func scripted(t *testing.T, script func(c net.Conn, br *bufio.Reader)) *backend {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &backend{Listener: l, t: t, open: map[net.Conn]struct{}{}}
	b.wg.Go(func() { b.accept(script) })
	t.Cleanup(b.stop)
	return b
}

func (b *backend) accept(script func(net.Conn, *bufio.Reader)) {
	for {
		c, err := b.Accept()
		if err != nil {
			return
		}
		b.conns.Add(1)
		b.mu.Lock()
		b.open[c] = struct{}{}
		b.mu.Unlock()
		b.wg.Go(func() {
			defer c.Close()
			script(c, bufio.NewReader(io.TeeReader(c, counter{&b.bytes})))
		})
	}
}

type counter struct{ n *atomic.Int64 }

func (c counter) Write(p []byte) (int, error) {
	c.n.Add(int64(len(p)))
	return len(p), nil
}

func (b *backend) stop() {
	_ = b.Close()
	b.mu.Lock()
	for c := range b.open {
		_ = c.Close()
	}
	b.mu.Unlock()
	b.wg.Wait()
}

func (b *backend) url() string { return "http://" + b.Addr().String() }

// always answers every request on a connection with the same bytes.
func always(lines ...string) func(net.Conn, *bufio.Reader) {
	text := strings.Join(lines, "\r\n")
	return func(c net.Conn, br *bufio.Reader) {
		for {
			r, err := http.ReadRequest(br)
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, r.Body)
			if _, err := io.WriteString(c, text); err != nil {
				return
			}
		}
	}
}

// web starts a dependency from a handler.
func web(t *testing.T, h http.HandlerFunc) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: h}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(l)
	}()
	t.Cleanup(func() {
		_ = s.Close()
		<-done
	})
	return fmt.Sprintf("http://%s", l.Addr())
}

func (l *lines) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }
