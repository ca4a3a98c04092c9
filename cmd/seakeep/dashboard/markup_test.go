package dashboard

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/cmd/seakeep/dashboard/schema"
	"github.com/seakeep/seakeep/core"
)

// hostile is a word from traffic that is markup, and in a stream more than one
// field.
const hostile = "<img src=x onerror=alert(1)>\"'&</script>\r\n\nevent: snapshot\ndata: {}\n\n."

// holdsNone holds that it is in no answer as it is.
func holdsNone(t *testing.T, where, text string) {
	t.Helper()
	for _, bad := range []string{"<img", "</script", "event: snapshot\ndata: {}\n\n"} {
		if strings.Contains(text, bad) {
			t.Errorf("%s holds %q: %.300s", where, bad, text)
		}
	}
}

// Words of traffic and of orders stay words, in each answer of the API.
func TestNamesStayText(t *testing.T) {
	w := newWorld(t, Options{Token: testToken})
	w.Observe(core.Event{Kind: core.BreakerChanged, Policy: "pricing", Key: hostile, From: "closed", To: "open",
		Detail: hostile})
	w.Observe(core.Event{Kind: core.CallRejected, Policy: hostile, Key: hostile, Reason: core.CircuitOpen})
	header := map[string]string{"Content-Type": "application/json", "Authorization": "Bearer " + testToken}
	quoted, _ := json.Marshal(hostile)
	body := order("why", "nonce-of-enough-letters", `{"policy": `+string(quoted)+`, "mode": "auto"}`)
	body = strings.Replace(strings.Replace(body, `"why"`, string(quoted), 1), `"ann"`, string(quoted), 1)
	resp, text := w.do(http.MethodPost, "/api/v1/levers/breaker", body, header)
	if resp.StatusCode != http.StatusNotFound {
		t.Errorf("%d %s", resp.StatusCode, text)
	}
	holdsNone(t, "the answer", text)
	_, text = w.do(http.MethodPost, "/api/v1/levers/%3Cimg%20src=x%3E", body, header)
	holdsNone(t, "the answer of no lever", text)
	w.tick()
	for _, path := range []string{"/plain", "/api/v1/snapshot", "/api/v1/dependencies/pricing", "/api/v1/audit",
		"/api/v1/history", "/api/v1/policy", "/api/v1/faults", "/api/v1/dependencies/%3Cimg%20src=x%3E",
		"/api/v1/history?dependency=%3Cimg%20src=x%3E", "/%3Cimg%20src=x%3E"} {
		resp, text := w.fetch(path)
		if strings.HasPrefix(path, "/api/") || path == "/plain" {
			holdsNone(t, path, text)
		} else if strings.Contains(text, "<img src=x") { // the built page has elements of its own
			t.Errorf("%s holds what was asked for", path)
		}
		if resp.Header.Get("X-Content-Type-Options") != "nosniff" ||
			!strings.Contains(resp.Header.Get("Content-Security-Policy"), "default-src '") {
			t.Errorf("%s may be taken for something else: %v", path, resp.Header)
		}
	}
	var all []schema.Event
	w.getJSON("/api/v1/audit", &all)
	if len(all) != 2 || all[0].Why != strings.TrimSpace(hostile) || !strings.HasPrefix(all[0].By, "<img") {
		t.Errorf("what was written down is not what was sent: %+v", all)
	}
}

// A word cannot end a field of the stream and begin another.
func TestStreamStaysWhole(t *testing.T) {
	w := newWorld(t, Options{})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.server.URL+"/api/v1/events?hz=0", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := w.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for _, key := range []string{hostile, "the end"} {
		w.Observe(core.Event{Kind: core.BreakerChanged, Policy: "pricing", Key: key, From: "closed", To: "open"})
	}
	var text strings.Builder
	for in := bufio.NewScanner(resp.Body); in.Scan(); {
		text.WriteString(in.Text() + "\n")
		if strings.Contains(in.Text(), "the end") {
			break
		}
	}
	holdsNone(t, "the stream", text.String())
	if n := strings.Count(text.String(), "event: decision\n"); n != 2 {
		t.Errorf("%d events in %s", n, text.String())
	}
}

// The plain page writes whatever a policy file or a state says as text.
func TestPlainPageStaysText(t *testing.T) {
	half := 0.5
	var text strings.Builder
	if err := plainPage.Execute(&text, &schema.Snapshot{Service: hostile,
		Dependencies: []schema.Dependency{{Name: hostile, Success: &half,
			Breaker: &schema.Breaker{State: hostile, Mode: hostile}}},
		Serve: &schema.Serve{Classes: []schema.Class{{Name: hostile}}}}); err != nil {
		t.Fatal(err)
	}
	holdsNone(t, "the plain page", strings.ReplaceAll(text.String(), "\n", " "))
	if n := strings.Count(text.String(), "&lt;img"); n < 5 {
		t.Errorf("%d names are shown: %s", n, text.String())
	}
}
