package proxy

import (
	"bytes"
	"context"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if actAsReplica() {
		return
	}
	flag.Parse()
	if p := flag.Lookup("test.parallel"); p.Value.String() == p.DefValue {
		_ = p.Value.Set("4") // tests that are parallel wait for sockets, not for processors
	}
	goleak.VerifyTestMain(m)
}

// patience is how long a test waits for what comes at once on a machine that has
// nothing else to do.
const patience = 30 * time.Second

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

// with returns the lines that have a part, up to so many.
func (l *lines) with(part string, most int) (found []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.buf.String()) {
		if len(found) < most && strings.Contains(line, part) {
			found = append(found, line)
		}
	}
	return found
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
	o.Standard = o.Standard || byNetHTTP
	if o.Grace == 0 {
		o.Grace = patience
	}
	p, err := Open(u.path, o)
	if err != nil {
		t.Fatal(err)
	}
	u.run(p)
	return u
}

// run runs a proxy until the test ends.
func (u *under) run(p *Proxy) {
	u.Proxy = p
	ctx, cancel := context.WithCancel(context.Background())
	u.stop = cancel
	go func() { u.end <- p.Run(ctx) }()
	u.t.Cleanup(func() {
		cancel()
		u.Close()
		u.wait()
	})
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

func (l *lines) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }
