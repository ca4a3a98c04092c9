package limit

import (
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// Many goroutines report and read at once. Every sample is counted, and what
// Limit says is always within bounds.
func TestConcurrentUse(t *testing.T) {
	for _, a := range all {
		l := must(Config{Algorithm: a, Min: 2, Max: 50, Initial: 20, Window: time.Millisecond}, 1)
		var clock, changes atomic.Int64
		var wg sync.WaitGroup
		for id := range uint64(8) {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(id, 6))
				for range 500 {
					now := core.Instant(clock.Add(10_000))
					s := Sample{RTT: time.Duration(r.IntN(1e6)), InFlight: r.IntN(60), Dropped: r.IntN(50) == 0}
					if _, changed := l.Report(now, s); changed {
						changes.Add(1)
					}
					if n := l.Limit(); n < 2 || n > 50 {
						t.Errorf("%v: limit %d", a, n)
					}
					l.Snapshot(now)
				}
			})
		}
		wg.Wait()
		got := l.Snapshot(core.Instant(clock.Load()))
		if got.Samples != 4000 || got.Limit != l.Limit() || got.Changes != uint64(changes.Load()) {
			t.Errorf("%v: %+v, %d changes told", a, got, changes.Load())
		}
	}
}

func TestSnapshotTells(t *testing.T) {
	f := feed(Config{})
	if got, want := f.l.Snapshot(0), (Snapshot{Limit: 20, Why: "start"}); got != want {
		t.Errorf("at first %+v, want %+v", got, want)
	}
	f.window(10, 12)
	want := Snapshot{Limit: 30, Baseline: 10 * time.Millisecond, Latency: 10 * time.Millisecond,
		Gradient: 1.5, Why: "good", Samples: 10, Changes: 1}
	if got := f.l.Snapshot(f.now); got != want {
		t.Errorf("after a good window %+v, want %+v", got, want)
	}
}

func TestNames(t *testing.T) {
	for i, name := range []string{"knee", "fixed", "aimd", "vegas", "gradient2", "envoy-gradient"} {
		if got, ok := ParseAlgorithm(name); got != Algorithm(i) || !ok || got.String() != name {
			t.Errorf("%q reads as %v, %v", name, got, ok)
		}
	}
	if _, ok := ParseAlgorithm("Knee"); ok || Algorithm(77).String() != "invalid" {
		t.Error("what is no name is taken")
	}
}

func TestDefaults(t *testing.T) {
	for _, tc := range []struct{ give, want Config }{
		{Config{}, Config{Knee, 4, 1000, 20, 500 * time.Millisecond, 10, 1.5, 0}},
		{Config{Algorithm: Fixed, Initial: 5}, Config{Fixed, 1, largest, 5, time.Second, 10, 1.5, 0}},
		{Config{Algorithm: AIMD}, Config{AIMD, 20, 200, 20, time.Second, 10, 1.5, 5 * time.Second}},
		{Config{Algorithm: Vegas}, Config{Vegas, 1, 1000, 20, time.Second, 10, 1.5, 0}},
		{Config{Algorithm: Gradient2}, Config{Gradient2, 20, 200, 20, time.Second, 10, 1.5, 0}},
		{Config{Algorithm: Envoy}, Config{Envoy, 3, 1000, 20, 100 * time.Millisecond, 10, 1.25, 0}},
		{Config{Max: 8}, Config{Knee, 4, 8, 8, 500 * time.Millisecond, 10, 1.5, 0}},
		{Config{Min: 50}, Config{Knee, 50, 1000, 50, 500 * time.Millisecond, 10, 1.5, 0}},
		{Config{Min: 5000}, Config{Knee, 5000, 5000, 5000, 500 * time.Millisecond, 10, 1.5, 0}},
		{Config{Algorithm: AIMD, Max: 10}, Config{AIMD, 10, 10, 10, time.Second, 10, 1.5, 5 * time.Second}},
	} {
		if got := tc.give.filled(); got != tc.want {
			t.Errorf("%+v becomes %+v, want %+v", tc.give, got, tc.want)
		}
		if err := tc.give.Validate(); err != nil {
			t.Errorf("%+v: %v", tc.give, err)
		}
	}
}

func TestValidateNamesTheField(t *testing.T) {
	for _, tc := range []struct {
		give Config
		want string // the fields at fault
	}{
		{Config{Algorithm: 9}, "Algorithm"},
		{Config{Min: -1}, "Min"},
		{Config{Max: -1}, "Max"},
		{Config{Max: largest + 1}, "Max"},
		{Config{Min: 5, Max: 4}, "Min"},
		{Config{Algorithm: Fixed}, "Initial"},
		{Config{Min: 5, Initial: 4}, "Initial"},
		{Config{Max: 5, Initial: 6}, "Initial"},
		{Config{Initial: -3}, "Initial"},
		{Config{Window: -1}, "Window"},
		{Config{Samples: -1}, "Samples"},
		{Config{Tolerance: 1}, "Tolerance"},
		{Config{Tolerance: -2}, "Tolerance"},
		{Config{Tolerance: 1000}, "Tolerance"},
		{Config{Slow: -1}, "Slow"},
		{Config{Window: -1, Slow: -1}, "Window Slow"},
	} {
		_, err := New(tc.give, 1)
		if err == nil {
			t.Errorf("%+v is taken", tc.give)
			continue
		}
		text := strings.TrimPrefix(err.Error(), "limit: ")
		var fields []string
		for _, line := range strings.Split(text, "\n") {
			field, advice, _ := strings.Cut(line, ": ")
			if len(advice) < 10 {
				t.Errorf("%q does not say how to mend it", line)
			}
			fields = append(fields, field)
		}
		if got := strings.Join(fields, " "); got != tc.want {
			t.Errorf("%+v: %q at fault, want %q: %v", tc.give, got, tc.want, err)
		}
	}
}
