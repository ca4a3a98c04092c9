package shed

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/race"
)

func recovered(t testing.TB) *Recovery {
	t.Helper()
	r, err := NewRecovery(RecoveryConfig{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// spiked is the server of 100/s under 80/s, with a spike of 150/s from 30 s to
// 35 s, callers who wait for 1 s and make three attempts at once, and a
// Recovery if asked for.
func spiked(t *testing.T, led bool) *storm {
	s := &storm{attempts: 3, patience: time.Second, until: 160,
		capacity: func(float64) float64 { return 100 },
		load: func(second float64) float64 {
			if second >= 30 && second < 35 {
				return 150
			}
			return 80
		}}
	if led {
		s.shedder, s.recovery = made(t, Config{}), recovered(t)
	}
	return s
}

func mean(counts []int, from, to int) float64 {
	n := 0
	for _, c := range counts[from:to] {
		n += c
	}
	return float64(n) / float64(to-from)
}

// Without a way back the spike is never over; with one it is: it is seen ten
// seconds after the spike, and all are let in again within ninety.
func TestLeadsOutOfTheStorm(t *testing.T) {
	race.OneGoroutine(t)
	for _, tc := range []struct {
		name   string
		change func(*storm)
	}{
		{"2 attempts", func(s *storm) { s.attempts = 2 }},
		{"3 attempts", func(*storm) {}},
		{"4 attempts", func(s *storm) { s.attempts = 4 }},
		{"a timeout of 0.5 s", func(s *storm) { s.patience /= 2 }},
		{"a timeout of 2 s", func(s *storm) { s.patience *= 2 }},
	} {
		for seed := range uint64(3) {
			alone, led := spiked(t, false), spiked(t, true)
			tc.change(alone)
			tc.change(led)
			alone.run(seed)
			led.run(seed)
			if got := mean(alone.good, 130, 160); got > 1 {
				t.Errorf("%s, alone: %.0f/s are answered in the end", tc.name, got)
			}
			if got := mean(led.good, 130, 160); got < 76 {
				t.Errorf("%s: %.0f/s are answered in the end", tc.name, got)
			}
			if got := strings.Join(led.orders, " "); got != "cut returning healthy" {
				t.Errorf("%s: %s", tc.name, got)
				continue
			}
			t.Logf("%s: cut at %.0f s, returning at %.0f s, healthy at %.0f s", tc.name,
				led.ordered[0], led.ordered[1], led.ordered[2])
			if led.ordered[0] > 47 || led.ordered[2] > 125 {
				t.Errorf("%s: at %.0f s", tc.name, led.ordered)
			}
		}
	}
}

// What gets over it by itself is left alone, and so is what is no collapse.
func TestDoesNotFire(t *testing.T) {
	race.OneGoroutine(t)
	day := func(second float64) float64 { return 50 - 30*math.Cos(second/20) }
	for _, tc := range []struct {
		name   string
		change func(*storm)
	}{
		{"no retries", func(s *storm) { s.attempts = 1 }},
		{"a budget of 10 %", func(s *storm) { s.budget = 0.1 }},
		{"the expired are dropped", func(s *storm) { s.expired = true }},
		{"a queue of 50", func(s *storm) { s.bound = 50 }},
		{"a queue of 100", func(s *storm) { s.bound = 100 }},
		{"LIFO", func(s *storm) { s.lifo = true }},
		{"a timeout of 5 s", func(s *storm) { s.patience *= 5 }},
		{"the shedder at work", func(s *storm) { s.full = true }},
		{"plain overload from 30 s on", func(s *storm) {
			s.load = func(second float64) float64 { return 80 + 120*math.Floor(min(second, 59)/30) }
		}},
		{"a server at a third, and shedding", func(s *storm) {
			s.full, s.bound = true, 50
			s.capacity = func(second float64) float64 { return 100 - 67*math.Floor(min(second, 59)/30) }
		}},
		{"a server at a third, and short queues", func(s *storm) {
			s.bound = 20
			s.capacity = func(second float64) float64 { return 100 - 67*math.Floor(min(second, 59)/30) }
		}},
		{"night and day", func(s *storm) { s.load = day }},
		{"a start under overload", func(s *storm) {
			s.load = func(float64) float64 { return 150 }
		}},
		{"idle", func(s *storm) { s.load = func(float64) float64 { return 0.01 } }},
		{"a silent night", func(s *storm) {
			s.load = func(second float64) float64 {
				if second > 60 && second < 100 {
					return 0.5
				}
				return 80
			}
		}},
	} {
		s := spiked(t, true)
		tc.change(s)
		s.run(1)
		if len(s.orders) > 0 {
			t.Errorf("%s: %v at %.0f s", tc.name, s.orders, s.ordered)
		}
	}
}

// A dependency that fails at once is answered in time, with an error: callers
// try again and nothing useful comes out, and it is no collapse of ours.
func TestOutageOfADependency(t *testing.T) {
	r := recovered(t)
	for second := range 120 {
		now := core.Instant(second) * core.Instant(time.Second)
		for i := range 240 {
			if i >= 80 && second < 30 {
				break
			}
			r.Arrived(now, i >= 80)
			r.Ended(now, true) // an answer, and in time
		}
		if order, changed := r.Sweep(now); changed {
			t.Fatalf("at %d s: %+v", second, order)
		}
	}
}

// Callers who do not say that they try again look like more demand. This is a
// limit, and written down.
func TestRetriesThatDoNotSaySo(t *testing.T) {
	s := spiked(t, true)
	s.untold = true
	s.run(1)
	if len(s.orders) > 0 {
		t.Errorf("%v: the limit is gone, say so in the page", s.orders)
	}
}

// A second spike on the way back makes a deeper cut and a slower way.
func TestSecondCollapse(t *testing.T) {
	race.OneGoroutine(t)
	s := spiked(t, true)
	s.until = 400
	base := s.load
	s.load = func(second float64) float64 {
		if second >= 95 && second < 107 {
			return 400
		}
		return base(second)
	}
	s.run(1)
	t.Log(s.orders, s.ordered)
	want := "cut returning cut returning healthy"
	if got := strings.Join(s.orders, " "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := mean(s.good, 370, 400); got < 76 {
		t.Errorf("%.0f/s are answered in the end", got)
	}
}

// A server that has become too slow for good, without shedding and behind a
// queue so long that everybody is served too late: there is nothing to come
// back to. It never gives up, because its cuts do make work useful, and it
// goes in and out, about once in 50 s, which is better than nothing.
func TestSlowForGood(t *testing.T) {
	race.OneGoroutine(t)
	slow := func(second float64) float64 { return 100 - 67*math.Floor(min(second, 59)/30) }
	alone, led := spiked(t, false), spiked(t, true)
	for _, s := range []*storm{alone, led} {
		s.capacity, s.bound, s.until = slow, 50, 600
		s.run(1)
	}
	without, with := mean(alone.good, 100, 600), mean(led.good, 100, 600)
	t.Logf("%.0f/s are answered, %.0f/s alone; %d orders", with, without, len(led.orders))
	if without > 1 || with < 12 || len(led.orders) > 30 || slices.Contains(led.orders, "healthy") {
		t.Errorf("%.0f/s are answered, %.0f/s alone: %v at %.0f", with, without, led.orders, led.ordered)
	}
}
