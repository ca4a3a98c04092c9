package proxy

import (
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/internal/promtest"
)

const measured = `timeout: {request: 250ms, total: 800ms}
retry: {attempts: 2, backoff: {base: 1ms}}
breaker: {window: 10s, calls: 20, failures: 50%}
bulkhead: {limit: 60}
fallback: [{static: {body: '{}'}}]
operations:
  - {name: search, match: {path: /search}}`

// busy starts a proxy with a door and a dependency, and keeps it so for a while.
func busy(t *testing.T) *under {
	backend := web(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/broken" {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	u := start(t, policy(backend, measured)+`
serve:
  listen: 127.0.0.1:0
  upstream: `+backend+`
  concurrency: {max: 50}
  queue: {length: 10}
`)
	for range 30 {
		u.get("/search")
		u.get("/broken")
		req, _ := http.NewRequest("GET", u.url("serve", "/"), nil)
		req.Header.Set("X-Seakeep-Deadline", "400")
		u.send(req)
	}
	return u
}

func TestMetricsPage(t *testing.T) {
	u := busy(t)
	_, text := u.admin("GET", "/metrics", "")
	for _, want := range []string{
		`seakeep_calls_total{dependency="dep",operation="search",outcome="success"} 10`,
		`seakeep_breaker_transitions_total{dependency="dep",from="closed",operation="",reason="failure-rate",to="open"} 1`,
		`seakeep_breaker_state{dependency="dep",operation="",state="open"} 1`,
		`seakeep_requests_good_total{criticality="critical"} 30`,
		`seakeep_endpoints{dependency="dep",operation="",state="up"} 1`,
		`seakeep_proxy_connections{listener="dep"}`,
		"seakeep_proxy_ready 1\n", "seakeep_build_info{", "process_open_fds ", "go_goroutines ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
	if _, err := exec.LookPath("promtool"); err != nil {
		t.Skip("promtool is not installed: the Debian package prometheus has it")
	}
	c := exec.Command("promtool", "check", "metrics")
	c.Stdin = strings.NewReader(text)
	if out, err := c.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("promtool: %v\n%s", err, out)
	}
}

// queries are those of docs/monitoring.md.
func queries(t *testing.T) (all []string) {
	data, err := os.ReadFile("../../../docs/monitoring.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(data), "```promql\n")
	for _, part := range parts[1:] {
		block, _, _ := strings.Cut(part, "```")
		for line := range strings.Lines(block) {
			if strings.HasPrefix(line, " ") {
				all[len(all)-1] += line
			} else {
				all = append(all, line)
			}
		}
	}
	return all
}

// TestPrometheus has a real one scrape the proxy, and asks it every question of
// docs/monitoring.md. Those that look for trouble which is not there have no
// answer; the others have one.
func TestPrometheus(t *testing.T) {
	t.Parallel()
	u := busy(t)
	s := promtest.Start(t, u.Addr("admin").String())
	until(t, "prometheus has not scraped twice", func() bool {
		found, ready := s.Query(`sum_over_time(up{job="seakeep"}[1m]) > 2`)
		if ready && len(found) == 0 {
			u.get("/search")
			u.get("/broken")
		}
		return len(found) == 1
	})
	all := queries(t)
	if len(all) < 20 {
		t.Fatalf("%d queries", len(all))
	}
	for _, q := range all {
		if strings.Contains(q, "> 0") || strings.Contains(q, "== 1") || strings.Contains(q, "hedge") {
			s.Query(q)
			continue
		}
		// A scrape that takes too long leaves a gap.
		until(t, "an answer to "+q, func() bool { found, _ := s.Query(q); return len(found) > 0 })
	}
	for q, want := range map[string]string{
		`seakeep_breaker_state{state="open"}`:                                               "1",
		`sum(seakeep_calls_rejected_total{reason="circuit-open"}) > bool 0`:                 "1",
		`sum(seakeep_requests_total) - ignoring() sum(seakeep_requests_good_total)`:         "0",
		`count(seakeep_call_duration_seconds_bucket{operation="search",outcome="success"})`: "15",
	} {
		var found []promtest.Series
		until(t, "an answer to "+q, func() bool { found, _ = s.Query(q); return len(found) > 0 })
		if len(found) != 1 || found[0].Value[1] != want {
			t.Errorf("%s: %v, want %s", q, found, want)
		}
	}
}
