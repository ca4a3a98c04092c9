package seakeephttp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/balance"
	"github.com/seakeep/seakeep/core/retry"
)

// file is a policy file with one dependency, "test".
func file(settings string, endpoints ...string) string {
	return fmt.Sprintf("version: 1\nservice: tests\ndependencies:\n  test:\n    endpoints: [%s]\n    %s\n",
		strings.Join(endpoints, ", "), settings)
}

// fileTransport is a transport for the dependency of that file.
func fileTransport(tb testing.TB, settings string, endpoints ...string) *Transport {
	tb.Helper()
	return transport(tb, setOf(tb, file(settings, endpoints...)), nil)
}

func transport(tb testing.TB, set *seakeep.Set, base http.RoundTripper) *Transport {
	tb.Helper()
	tr, err := NewTransport(set, "test", base)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(tr.CloseIdleConnections)
	return tr
}

// fleet is a base on which some endpoints are down.
type fleet struct {
	mu   sync.Mutex
	down map[string]bool
	seen []string
}

func (f *fleet) RoundTrip(r *http.Request) (*http.Response, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen = append(f.seen, r.URL.Host)
	if f.down[r.URL.Host] {
		return nil, &net.OpError{Op: "dial", Err: errors.New("refused")}
	}
	return answer(200, r.URL.String()+" for "+r.Host), nil
}

// calls returns where requests went since it was last asked.
func (f *fleet) calls() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := strings.Join(f.seen, " ")
	f.seen = nil
	return s
}

// turns makes it plain where the next attempt goes.
const turns = "balance: {policy: round-robin, slow-start: none}"

// inTurn is transport with turns that begin with the first endpoint.
func inTurn(tb testing.TB, set *seakeep.Set, base http.RoundTripper) *Transport {
	tb.Helper()
	tr := transport(tb, set, base)
	tr.family.draw = func() float64 { return 0 }
	return tr
}

const (
	a = "http://a:1"
	b = "http://b:2"
)

func TestEndpointsTakeTurns(t *testing.T) {
	f := &fleet{}
	tr := inTurn(t, setOf(t, file(turns, a, b)), f)
	for _, c := range []struct{ url, host, want string }{
		{"http://test/x?y=%2F", "", "http://a:1/x?y=%2F for "},
		{"http://test/a%2Fb", "test", "http://b:2/a%2Fb for "},
		{"http://test/", "shop.example", "http://a:1/ for shop.example"},
	} {
		req := request(t, "GET", c.url, nil)
		req.Host = c.host
		before := *req.URL
		resp, err := tr.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		g := make([]byte, 100)
		n, _ := resp.Body.Read(g)
		if string(g[:n]) != c.want || *req.URL != before || req.Host != c.host || resp.Request != req {
			t.Errorf("%s: %s", c.url, g[:n])
		}
		_ = resp.Body.Close()
	}
}

func TestEndpointThatIsDownIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fleet{down: map[string]bool{"a:1": true}}
		tr := inTurn(t, setOf(t, file(turns+"\n    retry: {attempts: 2}", a, b)), f)
		for range 6 {
			if g := get(t, tr, "http://test/"); g.status != 200 {
				t.Fatal(g)
			}
		}
		if got := f.calls(); got != "a:1 b:2 b:2 b:2 b:2 b:2 b:2" {
			t.Errorf("calls went to %s", got)
		}
		s := tr.Snapshot()
		if s.Dependency != "test" || len(s.Endpoints) != 2 || s.Endpoints[0].URL != a ||
			!s.Endpoints[0].Resting || s.Endpoints[1].Resting || s.Endpoints[1].Picked != 6 {
			t.Errorf("%+v", s)
		}
		f.mu.Lock()
		f.down = nil
		f.mu.Unlock()
		time.Sleep(time.Second)
		for range 4 {
			get(t, tr, "http://test/")
		}
		if got := f.calls(); strings.Count(got, "a:1") != 2 {
			t.Errorf("calls went to %s", got)
		}
	})
}

// TestSlowEndpointDoesNotRest: our own limit, and a caller that leaves, say
// nothing about whether an endpoint is there.
func TestSlowEndpointDoesNotRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := transport(t, setOf(t, file("timeout: {request: 50ms}", a)), &silent{})
		get(t, tr, "http://test/")
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		send(tr, request(t, "GET", "http://test/", nil).WithContext(ctx))
		if s := tr.Snapshot(); s.Endpoints[0].Resting || s.Endpoints[0].Picked != 2 || s.Endpoints[0].InFlight != 0 {
			t.Errorf("%+v", s)
		}
		tr.current().dir.balancer.Pick(seakeep.Now(), balance.Choice{})
		tr.current().dir.balancer.Report(seakeep.Now(), 0, balance.Sample{Outcome: core.Failure})
		get(t, tr, "http://test/")
		if s := tr.Snapshot(); !s.Endpoints[0].Resting {
			t.Errorf("a silence has ended the rest: %+v", s)
		}
	})
}

// TestUnsentGoesElsewhereAtOnce: also a POST, without a wait and outside the
// budget and the count of attempts, because nothing has happened yet.
func TestUnsentGoesElsewhereAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fleet{down: map[string]bool{"a:1": true}}
		tr := inTurn(t, setOf(t, file(turns+"\n    retry: {attempts: 1}", a, b)), f)
		start := time.Now()
		g := send(tr, request(t, "POST", "http://test/", strings.NewReader("abc")))
		if g.status != 200 || f.calls() != "a:1 b:2" || time.Since(start) != 0 {
			t.Errorf("%+v after %v", g, time.Since(start))
		}
	})
}

func TestInFlightIsCountedUntilTheBodyEnds(t *testing.T) {
	f := &fleet{}
	tr := transport(t, setOf(t, file("kind: critical", a)), f)
	resp, err := tr.RoundTrip(request(t, "GET", "http://test/", nil))
	if err != nil {
		t.Fatal(err)
	}
	if n := tr.Snapshot().Endpoints[0].InFlight; n != 1 {
		t.Errorf("%d in flight", n)
	}
	_ = resp.Body.Close()
	_ = resp.Body.Close()
	f.down = map[string]bool{"a:1": true}
	get(t, tr, "http://test/")
	if n := tr.Snapshot().Endpoints[0].InFlight; n != 0 {
		t.Errorf("%d in flight", n)
	}
}

// TestF137EndpointsByTheirName: a removed endpoint that comes back is new, and
// one that stays keeps its requests in flight.
func TestF137EndpointsByTheirName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fleet{down: map[string]bool{"a:1": true}}
		set := setOf(t, file(turns+"\n    retry: {attempts: 2}", a, b))
		tr := inTurn(t, set, f)
		open, err := tr.RoundTrip(request(t, "GET", "http://test/", nil))
		if err != nil {
			t.Fatal(err)
		}
		apply := func(settings string, endpoints ...string) {
			if err := set.Apply(fileOf(t, file(settings, endpoints...))); err != nil {
				t.Fatal(err)
			}
		}
		apply(turns+"\n    retry: {attempts: 3}", a, b)
		if s := tr.Snapshot(); !s.Endpoints[0].Resting || s.Endpoints[1].InFlight != 1 {
			t.Errorf("the same list has lost its state: %+v", s)
		}
		apply(turns+"\n    retry: {attempts: 3}", b)
		f.calls()
		get(t, tr, "http://test/")
		if got := f.calls(); got != "b:2" {
			t.Errorf("the call went to %s", got)
		}
		f.down = nil
		apply(turns+"\n    retry: {attempts: 3}", a, b)
		if s := tr.Snapshot(); s.Endpoints[0].Resting || s.Endpoints[1].InFlight != 1 {
			t.Errorf("%+v", s)
		}
		get(t, tr, "http://test/")
		if got := f.calls(); got != "a:1" {
			t.Errorf("the call went to %s", got)
		}
		_ = open.Body.Close()
	})
}

// TestDependencyThatTheFileNoLongerHas goes on as it was, for who holds it.
func TestDependencyThatTheFileNoLongerHas(t *testing.T) {
	f := &fleet{}
	set := setOf(t, file("kind: critical", a))
	tr := transport(t, set, f)
	other := strings.Replace(file("kind: critical", b), "  test:", "  other:", 1)
	if err := set.Apply(fileOf(t, other)); err != nil {
		t.Fatal(err)
	}
	if g := get(t, tr, "http://test/"); g.status != 200 || f.calls() != "a:1" {
		t.Errorf("%+v", g)
	}
	if _, err := NewTransport(set, "test", nil); err == nil {
		t.Error("a new transport for it can be made")
	}
}

func TestOperationsHaveTheirOwnSettings(t *testing.T) {
	f := &fleet{down: map[string]bool{"a:1": true}}
	tr := transport(t, setOf(t, file("retry: {attempts: 3, backoff: {base: 1ms, cap: 1ms}}\n    operations:\n"+
		"      - {name: once, match: {method: GET, path: /once/*, header: {X-Kind: slow}}, retry: {attempts: 1}}\n",
		a)), f)
	for _, c := range []struct {
		path, kind string
		want       int
	}{{"/once/1", "slow", 1}, {"/once/1", "", 3}, {"/twice", "slow", 3}} {
		req := request(t, "GET", "http://test"+c.path, nil)
		req.Header.Set("X-Kind", c.kind)
		send(tr, req)
		if n := len(strings.Fields(f.calls())); n != c.want {
			t.Errorf("%s: %d attempts, want %d", c.path, n, c.want)
		}
	}
	req := request(t, "GET", "http://test/", nil)
	req.Header.Set(retry.AttemptHeader, "nonsense")
	send(tr, req)
}

func TestBreakerPerKeyOfAHeader(t *testing.T) {
	f := &fleet{down: map[string]bool{"a:1": true}}
	tr := transport(t, setOf(t, file("breaker: {window: {consecutive: 1}, per: key, key: X-Tenant, keys: 10}", a)), f)
	call := func(tenant string) error {
		req := request(t, "GET", "http://test/", nil)
		req.Header.Set("X-Tenant", tenant)
		return send(tr, req).err
	}
	_ = call("one")
	if err := call("one"); !errors.Is(err, seakeep.ErrRejected) {
		t.Errorf("the tenant's breaker is not open: %v", err)
	}
	if err := call("two"); errors.Is(err, seakeep.ErrRejected) {
		t.Errorf("another tenant's is: %v", err)
	}
}
