package proxy

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestStalledUploadEndsWithItsAttempt: a client that stops within a body that
// streams holds its place no longer than the attempt may take, and what it does
// is not the dependency's fault.
func TestStalledUploadEndsWithItsAttempt(t *testing.T) {
	for name, request := range map[string][]string{
		"chunked": {"POST / HTTP/1.1", "Host: h", "Transfer-Encoding: chunked", "", "3", "abc", ""},
		"large":   {"POST / HTTP/1.1", "Host: h", "Content-Length: 1000000", "", "abc"},
		"put":     {"PUT / HTTP/1.1", "Host: h", "Transfer-Encoding: chunked", "", "3", "abc", ""},
	} {
		t.Run(name, func(t *testing.T) {
			backend := web(t, func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
			})
			u := start(t, policy(backend, "timeout: {request: 50ms, total: 5s}",
				"retry: {attempts: 3}", "bulkhead: {limit: 1}",
				"breaker: {window: 5 calls, calls: 1, failures: 1%}"))
			c := u.dial()
			c.send(request...)
			resp, body, _ := c.answer("POST")
			if resp.StatusCode != http.StatusRequestTimeout || !resp.Close {
				t.Errorf("%d, %s", resp.StatusCode, body)
			}
			if left := c.rest(); left != "" {
				t.Errorf("then %q", left)
			}
			until(t, "the call to end", func() bool { return u.snapshot("dep").Bulkhead.InUse == 0 })
			if s := u.snapshot("dep"); s.Breaker.Window.Calls != 0 {
				t.Errorf("the client's slowness counts: %+v", s.Breaker.Window)
			}
		})
	}
}

// TestStalledReaderIsGivenUp: a client that takes nothing of its answer does not
// hold its place for ever, though no limit of the call sees it.
func TestStalledReaderIsGivenUp(t *testing.T) {
	backend := web(t, func(w http.ResponseWriter, _ *http.Request) {
		piece := make([]byte, 64<<10)
		for range 1 << 10 { // more than all sockets on the way hold
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
	})
	u := startWith(t, policy(backend, "bulkhead: {limit: 1}"), Options{stallTime: 50 * time.Millisecond})
	c := u.dial()
	c.send("GET / HTTP/1.1", "Host: h", "", "")
	until(t, "the answer to begin", func() bool { return u.snapshot("dep").Bulkhead.InUse == 1 })
	until(t, "its place to be free", func() bool { return u.snapshot("dep").Bulkhead.InUse == 0 })
	if s := u.snapshot("dep"); s.Stats.Failures != 0 {
		t.Errorf("the client's slowness counts: %+v", s.Stats)
	}
}

// TestPausesAreNoStall: an answer that comes slowly, and a connection that is
// used again, have nothing to do with that limit.
func TestPausesAreNoStall(t *testing.T) {
	const stall = 100 * time.Millisecond // no machine stops for so long
	backend := web(t, func(w http.ResponseWriter, _ *http.Request) {
		for range 2 {
			_, _ = io.WriteString(w, "piece")
			_ = http.NewResponseController(w).Flush()
			<-time.After(2 * stall)
		}
	})
	u := startWith(t, policy(backend), Options{stallTime: stall})
	c := u.dial()
	for range 2 {
		c.send("GET / HTTP/1.1", "Host: h", "", "")
		if _, body, err := c.answer("GET"); body != "piecepiece" || err != nil {
			t.Errorf("%q, %v", body, err)
		}
	}
}

// TestF103LimitsOfWritingAreNotOfStreams: what a client may take for a piece of an
// answer is no limit of the whole.
func TestF103LimitsOfWritingAreNotOfStreams(t *testing.T) {
	t.Parallel()
	const events = 10
	backend := web(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range events {
			_, _ = fmt.Fprintf(w, "data: %d\n\n", i)
			_ = http.NewResponseController(w).Flush()
			time.Sleep(60 * time.Millisecond)
		}
	})
	eachPool(t, func(t *testing.T, o Options) {
		o.stallTime = 200 * time.Millisecond
		u := startWith(t, policy(backend), o)
		began := time.Now()
		_, body := u.get("/")
		if n := strings.Count(body, "data: "); n != events || time.Since(began) < 2*o.stallTime {
			t.Errorf("%d events in %v, want %d", n, time.Since(began), events)
		}
	})
}
