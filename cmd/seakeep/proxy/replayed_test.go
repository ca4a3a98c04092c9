package proxy

import (
	"net/http"
	"strings"
	"testing"
)

// TestReplayIsNoTimeout: an answer that a key gives is as good as the program's,
// to the door and in the metrics.
func TestReplayIsNoTimeout(t *testing.T) {
	backend := web(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(201) })
	u := start(t, policy(backend)+"\nserve:\n  listen: 127.0.0.1:0\n  upstream: "+backend+
		"\n  concurrency: {max: 50}\n  idempotency: {store: "+t.TempDir()+"/keys.db}\n")
	for range 3 {
		req, _ := http.NewRequest("POST", u.url("serve", "/orders"), strings.NewReader("{}"))
		req.Header.Set("Idempotency-Key", `"k1"`)
		if resp, _ := u.send(req); resp.StatusCode != 201 {
			t.Errorf("%d", resp.StatusCode)
		}
	}
	_, text := u.admin("GET", "/metrics", "")
	for _, want := range []string{`seakeep_requests_good_total{criticality="critical"} 3`,
		`seakeep_requests_total{criticality="critical",outcome="timeout"} 0`,
		`seakeep_idempotency_total{result="key-replayed"} 2`} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no %s", want)
		}
	}
}
