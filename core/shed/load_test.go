package shed

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/race"
)

// steady is a world under a load of so many times its capacity.
func steady(t *testing.T, capacity, times float64, slots int) *world {
	t.Helper()
	return &world{capacity: capacity, slots: slots, bound: int(capacity / 2), patience: time.Second,
		load: func(time.Duration) float64 { return capacity * times }, mix: mixed,
		shedder: made(t, Config{}), from: 10 * time.Second, until: 60 * time.Second}
}

func made(t testing.TB, c Config) *Shedder {
	t.Helper()
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// figures are means over runs.
type figures struct {
	good   float64 // of capacity, in per cent
	shares [core.Criticalities]float64
}

func measure(t *testing.T, seeds int, start func() *world) (f figures) {
	t.Helper()
	for seed := range seeds {
		w := start()
		w.run(uint64(seed))
		f.good += 100 * w.goodput() / w.capacity / float64(seeds)
		for class := range f.shares {
			f.shares[class] += w.share(class) / float64(seeds)
		}
	}
	return f
}

// At every load from one and a half to ten times the capacity nearly all of it
// does useful work, and the classes get what an all-knowing judge would give
// them, to a few points.
func TestOverloads(t *testing.T) {
	race.OneGoroutine(t)
	for _, c := range []struct {
		capacity float64
		slots    int
		seeds    int
		points   float64 // off the ideal share at most
	}{{100, 1, 8, 10}, {100, 10, 8, 8}, {1000, 1, 2, 6}, {1000, 50, 2, 5}} {
		for _, times := range []float64{1.5, 2, 3, 10} {
			name := fmt.Sprintf("%.0f/s, %d slots, %.1f times", c.capacity, c.slots, times)
			f := measure(t, c.seeds, func() *world { return steady(t, c.capacity, times, c.slots) })
			t.Logf("%s: %.1f %%, by class %.1f", name, f.good, f.shares)
			if f.good < 95 {
				t.Errorf("%s: goodput is %.1f %% of capacity", name, f.good)
			}
			for class, want := range ideal(times, mixed) {
				if d := math.Abs(f.shares[class] - want); d > c.points {
					t.Errorf("%s: %v gets %.1f %%, ideal is %.0f", name, core.CriticalityAt(class),
						f.shares[class], want)
				}
			}
		}
	}
}

// Below capacity nothing is lost, and at capacity hardly more than the queue
// alone would lose.
func TestNothingIsRefusedWithoutNeed(t *testing.T) {
	race.OneGoroutine(t)
	for _, slots := range []int{1, 10} {
		for _, times := range []float64{0.5, 0.8, 1} {
			bare := measure(t, 8, func() *world {
				w := steady(t, 100, times, slots)
				w.shedder = nil
				return w
			})
			f := measure(t, 8, func() *world { return steady(t, 100, times, slots) })
			t.Logf("%d slots, %.1f times: %.1f %%, queue alone %.1f %%", slots, times, f.good, bare.good)
			lost := 0.2
			if times == 1 {
				lost = 2.5
			}
			if f.good < bare.good-lost {
				t.Errorf("%d slots, %.1f times: goodput is %.1f, %.1f with the queue alone",
					slots, times, f.good, bare.good)
			}
		}
	}
}

// A step to ten times the capacity is answered in three windows, and stays
// answered: the share let in does not swing. Five seconds later the load is
// gone, and within two seconds everything is let in.
func TestStepToTenTimes(t *testing.T) {
	for _, how := range []string{"told all", "told when one leaves the queue", "one cohort"} {
		w := steady(t, 1000, 1, 10)
		w.lazy, w.single = how == "told when one leaves the queue", how == "one cohort"
		w.from, w.until = 0, 15*time.Second
		w.load = func(at time.Duration) float64 {
			switch at / (5 * time.Second) {
			case 0:
				return 700
			case 1:
				return 10_000
			}
			return 500
		}
		var settled, back time.Duration
		w.watch = func(at time.Duration, s Snapshot) {
			switch {
			case at < 5*time.Second && s.Share < 1:
				t.Errorf("%s: %.2f is let in before the step", how, s.Share)
			case at >= 5*time.Second && settled == 0 && s.Share < 0.15:
				settled = at - 5*time.Second
			case settled > 0 && at < 10*time.Second && (s.Share < 0.07 || s.Share > 0.15):
				t.Errorf("%s: %.2f is let in %v after the step", how, s.Share, at-5*time.Second)
			case at >= 10*time.Second && back == 0 && s.Share == 1:
				back = at - 10*time.Second
			case back > 0 && s.Share < 1:
				t.Errorf("%s: %.2f is let in %v after the load", how, s.Share, at-10*time.Second)
			}
		}
		w.run(1)
		t.Logf("%s: settled after %v, back after %v", how, settled, back)
		if settled == 0 || settled > 3*defaultWindow {
			t.Errorf("%s: settled after %v", how, settled)
		}
		if back == 0 || back > 2*time.Second {
			t.Errorf("%s: everything is let in after %v", how, back)
		}
	}
}

// Without any news of slots it sheds by the waits alone, a little worse.
func TestWithoutSlots(t *testing.T) {
	f := measure(t, 2, func() *world {
		w := steady(t, 1000, 3, 10)
		w.blind = true
		return w
	})
	w := steady(t, 1000, 3, 10)
	w.blind = true
	w.run(1)
	if share := float64(w.refused) / 180_000; share < 0.6 || share > 0.7 {
		t.Errorf("%.2f of all are refused", share)
	}
	if f.good < 90 || f.shares[3] < 95 || f.shares[0] > 3 {
		t.Errorf("goodput is %.1f %% of capacity, shares %.1f", f.good, f.shares)
	}
}

// Where nobody tells users apart, the class at the cut is let in in part.
func TestOneCohort(t *testing.T) {
	f := measure(t, 2, func() *world {
		w := steady(t, 1000, 2, 10)
		w.single = true
		return w
	})
	if f.good < 95 || f.shares[3] < 99 || f.shares[2] < 99 || math.Abs(f.shares[1]-25) > 8 {
		t.Errorf("goodput is %.1f %% of capacity, shares %.1f", f.good, f.shares)
	}
}

// Silence is no overload: after it everything is let in, whatever was before.
func TestSilenceLetsIn(t *testing.T) {
	w := steady(t, 1000, 10, 10)
	w.from, w.until = 0, 3*time.Second
	w.run(1)
	if s := w.shedder.Snapshot(w.now); s.Cut == 0 || s.Share > 0.2 {
		t.Fatalf("not overloaded: %+v", s)
	}
	later := w.now.Add((stretch + 1) * defaultWindow)
	w.shedder.Busy(later, 0, 10, 0)
	if s := w.shedder.Snapshot(later); s.Cut != 0 || s.Share != 1 || s.Overloaded {
		t.Errorf("after a silence: %+v", s)
	}
}

// A service that hangs for five seconds fills its queue and sheds nearly
// everything. Two seconds after it is back everything is let in again.
func TestHang(t *testing.T) {
	for _, times := range []float64{0.8, 3} {
		w := steady(t, 1000, times, 10)
		w.hangs = [2]time.Duration{5 * time.Second, 10 * time.Second}
		w.from, w.until = 12*time.Second, 17*time.Second
		low, high := 1.0, 0.0
		w.watch = func(at time.Duration, s Snapshot) {
			if at > 6*time.Second && at < 10*time.Second {
				low = min(low, s.Share)
			}
			if at > 12*time.Second {
				high = max(high, s.Share)
			}
		}
		w.run(1)
		if low > 0.1 {
			t.Errorf("%.1f times: %.2f is let in while it hangs", times, low)
		}
		if got := w.goodput() / 1000; got < 0.95*min(times, 1) {
			t.Errorf("%.1f times: %.2f of the capacity is served after it", times, got)
		}
		if times < 1 && high < 1 {
			t.Errorf("%.1f times: %.2f is let in after it", times, high)
		}
	}
}
