package proxy

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// admin asks the admin address.
func (u *under) admin(method, path, body string) (status int, text string) {
	u.t.Helper()
	req, err := http.NewRequest(method, u.url("admin", path), strings.NewReader(body))
	if err != nil {
		u.t.Fatal(err)
	}
	resp, text := u.send(req)
	return resp.StatusCode, text
}

const withOperation = `timeout: {request: 250ms, total: 800ms, connect: 100ms}
retry: {attempts: 3}
breaker: {window: 10s, calls: 20, failures: 50%}
bulkhead: {limit: 60}
fallback: [{static: {body: '{}'}}]
operations:
  - name: search
    match: {path: /search}
    timeout: {request: 80ms}
  - name: own
    match: {path: /own}
    breaker: {window: 5 calls, calls: 5, failures: 50%}`

func TestProbes(t *testing.T) {
	u := start(t, policy("http://127.0.0.1:1", withOperation))
	u.open() // a broken dependency does not make the proxy unready
	for path, want := range map[string]int{"/livez": 200, "/readyz": 200, "/nope": 404} {
		if status, text := u.admin("GET", path, ""); status != want {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
	for _, path := range []string{"/livez", "/readyz", "/v1/status", "/v1/dependencies", "/v1/dependencies/dep"} {
		for _, method := range []string{"POST", "PUT", "DELETE"} {
			if status, _ := u.admin(method, path, ""); status != 405 {
				t.Errorf("%s %s: %d, want 405", method, path, status)
			}
		}
	}
}

func TestSnapshot(t *testing.T) {
	backend := web(t, func(http.ResponseWriter, *http.Request) {})
	u := start(t, policy(backend, withOperation))
	_, text := u.admin("GET", "/v1/dependencies", "")
	for _, bad := range []string{"NaN", "latency", "failure_share\": 0,"} {
		if strings.Contains(text, bad) {
			t.Errorf("without any calls the answer holds %q: %s", bad, text)
		}
	}
	u.get("/")
	u.get("/search")
	status, text := u.admin("GET", "/v1/dependencies/dep", "")
	var v dependencyView
	if err := json.Unmarshal([]byte(text), &v); err != nil || status != 200 {
		t.Fatalf("%d %s: %v", status, text, err)
	}
	if v.Name != "dep" || v.Kind != "critical" || len(v.Endpoints) != 1 || v.Endpoints[0].URL != backend ||
		v.Endpoints[0].Picked != 2 {
		t.Errorf("got %+v", v)
	}
	if s := v.Settings; s.Timeout.Request != 250 || s.Timeout.Connect != 100 || s.Retry.Attempts != 3 ||
		s.Retry.Budget != "ratio" || s.Breaker.WindowMS != 10000 || s.Bulkhead.Limit != 60 ||
		len(s.Fallback) != 1 {
		t.Errorf("settings %+v", s)
	}
	if v.Calls.Succeeded != 1 || v.Latency == nil || v.Latency.Count != 1 || v.Breaker.State != "closed" ||
		v.Breaker.Window.Calls != 2 || *v.Breaker.Window.Failures != 0 {
		t.Errorf("calls %+v, latency %+v, breaker %+v", v.Calls, v.Latency, v.Breaker)
	}
	if len(v.Operations) != 2 || v.Operations[0].Name != "search" || v.Operations[0].Calls.Succeeded != 1 ||
		v.Operations[0].Settings.Timeout.Request != 80 {
		t.Errorf("operations %+v", v.Operations)
	}
	if status, _ := u.admin("GET", "/v1/dependencies/none", ""); status != 404 {
		t.Errorf("an unknown dependency: %d", status)
	}
}

func TestStatus(t *testing.T) {
	u := start(t, policy("http://127.0.0.1:1"))
	_, text := u.admin("GET", "/v1/status", "")
	var v statusView
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	if v.Service != "test" || !v.Ready || v.File.Path != u.path || v.File.LoadedAt == nil ||
		v.File.Refused != nil || len(v.Listeners) != 2 || v.Listeners[0].For != "dep" ||
		v.Listeners[0].Address != u.Addr("dep").String() {
		t.Errorf("got %s", text)
	}
}

func TestBreakersByHand(t *testing.T) {
	backend := web(t, func(http.ResponseWriter, *http.Request) {})
	u := start(t, policy(backend, withOperation))
	const dep, own = "/v1/dependencies/dep/breaker", "/v1/dependencies/dep/operations/own/breaker"
	answers := func(path string, want int) {
		t.Helper()
		resp, body := u.get(path)
		if resp.Header.Get("X-Seakeep-Fallback") != "" {
			resp.StatusCode = 503 // the fallback stood in
		}
		if resp.StatusCode != want {
			t.Errorf("%s: %d %s, want %d", path, resp.StatusCode, body, want)
		}
	}
	if status, text := u.admin("POST", dep, `{"mode": "force-open"}`); status != 200 ||
		!strings.Contains(text, `"mode": "force-open"`) {
		t.Errorf("force-open: %d %s", status, text)
	}
	answers("/", 503)
	answers("/search", 503) // shares the breaker
	answers("/own", 200)
	u.admin("POST", own, `{"mode": "force-open"}`)
	answers("/own", 503)
	u.admin("POST", dep, `{"mode": "auto"}`)
	u.admin("POST", own, `{"reset": true}`)
	answers("/", 200)
	for _, tc := range []struct {
		path, body string
		status     int
	}{
		{dep, `{}`, 400}, {dep, ``, 400}, {dep, `{"mode":"open"}`, 400}, {dep, `{"mode":"auto","reset":true}`, 400},
		{dep, `{"mode":"auto"}{}`, 400}, {dep, `{"what":1}`, 400}, {dep, strings.Repeat(" ", 5000), 400},
		{"/v1/dependencies/none/breaker", `{"reset":true}`, 404},
		{"/v1/dependencies/dep/operations/none/breaker", `{"reset":true}`, 404},
	} {
		if status, text := u.admin("POST", tc.path, tc.body); status != tc.status {
			t.Errorf("%s %.30s: %d %s, want %d", tc.path, tc.body, status, text, tc.status)
		}
	}
	req, _ := http.NewRequest("POST", u.url("admin", dep), strings.NewReader(`{"mode":"force-open"}`))
	req.Header.Set("Origin", "http://evil.example")
	if resp, _ := u.send(req); resp.StatusCode != 403 {
		t.Errorf("from another page: %d, want 403", resp.StatusCode)
	}
}

func TestNoBreaker(t *testing.T) {
	u := start(t, policy("http://127.0.0.1:1"))
	if status, _ := u.admin("POST", "/v1/dependencies/dep/breaker", `{"reset":true}`); status != 409 {
		t.Errorf("without a breaker: %d", status)
	}
}
