package stale

import (
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// Fifty goroutines read, refresh and store a few keys on a moving clock. Every
// answer found belongs to its key and is within its time, and the bounds hold
// afterwards.
func TestManyCallers(t *testing.T) {
	x := must(Config{Fresh: 50, Stale: 5000, Entries: 8, Bytes: 100})
	var clock, refreshes atomic.Int64
	var wg sync.WaitGroup
	for id := range uint64(50) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(id, 2))
			for range 300 {
				n := r.IntN(12)
				key, now := "key-"+strconv.Itoa(n), core.Instant(clock.Add(1))
				v, age, s := x.Lookup(now, key)
				if s != Miss && (v != n || age < 0 || age >= 5000) {
					t.Errorf("%s: %v, age %v", key, v, age)
				}
				if s == Stale && x.Lease(now, key) {
					refreshes.Add(1)
					x.Store(now, key, n, 5)
					x.Done(now, key)
				}
				if s == Miss {
					x.Store(now, key, n, 5)
				}
				if r.IntN(50) == 0 {
					x.Remove(key)
				}
			}
		})
	}
	wg.Wait()
	got := x.Snapshot(core.Instant(clock.Load()))
	if got.Entries > 8 || got.Bytes > 100 || got.Bytes < 0 {
		t.Errorf("out of bounds: %+v", got)
	}
	if refreshes.Load() == 0 || got.Fresh == 0 || got.Evicted == 0 {
		t.Errorf("a tame test: %d refreshes, %+v", refreshes.Load(), got)
	}
}

// While an answer stays in the cache its lease is out to one caller at most.
func TestOneLeaseAtATime(t *testing.T) {
	x := must(Config{Fresh: 1, Stale: time.Hour})
	x.Store(0, "k", "v", 1)
	var clock, out, granted atomic.Int64
	clock.Store(10)
	var wg sync.WaitGroup
	for range 30 {
		wg.Go(func() {
			for range 300 {
				if !x.Lease(core.Instant(clock.Add(1)), "k") {
					continue
				}
				granted.Add(1)
				if n := out.Add(1); n != 1 {
					t.Errorf("%d leases are out", n)
				}
				out.Add(-1)
				x.Done(core.Instant(clock.Add(1)), "k")
			}
		})
	}
	wg.Wait()
	if granted.Load() == 0 {
		t.Error("nobody ever got the lease")
	}
}
