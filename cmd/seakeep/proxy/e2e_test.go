package proxy

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seakeep/seakeep/internal/problem"
)

// everyDay is a policy as an operator would write it, for servers that fail in
// every way there is.
const everyDay = `version: 1
service: shop
admin: {listen: 127.0.0.1:0}
dependencies:
  slow:
    listen: 127.0.0.1:0
    endpoints: [%s]
    timeout: {request: 50ms, total: 200ms}
  dead:
    listen: 127.0.0.1:0
    endpoints: [%s]
    breaker: {window: 20 calls, calls: 3, failures: 50%%, open: {for: 20s, jitter: 0%%}}
  resetting:
    listen: 127.0.0.1:0
    endpoints: [%s]
    retry: {attempts: 3, backoff: {base: 1ms}}
  shedding:
    listen: 127.0.0.1:0
    endpoints: [%s]
    timeout: {total: 5s}
    retry: {attempts: 2, backoff: {base: 1ms}}
  streaming:
    listen: 127.0.0.1:0
    endpoints: [%s]
    timeout: {request: 50ms, total: 100ms}
    retry: {attempts: 3}
`

// ask sends a GET to a dependency.
func (u *under) ask(name string) (*http.Response, string, error) {
	u.t.Helper()
	resp, err := plain.Get(u.url(name, "/"))
	if err != nil {
		u.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp, string(text), err
}

// failing are servers that each fail in a way of their own.
type failing struct {
	resetting              *backend
	slow, shedding, stream string
	resets, shed, streamed atomic.Int32
	goOn                   chan struct{}
}

func newFailing(t *testing.T) *failing {
	f := &failing{goOn: make(chan struct{})}
	f.slow, _, _ = slow(t)
	f.resetting = scripted(t, func(c net.Conn, br *bufio.Reader) {
		if _, err := http.ReadRequest(br); err != nil {
			return
		}
		if f.resets.Add(1) == 1 { // before the answer
			hard(c)
			return
		}
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly a part")
		_, _ = io.CopyN(io.Discard, br, 1) // until it is stopped
	})
	f.shedding = web(t, func(w http.ResponseWriter, _ *http.Request) {
		if f.shed.Add(1) == 1 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, "welcome")
	})
	f.stream = web(t, func(w http.ResponseWriter, _ *http.Request) {
		f.streamed.Add(1)
		_, _ = io.WriteString(w, "first ")
		_ = http.NewResponseController(w).Flush()
		<-f.goOn
		_, _ = io.WriteString(w, "last")
	})
	return f
}

func TestEachDoesWhatTheFileSays(t *testing.T) {
	t.Parallel()
	f := newFailing(t)
	u := start(t, fmt.Sprintf(everyDay, f.slow, closedPort(t), f.resetting.url(), f.shedding, f.stream))
	t.Run("slow", func(t *testing.T) {
		began := time.Now()
		resp, body, _ := u.ask("slow")
		if took := time.Since(began); resp.StatusCode != 504 || took < 50*time.Millisecond {
			t.Errorf("got %d %s after %v", resp.StatusCode, body, took)
		}
	})
	t.Run("dead", func(t *testing.T) { dead(t, u) })
	t.Run("resets in the body", func(t *testing.T) {
		resp := u.begin("resetting", len("only a part")) // the first attempt is reset and repeated
		f.resetting.stop()
		rest, err := io.ReadAll(resp.Body)
		if err == nil || len(rest) > 0 || f.resets.Load() != 2 {
			t.Errorf("then %q, %v after %d attempts; want a broken connection", rest, err, f.resets.Load())
		}
	})
	t.Run("503 with Retry-After", func(t *testing.T) {
		began := time.Now()
		resp, body, _ := u.ask("shedding")
		if took := time.Since(began); resp.StatusCode != 200 || body != "welcome" || took < time.Second {
			t.Errorf("got %d %q after %v, want a second attempt after the second that was asked for",
				resp.StatusCode, body, took)
		}
	})
	t.Run("streams", func(t *testing.T) {
		resp := u.begin("streaming", len("first "))
		until(t, "all limits to pass", func() bool { return passed(u, 150) })
		close(f.goOn)
		rest, err := io.ReadAll(resp.Body)
		if err != nil || string(rest) != "last" || f.streamed.Load() != 1 {
			t.Errorf("then %q, %v after %d attempts", rest, err, f.streamed.Load())
		}
	})
}

// begin sends a GET and reads so many bytes of the answer's body.
func (u *under) begin(name string, n int) *http.Response {
	u.t.Helper()
	resp, err := plain.Get(u.url(name, "/"))
	if err != nil {
		u.t.Fatal(err)
	}
	u.t.Cleanup(func() { _ = resp.Body.Close() })
	if _, err := io.ReadFull(resp.Body, make([]byte, n)); err != nil {
		u.t.Fatal(err)
	}
	return resp
}

// dead: the first calls find nobody, then the breaker spares everybody the try.
func dead(t *testing.T, u *under) {
	var kinds []string
	for range 4 {
		resp, body, _ := u.ask("dead")
		var p problem.Document
		if err := json.Unmarshal([]byte(body), &p); err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, fmt.Sprint(resp.StatusCode, " ", p.Error))
		if resp.StatusCode == 503 && (resp.Header.Get("Retry-After") == "" || p.Reason != "circuit-open") {
			t.Errorf("refused with %v %s", resp.Header, body)
		}
	}
	const refused, open = "502 connection_refused", "503 destination_unavailable"
	if got, want := strings.Join(kinds, ", "), strings.Join([]string{refused, refused, refused, open}, ", "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
