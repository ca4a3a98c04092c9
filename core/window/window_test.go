package window

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

func ms(n float64) core.Instant { return core.Instant(n * 1e6) }

func want(t *testing.T, w *Window, now core.Instant, c Counts) {
	t.Helper()
	if got := w.Counts(now); got != c {
		t.Fatalf("@%v: %+v, want %+v", time.Duration(now), got, c)
	}
}

func TestSharesNeedCalls(t *testing.T) {
	if _, ok := (Counts{}).FailureShare(); ok {
		t.Error("no calls have a share of failures")
	}
	if _, ok := (Counts{}).SlowShare(); ok {
		t.Error("no calls have a share of slow ones")
	}
	c := Counts{Calls: 4, Failed: 1, Slow: 3}
	f, _ := c.FailureShare()
	s, _ := c.SlowShare()
	if f != 0.25 || s != 0.75 {
		t.Errorf("shares %v and %v, want 0.25 and 0.75", f, s)
	}
}

func TestConsecutiveKeepsOnlyTheRow(t *testing.T) {
	w := New(Config{Consecutive: 3})
	for range 5 {
		w.Record(0, true, true)
	}
	want(t, w, ms(1e12), Counts{Calls: 5, Failed: 5, Slow: 5, SlowFailed: 5})
	if w.InARow() != 5 {
		t.Errorf("in a row %d, want 5", w.InARow())
	}
	w.Record(0, false, true)
	want(t, w, 0, Counts{})
	if w.InARow() != 0 {
		t.Errorf("in a row %d after a success, want 0", w.InARow())
	}
}

// The row is counted beside the other windows too, and does not age.
func TestInARowInEveryWindow(t *testing.T) {
	for _, c := range []Config{{Calls: 2}, {Over: time.Second}, {Consecutive: 1}} {
		w := New(c)
		for i, failed := range []bool{true, false, true, true, true} {
			w.Record(ms(float64(i)*5000), failed, false)
		}
		if w.InARow() != 3 {
			t.Errorf("%+v: in a row %d, want 3", c, w.InARow())
		}
		w.Reset(0)
		if w.InARow() != 0 || w.Counts(0) != (Counts{}) {
			t.Errorf("%+v: reset left %d in a row, %+v", c, w.InARow(), w.Counts(0))
		}
	}
}

func TestF016IdleGapClearsEverySlice(t *testing.T) {
	w := New(Config{Over: 10 * time.Second, Buckets: 10})
	for i := range 10 {
		w.Record(ms(500+1000*float64(i)), true, false)
	}
	want(t, w, ms(9500), Counts{Calls: 10, Failed: 10})
	w.Record(ms(25000), true, false)
	want(t, w, ms(25000), Counts{Calls: 1, Failed: 1})
	w.Record(ms(1e12), true, false) // and at once, or this test would not end
	want(t, w, ms(1e12), Counts{Calls: 1, Failed: 1})

	w = New(Config{Over: 10 * time.Second, Buckets: 10})
	for i := range 10 {
		w.Record(ms(500+1000*float64(i)), true, false)
	}
	want(t, w, ms(14500), Counts{Calls: 5, Failed: 5}) // half of them have gone
	want(t, w, ms(1e12), Counts{})                     // reading is enough
}

// Old results leave in steps of one slice, so what is counted covers between
// the window less a slice and the window.
func TestF017OnlyRecentResultsCount(t *testing.T) {
	w := New(Config{Over: 5 * time.Second})
	w.Record(ms(0), true, false)
	w.Record(ms(5000), true, false)
	w.Record(ms(6000), true, false)
	want(t, w, ms(6000), Counts{Calls: 2, Failed: 2})
	w.Record(ms(6500), true, false)
	want(t, w, ms(6500), Counts{Calls: 3, Failed: 3})
}

// A result is gone at the very moment at which its slice has expired.
func TestExpiryIsExact(t *testing.T) {
	w := New(Config{Over: time.Second, Buckets: 10})
	w.Record(ms(0), true, false)
	w.Record(ms(100), true, false)
	want(t, w, ms(1000)-1, Counts{Calls: 2, Failed: 2})
	want(t, w, ms(1000), Counts{Calls: 1, Failed: 1})
	want(t, w, ms(1100), Counts{})
}

func TestF019OneSliceIsTumbling(t *testing.T) {
	run := func(slices int) (share float64) {
		w := New(Config{Over: 10 * time.Second, Buckets: slices})
		for i := range 1000 {
			w.Record(ms(float64(i)*10), false, false)
		}
		for range 60 {
			w.Record(ms(10100), true, false)
		}
		share, _ = w.Counts(ms(10100)).FailureShare()
		return share
	}
	if got := run(10); math.Abs(got-60.0/960) > 1e-9 {
		t.Errorf("sliding: %v, want 60 of 960", got)
	}
	if got := run(1); got != 1 {
		t.Errorf("one slice: %v, want 1", got)
	}
}

func TestF020SlowFailedAgrees(t *testing.T) {
	w := New(Config{Calls: 2})
	steps := []struct{ failed, slow bool }{
		{true, true}, {false, false}, {false, false}, {true, true}, {false, false}, {false, false},
	}
	for i, wantBoth := range []uint64{1, 1, 0, 1, 1, 0} {
		w.Record(0, steps[i].failed, steps[i].slow)
		if got := w.Counts(0).SlowFailed; got != wantBoth {
			t.Errorf("after %d: slow and failed %d, want %d", i+1, got, wantBoth)
		}
	}
}

func TestF021OneSliceAndOneCall(t *testing.T) {
	w := New(Config{Over: time.Second, Buckets: 1})
	for _, at := range []float64{0, 1000, 2000} {
		w.Record(ms(at), true, false)
		want(t, w, ms(at), Counts{Calls: 1, Failed: 1})
	}
	w = New(Config{Calls: 1})
	for range 3 {
		w.Record(0, true, false)
		want(t, w, 0, Counts{Calls: 1, Failed: 1})
	}
	w.Record(0, false, false)
	want(t, w, 0, Counts{Calls: 1})
}

func TestF028AnyOrigin(t *testing.T) {
	run := func(origin core.Instant) (all []Counts) {
		w := New(Config{Over: 700 * time.Millisecond, Buckets: 7})
		rng := rand.New(rand.NewPCG(1, 1))
		at := origin
		for range 2000 {
			at = at.Add(time.Duration(rng.IntN(120)) * time.Millisecond)
			if rng.IntN(50) == 0 {
				at = at.Add(time.Duration(rng.IntN(1500)) * time.Millisecond)
			}
			w.Record(at, rng.IntN(2) == 0, rng.IntN(3) == 0)
			all = append(all, w.Counts(at.Add(time.Duration(rng.IntN(100))*time.Millisecond)))
		}
		return all
	}
	first := run(0)
	for _, origin := range []core.Instant{ms(-5000), ms(-1e5), 1 << 62, math.MinInt64,
		math.MinInt64 + 1} {
		for i, c := range run(origin) {
			if c != first[i] {
				t.Fatalf("origin %d, result %d: %+v, want %+v", origin, i, c, first[i])
			}
		}
	}
}

// The shells clamp now. Should an older one come all the same, it counts in
// the current slice.
func TestF029BackwardsReadingCounts(t *testing.T) {
	w := New(Config{Over: 2 * time.Second, Buckets: 2})
	for _, at := range []float64{1000, 999, 1001} {
		w.Record(ms(at), true, false)
	}
	want(t, w, ms(1001), Counts{Calls: 3, Failed: 3})
	want(t, w, math.MinInt64, Counts{Calls: 3, Failed: 3})
}

func TestF031CountsDoNotWrapAt32Bits(t *testing.T) {
	w := New(Config{Over: time.Second})
	w.Record(0, true, true)
	w.total = Counts{math.MaxUint32, math.MaxUint32, math.MaxUint32, math.MaxUint32}
	w.slices[w.next] = w.total
	w.Record(0, true, true)
	if c := w.Counts(0); c.Calls != 1<<32 || c.Failed != 1<<32 || c.Slow != 1<<32 ||
		c.SlowFailed != 1<<32 {
		t.Errorf("counts wrapped: %+v", c)
	}
	want(t, w, ms(2000), Counts{})
}

func TestTheEndOfTimeIsHarmless(t *testing.T) {
	w := New(Config{Over: time.Second})
	for _, at := range []core.Instant{core.Never - 5e8, core.Never - 1, core.Never, core.Never} {
		w.Record(at, true, false)
	}
	if c := w.Counts(core.Never); c.Calls > 4 || c.Failed > 4 { // nothing wraps, nothing hangs
		t.Errorf("at the end of time: %+v", c)
	}
}

func TestRecordAndCountsDoNotAllocate(t *testing.T) {
	for _, c := range []Config{{Calls: 10}, {Over: time.Second}, {Consecutive: 2}} {
		w := New(c)
		now := core.Instant(0)
		n := testing.AllocsPerRun(1000, func() {
			now = now.Add(30 * time.Millisecond)
			w.Record(now, true, true)
			w.Counts(now)
		})
		if n != 0 {
			t.Errorf("%+v: %v allocations", c, n)
		}
	}
}
