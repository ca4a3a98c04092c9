package window

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

func count(r *Recent, now core.Instant) uint64 { return r.Snapshot(now).Count }

func TestRecentForgets(t *testing.T) {
	for _, origin := range []core.Instant{0, ms(-5000), 1 << 62, math.MinInt64} {
		r := NewRecent(4 * time.Second)
		at := func(n float64) core.Instant { return origin.Add(time.Duration(n * 1e6)) }
		r.Record(at(0), time.Second)
		r.Record(at(3900), 10*time.Millisecond)
		if n := count(r, at(3999)); n != 2 {
			t.Errorf("origin %d: %d latencies within the time, want 2", origin, n)
		}
		q := r.Snapshot(at(4000))
		if q.Count != 1 || q.Max != 10*time.Millisecond || q.Sum != 10*time.Millisecond {
			t.Errorf("origin %d: after 4s %d latencies, max %v; want the one of 10ms", origin,
				q.Count, q.Max)
		}
		if n := count(r, at(1e9)); n != 0 {
			t.Errorf("origin %d: %d latencies after a long gap, want none", origin, n)
		}
	}
}

// What is counted is between three quarters of the time and all of it.
func TestRecentCountsEqualARecount(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	r := NewRecent(time.Second)
	now := core.Instant(-1e10)
	var all []core.Instant
	for range 20_000 {
		now = now.Add(time.Duration(rng.IntN(8)) * time.Millisecond)
		if rng.IntN(1000) == 0 {
			now = now.Add(time.Duration(rng.IntN(3000)) * time.Millisecond)
		}
		r.Record(now, time.Millisecond)
		all = append(all, now)
		if rng.IntN(20) > 0 {
			continue
		}
		now = now.Add(time.Duration(rng.IntN(300)) * time.Millisecond)
		var lo, hi uint64
		for _, at := range all {
			if age := now.Sub(at); age < time.Second {
				hi++
				if age < 750*time.Millisecond {
					lo++
				}
			}
		}
		if n := count(r, now); n < lo || n > hi {
			t.Fatalf("@%v: %d latencies, want %d to %d", time.Duration(now), n, lo, hi)
		}
	}
}

func TestRecentZeroValueCoversAMinute(t *testing.T) {
	var r Recent
	r.Record(ms(-100), time.Second)
	if n := count(&r, ms(59_899)); n != 1 {
		t.Errorf("%d latencies within the minute, want 1", n)
	}
	if n := count(&r, ms(59_900)); n != 0 {
		t.Errorf("%d latencies after it, want none", n)
	}
}

func TestRecentOlderNowCountsAsNow(t *testing.T) {
	r := NewRecent(time.Second)
	r.Record(ms(5000), 1)
	r.Record(ms(1000), 1)
	if n := count(r, ms(2000)); n != 2 {
		t.Errorf("%d latencies, want 2", n)
	}
}

func TestRecentRotatesUnderRace(t *testing.T) {
	r := NewRecent(time.Millisecond)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 1000 {
				r.Record(core.Instant(i*1000), time.Microsecond)
				if n := count(r, core.Instant(i*1000)); n > 4*1000 {
					t.Errorf("%d latencies, more than were recorded", n)
				}
			}
		})
	}
	wg.Wait()
	if n := count(r, core.Instant(3e9)); n != 0 {
		t.Errorf("%d latencies long after, want none", n)
	}
}
