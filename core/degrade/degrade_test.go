package degrade

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

var features = []string{"prefetch", "personalization", "live-pages", "batch"}

func made(t testing.TB, c Config) *Degrader {
	t.Helper()
	d, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestConfig(t *testing.T) {
	many := make([]string, maxFeatures+1)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	for _, tc := range []struct {
		c    Config
		want string // "": valid
	}{
		{Config{Features: features}, ""},
		{Config{Features: many[1:], On: 2, Off: 1.9, Step: minTime, Back: maxTime}, ""},
		{Config{}, "Features: is empty; name what can be given up, such as prefetch"},
		{Config{Features: many}, "Features: has 65 names; give at most 64"},
		{Config{Features: []string{"a", ""}}, "Features: has an empty name at place 2; leave it out"},
		{Config{Features: []string{"a", "b", "a"}}, `Features: names "a" twice; a feature goes once`},
		{Config{Features: features, On: -1}, "On: is -1; give a pressure such as 1"},
		{Config{Features: features, On: math.NaN()}, "On: is NaN; give"},
		{Config{Features: features, On: math.Inf(1)}, "On: is +Inf; give"},
		{Config{Features: features, Off: -1}, "Off: is -1; give a pressure such as 0.7, below On"},
		{Config{Features: features, Off: math.NaN()}, "Off: is NaN; give"},
		{Config{Features: features, Off: 1}, "Off: is 1, not below On, which is 1; give 0.7 times that"},
		{Config{Features: features, On: 0.5, Off: 0.6}, "Off: is 0.6, not below On, which is 0.5"},
		{Config{Features: features, Step: -1}, "Step: is -1ns; give a time from 10ms to 24h0m0s"},
		{Config{Features: features, Back: time.Millisecond}, "Back: is 1ms; give"},
		{Config{Step: 1, Back: 1}, "Features: is empty; name what can be given up, such as prefetch\nStep: is 1ns"},
	} {
		d, err := New(tc.c)
		switch {
		case tc.want == "" && err != nil, tc.want != "" && (err == nil || d != nil),
			tc.want != "" && !strings.HasPrefix(err.Error(), "degrade: "+tc.want):
			t.Errorf("%+v: %v, want %q", tc.c, err, tc.want)
		}
	}
}

// Under any pressure at all, told at any times: a feature never goes sooner
// than Step after another, or before it is told of a pressure of On; none comes
// back unless no pressure above Off was told for Back, nor two within Back. So
// features go in order, one at a time, and come back in reverse.
func TestProperties(t *testing.T) {
	const step, back = 5 * time.Second, 30 * time.Second
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		d := made(t, Config{Features: features})
		now := core.Instant(-int64(time.Hour))
		level := 0
		const long = core.Instant(-int64(100 * time.Hour))
		dropped, returned, high := long, long, long
		for range 2000 {
			now = now.Add(time.Duration(rng.ExpFloat64() * float64(2*time.Second)))
			if rng.IntN(200) == 0 {
				now = now.Add(time.Minute)
			}
			got := d.Level(now)
			switch {
			case got > level:
				t.Fatalf("seed %d: a feature has gone in silence", seed)
			case got < level:
				if quiet := now.Sub(high); quiet < back*time.Duration(level-got) {
					t.Fatalf("seed %d: %d came back %v after pressure", seed, level-got, quiet)
				}
				if level-got == 1 && now.Sub(returned) < back && returned > high {
					// Two may come close together only if nobody asked when the
					// first was due; returned is when we saw it.
					if now.Sub(high) < 2*back {
						t.Fatalf("seed %d: two came back within %v", seed, now.Sub(returned))
					}
				}
				returned = now
			}
			level = got
			pressure := rng.Float64() * 2
			if rng.IntN(3) > 0 {
				pressure = rng.Float64() * 0.6
			}
			d.Report(now, pressure)
			if pressure > 0.7 {
				high = now
			}
			switch got := d.Level(now); {
			case got == level+1 && pressure >= 1 && now.Sub(dropped) >= step:
				level, dropped = got, now
			case got != level:
				t.Fatalf("seed %d: from level %d to %d at a pressure of %.2f", seed, level, got, pressure)
			case pressure >= 1 && level < len(features) && now.Sub(dropped) >= step:
				t.Fatalf("seed %d: nothing goes at a pressure of %.2f", seed, pressure)
			}
			for i, name := range features {
				if d.Allows(now, name) != (i >= level) {
					t.Fatalf("seed %d: at level %d %s is not as it should be", seed, level, name)
				}
			}
		}
	}
}

// A pressure that flaps about the target every 100 ms takes features away at
// the pace of Step and never brings one back.
func TestFlapping(t *testing.T) {
	d := made(t, Config{Features: features})
	changes, level := 0, 0
	for i := range 3000 {
		now := core.Instant(i) * core.Instant(100*time.Millisecond)
		d.Report(now, []float64{1.1, 0.1}[i%2])
		if got := d.Level(now); got != level {
			changes, level = changes+1, got
		}
	}
	if changes != len(features) || level != len(features) {
		t.Errorf("%d changes in five minutes, level %d", changes, level)
	}
}

func TestStrangePressures(t *testing.T) {
	d := made(t, Config{Features: features})
	d.Report(0, math.NaN())
	d.Report(1, math.Inf(-1))
	d.Report(2, -5)
	if d.Level(2) != 0 {
		t.Error("a strange pressure takes a feature away")
	}
	d.Report(3, math.Inf(1))
	if d.Level(3) != 1 {
		t.Error("an endless pressure takes none")
	}
	for _, now := range []core.Instant{-1 << 62, 1 << 62} {
		d := made(t, Config{Features: features})
		d.Report(now, 5)
		if d.Level(now) != 1 {
			t.Errorf("at %d nothing goes", now)
		}
	}
}

// An older time than one already told counts as that one.
func TestTimeDoesNotGoBack(t *testing.T) {
	d := made(t, Config{Features: features})
	d.Report(core.Instant(10*time.Second), 2)
	d.Report(core.Instant(4*time.Second), 2)
	if d.Level(0) != 1 {
		t.Errorf("level %d", d.Level(0))
	}
	d.Report(core.Instant(15*time.Second), 2)
	if d.Level(0) != 2 {
		t.Errorf("level %d", d.Level(0))
	}
}

// The caller's list may change afterwards, and nobody can append to what
// Snapshot gave.
func TestListIsOurs(t *testing.T) {
	list := []string{"a", "b"}
	d := made(t, Config{Features: list})
	list[0] = "c"
	if err := d.Force(0, 1); err != nil {
		t.Fatal(err)
	}
	if d.Allows(0, "a") || !d.Allows(0, "c") {
		t.Error("the list is the caller's")
	}
	if off := append(d.Snapshot(0).Off, "x"); off[1] != "x" || d.Allows(0, "x") != true {
		t.Error("what was appended is in the list")
	}
	if err := d.Force(0, 2); err != nil || d.Snapshot(0).Off[1] != "b" {
		t.Errorf("off is %v", d.Snapshot(0).Off)
	}
}

func TestConcurrent(t *testing.T) {
	d := made(t, Config{Features: features})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 5000 {
				now := core.Instant(i) * core.Instant(time.Millisecond)
				d.Report(now, 2)
				if d.Allows(now, "prefetch") {
					t.Error("prefetch is on")
					return
				}
				d.Allows(now, "checkout")
				d.Snapshot(now)
			}
		})
	}
	wg.Wait()
	if d.Level(0) != 1 {
		t.Errorf("level %d after 5 s", d.Level(0))
	}
}

func TestNoAllocations(t *testing.T) {
	d := made(t, Config{Features: features})
	now := core.Instant(0)
	if n := testing.AllocsPerRun(1000, func() {
		now = now.Add(time.Second)
		d.Report(now, 2)
		d.Allows(now, "batch")
		d.Snapshot(now)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkAllows(b *testing.B) {
	d := made(b, Config{Features: features})
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		d.Allows(core.Instant(i), "batch")
	}
}
