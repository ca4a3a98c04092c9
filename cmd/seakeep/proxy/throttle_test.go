package proxy

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/internal/problem"
)

// askAs sends a request of a class, or of none.
func (u *under) askAs(class string) (*http.Response, string) {
	u.t.Helper()
	req, err := http.NewRequest(http.MethodGet, u.url("dep", "/"), nil)
	if err != nil {
		u.t.Fatal(err)
	}
	if class != "" {
		req.Header.Set(config.CriticalityHeader, class)
	}
	return u.send(req)
}

// The proxy holds back what the dependency refuses, each class by itself, says
// so in its own words, and hands the class on as it came.
func TestThrottle(t *testing.T) {
	var told atomic.Value
	backend := web(t, func(w http.ResponseWriter, r *http.Request) {
		told.Store(strings.Join(r.Header[config.CriticalityHeader], "|"))
		if r.Header.Get(config.CriticalityHeader) == "sheddable" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	u := start(t, policy(backend, "throttle: {k: 1, minimum: 2}"))
	for _, class := range []string{"", "critical", "CRITICAL_PLUS", "sheddable", "nonesuch"} {
		if u.askAs(class); told.Load() != class {
			t.Errorf("of %q the dependency is told %q", class, told.Load())
		}
	}
	held := 0
	for range 60 {
		resp, body := u.askAs("sheddable")
		if resp.Header.Get("Proxy-Status") == "" {
			continue // the dependency's own
		}
		held++
		var p problem.Document
		if err := json.Unmarshal([]byte(body), &p); err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != 503 || p.Reason != "throttled" || p.Error != problem.Unavailable || p.Policy != "dep" ||
			deref(p.Attempts) != 0 || resp.Header.Get("X-Seakeep-No-Retry") != "1" ||
			resp.Header.Get("Retry-After") == "" || !strings.Contains(p.Detail, "sheddable requests it accepted 0") {
			t.Fatalf("%v %s", resp.Header, body)
		}
		if resp, _ := u.askAs("critical"); resp.StatusCode != 200 {
			t.Fatalf("a critical request is answered %d", resp.StatusCode)
		}
	}
	if held < 35 {
		t.Errorf("%d of 60 are held back, want 50 or so", held)
	}
	_, text := u.admin("GET", "/v1/dependencies/dep", "")
	var v dependencyView
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	if s := v.Settings.Throttle; s == nil || *s != (throttleSettings{1, 30000, 0.9, 2}) {
		t.Errorf("the settings are %+v", s)
	}
	if v.Throttle == nil || len(v.Throttle.Classes) != 3 || v.Calls.For["throttled"] != uint64(held) {
		t.Fatalf("the view is %s", text)
	}
	if c := v.Throttle.Classes[0]; c.Criticality != "sheddable" || c.Requests != 61 || c.Accepted != 0 ||
		c.Refusal != 0.9 || c.Refused != uint64(held) {
		t.Errorf("of sheddable requests it shows %+v", c)
	}
	if c := v.Throttle.Classes[1]; c.Criticality != "critical" || c.Requests != int64(3+held) ||
		c.Accepted != c.Requests || c.Refusal != 0 {
		t.Errorf("of critical requests it shows %+v", c)
	}
}

// A throttle that only watches is shown as one.
func TestThrottleObserved(t *testing.T) {
	backend := web(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) })
	u := start(t, policy(backend, "throttle: {minimum: 1, mode: observe}"))
	for range 30 {
		if resp, _ := u.askAs(""); resp.StatusCode != 429 || resp.Header.Get("Proxy-Status") != "" {
			t.Fatalf("answered %d by %s", resp.StatusCode, resp.Header.Get("Proxy-Status"))
		}
	}
	_, text := u.admin("GET", "/v1/dependencies/dep", "")
	var v dependencyView
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Settings.Observed) != 1 || v.Settings.Observed[0] != "throttle" || v.Calls.Observed < 15 ||
		v.Throttle.Classes[0].Refused != 0 {
		t.Errorf("the view is %s", text)
	}
}
