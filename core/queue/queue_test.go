package queue

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

func TestValidateNamesFieldAndRemedy(t *testing.T) {
	floors := func(f ...float64) (r Rules) {
		copy(r.Floors[:], f)
		return r
	}
	for _, c := range []struct {
		cfg  Config
		want []string // the start of each line; none: valid
	}{
		{Config{}, nil},
		{Config{Length: 9, PerFlow: 3, Rules: Rules{Order: CoDelLIFO, Full: DropLowest}}, nil},
		{Config{Rules: Rules{Target: 100 * time.Millisecond}}, nil},
		{Config{Rules: floors(0.3, 0.3, 0.3, 0.1)}, nil},
		{Config{Length: -1, PerFlow: -2}, []string{"Length: is -1;", "PerFlow: is -2;"}},
		{Config{Rules: Rules{Order: 4, Full: 3}}, []string{"Order: is 4; use", "Full: is 3; use"}},
		{Config{Rules: Rules{Target: -1, Interval: -2}}, []string{"Target: is -1ns;", "Interval: is -2ns;"}},
		{Config{Rules: Rules{Target: time.Second}}, []string{"Target: is 1s, above the interval of 100ms;"}},
		{Config{Rules: Rules{Interval: time.Millisecond}}, []string{"Target: is 5ms, above the interval of 1ms;"}},
		{Config{Rules: floors(0, -0.1)}, []string{"Floors: is -0.1 for sheddable_plus;"}},
		{Config{Rules: floors(math.NaN())}, []string{"Floors: is NaN for sheddable;"}},
		{Config{Rules: floors(0.5, 0.5, 0.001)}, []string{"Floors: are 101% together;"}},
	} {
		var got []string
		if err := c.cfg.Validate(); err != nil {
			got = strings.Split(err.Error(), "\n")
		}
		if len(got) != len(c.want) {
			t.Errorf("%+v: %d errors %q, want %d", c.cfg, len(got), got, len(c.want))
			continue
		}
		for i := range got {
			if !strings.HasPrefix(got[i], c.want[i]) {
				t.Errorf("%+v: %q, want it to begin %q", c.cfg, got[i], c.want[i])
			}
		}
	}
	if l, err := New[int](Config{Length: -1}); l != nil || err == nil || !strings.HasPrefix(err.Error(), "queue: ") {
		t.Errorf("New of nonsense is %v, %v", l, err)
	}
	l := must(Config{Length: 1})
	if l.Reconfigure(Config{Length: -1}) == nil || l.Room(0, 0, 0) != core.NoReason {
		t.Error("a refused Reconfigure is accepted, or changed something")
	}
}

func TestNames(t *testing.T) {
	got := ""
	for o := range Order(5) {
		got += o.String() + " "
	}
	for f := range Full(4) {
		got += f.String() + " "
	}
	if want := "fifo lifo codel codel-lifo invalid reject drop-oldest drop-lowest invalid "; got != want {
		t.Errorf("names are %q, want %q", got, want)
	}
}

func TestMisusePanics(t *testing.T) {
	l, other := must(Config{Length: 9}), must(Config{Length: 9})
	mine, foreign := &Item[int]{Until: core.Never}, &Item[int]{Until: core.Never}
	l.Push(0, mine)
	other.Push(0, &Item[int]{Until: core.Never})
	other.Push(0, foreign)
	for i, c := range []struct {
		want   string
		misuse func()
	}{
		{"queue: Push of an entry that waits", func() { l.Push(0, mine) }},
		{"queue: Push of an entry that waits", func() { l.Push(0, foreign) }},
		{"queue: the entry is not from this queue", func() { l.Remove(foreign) }},
		{"queue: Hold of flow 0", func() { l.Hold(0, 0, true) }},
	} {
		func() {
			defer func() {
				if got := recover(); got != c.want {
					t.Errorf("misuse %d: panic %v, want %q", i, got, c.want)
				}
			}()
			c.misuse()
		}()
	}
	if l.Len() != 1 || other.Len() != 2 {
		t.Errorf("misuse changed something: %d and %d wait", l.Len(), other.Len())
	}
}

func TestAnItemMayComeAgain(t *testing.T) {
	l := must(Config{Length: 1})
	it := &Item[int]{Until: 10 * ms}
	for range 3 {
		add := l.Push(0, it)
		if add != core.NoReason || !it.Waits() || l.Pop(0) != it || it.Waits() {
			t.Fatal("the entry does not come out again")
		}
	}
	l.Push(0, it)
	l.Sweep(10 * ms)
	if it.Until = 20 * ms; l.Gone() != it || l.Push(10*ms, it) != core.NoReason || !it.Waits() {
		t.Error("the entry cannot come again after its end")
	}
}

func TestNothingAllocatesOnceWarm(t *testing.T) {
	for _, c := range every(Config{Length: 8}) {
		l := must(c)
		items := make([]Item[int], 12)
		turn := func() {
			for i := range items {
				items[i] = Item[int]{Class: core.CriticalityAt(i % 4), Flow: i % 3, Until: 10 * ms}
				l.Push(0, &items[i])
			}
			l.Hold(0, 1, true)
			for l.Pop(1*ms) != nil {
			}
			l.Hold(0, 1, false)
			for l.Pop(2*ms) != nil {
			}
			for l.Gone() != nil {
			}
		}
		turn()
		if n := testing.AllocsPerRun(50, turn); n != 0 {
			t.Errorf("%v, %v: %v allocations", c.Order, c.Full, n)
		}
	}
}

func BenchmarkPushPop(b *testing.B) {
	for _, n := range []int{1, 100, 10_000} {
		for _, order := range []Order{FIFO, CoDelLIFO} {
			b.Run(fmt.Sprint(order, "/", n), func(b *testing.B) {
				l := must(Config{Length: n, Rules: Rules{Order: order}})
				items := make([]Item[int], n)
				for i := range items {
					items[i] = Item[int]{Flow: i % 50, Until: core.Never}
					l.Push(core.Instant(i), &items[i])
				}
				b.ReportAllocs()
				for now := core.Instant(n); b.Loop(); now++ {
					l.Push(now, l.Pop(now))
				}
			})
		}
	}
}
