package proxy

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// door is a policy file with a door in front of an upstream.
func door(upstream, serve string) string {
	return "version: 1\nservice: shop\nadmin: {listen: 127.0.0.1:0}\nserve:\n" +
		"  listen: 127.0.0.1:0\n  upstream: " + upstream + "\n" +
		indentBy("  ", serve)
}

func indentBy(by, text string) string {
	return by + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n"+by) + "\n"
}

// program is what stands behind the door.
func program(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func (u *under) knock(method, path, body string, headers ...string) (*http.Response, string) {
	u.t.Helper()
	r, err := http.NewRequest(method, u.url(serveName, path), strings.NewReader(body))
	if err != nil {
		u.t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := plain.Do(r)
	if err != nil {
		u.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		u.t.Fatal(err)
	}
	return resp, string(text)
}

func (u *under) door() serveView {
	v, ok := u.serveView()
	if !ok {
		u.t.Fatal("there is no door")
	}
	return v
}

func TestServePassesRequestsOn(t *testing.T) {
	up := program(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s|%s|%s|%s", r.Method, r.URL.RequestURI(), body,
			r.Header.Get("X-Seakeep-Criticality"), r.Header.Get("X-Seakeep-Degraded"), r.Host)
	})
	u := start(t, door(up, "deadline: {default: 5s}\nconcurrency: {}"))
	resp, got := u.knock("POST", "/a?b=c", "text", "X-Seakeep-Criticality", "sheddable",
		"X-Seakeep-Degraded", "forged")
	if want := "POST /a?b=c text|sheddable||" + u.Addr(serveName).String(); got != want ||
		resp.StatusCode != 200 {
		t.Errorf("%d %q, want %q", resp.StatusCode, got, want)
	}
	until(t, "the request is accounted for", func() bool {
		v := u.door()
		return v.Classes["sheddable"].Useful == 1 && v.Limit.InFlight == 0
	})
}

func TestServeHandsTheDeadlineOn(t *testing.T) {
	left := make(chan string, 9)
	up := program(t, func(_ http.ResponseWriter, r *http.Request) {
		left <- r.Header.Get("X-Seakeep-Deadline") + r.Header.Get("Grpc-Timeout")
	})
	u := start(t, door(up, "deadline: {default: 9s}"))
	for _, c := range []struct {
		header, value string
		most          int
	}{{"X-A", "", 9000}, {"X-Seakeep-Deadline", "700", 700}, {"Grpc-Timeout", "1S", 1000}} {
		u.knock("GET", "/", "", c.header, c.value)
		got := 0
		if _, err := fmt.Sscan(<-left, &got); err != nil || got > c.most || got < c.most-600 {
			t.Errorf("%s %q: the program has %d ms, %v", c.header, c.value, got, err)
		}
	}
	if resp, _ := u.knock("GET", "/", "", "X-Seakeep-Deadline", "0"); resp.StatusCode != 504 {
		t.Errorf("a request whose time is up gets %d", resp.StatusCode)
	}
}

// A slow program is given up on at the deadline, and its answer is 504; an
// answer that began in time may stream on.
func TestServeDeadline(t *testing.T) {
	t.Parallel()
	up := program(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			<-r.Context().Done()
			return
		}
		_, _ = io.WriteString(w, "begun ")
		_ = http.NewResponseController(w).Flush()
		time.Sleep(400 * time.Millisecond)
		_, _ = io.WriteString(w, "done")
	})
	u := start(t, door(up, "deadline: {default: 200ms}\nconcurrency: {}"))
	resp, body := u.knock("GET", "/slow", "")
	if resp.StatusCode != 504 || !strings.Contains(resp.Header.Get("Proxy-Status"), "http_response_timeout") {
		t.Errorf("%d %v %s", resp.StatusCode, resp.Header, body)
	}
	if resp, body := u.knock("GET", "/stream", ""); body != "begun done" {
		t.Errorf("the stream is %d %q", resp.StatusCode, body)
	}
	until(t, "the slots are free", func() bool { return u.door().Limit.InFlight == 0 })
}

// The program is full: one request waits and one is refused, but a health check
// passes, and whoever leaves the queue leaves nothing behind.
func TestServeWaitsRefusesAndForgets(t *testing.T) {
	hold := make(chan struct{})
	up := program(t, func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz" {
			<-hold
		}
	})
	u := start(t, door(up, "concurrency: {algorithm: fixed, limit: 1}\nqueue: {length: 1, wait: 1h}"))
	var all sync.WaitGroup
	for n := range 2 {
		all.Go(func() { u.knock("GET", "/", "") })
		until(t, "it is there", func() bool {
			v := u.door()
			return v.Limit.InFlight+v.Queue.Queued == n+1
		})
	}
	resp, body := u.knock("POST", "/", strings.Repeat("x", 1000))
	if resp.StatusCode != 503 || !strings.Contains(body, `"reason":"bulkhead-full"`) ||
		resp.Header.Get("Retry-After") == "" ||
		!strings.Contains(resp.Header.Get("Proxy-Status"), "connection_limit_reached") {
		t.Errorf("%d %v %s", resp.StatusCode, resp.Header, body)
	}
	if resp, _ := u.knock("GET", "/healthz", ""); resp.StatusCode != 200 {
		t.Errorf("the health check gets %d", resp.StatusCode)
	}
	close(hold)
	all.Wait()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, _ := http.NewRequestWithContext(ctx, "GET", u.url(serveName, "/"), nil)
	_, _ = plain.Do(r)
	until(t, "all is quiet", func() bool { v := u.door(); return v.Limit.InFlight+v.Queue.Queued == 0 })
}

// A refusal does not cost the connection.
func TestServeRefusalKeepsTheConnection(t *testing.T) {
	up := program(t, func(http.ResponseWriter, *http.Request) {})
	u := start(t, door(up, "concurrency: {}"))
	if err := u.set.Door().Admit(0, 0); err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for range 5 {
		resp, err := client.Post(u.url(serveName, "/"), "text/plain", strings.NewReader("body"))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != 503 || resp.Close {
			t.Errorf("%d, closes: %v", resp.StatusCode, resp.Close)
		}
	}
}

// A reload changes the upstream and keeps what an operator has ordered; one that
// takes the section out takes the listener away.
func TestServeReload(t *testing.T) {
	one := program(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "one") })
	two := program(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "two") })
	u := start(t, door(one, "concurrency: {}\ndegrade: [a]"))
	if _, got := u.knock("GET", "/", ""); got != "one" {
		t.Errorf("first %q", got)
	}
	if err := u.set.Door().Degrade(1); err != nil {
		t.Fatal(err)
	}
	address := u.Addr(serveName).String()
	u.write(door(two, "concurrency: {max: 7}\ndegrade: [a]"))
	if err := u.Reload(); err != nil {
		t.Fatal(err)
	}
	if _, got := u.knock("GET", "/", ""); got != "two" || u.Addr(serveName).String() != address {
		t.Errorf("then %q at %v", got, u.Addr(serveName))
	}
	if v := u.door(); v.Degrade.Level != 1 {
		t.Errorf("the level is %d", v.Degrade.Level)
	}
	u.write(door("nonsense", ""))
	if err := u.Reload(); err == nil {
		t.Error("nonsense is taken")
	}
	if _, got := u.knock("GET", "/", ""); got != "two" {
		t.Errorf("after nonsense %q", got)
	}
	u.write(policy(one))
	if err := u.Reload(); err != nil {
		t.Fatal(err)
	}
	if u.Addr(serveName) != nil {
		t.Error("the listener is still there")
	}
}

// What the upstream cannot do shows as it is.
func TestServeUpstreamGone(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	u := start(t, door(s.URL, "concurrency: {}"))
	if resp, body := u.knock("GET", "/", ""); resp.StatusCode != 502 ||
		!strings.Contains(resp.Header.Get("Proxy-Status"), "connection_refused") {
		t.Errorf("%d %v %s", resp.StatusCode, resp.Header, body)
	}
	until(t, "the slot is free", func() bool { return u.door().Limit.InFlight == 0 })
}
