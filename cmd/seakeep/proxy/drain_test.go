package proxy

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// slow is a dependency whose answer waits.
func slow(t *testing.T) (url string, arrived, release chan struct{}) {
	arrived, release = make(chan struct{}, 10), make(chan struct{})
	return web(t, func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		select {
		case <-release:
			_, _ = io.WriteString(w, "done")
		case <-r.Context().Done():
		}
	}), arrived, release
}

func TestDrainLetsRequestsEnd(t *testing.T) {
	backend, arrived, release := slow(t)
	u := start(t, policy(backend))
	c := u.dial()
	c.send("GET / HTTP/1.1", "Host: h", "", "")
	<-arrived
	address := u.Addr("dep").String()
	u.stop()
	until(t, "the listener to close", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	})
	close(release)
	resp, body, _ := c.answer("GET")
	if resp.StatusCode != 200 || body != "done" || !resp.Close {
		t.Errorf("got %d %q, close %v", resp.StatusCode, body, resp.Close)
	}
	if err := u.wait(); err != nil {
		t.Errorf("Run returns %v", err)
	}
}

// TestDrainDelay: for a while the proxy goes on, says on /readyz that it is
// about to end, and sends clients away connection by connection.
func TestDrainDelay(t *testing.T) {
	u := startWith(t, policy(saying(t, "one")), Options{DrainDelay: time.Minute})
	c := u.dial()
	u.stop()
	until(t, "/readyz to say 503", func() bool {
		status, _ := u.admin("GET", "/readyz", "")
		return status == 503
	})
	if status, _ := u.admin("GET", "/livez", ""); status != 200 {
		t.Errorf("/livez says %d", status)
	}
	c.send("GET / HTTP/1.1", "Host: h", "", "")
	if resp, body, _ := c.answer("GET"); resp.StatusCode != 200 || body != "one" || !resp.Close {
		t.Errorf("on an old connection: %d %q, close %v", resp.StatusCode, body, resp.Close)
	}
	if _, body := u.get("/"); body != "one" {
		t.Errorf("on a new connection: %q", body)
	}
	u.Close() // the second signal
	if err := u.wait(); err != ErrClosed {
		t.Errorf("Run returns %v", err)
	}
}

func TestDrainEndsWithTheGraceTime(t *testing.T) {
	backend, arrived, _ := slow(t)
	u := startWith(t, policy(backend), Options{Grace: 50 * time.Millisecond})
	c := u.dial()
	c.send("GET / HTTP/1.1", "Host: h", "", "")
	<-arrived
	u.stop()
	if err := u.wait(); err != nil {
		t.Errorf("Run returns %v", err)
	}
	if rest := c.rest(); rest != "" {
		t.Errorf("the client got %q", rest)
	}
	if !u.log.has("requests were cut off") {
		t.Error("the log does not tell")
	}
}

func TestDrainWaitsForTunnels(t *testing.T) {
	b := scripted(t, echoing)
	u := start(t, policy(b.url()))
	c := u.dial()
	c.upgrade("a")
	c.expect("aa")
	u.stop()
	until(t, "the drain", func() bool { return u.log.has("draining") })
	c.send("b")
	c.expect("bb")
	_ = c.Close()
	if err := u.wait(); err != nil {
		t.Errorf("Run returns %v", err)
	}
}

func TestDrainCutsTunnels(t *testing.T) {
	b := scripted(t, echoing)
	u := startWith(t, policy(b.url()), Options{Grace: 50 * time.Millisecond})
	c := u.dial()
	c.upgrade("a")
	c.expect("aa")
	u.stop()
	if rest := c.rest(); rest != "" {
		t.Errorf("the client got %q", rest)
	}
	if err := u.wait(); err != nil {
		t.Errorf("Run returns %v", err)
	}
}

// TestRunEndsWithABrokenListener: what nobody can mend ends the proxy.
func TestRunEndsWithABrokenListener(t *testing.T) {
	u := start(t, policy(saying(t, "one")))
	until(t, "the start", func() bool { return u.front() != nil })
	u.get("/")
	_ = u.front().listener.Listener.Close()
	if err := u.wait(); err == nil || err == ErrClosed {
		t.Errorf("Run returns %v", err)
	}
}

func TestRunOnceWithoutAFile(t *testing.T) {
	u := start(t, policy(saying(t, "one")))
	p, err := New(u.set, Options{Log: u.log.logger()})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Reload(); err != errNoFile {
		t.Errorf("Reload says %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := p.Run(ctx); err != nil {
		t.Errorf("Run returns %v", err)
	}
}
