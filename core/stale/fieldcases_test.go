package stale

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// Faults that people met in other caches.

// A hundred callers find an answer that is no longer fresh. One of them calls,
// the others give the old answer meanwhile. Callers of this cache never wait
// for each other, so there is no mode in which all get the new one.
func TestF144OneRefreshPerKey(t *testing.T) {
	x := must(Config{Fresh: 10 * time.Second, Stale: 60 * time.Second})
	x.Store(0, "k", "v1", 2)
	now := core.Instant(10_001 * time.Millisecond)
	var calls, old atomic.Int64
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			v, age, s := x.Lookup(now, "k")
			if v != "v1" || s != Stale || age != 10_001*time.Millisecond {
				t.Errorf("%v %v %v", v, age, s)
			}
			if x.Lease(now, "k") {
				calls.Add(1)
			} else {
				old.Add(1)
			}
		})
	}
	wg.Wait()
	if calls.Load() != 1 || old.Load() != 99 {
		t.Fatalf("%d calls and %d old answers, want 1 and 99", calls.Load(), old.Load())
	}
	// The refresh takes half a second; then the answer is fresh for all, and
	// nobody who looked a moment earlier refreshes it once more.
	now = now.Add(500 * time.Millisecond)
	x.Store(now, "k", "v2", 2)
	x.Done(now, "k")
	if x.Lease(now, "k") {
		t.Error("a fresh answer is refreshed again")
	}
	if v, age, s := x.Lookup(now, "k"); v != "v2" || age != 0 || s != Fresh {
		t.Errorf("after the refresh: %v, age %v, %v", v, age, s)
	}
}

// The caller that refreshes goes away. Others are not affected; the next one
// takes over.
func TestF144CancelledRefreshAffectsNobodyElse(t *testing.T) {
	x := must(Config{Fresh: 10 * time.Second, Stale: 60 * time.Second})
	x.Store(0, "k", "v1", 2)
	if leases(x, 11*sec, 3) != 1 {
		t.Fatal("not exactly one lease")
	}
	x.Done(12*sec, "k") // cancelled, nothing stored
	if v, age, s := x.Lookup(12*sec, "k"); v != "v1" || age != 12*time.Second || s != Stale {
		t.Errorf("%v, age %v, %v", v, age, s)
	}
	if leases(x, 12*sec, 3) != 1 {
		t.Error("not exactly one next lease")
	}
}

// A lease that is never given back ends by itself, at its bound and not
// before, and goes to one caller again.
func TestF144LostLeaseEnds(t *testing.T) {
	for _, origin := range []core.Instant{-100 * sec, 0, 1 << 60} {
		x := must(Config{Fresh: 10 * time.Second, Stale: 60 * time.Second})
		x.Store(origin, "k", "v1", 2)
		if !x.Lease(origin+11*sec, "k") {
			t.Errorf("origin %d: no lease", origin)
		}
		if x.Lease(origin+21*sec-1, "k") {
			t.Errorf("origin %d: the lease has ended early", origin)
		}
		if leases(x, origin+21*sec, 3) != 1 {
			t.Errorf("origin %d: not exactly one lease after the lost one", origin)
		}
	}
}

// leases returns how many of n callers get the lease.
func leases(x *Cache, now core.Instant, n int) (got int) {
	for range n {
		if x.Lease(now, "k") {
			got++
		}
	}
	return got
}

// Where there is no answer, nobody could be given an old one: all may call.
// That includes an answer whose time is over, lease or not.
func TestF144WithoutAnAnswerEverybodyCalls(t *testing.T) {
	x := must(Config{Fresh: 10 * time.Second, Stale: 20 * time.Second})
	if n := leases(x, 0, 3); n != 3 {
		t.Errorf("a missing answer is leased to %d of three callers", n)
	}
	x.Done(0, "k")
	x.Store(0, "k", "v", 1)
	if x.Lease(1*sec, "k") {
		t.Error("a fresh answer is refreshed")
	}
	x.Lease(19*sec, "k")
	if n := leases(x, 20*sec, 3); n != 3 {
		t.Errorf("an answer that is over is leased to %d of three callers", n)
	}
}

// A failed refresh stores nothing, so the good answer stays and keeps its age.
func TestF145FailureKeepsTheAnswerAndItsAge(t *testing.T) {
	x := must(Config{Fresh: 10 * time.Second, Stale: 60 * time.Second})
	refresh := func(now core.Instant, answer string) {
		if !x.Lease(now, "k") {
			t.Fatalf("at %d nobody refreshes", now)
		}
		if answer != "503" {
			x.Store(now, "k", answer, int64(len(answer)))
		}
		x.Done(now, "k")
	}
	x.Store(0, "k", "v1", 2)
	refresh(11*sec, "503")
	if v, age, s := x.Lookup(11*sec, "k"); v != "v1" || age != 11*time.Second || s != Stale {
		t.Errorf("after the failure: %v, age %v, %v", v, age, s)
	}
	refresh(12*sec, "v2")
	if v, age, s := x.Lookup(12*sec, "k"); v != "v2" || age != 0 || s != Fresh {
		t.Errorf("after the success: %v, age %v, %v", v, age, s)
	}
}
