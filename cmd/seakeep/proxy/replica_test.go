package proxy

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// replicaAddress makes a process that is started from this test's program a
// replica that listens there.
const replicaAddress = "SEAKEEP_TEST_REPLICA"

// actAsReplica serves until it is killed or its parent has died, if the process
// was started to. Otherwise it returns false at once.
func actAsReplica() bool {
	address := os.Getenv(replicaAddress)
	if address == "" {
		return false
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		fmt.Println("error:", err)
		return true
	}
	a := &app{address: l.Addr().String()}
	fmt.Println(a.address)
	go a.obey(os.Stdin)
	_ = http.Serve(l, a)
	return true
}

// app says who it is, after some work.
type app struct {
	address string
	slow    atomic.Int64 // more time for each request, in nanoseconds
	ill     atomic.Bool  // answers 503
}

func (a *app) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if r.URL.Path != "/healthz" { // a shallow check, as is advised, which notices neither
		work := 2 * time.Millisecond
		if d, err := time.ParseDuration(r.URL.Query().Get("work")); err == nil {
			work = d
		}
		time.Sleep(work + time.Duration(a.slow.Load()))
		if a.ill.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
	}
	// Short enough to leave in one piece: whoever is killed has said all or
	// nothing.
	fmt.Fprintf(w, "%s %s %s by %s", r.Method, r.URL.Path, body, a.address)
}

// obey does what the parent says, line by line, and ends with it.
func (a *app) obey(orders io.Reader) {
	lines := bufio.NewScanner(orders)
	for lines.Scan() {
		switch text := lines.Text(); text {
		case "ill", "well":
			a.ill.Store(text == "ill")
		default:
			if d, err := time.ParseDuration(text); err == nil {
				a.slow.Store(int64(d))
			}
		}
	}
	os.Exit(1)
}

// replica is a server that is a process of its own. Its methods are called by
// one goroutine at a time.
type replica struct {
	address string
	cmd     *exec.Cmd // nil: it does not run
	orders  io.WriteCloser
}

// newReplica starts a replica at an address, which may have port 0.
func newReplica(t *testing.T, address string) *replica {
	t.Helper()
	r := &replica{address: address}
	if err := r.start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.kill)
	return r
}

// freeAddress finds a port that is free at a loopback address. Not every system
// has more of those than one.
func freeAddress(t *testing.T, host string) string {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Skip("there is no such loopback address here:", err)
	}
	_ = l.Close()
	return l.Addr().String()
}

// start starts the process, and waits until it listens where it did before.
func (r *replica) start() error {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), replicaAddress+"="+r.address, "GOMAXPROCS=1")
	cmd.Stderr = os.Stderr
	orders, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	r.cmd, r.orders = cmd, orders
	line, err := bufio.NewReader(out).ReadString('\n')
	if _, _, bad := net.SplitHostPort(strings.TrimSpace(line)); err != nil || bad != nil {
		r.kill()
		return fmt.Errorf("a replica at %s says %q, %v", r.address, line, err)
	}
	r.address = strings.TrimSpace(line)
	return nil
}

// kill ends the process as it is, with SIGKILL where there are signals.
func (r *replica) kill() {
	if r.cmd == nil {
		return
	}
	_ = r.cmd.Process.Kill()
	_ = r.cmd.Wait() // says that it was killed
	_ = r.orders.Close()
	r.cmd = nil
}

func (r *replica) order(text string) error {
	_, err := io.WriteString(r.orders, text+"\n")
	return err
}
