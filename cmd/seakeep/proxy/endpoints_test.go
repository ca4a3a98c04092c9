package proxy

import (
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/internal/problem"
)

// dependency is what the admin address says of the dependency.
func (u *under) dependency() (v dependencyView) {
	u.t.Helper()
	_, text := u.admin(http.MethodGet, "/v1/dependencies/dep", "")
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		u.t.Fatalf("%v: %s", err, text)
	}
	return v
}

// A name is resolved by the system's own resolver, and the admin address shows
// what it has found and how the endpoint does.
func TestEndpointsByName(t *testing.T) {
	backend := web(t, func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(r.Host)) })
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(backend, "http://"))
	text := strings.Replace(policy("X", "balance: {decay: 5s, slow-start: none, panic: 40%, zone: a}"), "[X]",
		"{dns: 'localhost:"+port+"', type: A, zone: a}", 1)
	u := start(t, text)
	for range 3 {
		if resp, body := u.get("/"); resp.StatusCode != 200 || body == "" {
			t.Fatalf("%d %s", resp.StatusCode, body)
		}
	}
	v := u.dependency()
	b := v.Balance
	if b == nil || b.Policy != "two-choices" || b.DecayMS != 5000 || b.SlowStartMS != 0 || b.PanicBelow != 0.4 ||
		b.Zone != "a" || b.Panic || b.Resolved == nil || b.Resolved.Name != "localhost" || b.Resolved.At == nil {
		t.Errorf("%+v", b)
	}
	if len(v.Endpoints) != 1 {
		t.Fatalf("%+v", v.Endpoints)
	}
	e := v.Endpoints[0]
	if e.URL != "http://127.0.0.1:"+port || e.State != "up" || e.Zone != "a" || e.Weight != 1 || e.Ramp != 1 ||
		e.Picked != 3 || e.LatencyMS == nil || *e.LatencyMS <= 0 || e.InFlight != 0 || e.Failing != 0 {
		t.Errorf("%+v", e)
	}
}

// A name that nobody knows is an answer of its own kind, and the admin address
// says why.
func TestNoEndpoint(t *testing.T) {
	u := start(t, strings.Replace(policy("X", "timeout: {request: 300ms}"), "[X]",
		"{dns: 'nobody.invalid:80', timeout: 100ms}", 1))
	resp, body := u.get("/")
	var p problem.Document
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	if resp.StatusCode != 503 || p.Error != problem.Unavailable || !strings.Contains(p.Detail, "no endpoint may be used") {
		t.Errorf("%d %+v", resp.StatusCode, p)
	}
	if b := u.dependency().Balance; b.Resolved == nil || b.Resolved.At != nil || b.Resolved.Failures == 0 ||
		b.Resolved.Problem == "" {
		t.Errorf("%+v", b.Resolved)
	}
}

// F136: that all are used because too few are up is said wherever it matters.
func TestF136PanicIsSaid(t *testing.T) {
	u := start(t, policy("http://127.0.0.1:1, http://127.0.0.2:1",
		"outlier: {consecutive: 1, max-ejected: 100%, interval: 1m}"))
	said := ""
	for range 20 {
		if _, said = u.get("/"); strings.Contains(said, "So few of its endpoints are up that all are used.") {
			break
		}
	}
	if !strings.Contains(said, "all are used") || !u.dependency().Balance.Panic {
		t.Errorf("%s\n%+v", said, u.dependency())
	}
}
