package proxy

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// call dials the door.
func (u *under) call(lines ...string) *raw {
	u.t.Helper()
	c, err := net.Dial("tcp", u.Addr(serveName).String())
	if err != nil {
		u.t.Fatal(err)
	}
	u.t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(patience))
	r := &raw{c, u.t, bufio.NewReader(c)}
	r.send(lines...)
	return r
}

// idle waits until nothing is at the door.
func (u *under) idle() {
	u.t.Helper()
	until(u.t, "nothing is at the door", func() bool {
		v := u.door()
		if v.Limit != nil && v.Limit.InFlight+v.Queue.Queued > 0 {
			return false
		}
		return v.Tenants == nil || len(v.Tenants.Top) == 0 || v.Tenants.Top[0].Here == 0
	})
}

// What the door tells the program is not for a client to take out, nor to
// invent: to call a field a matter of this hop is an old trick.
func TestServeFieldsCannotBeTakenOut(t *testing.T) {
	up := program(t, func(w http.ResponseWriter, r *http.Request) {
		h := r.Header
		fmt.Fprintf(w, "%s|%s|%v", h.Get("X-Seakeep-Degraded"), h.Get("X-Seakeep-Criticality"),
			h.Get("X-Seakeep-Deadline") != "")
	})
	u := start(t, door(up, "deadline: {default: 5s}\ndegrade: [a, b]\ncriticality: {default: sheddable}\nhealth: [/live]"))
	if err := u.set.Door().Degrade(2); err != nil {
		t.Fatal(err)
	}
	for _, named := range []string{"close", "close, X-Seakeep-Degraded", "close, x-seakeep-criticality",
		"close, X-Seakeep-Deadline, X-Seakeep-Degraded"} {
		r := u.call("GET / HTTP/1.1", "Host: x", "Connection: "+named, "X-Seakeep-Degraded: none",
			"X-Seakeep-Criticality: critical_plus", "", "")
		if _, body, _ := r.answer("GET"); body != "a, b|sheddable|true" {
			t.Errorf("%s: %q", named, body)
		}
	}
	r := u.call("GET /live HTTP/1.1", "Host: x", "Connection: close", "X-Seakeep-Degraded: all", "", "")
	if _, body, _ := r.answer("GET"); strings.HasPrefix(body, "all") {
		t.Errorf("a health check is told %q", body)
	}
}

// A rung that only watches lets everything pass, to the program's answer.
func TestServeWatchesWithoutRefusing(t *testing.T) {
	hold := make(chan struct{})
	up := program(t, func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hold" {
			<-hold
		}
	})
	u := start(t, door(up, "deadline: {needs: 1s, mode: observe}\n"+
		"concurrency: {algorithm: fixed, limit: 1, mode: observe}\nqueue: {length: 1}\n"+
		"tenants: {header: X-Tenant, limit: 1}\nshed: {mode: observe}"))
	release := sync.OnceFunc(func() { close(hold) })
	t.Cleanup(release)
	done := make(chan struct{})
	go func() { defer close(done); u.knock("GET", "/hold", "", "X-Tenant", "a") }()
	until(t, "it is there", func() bool { return u.door().Limit.InFlight == 1 })
	for _, left := range []string{"0", "1", "999"} {
		for range 3 {
			if resp, body := u.knock("GET", "/", "", "X-Tenant", "a", "X-Seakeep-Deadline", left); resp.StatusCode != 200 {
				t.Errorf("with %s ms: %d %s", left, resp.StatusCode, body)
			}
		}
	}
	release()
	<-done
	u.idle()
	if v := u.door(); v.Observed < 9 || v.RefusedFor != nil {
		t.Errorf("%d were watched, refused were %v", v.Observed, v.RefusedFor)
	}
}

// Bodies that do not come delay no refusal, and hold no slot.
func TestServeRefusesBeforeTheBodyComes(t *testing.T) {
	up := program(t, func(http.ResponseWriter, *http.Request) {})
	u := start(t, door(up, "concurrency: {}"))
	if err := u.set.Door().Admit(0, 0); err != nil {
		t.Fatal(err)
	}
	for name, lines := range map[string][]string{
		"chunks that stop": {"POST / HTTP/1.1", "Host: x", "Transfer-Encoding: chunked", "", "1", "x", ""},
		"a large one":      {"POST / HTTP/1.1", "Host: x", "Content-Length: 100000", "", "part"},
		"nobody asked":     {"POST / HTTP/1.1", "Host: x", "Content-Length: 10", "Expect: 100-continue", "", ""},
	} {
		r := u.call(lines...)
		if resp, _, _ := r.answer("POST"); resp.StatusCode != 503 || !resp.Close {
			t.Errorf("%s: %d, closes: %v", name, resp.StatusCode, resp.Close)
		}
		r.rest()
	}
	r := u.call("POST / HTTP/1.1", "Host: x", "Content-Length: 4", "", "bodyHEAD / HTTP/1.1", "Host: x", "", "")
	for _, method := range []string{"POST", "HEAD"} {
		if resp, body, _ := r.answer(method); resp.StatusCode != 503 || resp.Close || (method == "HEAD") != (body == "") {
			t.Errorf("%s: %d %q, closes: %v", method, resp.StatusCode, body, resp.Close)
		}
	}
}

// A tunnel outlives the deadline, keeps its slot, and teaches the limit nothing.
func TestServeTunnel(t *testing.T) {
	t.Parallel()
	up := program(t, func(w http.ResponseWriter, _ *http.Request) {
		c, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		_, _ = rw.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
		_ = rw.Flush()
		_, _ = io.Copy(c, rw)
	})
	u := start(t, door(up, "deadline: {default: 100ms}\nconcurrency: {min: 1, max: 50}"))
	r := u.call("GET / HTTP/1.1", "Host: x", "Connection: Upgrade", "Upgrade: x", "", "")
	if resp, err := http.ReadResponse(r.br, nil); err != nil || resp.StatusCode != 101 {
		t.Fatal(resp, err)
	}
	time.Sleep(250 * time.Millisecond)
	r.send("echo")
	got := make([]byte, 4)
	if _, err := io.ReadFull(r.br, got); err != nil || string(got) != "echo" || u.door().Limit.InFlight != 1 {
		t.Errorf("%q, %v, in flight: %d", got, err, u.door().Limit.InFlight)
	}
	_ = r.Close()
	u.idle()
	v := u.door()
	if v.Classes["critical"].Useful != 1 || v.Latency != nil && v.Latency.MaxMS > 100 {
		t.Errorf("%+v %+v", v.Classes["critical"], v.Latency)
	}
}

// A client that takes its answer slowly is not a service that is slow.
func TestServeSlowReaderIsNotASlowService(t *testing.T) {
	up := program(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "begun")
		_ = http.NewResponseController(w).Flush()
		time.Sleep(300 * time.Millisecond)
	})
	u := start(t, door(up, "deadline: {default: 200ms}\nconcurrency: {}"))
	u.knock("GET", "/", "")
	u.idle()
	if v := u.door(); v.Classes["critical"].Useful != 1 || v.Latency.MaxMS > 200 {
		t.Errorf("%+v, longest %v ms", v.Classes["critical"], v.Latency.MaxMS)
	}
}

// A way through the program that leads back to the proxy is found out at once.
func TestServeLoop(t *testing.T) {
	back := ""
	up := program(t, func(w http.ResponseWriter, r *http.Request) {
		again, _ := http.NewRequest("GET", back, nil)
		again.Header["Via"] = r.Header["Via"]
		resp, err := plain.Do(again)
		if err != nil {
			t.Error(err)
			return
		}
		defer resp.Body.Close()
		w.Header().Set("X-Again", resp.Header.Get("Proxy-Status"))
		w.WriteHeader(resp.StatusCode)
	})
	u := start(t, door(up, "concurrency: {algorithm: fixed, limit: 1}"))
	back = u.url(serveName, "/")
	if resp, _ := u.knock("GET", "/", ""); resp.StatusCode != 502 ||
		!strings.Contains(resp.Header.Get("X-Again"), "proxy_loop_detected") {
		t.Errorf("%d %v", resp.StatusCode, resp.Header)
	}
	u.idle()
}

// An upstream by TLS is looked at as every endpoint is.
func TestServeUpstreamByTLS(t *testing.T) {
	s := httptest.NewTLSServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	defer s.Close()
	u := start(t, door(s.URL, "concurrency: {}"))
	if resp, body := u.knock("GET", "/", ""); resp.StatusCode != 502 ||
		!strings.Contains(resp.Header.Get("Proxy-Status"), "tls_certificate_error") {
		t.Errorf("%d %v %s", resp.StatusCode, resp.Header, body)
	}
	u.idle()
}

// CONNECT and a half-closed client.
func TestServeOddClients(t *testing.T) {
	t.Parallel()
	up := program(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = w.Write(body)
	})
	u := start(t, door(up, "concurrency: {algorithm: fixed, limit: 1}"))
	r := u.call("CONNECT x:80 HTTP/1.1", "Host: x:80", "", "")
	if resp, _, _ := r.answer("CONNECT"); resp.StatusCode != 501 {
		t.Errorf("CONNECT gets %d", resp.StatusCode)
	}
	r = u.call("POST / HTTP/1.1", "Host: x", "Content-Length: 4", "", "body")
	_ = r.Conn.(*net.TCPConn).CloseWrite()
	_ = r.rest() // net/http takes it for one who has left, or answers
	u.idle()
	r = u.call("POST / HTTP/1.1", "Host: x", "Content-Length: 400000", "", "part")
	until(t, "it is there", func() bool { return u.door().Limit.InFlight == 1 })
	_ = r.Close()
	u.idle()
}

// A body that stops coming holds its slot no longer than the deadline, whoever
// reads it.
func TestServeStalledBodyGivesItsSlotBack(t *testing.T) {
	t.Parallel()
	up := program(t, func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })
	for _, more := range []string{"", "idempotency: {}\n"} {
		u := start(t, door(up, more+"deadline: {default: 300ms}\nconcurrency: {algorithm: fixed, limit: 1}"))
		r := u.call("POST / HTTP/1.1", "Host: x", "Idempotency-Key: \"k\"", "Transfer-Encoding: chunked", "", "1", "x", "")
		until(t, "it is there", func() bool { return u.door().Limit.InFlight == 1 })
		began := time.Now()
		u.idle()
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("%q: it held its slot for %v", more, took)
		}
		if resp, body, _ := r.answer("POST"); resp.StatusCode/100 == 2 || !resp.Close {
			t.Errorf("%q: %d %s", more, resp.StatusCode, body)
		}
		if v := u.door(); v.Limit.Limit != 1 || v.Classes["critical"].Admitted != 1 {
			t.Errorf("%+v", v.Classes["critical"])
		}
	}
}
