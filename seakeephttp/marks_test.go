package seakeephttp

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/balance"
)

// TestF137NoEndpointIsAnErrorOfItsOwn, at once and without a second attempt.
func TestF137NoEndpointIsAnErrorOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fleet{}
		tr := transport(t, setOf(t, file("balance: {panic: none}\n    retry: {attempts: 3}", a, b)), f)
		for i := range 2 {
			tr.current().dir.balancer.Mark(seakeep.Now(), i, balance.Unhealthy, true)
		}
		start := time.Now()
		g := send(tr, request(t, "POST", "http://test/", strings.NewReader("abc")))
		if !errors.Is(g.err, ErrNoEndpoint) || f.calls() != "" || time.Since(start) != 0 {
			t.Errorf("%+v after %v", g, time.Since(start))
		}
		tr.current().dir.balancer.Mark(seakeep.Now(), 1, balance.Unhealthy, false)
		if g := get(t, tr, "http://test/"); g.status != 200 || f.calls() != "b:2" {
			t.Errorf("%+v", g)
		}
	})
}

// TestSixtyFourForSixtyFour: all places are taken, and others come.
func TestSixtyFourForSixtyFour(t *testing.T) {
	list := func(port int) (all []string) {
		for i := range 64 {
			all = append(all, fmt.Sprintf("http://h%d:%d", i, port))
		}
		return all
	}
	set := setOf(t, file("kind: critical", list(1)...))
	f := &fleet{}
	tr := transport(t, set, f)
	open, err := tr.RoundTrip(request(t, "GET", "http://test/", nil))
	if err != nil {
		t.Fatal(err)
	}
	old := f.calls()
	if err := set.Apply(fileOf(t, file("kind: critical", list(2)...))); err != nil {
		t.Fatal(err)
	}
	get(t, tr, "http://test/")
	if got := tr.Snapshot().Endpoints; len(got) != 64 || !strings.HasSuffix(f.calls(), ":2") ||
		got[63].URL != "http://"+old || got[63].State != balance.Draining {
		t.Errorf("%d endpoints, the last is %+v", len(got), got[len(got)-1])
	}
	_ = open.Body.Close()
	if got := tr.Snapshot().Endpoints; len(got) != 63 {
		t.Errorf("%d endpoints when the last one has left", len(got))
	}
}

// TestF136PanicIsTold: when it begins and when it ends.
func TestF136PanicIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var events told
		f := &fleet{down: map[string]bool{"a:1": true, "b:2": true}}
		settings := "outlier: {consecutive: {local: 1}, max-ejected: 100%, base: 1s, cap: 1s, interval: 100ms}"
		tr := transport(t, setWith(t, file(settings, a, b, "http://c:3"), &events), f)
		defer tr.Close()
		for range 40 {
			get(t, tr, "http://test/")
		}
		if !tr.Snapshot().Panic {
			t.Error("one of three is not too few")
		}
		f.mu.Lock()
		f.down = nil
		f.mu.Unlock()
		for range 30 {
			get(t, tr, "http://test/")
			time.Sleep(100 * time.Millisecond)
		}
		if got := events.of(core.PanicChanged); got != "panic-changed : off > on; panic-changed : on > off" {
			t.Errorf("told %s", got)
		}
	})
}

// told is an observer that remembers.
type told struct {
	mu     sync.Mutex
	events []core.Event
}

func (o *told) Observe(e core.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.events = append(o.events, e)
}

// of returns the events of some kinds, in words.
func (o *told) of(kinds ...core.EventKind) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var out []string
	for _, e := range o.events {
		if slices.Contains(kinds, e.Kind) {
			what := e.Detail
			if e.From != "" {
				what = e.From + " > " + e.To
			}
			out = append(out, fmt.Sprintf("%v %s: %s", e.Kind, e.Key, what))
		}
	}
	return strings.Join(out, "; ")
}

// setWith is setOf with an observer.
func setWith(tb testing.TB, text string, o core.Observer) *seakeep.Set {
	tb.Helper()
	set, err := seakeep.NewSet(fileOf(tb, text), seakeep.Options{Observer: o})
	if err != nil {
		tb.Fatal(err)
	}
	return set
}

// mixed is a base whose first endpoint refuses at once; the others need 10 ms.
type mixed struct {
	mu   sync.Mutex
	seen map[string]int
}

func (m *mixed) RoundTrip(r *http.Request) (*http.Response, error) {
	m.mu.Lock()
	m.seen[r.URL.Host]++
	m.mu.Unlock()
	if r.URL.Host == "a:1" {
		return answer(503, "no"), nil
	}
	time.Sleep(10 * time.Millisecond)
	return answer(200, "yes"), nil
}

// TestRefusalsDoNotAttractLoad, although they are a thousand times as fast.
func TestRefusalsDoNotAttractLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &mixed{seen: map[string]int{}}
		tr := transport(t, setOf(t, file("kind: critical", a, b, "http://c:3", "http://d:4")), m)
		var load sync.WaitGroup
		for range 8 {
			load.Go(func() {
				for range 250 {
					get(t, tr, "http://test/")
				}
			})
		}
		load.Wait()
		if n := m.seen["a:1"]; n > 100 {
			t.Errorf("%d of 2000 requests went to the one that refuses: %v", n, m.seen)
		}
		for _, host := range []string{"b:2", "c:3", "d:4"} {
			if n := m.seen[host]; n < 450 {
				t.Errorf("%s got %d of 2000 requests", host, n)
			}
		}
		t.Log(m.seen)
	})
}
