package seakeephttp

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core/failover"
)

// providers are two servers, of which the first may fail.
type providers struct {
	down          atomic.Bool
	first, second atomic.Int64
	bodies        []string // of the second
	tr            *Transport
	set           *seakeep.Set
}

func newProviders(t *testing.T, settings string) *providers {
	p := &providers{}
	one := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		p.first.Add(1)
		if p.down.Load() {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	two := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		p.second.Add(1)
		b, _ := io.ReadAll(r.Body)
		p.bodies = append(p.bodies, string(b))
	})
	p.set = setOf(t, file("failover: {to: other, calls: 10"+settings+"}", one.URL)+
		"  other: {endpoints: ["+two.URL+"]}\n")
	p.tr = transport(t, p.set, own(t))
	return p
}

// fail makes the first fail until calls have moved.
func (p *providers) fail(t *testing.T) {
	t.Helper()
	p.down.Store(true)
	for range 20 {
		get(t, p.tr, "http://test/")
		if s, _ := p.set.Failover("test"); s.State == failover.Second {
			return
		}
	}
	t.Fatal("calls do not move")
}

// At a fifth of failed calls they go to the second provider's endpoints, and the
// answer says so. The first hears nothing more.
func TestFailover(t *testing.T) {
	p := newProviders(t, "")
	for range 36 {
		if g := get(t, p.tr, "http://test/"); g.status != 200 || g.header.Get(FailoverHeader) != "" {
			t.Fatal(g)
		}
	}
	p.fail(t)
	if n := p.first.Load(); n != 45 { // nine of 45
		t.Errorf("the first was asked %d times", n)
	}
	for range 10 {
		if g := get(t, p.tr, "http://test/"); g.status != 200 || g.header.Get(FailoverHeader) != "other" {
			t.Fatal(g)
		}
	}
	if p.first.Load() != 45 || p.second.Load() != 10 {
		t.Errorf("%d and %d", p.first.Load(), p.second.Load())
	}
}

// What may not run twice stays with the first provider, and no call is made at
// both: a write that may have reached the first is never sent to the second
// without a key that both know.
func TestWritesStayWithTheFirst(t *testing.T) {
	for _, c := range []struct {
		settings, method, key string
		idempotent, moves     bool
	}{
		{"", "GET", "", false, true},
		{"", "PUT", "", false, true},
		{"", "POST", "", false, false},
		{"", "POST", `"k"`, false, false},
		{"", "POST", "", true, true},
		{", writes: keyed", "POST", "", false, false},
		{", writes: keyed", "POST", `"k"`, false, true},
	} {
		p := newProviders(t, c.settings)
		p.fail(t)
		first := p.first.Load()
		req := request(t, c.method, "http://test/", strings.NewReader("pay"))
		req = req.WithContext(seakeep.With(context.Background(), seakeep.Call{Idempotent: c.idempotent}))
		if c.key != "" {
			req.Header.Set("Idempotency-Key", c.key)
		}
		g := send(p.tr, req)
		if moved := p.second.Load() == 1; moved != c.moves || moved == (p.first.Load() == first+1) ||
			moved != (g.status == 200) {
			t.Errorf("%+v: %d, the first was asked %d times and the second %d", c, g.status,
				p.first.Load()-first, p.second.Load())
		}
		if c.moves && p.bodies[0] != "pay" {
			t.Errorf("%+v: the body was %q", c, p.bodies[0])
		}
	}
}

// The policy's word on repeating counts here as it does for retries.
func TestThePolicysWordOnWrites(t *testing.T) {
	for _, c := range []struct {
		word, method string
		moves        bool
	}{{"always", "POST", true}, {"never", "GET", false}, {"by-call", "GET", true}} {
		p := newProviders(t, "}\n    retry: {attempts: 1, idempotent: "+c.word)
		p.down.Store(true)
		for range 10 { // before they move all go to the first
			get(t, p.tr, "http://test/")
		}
		if send(p.tr, request(t, c.method, "http://test/", nil)); (p.second.Load() == 1) != c.moves {
			t.Errorf("%+v: the second was asked %d times", c, p.second.Load())
		}
	}
}

// A second provider without an address of its own cannot be meant.
func TestFailoverNeedsEndpoints(t *testing.T) {
	one := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) })
	set := setOf(t, file("failover: {to: other, calls: 1}", one.URL)+"  other: {}\n")
	tr := transport(t, set, own(t))
	for range 3 {
		if g := get(t, tr, one.URL); g.status != 500 || g.header.Get(FailoverHeader) != "" {
			t.Error(g)
		}
	}
}
