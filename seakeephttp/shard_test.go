package seakeephttp

import (
	"errors"
	"fmt"
	"math/bits"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/seakeep/seakeep/config"
)

// cluster is a base on which a request of the tenant "poison" kills whoever
// serves it.
type cluster struct {
	mu   sync.Mutex
	dead map[string]bool
	seen map[string]map[string]int // endpoints by tenant
}

func (c *cluster) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	tenant := r.Header.Get("X-Tenant")
	if c.seen == nil {
		c.seen, c.dead = map[string]map[string]int{}, map[string]bool{}
	}
	if c.seen[tenant] == nil {
		c.seen[tenant] = map[string]int{}
	}
	c.seen[tenant][r.URL.Host]++
	if tenant == "poison" {
		c.dead[r.URL.Host] = true
	}
	if c.dead[r.URL.Host] {
		return nil, &net.OpError{Op: "dial", Err: errors.New("refused")}
	}
	return answer(200, ""), nil
}

func eight() (all []string) {
	for i := range 8 {
		all = append(all, fmt.Sprintf("http://w%d:80", i))
	}
	return all
}

func sharded(t *testing.T, more string, base http.RoundTripper) *Transport {
	return transport(t, setOf(t, file("retry: {attempts: 2, backoff: {base: 0s}, budget: none}\n"+
		"    shards: {size: 2, key: X-Tenant"+more+"}", eight()...)), base)
}

func askAs(t *testing.T, tr http.RoundTripper, tenant string) got {
	t.Helper()
	req := request(t, "GET", "http://test/", nil)
	if tenant != "" {
		req.Header.Set("X-Tenant", tenant)
	}
	return send(tr, req)
}

// A tenant whose requests kill workers takes its own two down, and nobody fails
// but who has the very same two; who shares one goes on with the other (I4).
func TestShardsKeepTenantsApart(t *testing.T) {
	c := &cluster{}
	tr := sharded(t, "", c)
	for range 20 {
		if askAs(t, tr, "poison").err == nil {
			t.Fatal("the poison is answered")
		}
	}
	if len(c.dead) != 2 {
		t.Fatalf("%d workers are dead", len(c.dead))
	}
	pool := tr.current()
	victim := http.Header{"X-Tenant": {"poison"}}
	bad := pool.tenants.of(&http.Request{Header: victim})
	var failed, degraded, untouched int
	for n := range 500 {
		tenant := fmt.Sprint("tenant-", n)
		only := pool.tenants.of(&http.Request{Header: http.Header{"X-Tenant": {tenant}}})
		bad := 0
		for range 4 {
			if askAs(t, tr, tenant).err != nil {
				bad++
			}
		}
		shared := bits.OnesCount64(only & pool.tenants.of(&http.Request{Header: victim}))
		switch {
		case shared == 2 && bad == 4:
			failed++
		case shared == 1 && bad == 0:
			degraded++
		case shared == 0 && bad == 0:
			untouched++
		default:
			t.Errorf("%s shares %d endpoints and %d of 4 calls failed", tenant, shared, bad)
		}
		if len(c.seen[tenant]) > 2 {
			t.Errorf("%s was at %v", tenant, c.seen[tenant])
		}
	}
	// 1, 12 and 15 of 28.
	if bits.OnesCount64(bad) != 2 || failed < 5 || degraded < 180 || untouched < 230 {
		t.Errorf("%d failed, %d are degraded, %d untouched", failed, degraded, untouched)
	}
}

// Requests that name no tenant are one, or go everywhere if that is wanted.
func TestRequestsWithoutATenant(t *testing.T) {
	for more, want := range map[string]int{"": 2, ", anonymous: all": 8} {
		c := &cluster{}
		tr := sharded(t, more, c)
		for range 200 {
			if g := askAs(t, tr, ""); g.err != nil {
				t.Fatal(g.err)
			}
		}
		if len(c.seen[""]) != want {
			t.Errorf("%q: they went to %v", more, c.seen[""])
		}
	}
}

// With both of its workers down a call fails, unless it may overflow.
func TestOverflow(t *testing.T) {
	for _, c := range []struct {
		more string
		ok   bool
	}{{"", false}, {", overflow: any", true}} {
		base := &cluster{}
		tr := transport(t, setOf(t, file("retry: {attempts: 3, backoff: {base: 0s}, budget: none}\n"+
			"    shards: {size: 2, key: X-Tenant"+c.more+"}", eight()...)), base)
		askAs(t, tr, "a")
		for host := range base.seen["a"] {
			base.dead[host] = true
		}
		for i := range 8 { // also the one that was not seen
			if only := tr.current().tenants.of(&http.Request{Header: http.Header{"X-Tenant": {"a"}}}); only>>i&1 != 0 {
				base.dead[fmt.Sprintf("w%d:80", i)] = true
			}
		}
		for range 10 {
			if g := askAs(t, tr, "a"); (g.err == nil) != c.ok {
				t.Errorf("overflow%q: %v", c.more, g.err)
			}
		}
	}
}

// A reload with another list of endpoints moves few tenants, and keeps to the
// new shards.
func TestShardsAfterAReload(t *testing.T) {
	c := &cluster{}
	list := eight()
	set := setOf(t, file("shards: {size: 2, key: X-Tenant}", list...))
	tr := transport(t, set, c)
	before := map[string]string{}
	of := func(tenant string) string {
		var in []string
		p := tr.current()
		only := p.tenants.of(&http.Request{Header: http.Header{"X-Tenant": {tenant}}})
		for _, i := range p.order {
			if only>>i&1 != 0 {
				in = append(in, p.dir.at[i].Load().name)
			}
		}
		return strings.Join(in, " ")
	}
	for n := range 300 {
		before[fmt.Sprint(n)] = of(fmt.Sprint(n))
	}
	if err := set.Apply(fileOf(t, file("shards: {size: 2, key: X-Tenant}", list[1:]...))); err != nil {
		t.Fatal(err)
	}
	for tenant, was := range before {
		if is := of(tenant); !strings.Contains(was, list[0]) && is != was {
			t.Errorf("%s had %s and has %s", tenant, was, is)
		} else if strings.Contains(is, list[0]) {
			t.Errorf("%s is at an endpoint that is gone", tenant)
		}
	}
	if err := set.Apply(fileOf(t, file("kind: critical", list...))); err != nil {
		t.Fatal(err)
	}
	if tr.current().tenants != nil {
		t.Error("the shards outlive their section")
	}
}

// Endpoints that DNS lists twice are one to the shards.
func TestShardsOfEndpointsListedTwice(t *testing.T) {
	tr := sharded(t, "", &cluster{})
	p := *tr.current()
	p.order = append(p.order, p.order[0])
	if n := newTenants(&p); len(n.order) != 8 || n.config.Key != "X-Tenant" {
		t.Errorf("%+v", n)
	}
	p.config = &config.Dependency{}
	if newTenants(&p) != nil {
		t.Error("there are shards without a section")
	}
}

// A request that waits for the first answer of DNS keeps to its tenant's shard
// of what is found.
func TestShardsBeforeTheFirstAnswerOfDNS(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		names := &book{block: make(chan struct{})}
		for n := range 16 {
			names.hosts = append(names.hosts, fmt.Sprintf("10.0.0.%d", n+1))
		}
		c := &cluster{}
		tr := resolved(t, setOf(t, byName("dns: pricing.internal:8080", "shards: {size: 2, key: X-Tenant}")), c, names)
		var wg sync.WaitGroup
		for n := range 60 {
			wg.Go(func() {
				if g := askAs(t, tr, fmt.Sprint(n%4)); g.err != nil {
					t.Error(g.err)
				}
			})
		}
		synctest.Wait()
		if len(c.seen) != 0 {
			t.Errorf("requests went to %v before DNS has answered", c.seen)
		}
		close(names.block)
		wg.Wait()
		for tenant, at := range c.seen {
			if len(at) > 2 {
				t.Errorf("tenant %s was at %v", tenant, at)
			}
		}
		if len(c.seen) != 4 {
			t.Errorf("%d tenants were answered", len(c.seen))
		}
		tr.Close()
	})
}
