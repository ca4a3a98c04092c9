package seakeepredis

import (
	"context"
	"errors"
	"net"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const ms = time.Millisecond

// policies reads a file whose dependency cache has these settings.
func policies(t testing.TB, settings string) *seakeep.Set {
	t.Helper()
	file, err := config.Parse("test.yaml",
		[]byte("version: 1\nservice: test\ndependencies:\n  cache: "+settings+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	set, err := seakeep.NewSet(file, seakeep.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// hooked returns a hook, and what sends a command through it to a Redis that
// next stands for.
func hooked(t testing.TB, settings string, m Mode, next redis.ProcessHook) (*Hook, *seakeep.Set,
	func(context.Context, redis.Cmder) error) {
	t.Helper()
	set := policies(t, settings)
	h := &Hook{policy: set.MustPolicy("cache"), mode: m}
	process := h.ProcessHook(next)
	return h, set, func(ctx context.Context, cmd redis.Cmder) error {
		err := process(ctx, cmd)
		cmd.SetErr(err) // as redis.Client.Process does
		return err
	}
}

// reason is why a call was refused; 0: it was not.
func reason(err error) core.Reason {
	var r *seakeep.Rejection
	if errors.As(err, &r) {
		return r.Reason
	}
	return core.NoReason
}

// hang is a Redis that does not answer. It tells of that as go-redis does.
func hang(ctx context.Context, _ redis.Cmder) error {
	<-ctx.Done()
	return &net.OpError{Op: "read", Err: timeout{}}
}

type timeout struct{}

func (timeout) Error() string   { return "i/o timeout" }
func (timeout) Timeout() bool   { return true }
func (timeout) Temporary() bool { return true }

// said is an error that Redis has answered with.
type said string

func (s said) Error() string { return string(s) }
func (said) RedisError()     {}

// server starts a Redis of the test's own, and returns its address and process.
func server(t *testing.T) (addr string, p interface{ Signal(sig syscall.Signal) }) {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("no Redis here: apt-get install redis-server")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr = l.Addr().String()
	port := l.Addr().(*net.TCPAddr).Port
	_ = l.Close()
	cmd := exec.Command(path, "--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--save", "",
		"--appendonly", "no", "--dir", t.TempDir(), "--tcp-backlog", "64")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * ms) {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			_ = c.Close()
			return addr, process{cmd}
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

type process struct{ *exec.Cmd }

func (p process) Signal(s syscall.Signal) { _ = p.Process.Signal(s) }
