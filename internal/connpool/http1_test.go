package connpool

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// withRaw runs a test in virtual time with a server of HTTP/1.1 that is written
// byte by byte, as withPeers does.
func withRaw(t *testing.T, serve []func(net.Conn, *bufio.Reader), test func(t *testing.T, p *Pool, w *wires)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWires()
		go func() {
			for i := 0; ; i++ {
				conn, err := w.Accept()
				if err != nil {
					return
				}
				go func() {
					defer conn.Close()
					serve[min(i, len(serve)-1)](conn, bufio.NewReader(conn))
				}()
			}
		}()
		p := newPool(t, Settings{}, w)
		test(t, p, w)
		p.CloseIdleConnections()
		_ = w.Close()
		if err := eventuallyZero(&w.live); err != nil {
			t.Error(err)
		}
	})
}

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

// take reads a request with its body.
func take(r *bufio.Reader) (string, error) {
	req, err := http.ReadRequest(r)
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(req.Body)
	return string(b), err
}

// onceThenHangsUp answers one request, reads another, and hangs up.
func onceThenHangsUp(c net.Conn, r *bufio.Reader) {
	if _, err := take(r); err == nil {
		_, _ = io.WriteString(c, ok)
		_, _ = take(r)
	}
}

func answersAll(c net.Conn, r *bufio.Reader) {
	for {
		if _, err := take(r); err != nil {
			return
		}
		_, _ = io.WriteString(c, ok)
	}
}

// A connection that was idle and is closed at the moment that it is used: a read
// goes out again by itself, a write may have run and does not.
func TestStaleConnection(t *testing.T) {
	for method, want := range map[string]bool{"GET": true, "HEAD": true, "POST": false, "PUT": false} {
		withRaw(t, []func(net.Conn, *bufio.Reader){onceThenHangsUp, answersAll},
			func(t *testing.T, p *Pool, w *wires) {
				get(t, p, "/")
				synctest.Wait()
				_, err := ask(t.Context(), p, method, "/", nil)
				if (err == nil) != want || NeverSent(err) {
					t.Errorf("%s: %v", method, err)
				}
			})
	}
}

// A new connection that is closed without an answer is a failure, and not asked
// again: that is for the policy.
func TestNewConnectionThatHangsUp(t *testing.T) {
	var asked atomic.Int32
	hangsUp := func(_ net.Conn, r *bufio.Reader) {
		if _, err := take(r); err == nil {
			asked.Add(1)
		}
	}
	withRaw(t, []func(net.Conn, *bufio.Reader){hangsUp}, func(t *testing.T, p *Pool, w *wires) {
		if _, err := ask(t.Context(), p, "GET", "/", nil); err == nil || NeverSent(err) || asked.Load() != 1 {
			t.Errorf("%v after %d", err, asked.Load())
		}
	})
}

// A connection on which nothing could be written has not had the request: it
// goes out again whatever it does.
func TestNothingWritten(t *testing.T) {
	withRaw(t, []func(net.Conn, *bufio.Reader){answersAll}, func(t *testing.T, p *Pool, w *wires) {
		var broken atomic.Bool
		w.seize = func(c net.Conn) net.Conn { return &mute{c, &broken} }
		get(t, p, "/")
		w.seize = nil
		broken.Store(true)
		body := strings.NewReader("once")
		got, err := ask(t.Context(), p, "POST", "/", body)
		if got != "ok" || err != nil || w.opened.Load() != 2 {
			t.Errorf("%q, %v; %d connections", got, err, w.opened.Load())
		}
		if s := state(t, p); s.Resent != 1 {
			t.Errorf("%+v", s)
		}
	})
}

// mute is a connection that cannot be written to any more.
type mute struct {
	net.Conn
	broken *atomic.Bool
}

func (m *mute) Write(p []byte) (int, error) {
	if m.broken.Load() {
		return 0, errors.New("broken")
	}
	return m.Conn.Write(p)
}

// The caller's body is closed once, however it ends.
func TestBodyIsClosedOnce(t *testing.T) {
	refused := errors.New("refused")
	for _, c := range []struct {
		name  string
		fails bool
		serve func(net.Conn, *bufio.Reader)
	}{
		{"answered", false, answersAll},
		{"no connection", true, answersAll},
		{"hung up on", false, func(_ net.Conn, r *bufio.Reader) { _, _ = r.ReadByte() }},
		{"answered early", false, func(c net.Conn, r *bufio.Reader) {
			_, _ = r.ReadByte()
			_, _ = io.WriteString(c, ok)
		}},
	} {
		withRaw(t, []func(net.Conn, *bufio.Reader){c.serve}, func(t *testing.T, p *Pool, w *wires) {
			if c.fails {
				w.fail.Store(&refused)
			}
			body := &closes{Reader: strings.NewReader("body")}
			_, _ = ask(t.Context(), p, "POST", "/", body)
			synctest.Wait()
			if n := body.n.Load(); n != 1 {
				t.Errorf("%s: closed %d times", c.name, n)
			}
		})
	}
}

type closes struct {
	io.Reader
	n atomic.Int32
}

func (c *closes) Close() error {
	c.n.Add(1)
	return nil
}

// A connection that became something else is the caller's.
func TestUpgrade(t *testing.T) {
	upgrade := func(c net.Conn, r *bufio.Reader) {
		if _, err := take(r); err != nil {
			return
		}
		_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		_, _ = io.Copy(c, r)
	}
	withRaw(t, []func(net.Conn, *bufio.Reader){upgrade}, func(t *testing.T, p *Pool, w *wires) {
		req, _ := http.NewRequestWithContext(t.Context(), "GET", "http://server/", nil)
		req.Header.Set("Connection", "Upgrade")
		req.Header.Set("Upgrade", "echo")
		resp, err := p.RoundTrip(req)
		if err != nil || resp.StatusCode != 101 {
			t.Error(resp, err)
			return
		}
		tunnel := resp.Body.(io.ReadWriteCloser)
		_, _ = io.WriteString(tunnel, "hello")
		b := make([]byte, 5)
		if _, err := io.ReadFull(tunnel, b); err != nil || string(b) != "hello" {
			t.Errorf("%q, %v", b, err)
		}
		if s := state(t, p); s.Open != 0 {
			t.Errorf("%+v", s)
		}
		_ = tunnel.Close()
	})
}
