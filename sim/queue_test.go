package sim

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
)

// The queue against a slice, with removals from the middle.
func TestQueueAgainstASlice(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var q queue
	var want []*job
	for range 200_000 {
		switch k := rng.IntN(10); {
		case k < 5 && len(want) < 50 || k == 0 && len(want) < 400:
			j := &job{}
			q.pushBack(j)
			want = append(want, j)
		case len(want) == 0:
		case k < 7:
			if got := q.popFront(); got != want[0] {
				t.Fatal("popFront took another")
			}
			want = want[1:]
		case k < 8:
			if got := q.popBack(); got != want[len(want)-1] {
				t.Fatal("popBack took another")
			}
			want = want[:len(want)-1]
		default:
			at := rng.IntN(len(want))
			q.remove(want[at])
			want = slices.Delete(want, at, at+1)
		}
		if q.len() != len(want) {
			t.Fatalf("%d in the queue, want %d", q.len(), len(want))
		}
	}
}

// RFC 8289: the first drop comes after a whole interval above the target, and
// the next ones after interval over the square root of their number.
func TestCoDelTimes(t *testing.T) {
	cfg := &config.Queue{Rule: config.CoDel, Target: 5 * time.Millisecond,
		Interval: 100 * time.Millisecond}
	var c codel
	var drops []time.Duration
	for now := core.Instant(1e6); now < core.Instant(500*time.Millisecond); now += 100_000 {
		if c.drop(cfg, now, now-core.Instant(20*time.Millisecond), 10) {
			drops = append(drops, time.Duration(now).Round(100*time.Microsecond))
		}
	}
	want := []float64{101, 201, 271.7, 329.4, 379.4, 424.2, 465}
	for i, ms := range want {
		got := float64(drops[i]) / 1e6
		if got < ms-0.2 || got > ms+0.2 {
			t.Errorf("drop %d at %.1f ms, want %.1f (all: %v)", i+1, got, ms, drops)
		}
	}
	if c.drop(cfg, core.Instant(time.Second), core.Instant(time.Second), 10) || c.dropping {
		t.Error("still dropping although nobody waits")
	}
}
