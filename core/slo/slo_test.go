package slo

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"
	_ "time/tzdata" // zones, wherever the test runs

	"github.com/seakeep/seakeep/core"
)

// event is one that a simple count looks at again and again.
type event struct {
	at  core.Instant
	bad bool
}

// between counts the simple way.
func between(events []event, after, to core.Instant) (c Counts) {
	for _, e := range events {
		if e.at > after && e.at <= to {
			c.Total++
			if e.bad {
				c.Bad++
			}
		}
	}
	return c
}

// Whatever comes and whenever, what a window holds is what was in it, give or
// take what is in the one slice at its beginning.
func TestCountsAreThoseOfTheWindow(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		now := core.Instant(r.Int64N(1e18))
		m := newMachine(now, Config{Objective: 0.99, Window: Window{Period: 7 * day}})
		var events []event
		for range 3000 {
			now = now.Add(time.Duration(r.ExpFloat64() * float64(4*time.Minute)))
			e := event{now, r.IntN(3) == 0}
			events = append(events, e)
			m.add(now, between([]event{e}, now-1, now))
			if r.IntN(20) > 0 {
				continue
			}
			for _, d := range []time.Duration{5 * time.Minute, time.Hour, 6 * time.Hour, 3 * day, 7 * day} {
				width := finest
				for i := len(m.rings) - 1; i >= 0; i-- {
					if m.rings[i].width*slices >= d {
						width = m.rings[i].width
					}
				}
				got := m.over(now, d)
				most := between(events, now.Add(-d), now)
				least := between(events, now.Add(-d+width), now)
				if got.Total > most.Total || got.Total < least.Total || got.Bad > most.Bad ||
					got.Bad < least.Bad {
					t.Fatalf("seed %d: %v holds %v, want %v to %v", seed, d, got, least, most)
				}
			}
		}
	}
}

// Any state can be read again, to the same state; nothing else can.
func TestStates(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	c := Config{Objective: 0.999, Alerts: Window{}.Pairs(), Policy: Policy{Steps: []Step{{Left: 0.5}}}}
	now := core.Instant(1e18)
	s, _ := New(now, c)
	for range 500 {
		now = now.Add(time.Duration(r.ExpFloat64() * float64(time.Hour)))
		s.Report(now, r.IntN(4) > 0)
		s.Sweep(now)
	}
	state := s.State(now)
	other, _ := New(now, c)
	if err := other.Restore(state); err != nil {
		t.Fatal(err)
	}
	if again := other.State(now); !bytes.Equal(state, again) {
		t.Errorf("%d bytes become %d others", len(state), len(again))
	}
	for i := range state {
		if fresh, _ := New(now, c); fresh.Restore(state[:i]) == nil {
			t.Fatalf("cut at %d of %d it is read", i, len(state))
		}
	}
	if len(state) > 40<<10 {
		t.Errorf("%d bytes", len(state))
	}
}

func FuzzRestore(f *testing.F) {
	s, _ := New(0, Config{Objective: 0.9})
	s.Report(1, false)
	f.Add(s.State(2))
	f.Add([]byte{1, 0, 0, 0})
	f.Fuzz(func(t *testing.T, state []byte) {
		s, _ := New(0, Config{Objective: 0.9})
		if s.Restore(state) != nil {
			return
		}
		now := s.last
		s.Report(now, true)
		for _, v := range []float64{s.Snapshot(now).Left, s.Snapshot(now).LeftOfPeriod} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("left is %v", v)
			}
		}
	})
}

// F184: a counter that is lower than before has begun again.
func TestCounters(t *testing.T) {
	sum := func(bad, total []float64) (c Counts) {
		var k Counters
		for i := range total {
			step := k.Next(bad[i], total[i])
			c.add(step)
			if step.Bad > step.Total || c.Bad > c.Total {
				t.Errorf("%v of %v: %v", bad, total, step)
			}
		}
		return c
	}
	if c := sum(make([]float64, 4), []float64{100, 150, 10, 30}); c.Total != 80 {
		t.Errorf("%d", c.Total)
	}
	if c := sum(make([]float64, 3), []float64{30, math.NaN(), 5}); c.Total != 5 {
		t.Errorf("absent: %d", c.Total)
	}
	// The two begin again at different times.
	if c := sum([]float64{50, 60, 61}, []float64{100, 4, 20}); c.Bad != 11 || c.Total != 20 {
		t.Errorf("%+v", c)
	}
	if c := sum([]float64{50, 0, 1}, []float64{100, 101, 1}); c.Bad != 1 || c.Total != 2 {
		t.Errorf("%+v", c)
	}
}

func TestGood(t *testing.T) {
	c := Config{Objective: 0.9, Latency: time.Second, Freshness: time.Minute}
	for _, tc := range []struct {
		o            core.Outcome
		took, age    time.Duration
		good, counts bool
	}{
		{core.Success, time.Second, time.Minute, true, true},
		{core.Success, time.Second + 1, 0, false, true},
		{core.Success, 0, time.Minute + 1, false, true},
		{core.Failure, 0, 0, false, true},
		{core.Timeout, 0, 0, false, true},
		{core.Overloaded, 0, 0, false, true},
		{core.Cancelled, 0, 0, false, false},
		{core.Ignored, time.Hour, 0, false, false},
	} {
		if good, counts := c.Good(tc.o, tc.took, tc.age); good != tc.good || counts != tc.counts {
			t.Errorf("%+v: %v %v", tc, good, counts)
		}
	}
}

// Calendars hang in a zone, whose clocks are put back and forth.
func TestBounds(t *testing.T) {
	berlin := time.FixedZone("CEST", 2*3600)
	zone := func(name string) *time.Location {
		z, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		return z
	}
	for _, tc := range []struct {
		w              Window
		at, begin, end string
	}{
		{Window{Calendar: Month}, "2026-11-30T03:18:00Z", "2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z"},
		{Window{Calendar: Month, Zone: berlin}, "2026-11-30T22:00:00Z", "2026-11-30T22:00:00Z", "2026-12-31T22:00:00Z"},
		{Window{Calendar: Month}, "2028-02-29T00:00:00Z", "2028-02-01T00:00:00Z", "2028-03-01T00:00:00Z"},
		{Window{Calendar: Week}, "2026-11-30T00:00:00Z", "2026-11-30T00:00:00Z", "2026-12-07T00:00:00Z"},
		{Window{Calendar: Week}, "2026-11-29T23:59:59Z", "2026-11-23T00:00:00Z", "2026-11-30T00:00:00Z"},
		{Window{Calendar: Quarter}, "2026-12-31T23:59:59Z", "2026-10-01T00:00:00Z", "2027-01-01T00:00:00Z"},
		{Window{Calendar: Quarter}, "2026-05-01T00:00:00Z", "2026-04-01T00:00:00Z", "2026-07-01T00:00:00Z"},
		{Window{Calendar: Month, Zone: zone("Europe/Berlin")}, "2026-03-29T12:00:00Z", "2026-02-28T23:00:00Z",
			"2026-03-31T22:00:00Z"},
		{Window{Calendar: Week, Zone: zone("Europe/Berlin")}, "2026-10-25T22:59:59Z", "2026-10-18T22:00:00Z",
			"2026-10-25T23:00:00Z"},
		// October began at one o'clock there. It was September half an hour earlier.
		{Window{Calendar: Month, Zone: zone("America/Asuncion")}, "2023-10-01T03:30:00Z", "2023-09-01T04:00:00Z",
			"2023-10-01T04:00:00Z"},
		{Window{Calendar: Month, Zone: zone("America/Asuncion")}, "2023-10-01T04:00:00Z", "2023-10-01T04:00:00Z",
			"2023-11-01T03:00:00Z"},
		{Window{}, "2026-12-31T00:00:00Z", "2026-12-01T00:00:00Z", "2026-12-31T00:00:00Z"},
	} {
		at, _ := time.Parse(time.RFC3339, tc.at)
		begin, end := tc.w.Bounds(core.Instant(at.UnixNano()))
		show := func(i core.Instant) string { return time.Unix(0, int64(i)).UTC().Format(time.RFC3339) }
		if show(begin) != tc.begin || show(end) != tc.end {
			t.Errorf("%+v: %s to %s", tc, show(begin), show(end))
		}
	}
}

func TestValidate(t *testing.T) {
	good := Config{Objective: 0.999, Alerts: Window{}.Pairs()}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Config){
		"Objective":     func(c *Config) { c.Objective = 1 },
		"Objective: is": func(c *Config) { c.Objective = 0 },
		"99.9%":         func(c *Config) { c.Objective = math.NaN() },
		"Latency":       func(c *Config) { c.Latency = -1 },
		"Freshness":     func(c *Config) { c.Freshness = -1 },
		"Window.Period": func(c *Config) { c.Window.Period = time.Minute },
		"Calendar":      func(c *Config) { c.Window.Calendar = 9 },
		"to the period": func(c *Config) { c.Window.Period = 48 * time.Hour },
		"the share":     func(c *Config) { c.Alerts[0].Share = 2 },
		"short window":  func(c *Config) { c.Alerts[1].Short = day },
		"ends before":   func(c *Config) { c.Maintenance = []Span{{2, 2}} },
		"Policy.Back":   func(c *Config) { c.Policy.Back = -1 },
		"most budget":   func(c *Config) { c.Policy.Steps = []Step{{Left: 0.2}, {Left: 0.5}} },
		"budgets":       func(c *Config) { c.Policy.Steps = []Step{{Spare: 2}} },
		"features":      func(c *Config) { c.Policy.Steps = []Step{{Level: 65}} },
	} {
		c := good.Filled()
		change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}

// Time that goes back counts as the latest, and many may report at once.
func TestSharedUse(t *testing.T) {
	s, _ := New(100, Config{Objective: 0.9, Alerts: Window{}.Pairs()})
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for j := range 1000 {
				now := core.Instant(time.Hour) - core.Instant(i*j)
				s.Report(now, j%2 == 0)
				if j%100 == 0 {
					s.Sweep(now)
					s.Snapshot(now)
					s.Curve(now, 10)
				}
			}
		}()
	}
	wait.Wait()
	if c := s.Snapshot(0).Counts; c.Total != 8000 || c.Bad != 4000 {
		t.Errorf("%+v", c)
	}
}

func BenchmarkReport(b *testing.B) {
	s, _ := New(0, Config{Objective: 0.999})
	now := core.Instant(0)
	for b.Loop() {
		now = now.Add(time.Millisecond)
		s.Report(now, true)
	}
}

func BenchmarkSweep(b *testing.B) {
	s, _ := New(0, Config{Objective: 0.999, Alerts: Window{}.Pairs()})
	now := core.Instant(0)
	for b.Loop() {
		now = now.Add(5 * time.Second)
		s.Report(now, true)
		s.Sweep(now)
	}
}
