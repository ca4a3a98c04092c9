package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// gcPercent reads the setting.
func gcPercent() int {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(s)
	return int(s[0].Value.Uint64())
}

func TestRoomForGarbage(t *testing.T) {
	for live, want := range map[uint64]int{0: 800, 1 << 20: 800, 4 << 20: 800, 8 << 20: 400, 32 << 20: 100, 1 << 30: 100} {
		if got := percentFor(live); got != want {
			t.Errorf("with %d MiB live: %d %%, want %d %%", live>>20, got, want)
		}
	}
}

// TestRoomFollowsWhatIsLive: after each collection, both ways.
func TestRoomFollowsWhatIsLive(t *testing.T) {
	t.Setenv("GOGC", "50")
	before := debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetGCPercent(before) })
	makeRoom()
	if p := gcPercent(); p != 100 {
		t.Errorf("with GOGC given it is %d", p)
	}
	large := make([]byte, 64<<20)
	setPercent()
	until := func(what string, ok func(percent int) bool) {
		t.Helper()
		for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
			runtime.GC()
			if p := gcPercent(); ok(p) {
				return
			} else if time.Now().After(end) {
				t.Fatalf("%s: the setting is %d", what, p)
			}
		}
	}
	until("much live", func(p int) bool { return p == leastPercent })
	runtime.KeepAlive(large)
	large = nil
	_ = large
	until("little live", func(p int) bool { return p > leastPercent })
}

func TestProcessors(t *testing.T) {
	was := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(was)
	for _, tc := range []struct{ there, asked, want int }{
		{4, 0, 2}, {3, 0, 2}, {2, 0, 1}, {1, 0, 1}, {2, 4, 4}, {4, 1, 1},
	} {
		runtime.GOMAXPROCS(tc.there)
		useProcessors(tc.asked)
		if got := runtime.GOMAXPROCS(0); got != tc.want {
			t.Errorf("of %d, asked for %d: %d", tc.there, tc.asked, got)
		}
	}
	t.Setenv("GOMAXPROCS", "3")
	runtime.GOMAXPROCS(3)
	if useProcessors(0); runtime.GOMAXPROCS(0) != 3 {
		t.Error("GOMAXPROCS in the environment does not hold")
	}
}
