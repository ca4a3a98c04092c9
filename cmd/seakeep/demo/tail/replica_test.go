package tail

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
)

// Replicas are as the headline says, and the same in every run.
func TestReplicasAreAsTheyAreSaid(t *testing.T) {
	const n = 20_000
	f := &fleet{seed: 1}
	for i, want := range map[int]time.Duration{1: mean, stalls: mean + stall/100, slow: slower * mean} {
		sum, least, stood := time.Duration(0), time.Hour, 0
		for k := range n {
			d := f.takes(k, i)
			if again := (&fleet{seed: 1}).takes(k, i); again != d {
				t.Fatalf("it takes %v, and then %v", d, again)
			}
			sum, least = sum+d, min(least, d)
			if d > stall {
				stood++
			}
		}
		if got := sum / n; got < want*9/10 || got > want*11/10 {
			t.Errorf("replica %d takes %v, want about %v", i, got, want)
		}
		if base := floor; i != slow && least < base || i == slow && least < slower*base {
			t.Errorf("replica %d answers after %v", i, least)
		}
		if stood := stood * 1000 / n; i == stalls && (stood < 8 || stood > 12) || i == 1 && stood > 0 {
			t.Errorf("replica %d stalls in %d of a thousand", i, stood)
		}
	}
	if f.takes(1, 1) == f.takes(1, 2) || f.takes(1, 1) == f.takes(2, 1) ||
		f.takes(1, 1) == (&fleet{seed: 2}).takes(1, 1) {
		t.Error("two draws are the same")
	}
}

func TestAllSlow(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := &fleet{seed: 1, clock: new(live.Clock), allSlow: time.Second}
		f.clock.Start()
		before := f.takes(5, 1)
		time.Sleep(time.Second)
		if after := f.takes(5, 1); after != slower*before {
			t.Errorf("%v, and %v when all are slow", before, after)
		}
	})
}

// The load is what arrives, of the requests that count.
func TestExtra(t *testing.T) {
	f := &fleet{}
	if x := f.extra(0, 10); x != 0 {
		t.Errorf("%v of nothing", x)
	}
	for _, n := range []int{0, 0, 0, 3, 4, 4, 5, 6, 9, 9} {
		f.arrived(n)
	}
	for _, tc := range []struct {
		from, to int
		want     float64
	}{{3, 7, 0.25}, {0, 1, 2}, {5, 7, 0}, {0, 1_000_000, 4.0 / 6}, {7, 9, 0}} {
		if x := f.extra(tc.from, tc.to); x != tc.want {
			t.Errorf("%d to %d: %v, want %v", tc.from, tc.to, x, tc.want)
		}
	}
}

func TestRequestsThatThereAreNot(t *testing.T) {
	f := &fleet{clock: new(live.Clock)}
	for _, path := range []string{"/", "/x", "/-1", "/1048576", "/1/2"} {
		rec := httptest.NewRecorder()
		f.replica(1).ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		if rec.Code != http.StatusNotFound || len(f.got) > 0 {
			t.Errorf("%s: %d", path, rec.Code)
		}
	}
}

// On sockets: requests pass through each policy file, and nothing is left
// afterwards.
func TestOnSockets(t *testing.T) {
	for _, v := range variants {
		f := &fleet{seed: 1, clock: new(live.Clock)}
		p, err := onSockets(f, v.file(), seakeep.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		for n := range 3 {
			if !ask(ctx, p, n) {
				t.Errorf("%s: there is no answer", v.name)
			}
		}
		if ask(ctx, p, maxRequests) || ask(ctx, &place{url: "http://\x00"}, 1) {
			t.Errorf("%s: what there is not is answered", v.name)
		}
		cancel()
		p.stop()
		if x := f.extra(0, 3); x != 0 && v.name != "hedge" && v.name != "both" {
			t.Errorf("%s: %v extra", v.name, x)
		}
	}
	if _, err := onSockets(&fleet{}, "gone.yaml", seakeep.Options{}); err == nil {
		t.Error("a file that is not there starts")
	}
}

// Every policy file is one that "seakeep validate" takes, without a warning, and
// all are printed.
func TestPolicyFiles(t *testing.T) {
	entries, err := policies.ReadDir("policies")
	if err != nil || len(entries) != len(variants) {
		t.Fatalf("%d files for %d variants, %v", len(entries), len(variants), err)
	}
	for _, v := range variants {
		f, err := read(v.file(), make([]string, replicas))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range f.Warnings() {
			t.Errorf("%s: %v", v.file(), w)
		}
		d := f.Dependency(dependency)
		if (d.Outlier != nil) != (v.name == "outlier" || v.name == "both") ||
			(d.Call.Hedge != nil) != (v.name == "hedge" || v.name == "both") {
			t.Errorf("%s is not what it is called", v.file())
		}
	}
	if err := WritePolicies(io.Discard); err != nil {
		t.Error(err)
	}
	if _, err := read("none.yaml", make([]string, 3)); err == nil {
		t.Error("three replicas fill twenty places")
	}
	if _, err := read("none.yaml", append(make([]string, replicas-1), "http://[")); err == nil {
		t.Error("an address that is none is taken")
	}
}
