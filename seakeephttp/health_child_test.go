//go:build unix

package seakeephttp

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// TestChildServer is a server in a process of its own, for the test below.
func TestChildServer(t *testing.T) {
	if os.Getenv("SEAKEEP_CHILD") == "" {
		t.Skip("runs as a child")
	}
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer s.Close()
	fmt.Println("\n" + s.URL)
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n') // until the parent ends
}

// child starts a server in another process.
func child(t *testing.T) (url string, p *os.Process) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestChildServer$")
	cmd.Env = append(os.Environ(), "SEAKEEP_CHILD=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "http://") {
			return lines.Text(), cmd.Process
		}
	}
	t.Fatal("the child says nothing")
	return "", nil
}

// Real processes, one stopped, one killed, one slow, one well: what is ill goes,
// what is well again comes back, and meanwhile requests are answered.
func TestHealthOfProcesses(t *testing.T) {
	noLeak(t)
	stopped, p1 := child(t)
	killed, p2 := child(t)
	var slow atomic.Bool
	ends := make(chan struct{})
	sluggish := serve(t, func(http.ResponseWriter, *http.Request) {
		if slow.Load() {
			<-ends
		}
	})
	t.Cleanup(func() { close(ends) })
	well := serve(t, func(http.ResponseWriter, *http.Request) {})
	settings := "health: {interval: 50ms, edge: 10ms, unhealthy: 2, healthy: 2, timeout: 500ms, max-removed: 75%}\n" +
		"    balance: {panic: none}"
	tr := fileTransport(t, settings, stopped, killed, sluggish.URL, well.URL)
	t.Cleanup(tr.Close)
	soon := func(want string) {
		t.Helper()
		for range 2000 {
			if states(tr) == want {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
		t.Fatalf("states are %s, want %s", states(tr), want)
	}
	settles(t, "all healthy", func() bool {
		return strings.Count(verdicts(tr), "unhealthy")+strings.Count(verdicts(tr), "unknown") == 0
	})

	if err := p1.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	_ = p2.Kill()
	slow.Store(true)
	soon("unhealthy, unhealthy, unhealthy, up")
	for range 20 {
		if g := get(t, tr, "http://test/"); g.status != 200 {
			t.Error(g)
		}
	}
	slow.Store(false)
	_ = p1.Signal(syscall.SIGCONT)
	soon("up, unhealthy, up, up")

	l, err := net.Listen("tcp", strings.TrimPrefix(killed, "http://"))
	if err != nil {
		t.Skipf("the killed one's port is taken: %v", err)
	}
	back := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	go func() { _ = back.Serve(l) }()
	t.Cleanup(func() { _ = back.Close() })
	soon("up, up, up, up")
}
