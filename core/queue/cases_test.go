package queue

import (
	"math"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

func must(c Config) *Line[int] {
	l, err := New[int](c)
	if err != nil {
		panic(err)
	}
	return l
}

func add(t *testing.T, l *Line[int], now core.Instant, it Item[int]) {
	t.Helper()
	if r := l.Push(now, &it); r != core.NoReason {
		t.Fatalf("at %v entry %d finds no place: %v", time.Duration(now), it.Value, r)
	}
}

// The drops of RFC 8289: the first when waits were above the target for an
// interval, then after 100, 70.7, 57.7, 50 ms and so on.
func TestDropsComeCloserByTheRootOfTheirNumber(t *testing.T) {
	l := must(Config{Length: 20_000, Rules: Rules{Order: CoDel}})
	for i := range 20_000 {
		add(t, l, 0, Item[int]{Value: i, Until: core.Never})
	}
	var drops []core.Instant
	const step = core.Instant(100 * time.Microsecond)
	for now := 10 * ms; len(drops) < 6; now += step {
		l.Pop(now)
		for it := l.Gone(); it != nil; it = l.Gone() {
			if it.Reason() != core.QueueDelay {
				t.Fatalf("dropped for %v", it.Reason())
			}
			drops = append(drops, now)
		}
	}
	if drops[0] != 110*ms {
		t.Errorf("the first drop comes at %v, want 110ms", time.Duration(drops[0]))
	}
	at := float64(drops[0])
	for i, want := range []float64{100, 70.71, 57.74, 50, 44.72} {
		at += want * 1e6
		if got := float64(drops[i+1]); math.Abs(got-at) > float64(2*step) {
			t.Errorf("drop %d comes at %.1f ms, want %.1f", i+2, got/1e6, at/1e6)
		}
	}
}

// Dropping that begins again soon begins near the rate it had; after 16
// intervals it begins anew.
func TestDroppingBeginsAgainNearTheOldRate(t *testing.T) {
	r := Rules{}.defaults()
	run := func(pause core.Instant) (gap time.Duration) {
		c := codel{}
		now, last := core.Instant(0), core.Instant(0)
		drops := func(n int) {
			for ; n > 0; now += ms / 10 {
				if c.drop(now, time.Second, 5, &r) {
					gap, last = now.Sub(last), now
					n--
				}
			}
		}
		drops(10)
		c.drop(now, 0, 5, &r) // waits are short again
		now += pause
		drops(2)
		return gap
	}
	if gap := run(500 * ms); gap < 30*time.Millisecond || gap > 36*time.Millisecond {
		t.Errorf("soon after ten drops the next two are %v apart, want 100ms/√9", gap)
	}
	if gap := run(1700 * ms); gap < 99*time.Millisecond || gap > 101*time.Millisecond {
		t.Errorf("long after ten drops the next two are %v apart, want 100ms", gap)
	}
}

// offer sends each class's share of the load to a server that takes 100 a
// second, for a minute, and returns what each class got of what it sent.
func offer(c Config, load int, mix [core.Criticalities]float64, patience time.Duration) (got [core.Criticalities]float64) {
	l := must(c)
	var sent, served, owed [core.Criticalities]float64
	const step = 10 * ms
	for now := core.Instant(0); now < 60_000*ms; now += step {
		for i := range mix {
			owed[i] += float64(load) * mix[i] / 100
			for ; owed[i] >= 1; owed[i]-- {
				sent[i]++
				l.Push(now, &Item[int]{Class: core.CriticalityAt(i), Until: now.Add(patience)})
			}
		}
		if it := l.Pop(now); it != nil {
			served[it.Class.Index()]++
		}
		for l.Gone() != nil {
		}
	}
	for i := range got {
		got[i] = 100 * served[i] / sent[i]
	}
	return got
}

// What each class gets of an overload of a mix of 10, 30, 40 and 20 %, from the
// most important down, is what arithmetic says.
func TestStrictPriorityGivesTheIdealShares(t *testing.T) {
	mix := [core.Criticalities]float64{0.2, 0.4, 0.3, 0.1}
	for _, full := range []Full{DropOldest, DropLowest} {
		for _, order := range []Order{FIFO, LIFO, CoDel} {
			for load, want := range map[int][core.Criticalities]float64{
				150: {0, 66.7, 100, 100}, 200: {0, 25, 100, 100}, 300: {0, 0, 77.8, 100},
			} {
				c := Config{Length: 30, Rules: Rules{Order: order, Full: full}}
				got := offer(c, load, mix, time.Second)
				for i := range want {
					if math.Abs(got[i]-want[i]) > 1 {
						t.Errorf("%v, %v, load %d: %v gets %.1f %%, want %.1f", order, full, load,
							core.CriticalityAt(i), got[i], want[i])
					}
				}
			}
		}
	}
}

// Strict priority starves; a floor gives a bound to that, and takes from the
// others exactly what it says.
func TestF131AFloorKeepsTheLowClassAlive(t *testing.T) {
	const high, low = core.CriticalPlus, core.Sheddable
	minute := func(floor float64) (highs, lows int, after core.Instant) {
		c := Config{Length: 100, Rules: Rules{Full: DropLowest}}
		c.Floors[low.Index()] = floor
		l := must(c)
		for now := core.Instant(0); ; now += 50 * ms { // 20 a second come, 10 go
			over := now >= 60_000*ms
			if !over {
				l.Push(now, &Item[int]{Class: high, Until: now + 5000*ms})
			}
			if now%(200*ms) == 0 {
				l.Push(now, &Item[int]{Class: low, Until: now + 2000*ms})
			}
			if now%(100*ms) != 0 {
				continue
			}
			it := l.Pop(now)
			switch {
			case it != nil && it.Class == low && over:
				return highs, lows, now - 60_000*ms
			case it == nil || over:
			case it.Class == low:
				lows++
			default:
				highs++
			}
			for l.Gone() != nil {
			}
		}
	}
	highs, lows, _ := minute(0)
	if lows != 0 || highs < 598 {
		t.Errorf("strict: %d low, %d high, want 0 and 600", lows, highs)
	}
	highs, lows, after := minute(0.1)
	if lows < 54 || lows > 66 || highs < 535 || highs > 545 {
		t.Errorf("with a floor of 10 %%: %d low, %d high in a minute, want 60 and 540", lows, highs)
	}
	if after > 1000*ms {
		t.Errorf("after the overload the low class waits %v to be served", time.Duration(after))
	}
}

// A flood of one flow costs another one a turn for each of its entries.
func TestAFloodCostsOthersATurn(t *testing.T) {
	l := must(Config{Length: 2000})
	for i := range 1000 {
		add(t, l, 0, Item[int]{Value: i, Flow: 1, Until: core.Never})
	}
	for i := range 3 {
		add(t, l, 0, Item[int]{Value: 5000 + i, Flow: 2, Until: core.Never})
	}
	add(t, l, 0, Item[int]{Value: 6000, Flow: 3, Until: core.Never})
	var got []int
	for range 7 {
		got = append(got, l.Pop(0).Flow)
	}
	want := []int{1, 2, 3, 1, 2, 1, 2}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("flows are served %v, want %v", got, want)
		}
	}
}
