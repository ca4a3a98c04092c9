package proxy

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// The proxy's 504 reaches a caller who said how long it waits before that time
// is over, so that it hears what happened.
func TestAnswerComesBeforeTheCallersDeadline(t *testing.T) {
	silent := scripted(t, func(_ net.Conn, br *bufio.Reader) { _, _ = io.Copy(io.Discard, br) })
	u := start(t, policy(silent.url(), "timeout: {reserve: 200ms}"))
	for _, field := range [][2]string{{"X-Seakeep-Deadline", "400"}, {"Grpc-Timeout", "400m"},
		{"X-Envoy-Expected-Rq-Timeout-Ms", "400"}} {
		ctx, cancel := context.WithTimeout(t.Context(), 400*time.Millisecond)
		req, err := http.NewRequestWithContext(ctx, "GET", u.url("dep", "/"), nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(field[0], field[1])
		start := time.Now()
		resp, err := http.DefaultClient.Do(req)
		took := time.Since(start)
		if err != nil {
			t.Errorf("%s: the caller's own deadline came first: %v", field[0], err)
		} else {
			_ = resp.Body.Close()
			if resp.StatusCode != http.StatusGatewayTimeout || took < 190*time.Millisecond {
				t.Errorf("%s: %s after %v", field[0], resp.Status, took)
			}
		}
		cancel()
	}
}
