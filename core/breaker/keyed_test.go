package breaker

import (
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/window"
)

func newKeyed(tb testing.TB, limit int) *Keyed {
	tb.Helper()
	k, err := NewKeyed(Config{
		Window: window.Config{Over: 10 * time.Second}, MinCalls: 2, Failures: 1,
		Open: Pause{For: 5 * time.Second, Growth: 2, Jitter: 0.2}, Trials: Trials{Calls: 1},
	}, limit, 1)
	if err != nil {
		tb.Fatal(err)
	}
	return k
}

// fail opens the breaker of a key.
func fail(tb testing.TB, k *Keyed, now core.Instant, key string) {
	tb.Helper()
	b, ok := k.Get(now, key)
	if !ok {
		tb.Fatalf("no breaker for %q", key)
	}
	for range 2 {
		p, _ := b.Admit(now)
		b.Report(now, p, failure, 0)
	}
	if b.Snapshot(now).State != Open {
		tb.Fatalf("the breaker of %q did not open", key)
	}
}

func keys(k *Keyed, now core.Instant) (all []string) {
	for _, s := range k.Snapshot(now) {
		all = append(all, s.Key)
	}
	return all
}

func TestF035KeyedBreakersAreBoundedAndOneAKey(t *testing.T) {
	before := runtime.NumGoroutine()
	k := newKeyed(t, 500)
	const racers = 32
	var wg sync.WaitGroup
	for range racers {
		wg.Go(func() {
			for i := range 10000 { // 50 keys are born each second and idle ten seconds later
				k.Get(ms(float64(i)*20), strconv.Itoa(i))
			}
		})
	}
	wg.Wait()
	if n := k.Len(); n > 500 || n < 400 {
		t.Errorf("%d breakers, limit 500", n)
	}
	// Those that have called Done may not have left yet.
	for range 2_000_000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}

func TestOneInstanceAKeyUnderRace(t *testing.T) {
	k := newKeyed(t, 100)
	const racers = 32
	var got [racers][100]*Breaker
	var wg sync.WaitGroup
	for g := range racers {
		wg.Go(func() {
			for i := range 100 {
				got[g][i], _ = k.Get(0, strconv.Itoa((i+g)%100))
			}
		})
	}
	wg.Wait()
	first := map[string]*Breaker{}
	for g := range racers {
		for i, b := range got[g] {
			key := strconv.Itoa((i + g) % 100)
			if first[key] == nil {
				first[key] = b
			}
			if b == nil || b != first[key] {
				t.Fatalf("key %s has two breakers, or none", key)
			}
		}
	}
}

func TestTheLongestUnusedIsForgotten(t *testing.T) {
	k := newKeyed(t, 3)
	a, _ := k.Get(ms(0), "a")
	k.Get(ms(1), "b")
	k.Get(ms(2), "c")
	k.Get(ms(3), "a") // used again
	if _, ok := k.Get(ms(10000), "d"); ok {
		t.Error("a breaker was forgotten before its window had passed")
	}
	k.Get(ms(10003), "d")
	if got := fmt.Sprint(keys(k, ms(10003))); got != "[a c d]" {
		t.Errorf("keys %s, want [a c d]: b was unused the longest", got)
	}
	if again, _ := k.Get(ms(10003), "a"); again != a {
		t.Error("the breaker of a was replaced")
	}
}

func TestAnOpenBreakerIsNeverForgotten(t *testing.T) {
	k := newKeyed(t, 4)
	fail(t, k, 0, "open")
	half, _ := k.Get(0, "half-open")
	fail(t, k, 0, "half-open")
	half.Admit(ms(6000))
	forced, _ := k.Get(0, "forced")
	forced.Force(0, ForceClosed)
	k.Get(ms(1), "idle")
	late := ms(1e9)
	if _, ok := k.Get(late, "new"); !ok {
		t.Fatal("the idle one was not forgotten")
	}
	if _, ok := k.Get(late, "newer"); ok {
		t.Error("there was no room: the others are open, half-open, forced and just used")
	}
	if got := fmt.Sprint(keys(k, late)); got != "[forced half-open new open]" {
		t.Errorf("keys %s", got)
	}
	if _, ok := k.Get(late, "open"); !ok {
		t.Error("a known key was refused")
	}
	open, _ := k.Get(late, "open")
	open.Reset(late)
	if _, ok := k.Get(late.Add(10*time.Second), "newer"); !ok {
		t.Error("a reset one may go when it has been idle")
	}
}

// When all are open, new keys must not cost a search each.
func TestAFloodOfNewKeysIsCheap(t *testing.T) {
	k := newKeyed(t, 200)
	for i := range 200 {
		fail(t, k, 0, strconv.Itoa(i))
	}
	late := ms(1e6)
	if _, ok := k.Get(late, "new"); ok {
		t.Fatal("an open breaker was forgotten")
	}
	b, _ := k.Get(late, "7")
	b.Reset(late)
	late = late.Add(10*time.Second - 1)
	if _, ok := k.Get(late, "new"); ok {
		t.Fatal("7 was forgotten before it was idle for ten seconds")
	}
	if _, ok := k.Get(late.Add(1), "new"); ok {
		t.Error("searched all of them again at once")
	}
	if _, ok := k.Get(late.Add(time.Second), "new"); !ok {
		t.Error("never searched again")
	}
}

// A breaker whose call is still reporting, or whose growth is remembered, is
// not idle, although nobody has asked for it.
func TestMemoryKeepsABreaker(t *testing.T) {
	k := newKeyed(t, 1)
	b, _ := k.Get(0, "a")
	p, _ := b.Admit(0)
	b.Report(ms(9000), p, success, 9*time.Second)
	if _, ok := k.Get(ms(18999), "b"); ok {
		t.Error("forgotten with a result in its window")
	}
	if _, ok := k.Get(ms(19000), "b"); !ok {
		t.Error("not forgotten although idle")
	}

	k = newKeyed(t, 1)
	fail(t, k, 0, "a")
	b, _ = k.Get(0, "a")
	for range 3 { // open for longer and longer: the last time about 40 s
		at := b.Snapshot(0).Until
		p, _ := b.Admit(at)
		b.Report(at, p, failure, 0)
	}
	at := b.Snapshot(0).Until
	open := at.Sub(b.Snapshot(0).Since)
	p, _ = b.Admit(at)
	b.Report(at, p, success, 0)
	if _, ok := k.Get(at.Add(open-1), "b"); ok {
		t.Error("forgotten while its growth is remembered")
	}
	if _, ok := k.Get(at.Add(open), "b"); !ok {
		t.Error("not forgotten although closed long enough")
	}
}

// Tenants that opened together must not all try again together, and a key's
// jitter must not depend on who came before it.
func TestEachKeyHasItsOwnJitter(t *testing.T) {
	until := func(keys ...string) map[string]core.Instant {
		k := newKeyed(t, 10)
		all := map[string]core.Instant{}
		for _, key := range keys {
			fail(t, k, 0, key)
			b, _ := k.Get(0, key)
			all[key] = b.Snapshot(0).Until
		}
		return all
	}
	x, y := until("a", "b", "c"), until("c", "b", "a")
	if x["a"] == x["b"] || x["b"] == x["c"] {
		t.Errorf("same open time for two keys: %v", x)
	}
	if fmt.Sprint(x) != fmt.Sprint(y) {
		t.Errorf("the order of keys matters: %v, %v", x, y)
	}
}

func TestKeyedSnapshotIsSortedAndNoUse(t *testing.T) {
	k := newKeyed(t, 2)
	k.Get(0, "b")
	k.Get(0, "a")
	if got := fmt.Sprint(keys(k, ms(9000))); got != "[a b]" {
		t.Errorf("keys %s, want [a b]", got)
	}
	if _, ok := k.Get(ms(10000), "c"); !ok {
		t.Error("reading kept a breaker from being forgotten")
	}
}

func TestKeyedRefusesABadConfig(t *testing.T) {
	if k, err := NewKeyed(Config{}, 10, 0); err == nil || k != nil {
		t.Error("an empty config was taken")
	}
}

func TestKeyedGetDoesNotAllocate(t *testing.T) {
	k := newKeyed(t, 2)
	k.Get(0, "a")
	k.Get(0, "b")
	if n := testing.AllocsPerRun(100, func() { k.Get(0, "a"); k.Get(0, "b") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// To look for a breaker makes none and keeps none alive.
func TestFindMakesNone(t *testing.T) {
	k, err := NewKeyed(Config{Window: window.Config{Consecutive: 1}, Open: Pause{For: time.Second}}, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	if b, ok := k.Find("a"); ok || b != nil || k.Len() != 0 {
		t.Errorf("found %v, %v; %d breakers", b, ok, k.Len())
	}
	made, _ := k.Get(0, "a")
	if b, ok := k.Find("a"); !ok || b != made {
		t.Errorf("found %v, %v", b, ok)
	}
}
