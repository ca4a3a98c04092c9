package seakeephttp

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/balance"
)

// byName is a policy file whose dependency is resolved.
func byName(endpoints, more string) string {
	return fmt.Sprintf("version: 1\nservice: tests\ndependencies:\n  test:\n    endpoints: {%s}\n    %s\n", endpoints, more)
}

func resolved(tb testing.TB, set *seakeep.Set, base http.RoundTripper, by Resolver) *Transport {
	tb.Helper()
	tr, err := NewTransportWith(set, "test", TransportOptions{Base: base, Resolver: by})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { tr.Close(); tr.CloseIdleConnections() })
	return tr
}

// urls are the endpoints as Snapshot lists them.
func urls(tr *Transport) string {
	var all []string
	for _, e := range tr.Snapshot().Endpoints {
		text := e.URL
		if e.State != balance.Up {
			text += " " + e.State.String()
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

func TestEndpointsFromDNS(t *testing.T) {
	for _, c := range []struct{ endpoints, want string }{
		{"dns: pricing.internal:8080", "http://10.0.0.1:8080, http://10.0.0.2:8080, http://[fd00::1]:8080"},
		{"dns: pricing.internal:8080, type: A", "http://10.0.0.1:8080, http://10.0.0.2:8080"},
		{"dns: pricing.internal.:443, type: AAAA, scheme: https, zone: b", "https://[fd00::1]:443"},
		{"dns: _http._tcp.pricing.internal, type: SRV", "http://one.internal:9001, http://two.internal:9002"},
	} {
		s := newNameServer(t)
		s.tell("pricing.internal", "10.0.0.2", "10.0.0.1", "fd00::1", "10.0.0.2")
		s.set(func() {
			s.srv["_http._tcp.pricing.internal"] = []net.SRV{{Target: "two.internal.", Port: 9002, Priority: 1, Weight: 3},
				{Target: "far.internal.", Port: 9003, Priority: 2, Weight: 9}, {Target: "one.internal.", Port: 9001, Priority: 1}}
		})
		f := &fleet{}
		tr := resolved(t, setOf(t, byName(c.endpoints, "kind: critical")), f, s.resolver())
		if g := get(t, tr, "http://test/"); g.status != 200 {
			t.Fatal(c.endpoints, g.status, g.err)
		}
		if got := urls(tr); got != c.want {
			t.Errorf("%s: %s, want %s", c.endpoints, got, c.want)
		}
		snap := tr.Snapshot()
		if r := snap.Resolved; r == nil || r.At.IsZero() || r.Failures != 0 || r.Err != nil {
			t.Errorf("%+v", r)
		}
		first, last := snap.Endpoints[0], snap.Endpoints[len(snap.Endpoints)-1]
		if strings.Contains(c.endpoints, "SRV") && (first.Weight != 1 || last.Weight != 3) {
			t.Errorf("the weights are %v and %v", first.Weight, last.Weight)
		}
		if strings.Contains(c.endpoints, "zone") != (first.Zone == "b") {
			t.Errorf("the zone is %q", first.Zone)
		}
	}
}

// TestRequestsAreAddressedToTheName: an address says where it is, and not who.
func TestRequestsAreAddressedToTheName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for endpoints, want := range map[string]string{
			"dns: 'pricing.internal.:8080'":              "http://10.0.0.1:8080/x for pricing.internal:8080",
			"dns: 'pricing.internal:80'":                 "http://10.0.0.1:80/x for pricing.internal",
			"dns: 'pricing.internal:443', scheme: https": "https://10.0.0.1:443/x for pricing.internal",
		} {
			b := &book{hosts: []string{"10.0.0.1"}}
			tr := resolved(t, setOf(t, byName(endpoints, "kind: critical")), &fleet{}, b)
			if g := get(t, tr, "http://test/x"); g.body != want {
				t.Errorf("%s: %s, want %s", endpoints, g.body, want)
			}
			req := request(t, "GET", "http://test/x", nil)
			req.Host = "shop.example"
			if g := send(tr, req); !strings.HasSuffix(g.body, " for shop.example") {
				t.Errorf("a host of the caller's own: %s", g.body)
			}
			tr.Close()
		}
	})
}

// TestDNSThatFailsChangesNothing: neither an error, nor an empty answer, nor a
// server that is silent, and each is told.
func TestDNSThatFailsChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var events told
		b := &book{hosts: []string{"10.0.0.1", "10.0.0.2"}}
		set := setWith(t, byName("dns: 'pricing:80', every: 10s", "kind: critical"), &events)
		tr := resolved(t, set, &fleet{}, b)
		get(t, tr, "http://test/")
		const both = "http://10.0.0.1:80, http://10.0.0.2:80"
		for i, err := range []error{errors.New("server misbehaving"), nil} {
			b.set(err)
			time.Sleep(11 * time.Second)
			synctest.Wait()
			r := tr.Snapshot().Resolved
			if got := urls(tr); got != both || r.Failures != i+1 || r.Err == nil {
				t.Errorf("%v: %s, %+v", err, got, r)
			}
		}
		b.set(nil, "10.0.0.2", "10.0.0.3")
		time.Sleep(11 * time.Second)
		synctest.Wait()
		if got := urls(tr); got != "http://10.0.0.2:80, http://10.0.0.3:80" || tr.Snapshot().Resolved.Failures != 0 {
			t.Errorf("after another answer: %s", got)
		}
		tr.Close()
		want := "endpoints-found pricing: 2 came, 0 went; resolve-failed pricing: server misbehaving; " +
			"resolve-failed pricing: the answer is empty; endpoints-found pricing: 1 came, 1 went"
		if got := events.of(core.EndpointsFound, core.ResolveFailed); got != want {
			t.Errorf("told:\n%s\nwant:\n%s", got, want)
		}
	})
}

// TestNameServerThatIsBrokenOrSilent over real sockets: the endpoints stay.
func TestNameServerThatIsBrokenOrSilent(t *testing.T) {
	s := newNameServer(t)
	s.tell("pricing.internal", "10.0.0.1")
	tr := resolved(t, setOf(t, byName("dns: 'pricing.internal:80', every: 1s, timeout: 100ms", "kind: critical")),
		&fleet{}, s.resolver())
	get(t, tr, "http://test/")
	for _, change := range []func(){func() { s.broken = true }, func() { s.mute = true },
		func() { s.mute, s.broken, s.hosts = false, false, nil }} {
		before := tr.Snapshot().Resolved.Failures
		s.set(change)
		until(t, "a question fails", func() bool { return tr.Snapshot().Resolved.Failures > before })
		if got := urls(tr); got != "http://10.0.0.1:80" || tr.Snapshot().Resolved.Err == nil {
			t.Errorf("%s, %+v", got, tr.Snapshot().Resolved)
		}
	}
	s.set(func() { s.hosts = map[string][]netip.Addr{} })
	s.tell("pricing.internal", "10.0.0.2")
	until(t, "the new address", func() bool { return urls(tr) == "http://10.0.0.2:80" })
}

// TestFirstAnswerIsWaitedFor, as long as the request may, and no longer.
func TestFirstAnswerIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &book{block: make(chan struct{}), hosts: []string{"10.0.0.1"}}
		tr := resolved(t, setOf(t, byName("dns: 'pricing:80', timeout: 1m", "timeout: {request: 2s}")), &fleet{}, b)
		start := time.Now()
		if g := get(t, tr, "http://test/"); !errors.Is(g.err, ErrNoEndpoint) || time.Since(start) != 2*time.Second {
			t.Errorf("%v after %v", g.err, time.Since(start))
		}
		go func() { time.Sleep(time.Second); close(b.block) }()
		start = time.Now()
		if g := get(t, tr, "http://test/"); g.status != 200 || time.Since(start) != time.Second {
			t.Errorf("%+v after %v", g, time.Since(start))
		}
	})
}

// TestNameThatIsUnknownIsAskedForSoon: a process that starts before its name
// server does not wait for the next regular question. Until it knows one,
// requests end at once, and say why.
func TestNameThatIsUnknownIsAskedForSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		unknown := errors.New("no such host")
		b := &book{err: unknown}
		tr := resolved(t, setOf(t, byName("dns: 'pricing:80', every: 1h", "timeout: {request: 5s}")), &fleet{}, b)
		time.Sleep(time.Minute)
		start := time.Now()
		if g := get(t, tr, "http://test/"); !errors.Is(g.err, ErrNoEndpoint) || !errors.Is(g.err, unknown) ||
			time.Since(start) != 0 {
			t.Errorf("%+v after %v", g, time.Since(start))
		}
		b.set(nil, "10.0.0.1")
		time.Sleep(1200 * time.Millisecond)
		if g := get(t, tr, "http://test/"); g.status != 200 {
			t.Errorf("%+v", g)
		}
		if b.asked < 50 || b.asked > 70 {
			t.Errorf("asked %d times in a minute", b.asked)
		}
	})
}

// TestCloseLetsWaitersGo: nobody waits for an answer that will not come.
func TestCloseLetsWaitersGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &book{block: make(chan struct{})}
		tr := resolved(t, setOf(t, byName("dns: 'pricing:80', timeout: 1m", "kind: critical")), &fleet{}, b)
		go func() { time.Sleep(time.Second); tr.Close() }()
		start := time.Now()
		if g := get(t, tr, "http://test/"); !errors.Is(g.err, ErrNoEndpoint) || time.Since(start) != time.Second {
			t.Errorf("%+v after %v", g, time.Since(start))
		}
	})
}

// TestReloadsBetweenListAndName: what is there stays until the name is known,
// and an endpoint that stays keeps what is known of it.
func TestReloadsBetweenListAndName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		book := &book{block: make(chan struct{}), hosts: []string{"10.0.0.1"}}
		set := setOf(t, file("kind: critical", a, b))
		tr := resolved(t, set, &fleet{}, book)
		apply := func(text string) {
			t.Helper()
			f, err := config.Parse("f", []byte(text))
			if err == nil {
				err = set.Apply(f)
			}
			if err != nil {
				t.Fatal(err)
			}
			if g := get(t, tr, "http://test/"); g.status != 200 {
				t.Fatal(g)
			}
			synctest.Wait()
		}
		apply(byName("dns: 'pricing:80'", "kind: critical"))
		if got := urls(tr); got != "http://a:1, http://b:2" {
			t.Errorf("before the first answer: %s", got)
		}
		close(book.block)
		synctest.Wait()
		if got := urls(tr); got != "http://10.0.0.1:80" {
			t.Errorf("after it: %s", got)
		}
		asked := book.asked
		apply(byName("dns: 'other:80'", "kind: critical"))
		if book.asked != asked+1 {
			t.Errorf("another name was asked for %d times", book.asked-asked)
		}
		apply(byName("dns: 'other:80'", "retry: {attempts: 2}"))
		if s := tr.Snapshot().Endpoints; len(s) != 1 || s[0].Picked < 2 {
			t.Errorf("the same endpoint has lost its state: %+v", s)
		}
		apply(file("kind: critical", b))
		if got := urls(tr); got != "http://b:2" || tr.resolving.Load() != nil {
			t.Errorf("back at a list: %s", got)
		}
		tr.Close()
		apply(byName("dns: 'pricing:80'", "kind: critical"))
		if tr.resolving.Load() != nil {
			t.Error("a closed transport asks")
		}
	})
}
