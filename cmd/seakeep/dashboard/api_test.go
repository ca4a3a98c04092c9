package dashboard

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/cmd/seakeep/dashboard/schema"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
)

func TestSnapshot(t *testing.T) {
	w := newWorld(t, Options{})
	w.tick()
	for range 3 {
		w.call("pricing", nil)
	}
	w.call("pricing/list", nil)
	w.tick()
	for range 5 {
		w.call("pricing", errBroken)
	}
	w.call("pricing", nil) // refused: the breaker is open
	s := w.now()
	if s.Version != schema.Version || s.Service != "shop" || len(s.Dependencies) != 2 || !s.Ready {
		t.Fatalf("%+v", s)
	}
	d := s.Dependencies[0]
	if d.Name != "pricing" || d.Breaker == nil || d.Breaker.State != "open" || d.Breaker.SinceMS == nil {
		t.Fatalf("the worst is not first: %+v", d)
	}
	seconds := s.WindowMS / 1000
	for word, want := range map[string]float64{"success": 4, "failure": 4, "rejected": 2} {
		if got := d.Outcomes[word] * seconds; math.Abs(got-want) > 0.02 {
			t.Errorf("%s: %v, want %v", word, got, want)
		}
	}
	if *d.Success != 0.4 || d.Rejected["circuit-open"] == 0 || d.Latency.Count != 8 {
		t.Errorf("success %v, rejected %v, latency %+v", *d.Success, d.Rejected, d.Latency)
	}
	if d.Bulkhead.Limit != 10 || len(d.Operations) != 1 || d.Operations[0].Bulkhead.Limit != 3 ||
		d.Operations[0].Breaker != nil {
		t.Errorf("%+v", d.Operations)
	}
	if idle := s.Dependencies[1]; idle.Success != nil || idle.Latency != nil || idle.Badness != 0 {
		t.Errorf("idle: %+v", idle)
	}
	if s.Serve == nil || len(s.Serve.Classes) != 4 || s.Serve.Classes[0].Name != "critical_plus" {
		t.Errorf("%+v", s.Serve)
	}
}

// What opened a breaker is told with it.
func TestDependencyTellsCauses(t *testing.T) {
	w := newWorld(t, Options{})
	for range 5 {
		w.call("pricing", errBroken)
	}
	var page dependencyPage
	w.getJSON("/api/v1/dependencies/pricing", &page)
	if len(page.Events) != 1 {
		t.Fatalf("%+v", page.Events)
	}
	e := page.Events[0]
	if e.Kind != "breaker-changed" || e.From != "closed" || e.To != "open" || e.Reason != "failure-rate" ||
		len(e.Calls) != 4 || e.Calls[3].Outcome != "failure" || e.Calls[3].Kind != "attempt-ended" {
		t.Errorf("%+v", e)
	}
	// An operation with a breaker of its own is told what that one counts.
	list := core.Event{At: seakeep.Now(), Kind: core.AttemptEnded, Policy: "pricing/list", Outcome: core.Timeout}
	w.Observe(list)
	list.Kind, list.From, list.To = core.BreakerChanged, "closed", "open"
	w.Observe(list)
	w.cached.forget()
	w.getJSON("/api/v1/dependencies/pricing", &page)
	if e := page.Events[1]; len(e.Calls) != 1 || e.Calls[0].Outcome != "timeout" {
		t.Errorf("%+v", e)
	}
	if resp, body := w.fetch("/api/v1/dependencies/none"); resp.StatusCode != 404 || !strings.Contains(body, "error") {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
}

func TestHistory(t *testing.T) {
	w := newWorld(t, Options{})
	p := w.program.Load()
	now := time.Now().Truncate(time.Second)
	w.frame(p, now.Add(-20*time.Second))
	for i := range 20 {
		for range i + 1 {
			w.call("pricing", nil)
		}
		w.frame(p, now.Add(time.Duration(i-19)*time.Second))
	}
	var h schema.History
	w.getJSON(fmt.Sprintf("/api/v1/history?from=%d&to=%d&step=5s&dependency=pricing",
		now.Add(-20*time.Second).UnixMilli(), now.UnixMilli()), &h)
	if len(h.Times) != 4 && len(h.Times) != 5 {
		t.Fatalf("%d points", len(h.Times))
	}
	sum, heat := 0.0, uint64(0)
	for i, v := range h.Dependencies[0].Columns["succeeded"] {
		if v != nil {
			sum += *v
		}
		for _, n := range h.Dependencies[0].Heat.Counts[i] {
			heat += n
		}
	}
	if heat != 210 {
		t.Errorf("the heatmap has %d of 210 calls", heat)
	}
	if sum == 0 || len(h.Dependencies[0].Columns) != len(dependencyColumns) {
		t.Errorf("%v, %d columns", sum, len(h.Dependencies[0].Columns))
	}
	h = schema.History{}
	w.getJSON("/api/v1/history", &h)
	if len(h.Dependencies) != 2 || len(h.Dependencies[0].Columns) != len(mainColumns) || h.Serve == nil ||
		h.Serve.Columns["queued_critical"] == nil {
		t.Errorf("%d dependencies", len(h.Dependencies))
	}
	for _, bad := range []string{"from=yesterday", "from=-1m&to=-2m", "step=1.5s", "step=1480000h", "from=-20h&step=1s",
		"dependency=none", "to=" + strings.Repeat("9", 30)} {
		if resp, body := w.fetch("/api/v1/history?" + bad); resp.StatusCode < 400 || !strings.Contains(body, "error") {
			t.Errorf("%s: %d %s", bad, resp.StatusCode, body)
		}
	}
}

func TestPolicyAndReload(t *testing.T) {
	w := newWorld(t, Options{})
	w.tick()
	file, err := config.Parse("shop.yaml", []byte(strings.Replace(testPolicy, "{limit: 10}", "{limit: 12}", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.set.Apply(file); err != nil {
		t.Fatal(err)
	}
	var v schema.Policy
	w.getJSON("/api/v1/policy", &v)
	if len(v.Changes) != 1 || v.Changes[0] != (schema.ValueChange{Path: "dependencies.pricing.bulkhead.limit",
		Before: "10", After: "12", From: "policy file:11"}) {
		t.Errorf("%+v", v.Changes)
	}
	if len(v.Values) < 50 || len(v.Findings) == 0 || v.Findings[0].Fix == "" {
		t.Errorf("%d values, %+v", len(v.Values), v.Findings)
	}
	if w.now().Policy != nil {
		t.Error("policies that came from nowhere have a file")
	}
	refused := errors.New("a.yaml:1:2: kind: is missing\n  1 | x\nmore")
	short := policyFile(&Program{File: func() (string, time.Time, error) { return "a.yaml", time.UnixMilli(5), refused }})
	if *short != (schema.PolicyFile{File: "a.yaml", LoadedMS: 5, Refused: "a.yaml:1:2: kind: is missing"}) {
		t.Errorf("%+v", short)
	}
	var slo struct{ Service string }
	w.getJSON("/api/v1/slo", &slo)
	if slo.Service != "shop" {
		t.Error(slo)
	}
}

// Words from traffic are bounded, and neither JSON nor a page takes them for markup.
func TestNamesAreText(t *testing.T) {
	w := newWorld(t, Options{})
	evil := "</script><script>alert(1)</script>" + strings.Repeat("é", 5000)
	w.Observe(core.Event{Kind: core.BreakerChanged, Policy: "pricing", Key: evil, From: "closed", To: "open"})
	w.Observe(core.Event{Kind: core.EndpointChanged, Policy: "pricing", Key: "http://\xff\"<", From: "up", To: evil})
	_, body := w.fetch("/api/v1/dependencies/pricing")
	if strings.ContainsAny(body, "<>") || len(body) > 8000 {
		t.Errorf("%d bytes: %.300s", len(body), body)
	}
	if !json.Valid([]byte(body)) {
		t.Error("no JSON")
	}
	paths := []string{"/plain"}
	if _, err := fs.Stat(Assets(), "index.html"); err != nil {
		paths = append(paths, "/") // it was built without the other page
	}
	for _, path := range paths {
		resp, page := w.fetch(path)
		if csp := resp.Header.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'") ||
			!strings.Contains(page, "pricing") {
			t.Errorf("%s: %s", path, csp)
		}
	}
	var page strings.Builder
	if err := plainPage.Execute(&page, &schema.Snapshot{Service: evil[:40],
		Dependencies: []schema.Dependency{{Name: evil[:40], Breaker: &schema.Breaker{State: "<i>", Mode: "auto"}}}}); err != nil ||
		strings.Contains(page.String(), "<script") || strings.Contains(page.String(), "<i>") {
		t.Errorf("a name is markup: %v %s", err, page.String())
	}
	resp, _ := w.fetch("/api/v1/snapshot")
	if resp.Header.Get("X-Content-Type-Options") != "nosniff" || resp.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%v", resp.Header)
	}
}

// The page of the API has every column.
func TestDocsHaveColumns(t *testing.T) {
	page, err := os.ReadFile("../../../docs/dashboard-api.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range dependencyColumns {
		if !strings.Contains(string(page), "`"+c.name+"`") {
			t.Errorf("docs/dashboard-api.md does not have %s", c.name)
		}
	}
}

func TestNothingIsHeardBeforeAHandler(t *testing.T) {
	d, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	d.Observe(core.Event{Kind: core.BreakerChanged, Policy: "pricing"})
	if n := len(d.hub.between(0, math.Inf(1), "")); n != 0 {
		t.Errorf("%d events", n)
	}
}

func TestUnknownPaths(t *testing.T) {
	w := newWorld(t, Options{})
	for _, path := range []string{"/api/v1/none", "/none.js", "/.keep", "/../secret"} {
		if resp, _ := w.fetch(path); resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", path, resp.StatusCode)
		}
	}
}
