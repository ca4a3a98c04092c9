package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// output is a stream that is read while it is written.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

func (o *output) await(t *testing.T, part string) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !strings.Contains(o.String(), part); {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %q; got %s", part, o.String())
		}
		time.Sleep(time.Millisecond)
	}
}

// proxyFile writes a policy file with one dependency, and returns its path and
// the address where the dependency is offered.
func proxyFile(t *testing.T, endpoint string) (path, address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	address = l.Addr().String()
	path = filepath.Join(t.TempDir(), "seakeep.yaml")
	text := fmt.Sprintf("version: 1\nservice: test\ndependencies:\n  dep: {listen: %q, endpoints: [%s]}\n",
		address, endpoint)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, address
}

// command runs seakeep and returns its exit status when it ends.
func command(ctx context.Context, stderr *output, args ...string) <-chan int {
	status := make(chan int, 1)
	root := newRootCommand()
	root.SetArgs(args)
	go func() { status <- execute(ctx, root, &output{}, stderr) }()
	return status
}

func TestProxyRunsAndObeysSignals(t *testing.T) {
	backend := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer backend.Close()
	path, address := proxyFile(t, backend.URL)
	t.Setenv("SEAKEEP_CONFIG", path)
	t.Setenv("SEAKEEP_LOG", "text") // the flag wins
	var stderr output
	status := command(context.Background(), &stderr, "proxy", "--log", "json")
	stderr.await(t, `"msg":"listening"`)
	resp, err := http.Get("http://" + address)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != 200 {
		t.Errorf("status %d", resp.StatusCode)
	}
	kill := func(s syscall.Signal) {
		if err := syscall.Kill(os.Getpid(), s); err != nil {
			t.Fatal(err)
		}
	}
	kill(syscall.SIGHUP)
	stderr.await(t, "policy file reloaded")
	http.DefaultClient.CloseIdleConnections()
	kill(syscall.SIGTERM)
	stderr.await(t, "drained")
	if got := <-status; got != exitOK {
		t.Errorf("exit status %d; %s", got, stderr.String())
	}
}

func TestProxySecondSignalEndsAtOnce(t *testing.T) {
	path, _ := proxyFile(t, "http://127.0.0.1:1")
	var stderr output
	status := command(context.Background(), &stderr, "proxy", "-c", path, "--drain-delay", "1h")
	stderr.await(t, "listening")
	for _, part := range []string{"draining", "the proxy was ended"} {
		if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		stderr.await(t, part)
	}
	if got := <-status; got != exitWork {
		t.Errorf("exit status %d; %s", got, stderr.String())
	}
}

func TestProxyMistakes(t *testing.T) {
	wrong := filepath.Join(t.TempDir(), "wrong.yaml")
	text := "version: 1\nservice: test\ndependencies: {dep: {lisen: x, endpoints: []}}\n"
	if err := os.WriteFile(wrong, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		args, env string
		status    int
		stderr    string
	}{
		{"proxy extra", "", exitUsage, "extra"},
		{"proxy --log xml", "", exitUsage, `--log is "xml"`},
		{"proxy --grace 0s", "", exitUsage, "--grace is 0s"},
		{"proxy --drain-delay=-1s", "", exitUsage, "--drain-delay is -1s"},
		{"proxy --max-head 10", "", exitUsage, "--max-head is 10"},
		{"proxy --max-connections 0", "", exitUsage, "--max-connections is 0"},
		{"proxy --config=", "", exitUsage, "--config is empty"},
		{"proxy", "soon", exitUsage, "SEAKEEP_GRACE"},
		{"proxy -c no-such-file.yaml", "", exitWork, "no-such-file.yaml"},
		{"proxy -c " + wrong, "", exitWork, "wrong.yaml:3:"},
	} {
		t.Run(tc.args, func(t *testing.T) {
			if tc.env != "" {
				t.Setenv("SEAKEEP_GRACE", tc.env)
			}
			var stderr output
			if got := <-command(context.Background(), &stderr, strings.Fields(tc.args)...); got != tc.status {
				t.Errorf("exit status %d, want %d", got, tc.status)
			}
			if !strings.Contains(stderr.String(), tc.stderr) {
				t.Errorf("standard error is %q, want it to hold %q", stderr.String(), tc.stderr)
			}
		})
	}
}
