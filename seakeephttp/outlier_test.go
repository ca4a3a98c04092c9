package seakeephttp

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/balance"
)

// inTurns keeps the balancer from noticing what is bad before the detector does.
const inTurns = "balance: {policy: round-robin, slow-start: none}\n    "

// herd is a base whose endpoints answer as they are told.
type herd struct {
	mu     sync.Mutex
	status map[string]int           // by host; 200 if not there
	takes  map[string]time.Duration // by host
	seen   map[string]int
}

func (h *herd) RoundTrip(r *http.Request) (*http.Response, error) {
	h.mu.Lock()
	status, takes := h.status[r.URL.Host], h.takes[r.URL.Host]
	if h.seen == nil {
		h.seen = map[string]int{}
	}
	h.seen[r.URL.Host]++
	h.mu.Unlock()
	select {
	case <-time.After(takes):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	if status == 0 {
		status = 200
	}
	return answer(status, ""), nil
}

// set changes what a host answers, and forgets what was seen.
func (h *herd) set(host string, status int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.status, h.seen = map[string]int{host: status}, nil
}

func (h *herd) at(host string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.seen[host]
}

// herdOf is a transport over four endpoints, a:1 to d:1.
func herdOf(t *testing.T, h *herd, settings string) (*Transport, *seakeep.Set, *recorder) {
	t.Helper()
	seen := &recorder{}
	text := file(settings, "http://a:1", "http://b:1", "http://c:1", "http://d:1")
	set, err := seakeep.NewSet(fileOf(t, text), seakeep.Options{Observer: seen})
	if err != nil {
		t.Fatal(err)
	}
	tr := transport(t, set, h)
	t.Cleanup(tr.Close)
	return tr, set, seen
}

func send4(t *testing.T, tr *Transport, n int) {
	t.Helper()
	for range n {
		get(t, tr, "http://test/")
		time.Sleep(10 * time.Millisecond)
	}
}

// ends returns the last of the events about endpoints, as text.
func (r *recorder) endpoints() (all []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events {
		if e.Kind == core.EndpointChanged {
			s := e.Key + ": " + e.From + " > " + e.To
			if e.Detail != "" {
				s += " for " + e.Detail
			}
			if e.Observed {
				s += ", observed"
			}
			all = append(all, s)
		}
	}
	return all
}

func TestOutlierIsEjectedAndReturnsByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &herd{status: map[string]int{"b:1": 500}}
		tr, _, seen := herdOf(t, h, inTurns+"outlier: {consecutive: 3, base: 20s}")
		send4(t, tr, 100)
		if n := h.at("b:1"); n != 3 {
			t.Errorf("%d requests went to the bad one, want 3", n)
		}
		e := tr.Snapshot().Endpoints[1]
		if e.State != balance.Ejected || e.Outlier == nil || !e.Outlier.Out || e.Outlier.Ejected != 1 || e.Health != nil {
			t.Errorf("%+v, %+v", e, e.Outlier)
		}
		h.set("b:1", 200)
		time.Sleep(31 * time.Second) // nobody asks: the timer brings it back
		if e := tr.Snapshot().Endpoints[1]; e.State != balance.Up || e.Outlier.Out {
			t.Errorf("31s later: %+v, %+v", e, e.Outlier)
		}
		send4(t, tr, 400)
		if n := h.at("b:1"); n == 0 || n > 100 {
			t.Errorf("after its return %d of 400 requests went there", n)
		}
		want := "http://b:1: up > ejected for errors|http://b:1: ejected > up"
		if got := strings.Join(seen.endpoints(), "|"); got != want {
			t.Errorf("told %s, want %s", got, want)
		}
	})
}

// Slow is worse than dead: the slow one goes although nothing fails there.
func TestOutlierBySlowness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &herd{takes: map[string]time.Duration{"a:1": 20 * time.Millisecond, "b:1": 20 * time.Millisecond,
			"c:1": 400 * time.Millisecond, "d:1": 25 * time.Millisecond}}
		tr, _, seen := herdOf(t, h, inTurns+"outlier: {interval: 10s}")
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() { send4(t, tr, 100) })
		}
		wg.Wait()
		time.Sleep(10 * time.Second)
		send4(t, tr, 1) // a report does the sweep that is due
		synctest.Wait()
		if got := strings.Join(seen.endpoints(), "|"); got != "http://c:1: up > ejected for latency" {
			t.Errorf("told %s", got)
		}
	})
}

// Observe reports and does nothing.
func TestOutlierObserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &herd{status: map[string]int{"b:1": 500}}
		tr, _, seen := herdOf(t, h, inTurns+"outlier: {consecutive: 3, mode: observe}")
		send4(t, tr, 100)
		if n := h.at("b:1"); n != 25 {
			t.Errorf("%d requests went to the bad one, want 25", n)
		}
		if e := tr.Snapshot().Endpoints[1]; e.State != balance.Up || !e.Outlier.Out {
			t.Errorf("%+v, %+v", e, e.Outlier)
		}
		if got := strings.Join(seen.endpoints(), "|"); got != "http://b:1: up > ejected for errors, observed" {
			t.Errorf("told %s", got)
		}
	})
}

// A reload keeps who is out; one without the section brings all back.
func TestOutlierOverReloads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &herd{status: map[string]int{"b:1": 500}}
		tr, set, _ := herdOf(t, h, inTurns+"outlier: {consecutive: 3}")
		send4(t, tr, 60)
		apply := func(settings string, endpoints ...string) {
			t.Helper()
			if err := set.Apply(fileOf(t, file(settings, endpoints...))); err != nil {
				t.Fatal(err)
			}
			send4(t, tr, 2)
			synctest.Wait()
		}
		state := func(i int) balance.State { return tr.Snapshot().Endpoints[i].State }
		apply(inTurns+"outlier: {consecutive: 4, base: 1m}", "http://a:1", "http://b:1", "http://c:1", "http://d:1")
		if state(1) != balance.Ejected {
			t.Error("a reload has brought it back")
		}
		// It goes away and comes again: it is another one then (F137).
		apply(inTurns+"outlier: {consecutive: 4}", "http://a:1", "http://c:1")
		apply(inTurns+"outlier: {consecutive: 4}", "http://a:1", "http://b:1", "http://c:1")
		if state(1) != balance.Up {
			t.Error("an endpoint that is new is out")
		}
		send4(t, tr, 60)
		if state(1) != balance.Ejected {
			t.Errorf("the bad one is %v", state(1))
		}
		apply(inTurns+"outlier: none", "http://a:1", "http://b:1", "http://c:1")
		if s := tr.Snapshot().Endpoints[1]; s.State != balance.Up || s.Outlier != nil {
			t.Errorf("without outlier: %+v", s)
		}
	})
}

// An observer that asks back must not wait for itself.
func TestOutlierObserverMayAskBack(t *testing.T) {
	h := &herd{status: map[string]int{"b:1": 500}}
	var tr *Transport
	asks := observerFunc(func(e core.Event) {
		if e.Kind == core.EndpointChanged {
			tr.Snapshot()
			get(t, tr, "http://test/")
		}
	})
	set, err := seakeep.NewSet(fileOf(t, file(inTurns+"outlier: {consecutive: 2}", "http://a:1", "http://b:1")),
		seakeep.Options{Observer: asks})
	if err != nil {
		t.Fatal(err)
	}
	tr = transport(t, set, h)
	t.Cleanup(tr.Close)
	for range 40 {
		get(t, tr, "http://test/")
	}
	if tr.Snapshot().Endpoints[1].State != balance.Ejected {
		t.Error("not out")
	}
}

type observerFunc func(core.Event)

func (f observerFunc) Observe(e core.Event) { f(e) }
