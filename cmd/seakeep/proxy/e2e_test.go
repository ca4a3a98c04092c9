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

func TestEachDoesWhatTheFileSays(t *testing.T) {
	var shed, streamed, resets atomic.Int32
	slow, _, _ := slow(t)
	resetting := scripted(t, func(c net.Conn, br *bufio.Reader) {
		if _, err := http.ReadRequest(br); err != nil {
			return
		}
		if resets.Add(1) == 1 { // before the answer
			hard(c)
			return
		}
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly a part")
		_, _ = io.CopyN(io.Discard, br, 1) // until the client has gone, or for ever
	})
	shedding := web(t, func(w http.ResponseWriter, _ *http.Request) {
		if shed.Add(1) == 1 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, "welcome")
	})
	goOn := make(chan struct{})
	streaming := web(t, func(w http.ResponseWriter, _ *http.Request) {
		streamed.Add(1)
		_, _ = io.WriteString(w, "first ")
		_ = http.NewResponseController(w).Flush()
		<-goOn
		_, _ = io.WriteString(w, "last")
	})
	u := start(t, fmt.Sprintf(everyDay, slow, closedPort(t), resetting.url(), shedding, streaming))

	t.Run("slow", func(t *testing.T) {
		began := time.Now()
		resp, body, _ := u.ask("slow")
		if took := time.Since(began); resp.StatusCode != 504 || took < 50*time.Millisecond {
			t.Errorf("got %d %s after %v", resp.StatusCode, body, took)
		}
	})
	t.Run("dead", func(t *testing.T) { dead(t, u) })
	t.Run("resets in the body", func(t *testing.T) {
		resp, err := plain.Get(u.url("resetting", "/")) // the first attempt is reset and repeated
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if _, err := io.ReadFull(resp.Body, make([]byte, len("only a part"))); err != nil {
			t.Fatal(err)
		}
		resetting.stop()
		if rest, err := io.ReadAll(resp.Body); err == nil || len(rest) > 0 || resets.Load() != 2 {
			t.Errorf("then %q, %v after %d attempts; want a broken connection", rest, err, resets.Load())
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
		resp, err := plain.Get(u.url("streaming", "/"))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		until(t, "all limits to pass", func() bool { return passed(u, 150) })
		close(goOn)
		if body, err := io.ReadAll(resp.Body); err != nil || string(body) != "first last" || streamed.Load() != 1 {
			t.Errorf("got %q, %v after %d attempts", body, err, streamed.Load())
		}
	})
}

// dead: the first calls find nobody, then the breaker spares everybody the try.
func dead(t *testing.T, u *under) {
	var kinds []string
	for range 4 {
		resp, body, _ := u.ask("dead")
		var p problem
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
