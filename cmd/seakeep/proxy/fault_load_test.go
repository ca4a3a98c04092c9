package proxy

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/fault"
	"github.com/seakeep/seakeep/seakeephttp"
	"github.com/seakeep/seakeep/telemetry"
)

// seed is what a seeded proxy's faults are drawn with.
const seed = 1 << 51

// startSeeded starts a proxy whose faults are known beforehand.
func startSeeded(t *testing.T, text string) *under {
	t.Helper()
	u := &under{t: t, log: &lines{}, end: make(chan error, 1)}
	file, err := config.Parse("seakeep.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	set, err := seakeep.NewSet(file, seakeep.Options{Observer: telemetry.NewLogger(u.log.logger(), telemetry.LogOptions{}),
		Draw: func() float64 { return float64(seed) / (1 << 53) }})
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(set, Options{Log: u.log.logger(), Grace: patience})
	if err != nil {
		t.Fatal(err)
	}
	u.run(p)
	return u
}

// expected is how many of n requests a rule hurts with the seed.
func (u *under) expected(rule string, n int) (hurt int) {
	u.t.Helper()
	r, err := config.ReadFault([]byte(rule), u.set.File().Dependency("dep"))
	if err != nil {
		u.t.Fatal(err)
	}
	r.Scope = fault.Scope{}
	j, err := fault.New(0, fault.Config{Name: "dep", Allow: true, Share: 1, Concurrent: 1e6}.Filled(), seed, nil)
	if err == nil {
		err = j.Start(0, r, false)
	}
	if err != nil {
		u.t.Fatal(err)
	}
	for range n {
		if in := j.Admit(0, fault.Target{}); in.By != "" {
			hurt++
		}
	}
	return hurt
}

// sort of requests, and what became of them.
type sort struct {
	method, path string
	n            int
	hurtBy       map[string]int
}

// sendAll sends every sort, with sixteen requests under way at a time.
func (u *under) sendAll(sorts []*sort) {
	client := &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 16}}
	defer client.CloseIdleConnections()
	todo := make(chan *sort)
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range 16 {
		wg.Go(func() {
			for s := range todo {
				req, _ := http.NewRequest(s.method, u.url("dep", s.path), nil)
				by, status := u.hurtBy(client, req)
				mu.Lock()
				if s.hurtBy[by]++; (by == "") != (status == 200) {
					u.t.Errorf("%s gets %d, hurt by %q", s.path, status, by)
				}
				mu.Unlock()
			}
		})
	}
	for left := true; left; { // in turn, so that they mix
		left = false
		for _, s := range sorts {
			if s.n > 0 {
				s.n--
				left = true
				todo <- s
			}
		}
	}
	close(todo)
	wg.Wait()
}

func (u *under) hurtBy(client *http.Client, req *http.Request) (rule string, status int) {
	resp, err := client.Do(req)
	if err != nil {
		u.t.Error(err)
		return "", 0
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.Header.Get(seakeephttp.InjectedHeader), resp.StatusCode
}

// TestFaultsHurtExactly: of thousands of requests, with many under way at a
// time, as many are hurt as the seed says, not one more or less, and none that
// is not in a rule's scope.
func TestFaultsHurtExactly(t *testing.T) {
	ok := func(http.ResponseWriter, *http.Request) {}
	one, two := web(t, ok), web(t, ok)
	// By turns: by latency, one stall of the machine would send all to the other endpoint.
	u := startSeeded(t, policy(one+", "+two, "faults: {allow: true, share: 100%}",
		"balance: {policy: round-robin}",
		"operations: [{name: search, match: {method: GET, path: /search/*}}]"))
	rules := map[string]string{
		"third": `{"name": "third", "kind": "error", "status": 500, "share": "30%", "operation": "search"}`,
		"put":   `{"name": "put", "kind": "refused", "share": "7%", "method": "PUT", "path": "/orders/*"}`,
		"half":  fmt.Sprintf(`{"name": "half", "kind": "reset", "share": "50%%", "endpoint": %q}`, one),
	}
	const n, few = 1000, 300
	// First, while both endpoints are fresh: one that refuses a connection rests.
	u.inject("dep", rules["half"])
	before := u.picked(one)
	all := &sort{"GET", "/", n, map[string]int{}}
	u.sendAll([]*sort{all})
	seen := u.picked(one) - before
	if want := u.expected(rules["half"], seen); all.hurtBy["half"] != want || seen == 0 || seen == n {
		t.Errorf("%v hurt of %d at the endpoint, want %d", all.hurtBy, seen, want)
	}
	u.halt("")
	u.inject("dep", rules["third"])
	u.inject("dep", rules["put"])
	search := &sort{"GET", "/search/x", n, map[string]int{}}
	put := &sort{"PUT", "/orders/1", n, map[string]int{}}
	others := []*sort{{"GET", "/orders/1", few, map[string]int{}}, {"PUT", "/search/x", few, map[string]int{}},
		{"GET", "/", few, map[string]int{}}}
	u.sendAll(append(others, search, put))
	for name, got := range map[string]map[string]int{"third": search.hurtBy, "put": put.hurtBy} {
		want := u.expected(rules[name], n)
		if got[name] != want || got[""] != n-want {
			t.Errorf("%s hurts %v of %d, want %d", name, got, n, want)
		}
		t.Logf("%s: %d of %d", name, got[name], n)
	}
	for _, s := range others {
		if s.hurtBy[""] != few {
			t.Errorf("%s %s is in no scope: %v", s.method, s.path, s.hurtBy)
		}
	}
	for _, f := range u.faults() {
		scope := map[string]int{"third": n, "put": n, "half": seen}[f.Name]
		if int(f.Seen) != scope || int(f.Hurt) != u.expected(rules[f.Name], scope) || f.Spared != 0 {
			t.Errorf("told as %+v", f)
		}
	}
}

// picked is how many attempts an endpoint of dep was given.
func (u *under) picked(url string) int {
	resp, err := plain.Get(u.url("admin", "/v1/dependencies/dep"))
	if err != nil {
		u.t.Fatal(err)
	}
	defer resp.Body.Close()
	var v dependencyView
	if err := json.NewDecoder(resp.Body).Decode(&v); err != nil {
		u.t.Fatal(err)
	}
	for _, e := range v.Endpoints {
		if e.URL == url {
			return int(e.Picked)
		}
	}
	u.t.Fatalf("%s is not an endpoint", url)
	return 0
}
