package seakeephttp

import (
	"errors"
	"fmt"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
)

// deaf is an address that answers no further connection: its queue is full.
func deaf(t *testing.T) string {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	local := &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}
	if err := errors.Join(syscall.Bind(fd, local), syscall.Listen(fd, 0)); err != nil {
		t.Fatal(err)
	}
	bound, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", bound.(*syscall.SockaddrInet4).Port)
	for range 8 {
		c, err := net.DialTimeout("tcp", address, 100*time.Millisecond)
		if err != nil {
			return address
		}
		t.Cleanup(func() { _ = c.Close() })
	}
	t.Skip("this system has room for every connection")
	return ""
}

// TestConnectLimit: the limit for a new connection is the file's, also after a
// reload, and a connection that was not made is a request not sent.
func TestConnectLimit(t *testing.T) {
	noLeak(t)
	address := deaf(t)
	settings := func(limit time.Duration) string {
		return file(fmt.Sprintf("timeout: {connect: %v, request: 10s}", limit), "http://"+address)
	}
	set := setOf(t, settings(time.Millisecond))
	tr := transport(t, set, nil)
	for _, limit := range []time.Duration{20 * time.Millisecond, 100 * time.Millisecond} {
		if err := set.Apply(fileOf(t, settings(limit))); err != nil {
			t.Fatal(err)
		}
		var report seakeep.Report
		start := time.Now()
		req := request(t, "GET", "http://test/", nil)
		g := send(tr, req.WithContext(seakeep.With(t.Context(), seakeep.Call{Report: &report})))
		if took := time.Since(start); took < limit || took > limit+time.Second {
			t.Errorf("took %v with a limit of %v", took, limit)
		}
		want := core.Result{Outcome: core.Timeout, Cause: core.Unsent}
		if g.err == nil || len(report.Attempts) != 1 || report.Attempts[0].Result != want {
			t.Errorf("%+v, %+v", g, report)
		}
		if s := tr.Snapshot(); !s.Endpoints[0].Resting {
			t.Errorf("%+v", s)
		}
	}
}
