package dashboard

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/dashboard/schema"
)

func order(reason, nonce, order string) string {
	return fmt.Sprintf(`{"reason": %q, "by": "ann", "nonce": %q, "at_ms": %d, "order": %s}`, reason, nonce,
		time.Now().UnixMilli(), order)
}

func (w *world) breaker() string {
	for _, d := range w.now().Dependencies {
		if d.Name == "pricing" {
			return d.Breaker.Mode
		}
	}
	return "none"
}

const forceOpen = `{"policy": "pricing", "mode": "force-open"}`

// A lever that is pulled wrongly does nothing, and each attempt is written down.
func TestLeversRefuse(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	w := newWorld(t, Options{Token: testToken, Audit: file})
	good := map[string]string{"Content-Type": "application/json", "Authorization": "Bearer " + testToken}
	with := func(key, value string) map[string]string {
		h := map[string]string{}
		for k, v := range good {
			h[k] = v
		}
		h[key] = value
		return h
	}
	fine := order("a test", "nonce-of-enough-letters", forceOpen)
	cases := []struct {
		name   string
		header map[string]string
		body   string
		status int
		word   string
	}{
		{"no token", map[string]string{"Content-Type": "application/json"}, fine, 401, "no-token"},
		{"another token", with("Authorization", "Bearer "+testToken+"x"), fine, 401, "no-token"},
		{"the token as a password", with("Authorization", "Basic "+testToken), fine, 401, "no-token"},
		{"a foreign origin", with("Origin", "https://evil.example"), fine, 403, "foreign-origin"},
		{"no origin at all", with("Origin", "null"), fine, 403, "foreign-origin"},
		{"a page of a neighbour", with("Sec-Fetch-Site", "same-site"), fine, 403, "foreign-origin"},
		{"a name made to mean this machine", with("Host", "evil.example"), fine, 421, "foreign-host"},
		{"a form", with("Content-Type", "text/plain"), fine, 415, "no-json"},
		{"no reason", good, order(" ", "nonce-of-enough-letters", forceOpen), 400, "no-reason"},
		{"a short nonce", good, order("a test", "short", forceOpen), 400, "no-nonce"},
		{"an old order", good, strings.Replace(fine, `"at_ms": 1`, `"at_ms": `, 1), 409, "too-old"},
		{"an unknown key", good, strings.Replace(fine, "by", "who", 1), 400, "unreadable"},
		{"two orders", good, fine + fine, 400, "unreadable"},
		{"an order of nothing", good, order("a test", "nonce-of-enough-letter2", `{"policy": "none", "mode": "auto"}`),
			404, "not-possible"},
	}
	for i, c := range cases {
		w.guard.mu.Lock()
		w.guard.tries = [2]int{}
		w.guard.mu.Unlock()
		resp, body := w.do(http.MethodPost, "/api/v1/levers/breaker", c.body, c.header)
		if resp.StatusCode != c.status || !strings.Contains(body, `"error"`) {
			t.Errorf("%s: %d %s", c.name, resp.StatusCode, body)
		}
		if mode := w.breaker(); mode != "auto" {
			t.Fatalf("%s: the breaker is %s", c.name, mode)
		}
		all := w.audit.list()
		if len(all) != i+1 || all[i].Detail != c.word || all[i].Accepted || all[i].Lever != "breaker" || all[i].By == "" {
			t.Errorf("%s: %+v", c.name, all[len(all)-1])
		}
	}
	w.writtenDown(t, file, len(cases))
}

// writtenDown checks that each attempt is in the file and in the log, and the token
// in neither.
func (w *world) writtenDown(t *testing.T, file string, attempts int) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	var last schema.Event
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || len(lines) != attempts ||
		last.Detail != "not-possible" || last.Why != "a test" {
		t.Errorf("%d lines, %+v, %v", len(lines), last, err)
	}
	if n := strings.Count(w.log.String(), "msg=lever"); n != attempts {
		t.Errorf("%d lines in the log", n)
	}
	if strings.Contains(string(text)+w.log.String(), testToken) {
		t.Error("the token is in a log")
	}
}

func TestLeversAct(t *testing.T) {
	w := newWorld(t, Options{Token: testToken})
	header := map[string]string{"Content-Type": "application/json", "Authorization": "Bearer " + testToken,
		"Origin": w.server.URL, "Sec-Fetch-Site": "same-origin"}
	w.fetch("/api/v1/snapshot")
	body := order("too slow", "nonce-of-enough-letters", forceOpen)
	if resp, text := w.do(http.MethodPost, "/api/v1/levers/breaker", body, header); resp.StatusCode != 200 {
		t.Fatalf("%d %s", resp.StatusCode, text)
	}
	var s schema.Snapshot
	w.getJSON("/api/v1/snapshot", &s) // and not what was told just before
	held := func(d schema.Dependency) bool { return d.Breaker != nil && d.Breaker.Mode == "force-open" }
	if !slices.ContainsFunc(s.Dependencies, held) {
		t.Errorf("%+v", s.Dependencies)
	}
	// The same again does nothing, though the breaker was set back meanwhile.
	auto := order("well", "nonce-of-enough-letter3", `{"policy": "pricing", "mode": "auto"}`)
	if resp, text := w.do(http.MethodPost, "/api/v1/levers/breaker", auto, header); resp.StatusCode != 200 {
		t.Fatalf("%d %s", resp.StatusCode, text)
	}
	if resp, _ := w.do(http.MethodPost, "/api/v1/levers/breaker", body, header); resp.StatusCode != http.StatusConflict {
		t.Errorf("%d", resp.StatusCode)
	}
	if mode := w.breaker(); mode != "auto" {
		t.Errorf("a replay did something: %s", mode)
	}
	for i, c := range []struct{ lever, order string }{
		{"degrade", `{"level": 1}`}, {"admit", `{"share": 0.5, "ramp": "60s"}`},
		{"fault", `{"start": {"dependency": "pricing", "fault": {"name": "slow", "kind": "latency", ` +
			`"delay": "10ms", "share": "10%", "for": "5m"}}}`},
	} {
		resp, text := w.do(http.MethodPost, "/api/v1/levers/"+c.lever,
			order("a test", fmt.Sprint("another-nonce-number-", i), c.order), header)
		if resp.StatusCode != 200 {
			t.Errorf("%s: %d %s", c.lever, resp.StatusCode, text)
		}
	}
	s = *w.now()
	if s.Serve.Degrade.Level != 1 || s.Serve.Allowed > 0.6 || len(s.Faults) != 1 || s.Dependencies[0].Faults != 1 {
		t.Errorf("degrade %+v, allowed %v, faults %+v", s.Serve.Degrade, s.Serve.Allowed, s.Faults)
	}
	stop := order("enough", "another-nonce-to-stop", `{"stop": {"name": "slow"}}`)
	if resp, text := w.do(http.MethodPost, "/api/v1/levers/fault", stop, header); resp.StatusCode != 200 {
		t.Errorf("%d %s", resp.StatusCode, text)
	}
	if len(w.now().Faults) != 0 {
		t.Error("the fault runs")
	}
	all := w.audit.list()
	if e := all[2]; e.Accepted || e.Detail != "replayed" || e.Why != "too slow" {
		t.Errorf("the replay is written down as %+v", e)
	}
	if e := all[0]; !e.Accepted || e.Why != "too slow" || !strings.HasPrefix(e.By, "ann at ") || e.Policy != "pricing" {
		t.Errorf("%+v", e)
	}
}

func TestNoTokenNoLevers(t *testing.T) {
	w := newWorld(t, Options{})
	header := map[string]string{"Content-Type": "application/json", "Authorization": "Bearer "}
	resp, body := w.do(http.MethodPost, "/api/v1/levers/breaker", order("x", "nonce-of-enough-letters", forceOpen), header)
	if resp.StatusCode != http.StatusForbidden || !strings.Contains(body, "--dashboard-token-file") {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	if resp, _ := w.fetch("/api/v1/levers/breaker"); resp.StatusCode != http.StatusNotFound &&
		resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("a lever by GET: %d", resp.StatusCode)
	}
	if w.now().Levers {
		t.Error("it says that there are levers")
	}
}

// A storm of attempts is bounded, and said to be one.
func TestStormOfAttempts(t *testing.T) {
	w := newWorld(t, Options{Token: testToken})
	const attempts = 200
	began := time.Now().Unix()
	for range attempts {
		w.do(http.MethodPost, "/api/v1/levers/breaker", "{}", map[string]string{"Content-Type": "application/json"})
	}
	seconds := int(time.Now().Unix()-began) + 1
	all := w.audit.list()
	stormy := slices.ContainsFunc(all, func(e schema.Event) bool { return e.Detail == "too-many" })
	if len(all) > seconds*(triesPer+1) || !stormy && attempts > seconds*triesPer {
		t.Errorf("%d are written down in %d s, and the storm: %v", len(all), seconds, stormy)
	}
}

// Strangers cannot keep those who have the token from giving orders.
func TestStormOfStrangers(t *testing.T) {
	w := newWorld(t, Options{Token: testToken})
	stranger := map[string]string{"Content-Type": "application/json", "Origin": "http://elsewhere.example"}
	for i := range 3 {
		for range 3 * triesPer {
			w.do(http.MethodPost, "/api/v1/levers/breaker", "{}", stranger)
		}
		header := map[string]string{"Content-Type": "application/json", "Authorization": "Bearer " + testToken}
		resp, body := w.do(http.MethodPost, "/api/v1/levers/breaker",
			order("why", fmt.Sprintf("nonce-of-enough-letters-%d", i), forceOpen), header)
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%d %s", resp.StatusCode, body)
		}
	}
}

func TestDemoLever(t *testing.T) {
	w := newWorld(t, Options{})
	header := map[string]string{"Content-Type": "application/json"}
	if resp, body := w.do(http.MethodPost, "/api/v1/demo/slow", `{"name": "pricing"}`, header); resp.StatusCode != 200 {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	if resp, _ := w.do(http.MethodPost, "/api/v1/demo/slow", `{"name": "x"}`, header); resp.StatusCode != 400 {
		t.Errorf("%d", resp.StatusCode)
	}
	if resp, _ := w.do(http.MethodPost, "/api/v1/demo/none", `{}`, header); resp.StatusCode != 404 {
		t.Errorf("%d", resp.StatusCode)
	}
	header["Origin"] = "https://evil.example"
	if resp, _ := w.do(http.MethodPost, "/api/v1/demo/slow", `{"name": "pricing"}`, header); resp.StatusCode != 403 {
		t.Errorf("%d", resp.StatusCode)
	}
	header["Host"], header["Origin"] = "evil.example", "http://evil.example"
	if resp, _ := w.do(http.MethodPost, "/api/v1/demo/slow", `{"name": "pricing"}`, header); resp.StatusCode != 421 {
		t.Errorf("%d", resp.StatusCode)
	}
	if all := w.audit.list(); len(all) != 4 || !all[0].Accepted || all[2].Detail != "foreign-origin" ||
		all[3].Detail != "foreign-host" {
		t.Errorf("%+v", all)
	}
}

func TestReadToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	for text, good := range map[string]bool{testToken + "\n": true, "short": false, "": false,
		"two words of enough letters": false, testToken + "\nsecond line": true} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadToken(file); (err == nil) != good || good && got != testToken {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	if _, err := ReadToken(file + "-none"); err == nil {
		t.Error("no file, and no error")
	}
}
