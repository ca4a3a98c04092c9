package seakeephttp

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core/balance"
	"github.com/seakeep/seakeep/core/health"
)

const swift = "interval: 20ms, edge: 5ms, unhealthy: 2, healthy: 2, timeout: 5s"

// states returns the endpoints' states.
func states(tr *Transport) string {
	var all []string
	for _, e := range tr.Snapshot().Endpoints {
		all = append(all, e.State.String())
	}
	return strings.Join(all, ", ")
}

// verdicts returns what the checks have found.
func verdicts(tr *Transport) string {
	var all []string
	for _, e := range tr.Snapshot().Endpoints {
		all = append(all, e.Health.Verdict.String())
	}
	return strings.Join(all, ", ")
}

// One of two is ill: requests leave it, without one that fails, and come back
// when it is well.
func TestHealthTakesOutAndBringsBack(t *testing.T) {
	noLeak(t)
	var ill atomic.Bool
	var asked atomic.Int32
	h := func(me string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/livez" {
				if r.URL.RawQuery != "v=1" || r.Host != "shop.example" || r.UserAgent() != "seakeep-health" {
					t.Errorf("asked %s of %s as %s", r.URL, r.Host, r.UserAgent())
				}
				if me == "b" && ill.Load() {
					w.WriteHeader(503)
				}
				return
			}
			if me == "b" {
				asked.Add(1)
			}
		}
	}
	a, b := serve(t, h("a")), serve(t, h("b"))
	tr := fileTransport(t, "health: {path: '/livez?v=1', host: shop.example, "+swift+"}", a.URL, b.URL)
	t.Cleanup(tr.Close)
	settles(t, "both healthy", func() bool { return verdicts(tr) == "healthy, healthy" })
	ill.Store(true)
	settles(t, "one out", func() bool { return states(tr) == "up, unhealthy" })
	before := asked.Load()
	for range 20 {
		if g := get(t, tr, "http://test/"); g.status != 200 {
			t.Error(g)
		}
	}
	if n := asked.Load() - before; n != 0 {
		t.Errorf("%d requests went to the one that is ill", n)
	}
	ill.Store(false)
	settles(t, "both in", func() bool { return states(tr) == "up, up" })
}

// Checks use one connection of their own for as long as it lasts, and there is
// one at a time, whatever the answer is like.
func TestF141HealthKeepsItsConnection(t *testing.T) {
	noLeak(t)
	var connections, under, most, checks atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		most.Store(max(most.Load(), under.Add(1)))
		defer under.Add(-1)
		checks.Add(1)
		_, _ = io.WriteString(w, strings.Repeat("x", 10_000))
	}))
	s.Config.ConnState = func(_ net.Conn, st http.ConnState) {
		if st == http.StateNew {
			connections.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	tr := fileTransport(t, "health: {interval: 1ms, edge: 1ms, timeout: 5s}", s.URL)
	t.Cleanup(tr.Close)
	settles(t, "100 checks", func() bool { return checks.Load() >= 100 })
	if connections.Load() != 1 || most.Load() != 1 {
		t.Errorf("%d connections and %d checks at a time", connections.Load(), most.Load())
	}
}

// A check that fails everywhere takes out half at most.
func TestHealthThatFailsEverywhere(t *testing.T) {
	noLeak(t)
	var all []string
	for range 4 {
		all = append(all, serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/healthz" {
				w.WriteHeader(500)
			}
		}).URL)
	}
	tr := fileTransport(t, "health: {"+swift+"}", all...)
	t.Cleanup(tr.Close)
	settles(t, "all unhealthy", func() bool { return strings.Count(verdicts(tr), "unhealthy") == 4 })
	settles(t, "two out", func() bool { return strings.Count(states(tr), "unhealthy") == 2 })
	for range 10 {
		if g := get(t, tr, "http://test/"); g.status != 200 {
			t.Error(g)
		}
	}
}

func TestHealthOverTCP(t *testing.T) {
	noLeak(t)
	r := rawServer(t, answers("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
	tr := fileTransport(t, "health: {type: tcp, "+swift+"}", r.url, refused(t))
	t.Cleanup(tr.Close)
	settles(t, "verdicts", func() bool { return verdicts(tr) == "healthy, unhealthy" })
	settles(t, "state", func() bool { return states(tr) == "up, unhealthy" })
}

// Another port is asked instead of the endpoint's.
func TestHealthAtAnotherPort(t *testing.T) {
	noLeak(t)
	side := serve(t, func(http.ResponseWriter, *http.Request) {})
	_, port, _ := net.SplitHostPort(side.Listener.Addr().String())
	tr := fileTransport(t, "health: {port: "+port+", "+swift+"}", refused(t))
	t.Cleanup(tr.Close)
	settles(t, "healthy", func() bool { return verdicts(tr) == "healthy" })
}

func TestHealthErrors(t *testing.T) {
	ask := func(cfg string, url string) string {
		t.Helper()
		file := fileOf(t, file("health: "+cfg, url))
		tr := fileTransport(t, "kind: critical", url)
		k := newAsker(tr, file.Dependency("test").Health)
		defer k.close()
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		e := &endpoint{url: file.Dependency("test").Endpoints[0]}
		if err := k.ask(ctx, e); err != nil {
			return err.Error()
		}
		return ""
	}
	noContent := serve(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(204) })
	mute := rawServer(t, func(c net.Conn, r *bufio.Reader) { _, _ = io.Copy(io.Discard, r) })
	for _, tc := range []struct{ cfg, url, want string }{
		{"{}", noContent.URL, "answered 204 No Content"},
		{"{expect: [200, 204]}", noContent.URL, ""},
		{"{}", mute.url, "no answer in time"},
		{"{type: grpc}", mute.url, "no answer in time"},
		{"{type: tcp}", mute.url, ""},
		{"{type: tcp}", refused(t), "refused"},
		{"{}", refused(t), "refused"},
	} {
		if got := ask(tc.cfg, tc.url); !strings.Contains(got, tc.want) || got == "" != (tc.want == "") {
			t.Errorf("%s of %s: %q, want %q", tc.cfg, tc.url, got, tc.want)
		}
	}
}

// Reloads change how is asked, and end it.
func TestHealthOverReloads(t *testing.T) {
	noLeak(t)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/bad" {
			w.WriteHeader(500)
		}
	})
	other := serve(t, func(http.ResponseWriter, *http.Request) {})
	set := setOf(t, file("health: {path: /good, "+swift+"}", s.URL, other.URL))
	tr := transport(t, set, nil)
	t.Cleanup(tr.Close)
	apply := func(settings string) {
		t.Helper()
		if err := set.Apply(fileOf(t, file(settings, s.URL, other.URL))); err != nil {
			t.Fatal(err)
		}
		get(t, tr, "http://test/")
	}
	settles(t, "healthy", func() bool { return verdicts(tr) == "healthy, healthy" })
	apply("health: {path: /bad, " + swift + "}")
	settles(t, "out", func() bool { return strings.HasPrefix(states(tr), "unhealthy") })
	if h := tr.Snapshot().Endpoints[0].Health; h.Verdict != health.Unhealthy || !h.Out {
		t.Errorf("%+v", h)
	}
	apply("health: {path: /bad, mode: observe, " + swift + "}")
	settles(t, "back, because it only observes", func() bool { return states(tr) == "up, up" })
	apply("health: none")
	if e := tr.Snapshot().Endpoints[0]; e.Health != nil || e.State != balance.Up {
		t.Errorf("%+v", e)
	}
}

// settles is eventually with the patience that checks on a busy machine need.
func settles(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 2000 {
		if ok() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("never happened: %s", what)
}
