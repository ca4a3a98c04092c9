package proxy

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"
)

// echoing switches protocols and then says everything twice.
func echoing(c net.Conn, br *bufio.Reader) {
	r, err := http.ReadRequest(br)
	if err != nil {
		return
	}
	if upgradeOf(r.Header) == "" {
		_, _ = io.WriteString(c, "HTTP/1.1 426 Upgrade\r\nContent-Length: 0\r\n\r\n")
		return
	}
	_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"+
		"Upgrade: "+r.Header.Get("Upgrade")+"\r\nSec-WebSocket-Accept: x\r\n\r\n")
	buf := make([]byte, 100)
	for {
		n, err := br.Read(buf)
		if err != nil {
			return
		}
		_, _ = c.Write(buf[:n])
		_, _ = c.Write(buf[:n])
	}
}

func (r *raw) upgrade(early string) *http.Response {
	r.t.Helper()
	r.send("GET /chat HTTP/1.1", "Host: h", "Connection: keep-alive, Upgrade", "Upgrade: websocket",
		"Sec-WebSocket-Key: k", "", early)
	resp, err := http.ReadResponse(r.br, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	return resp
}

func (r *raw) expect(want string) {
	r.t.Helper()
	got := make([]byte, len(want))
	if _, err := io.ReadFull(r.br, got); err != nil || string(got) != want {
		r.t.Fatalf("got %q, %v; want %q", got, err, want)
	}
}

func TestF101UpgradesPassAllLimits(t *testing.T) {
	b := scripted(t, echoing)
	u := start(t, policy(b.url(), "timeout: {request: 50ms, total: 80ms}", "retry: {attempts: 3}",
		breakerOf5, "bulkhead: {limit: 1}"))
	c := u.dial()
	resp := c.upgrade("early")
	if resp.StatusCode != 101 || upgradeOf(resp.Header) != "websocket" ||
		resp.Header.Get("Sec-WebSocket-Accept") != "x" {
		t.Fatalf("got %d %v", resp.StatusCode, resp.Header)
	}
	c.expect("earlyearly")
	until(t, "both limits to pass", func() bool { return passed(u, 120) })
	c.send("\x00\n late") // nothing that could be HTTP
	c.expect("\x00\n late\x00\n late")

	if s := u.snapshot("dep"); s.Bulkhead.InUse != 1 {
		t.Errorf("a tunnel holds %d slots, want 1", s.Bulkhead.InUse)
	}
	if resp, _ := u.get("/"); resp.StatusCode != 503 {
		t.Errorf("beside a tunnel in the only slot: %d", resp.StatusCode)
	}
	_ = c.Close()
	until(t, "the slot", func() bool { return u.snapshot("dep").Bulkhead.InUse == 0 })
	if n := b.conns.Load(); n != 1 {
		t.Errorf("%d connections to the dependency, want 1: nothing is retried", n)
	}
}

func TestF101DependencyEndsATunnel(t *testing.T) {
	b := scripted(t, func(c net.Conn, br *bufio.Reader) {
		if _, err := http.ReadRequest(br); err != nil {
			return
		}
		_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"+
			"Upgrade: websocket\r\n\r\nbye")
	})
	u := start(t, policy(b.url(), "retry: {attempts: 3}", breakerOf5))
	c := u.dial()
	c.upgrade("")
	if got := c.rest(); got != "bye" {
		t.Errorf("got %q", got)
	}
	_ = c.Close()
	until(t, "the end", func() bool { return u.front().active.Load() == 0 })
	if n := b.conns.Load(); n != 1 || u.log.has("panic") {
		t.Errorf("%d connections to the dependency, want 1; log %s", n, u.log.buf.String())
	}
}
