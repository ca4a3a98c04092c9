package proxy

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

// One of three fails, and one says that it is not well: the admin address tells
// who is out, by which rule and until when, and clients notice next to nothing.
func TestBadEndpoints(t *testing.T) {
	var ill atomic.Bool
	well := web(t, func(http.ResponseWriter, *http.Request) {})
	bad := web(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz" {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	unwell := web(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/healthz" && ill.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	u := start(t, policy(strings.Join([]string{well, bad, unwell}, ", "),
		"balance: {policy: round-robin, slow-start: none, panic: none}",
		"outlier: {consecutive: 3, max-ejected: 70%}",
		"health: {interval: 20ms, edge: 5ms, timeout: 5s, max-removed: 70%}"))
	failed := 0
	for range 60 {
		if resp, _ := u.get("/"); resp.StatusCode != 200 {
			failed++
		}
	}
	if failed != 3 {
		t.Errorf("%d requests failed, want 3", failed)
	}
	ill.Store(true)
	until(t, "the unwell one is out", func() bool {
		e := u.dependency().Endpoints[2]
		return e.Check != nil && e.Check.Out
	})
	v := u.dependency()
	if v.Outlier == nil || v.Outlier.Errors != 3 || v.Outlier.Mode != "enforce" || v.Health == nil ||
		v.Health.Path != "/healthz" || v.Health.Unhealthy != 3 {
		t.Errorf("settings: %+v, %+v", v.Outlier, v.Health)
	}
	e := v.Endpoints[1].Ejection
	if e == nil || !e.Out || e.Rule != "errors" || e.Ejected != 1 || e.Until == nil || e.Since == nil ||
		e.Until.Sub(*e.Since).Seconds() != 30 {
		t.Errorf("the bad one: %+v", e)
	}
	if c := v.Endpoints[2].Check; c.Verdict != "unhealthy" || c.Passed || c.Failed < 3 {
		t.Errorf("the unwell one: %+v", c)
	}
	for range 20 {
		if resp, _ := u.get("/"); resp.StatusCode != 200 {
			t.Errorf("answered %d", resp.StatusCode)
		}
	}
	ill.Store(false)
	until(t, "the unwell one is back", func() bool { return !u.dependency().Endpoints[2].Check.Out })
}
