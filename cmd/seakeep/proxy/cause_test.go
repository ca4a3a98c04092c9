package proxy

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/problem"
)

// local is an answer that was made here.
type local struct {
	status        int
	kind, reason  string
	policy, title string
	after         string // Retry-After
	attempts      int
	noRetry       bool
	failed        uint64 // what the breaker has counted
}

func (u *under) local(method, path string) local {
	u.t.Helper()
	resp, body := u.do(method, path, "")
	var p problem.Document
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		u.t.Fatalf("the body %q: %v", body, err)
	}
	if got := resp.Header.Get("Content-Type"); got != "application/problem+json" {
		u.t.Errorf("Content-Type is %q", got)
	}
	status := resp.Header.Get("Proxy-Status")
	if want := "seakeep; error=" + p.Error; !strings.HasPrefix(status, want) {
		u.t.Errorf("Proxy-Status is %q, want %q", status, want)
	}
	if p.Detail == "" || p.Type != "about:blank" || p.Status != resp.StatusCode {
		u.t.Errorf("incomplete: %s", body)
	}
	l := local{status: resp.StatusCode, kind: p.Error, reason: p.Reason, policy: p.Policy,
		title: p.Title, after: resp.Header.Get("Retry-After"), attempts: deref(p.Attempts),
		noRetry: resp.Header.Get("X-Seakeep-No-Retry") == "1"}
	if s := u.snapshot("dep"); s.Breaker != nil {
		l.failed = s.Breaker.Window.Failed
	}
	return l
}

// closedPort is an address where nobody listens.
func closedPort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	return "http://" + l.Addr().String()
}

func TestCausesAreKeptApart(t *testing.T) {
	silent := func(_ net.Conn, br *bufio.Reader) { _, _ = io.Copy(io.Discard, br) }
	resetting := func(c net.Conn, br *bufio.Reader) {
		_, _ = http.ReadRequest(br)
		hard(c)
	}
	plainly := func(c net.Conn, br *bufio.Reader) {
		_, _ = br.ReadByte()
		_, _ = io.WriteString(c, "HTTP/1.1 400 No\r\nContent-Length: 0\r\n\r\n")
		_, _ = io.Copy(io.Discard, br)
	}
	for name, tc := range map[string]struct {
		endpoint string
		rungs    []string
		want     local
	}{
		"refused": {closedPort(t), nil,
			local{status: 502, kind: "connection_refused", attempts: 1, failed: 1}},
		"name unknown": {"http://no-such-host.invalid", nil,
			local{status: 502, kind: "dns_error", attempts: 1, failed: 1}},
		"reset": {scripted(t, resetting).url(), nil,
			local{status: 502, kind: "connection_terminated", attempts: 1, failed: 1}},
		"closed": {scripted(t, func(_ net.Conn, br *bufio.Reader) { _, _ = http.ReadRequest(br) }).url(), nil,
			local{status: 502, kind: "connection_terminated", attempts: 1, failed: 1}},
		"attempt timeout": {scripted(t, silent).url(), []string{"timeout: {request: 30ms}"},
			local{status: 504, kind: "http_response_timeout", attempts: 1, failed: 1}},
		"total timeout": {scripted(t, silent).url(), []string{"timeout: {total: 30ms}"},
			local{status: 504, kind: "http_response_timeout", attempts: 1, failed: 1}},
		"nonsense": {scripted(t, always("SMTP ready", "")).url(), nil,
			local{status: 502, kind: "http_protocol_error", attempts: 1, failed: 1}},
		"odd coding": {scripted(t, always("HTTP/1.1 200 OK", "Transfer-Encoding: gzip", "", "")).url(), nil,
			local{status: 502, kind: "http_response_transfer_coding", attempts: 1, failed: 1}},
		"too large": {scripted(t, always("HTTP/1.1 200 OK", "Content-Length: 9", "", "too large")).url(),
			[]string{"response: {body: 8B}", "retry: {attempts: 3, budget: none}"},
			local{status: 502, kind: "http_response_body_size", reason: "not-retryable", attempts: 1, failed: 1}},
		"not TLS": {strings.Replace(scripted(t, plainly).url(), "http:", "https:", 1), nil,
			local{status: 502, kind: "tls_protocol_error", attempts: 1, failed: 1}},
		"retried": {closedPort(t), []string{"retry: {attempts: 3, backoff: {base: 1ms}, budget: none}"},
			local{status: 502, kind: "connection_refused", reason: "attempts-exhausted", attempts: 3, noRetry: true, failed: 3}},
	} {
		t.Run(name, func(t *testing.T) {
			u := start(t, policy(tc.endpoint, append(tc.rungs,
				"breaker: {window: 10 calls, calls: 10, failures: 90%}")...))
			want := tc.want
			want.policy, want.title = "dep", http.StatusText(want.status)
			if got := u.local("GET", "/"); got != want {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

func TestRefusalsSayWhoAndWhen(t *testing.T) {
	hold := make(chan struct{})
	arrived := make(chan struct{}, 1)
	backend := web(t, func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		select {
		case <-hold:
		case <-r.Context().Done():
		}
	})
	u := start(t, policy(backend, "bulkhead: {limit: 1}",
		"breaker: {window: 10 calls, failures: 50%, open: {for: 20s, jitter: 0%}}"))
	c := u.dial()
	c.send("GET / HTTP/1.1", "Host: h", "", "")
	<-arrived
	full := u.local("GET", "/")
	if full.after != "1" && full.after != "2" {
		t.Errorf("Retry-After is %q", full.after)
	}
	full.after = ""
	want := local{status: 503, kind: problem.LimitReached, reason: "bulkhead-full", policy: "dep",
		title: "Service Unavailable", noRetry: true}
	if full != want {
		t.Errorf("got  %+v\nwant %+v", full, want)
	}
	close(hold)
	c.answer("GET")

	trip(t, u)
	open := u.local("POST", "/")
	if n := len(open.after); n != 2 || open.after < "20" || open.after > "24" {
		t.Errorf("Retry-After is %q, want 20 to 24", open.after)
	}
	open.after = ""
	want.kind, want.reason, want.failed = problem.Unavailable, "circuit-open", open.failed
	if open != want {
		t.Errorf("got  %+v\nwant %+v", open, want)
	}
	_, body := u.get("/")
	if !strings.Contains(body, "dep refused the call: circuit-open. Its breaker opened") {
		t.Errorf("the explanation is %s", body)
	}
}

// trip opens the breaker of dep the way failures do.
func trip(t *testing.T, u *under) {
	t.Helper()
	b := u.set.MustPolicy("dep").Plan().Breaker(seakeep.Now(), "")
	for range 10 {
		p, _ := b.Admit(seakeep.Now())
		b.Report(seakeep.Now(), p, core.Failure, time.Millisecond)
	}
}

func TestDialErrors(t *testing.T) {
	dial := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
	for _, tc := range []struct {
		err    error
		status int
		kind   string
	}{
		{dial(timeoutError{}), 504, "connection_timeout"},
		{dial(syscall.EHOSTUNREACH), 502, "destination_ip_unroutable"},
		{dial(syscall.EMFILE), 503, "connection_limit_reached"},
		{dial(syscall.EADDRNOTAVAIL), 503, "connection_limit_reached"},
		{dial(errors.New("odd")), 502, "connection_terminated"},
		{dial(&net.DNSError{IsTimeout: true}), 504, "dns_timeout"},
		{fmt.Errorf("wrapped: %w", io.EOF), 502, "connection_terminated"},
		{errors.New("odd"), 502, "proxy_internal_error"},
		{nil, 502, "proxy_internal_error"},
	} {
		if status, kind := ofError(tc.err); status != tc.status || kind != tc.kind {
			t.Errorf("%v: got %d %s, want %d %s", tc.err, status, kind, tc.status, tc.kind)
		}
	}
}

type timeoutError struct{}

func (timeoutError) Error() string { return "i/o timeout" }
func (timeoutError) Timeout() bool { return true }

// deref is -1 for an answer that says nothing of attempts.
func deref(n *int) int {
	if n == nil {
		return -1
	}
	return *n
}
