package shed

import (
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// Health checks go past the shedder. However much it refuses, it counts only
// those it was asked about, and knows nothing of the others.
func TestF127HealthChecksAreNotCounted(t *testing.T) {
	s := made(t, Config{})
	s.Reduce(0, 0, 0)
	healthy := 0
	for i := range 200 {
		now := core.Instant(i) * core.Instant(time.Millisecond)
		if i%2 == 0 {
			healthy++ // answered without asking
		} else if r := s.Admit(now, LevelOf(core.CriticalPlus, 127)); r != core.AdmissionReduced {
			t.Fatalf("request %d: %v", i, r)
		}
	}
	want := Class{Offered: 100, Refused: 100}
	if got := s.Snapshot(0).Classes[core.CriticalPlus.Index()]; got != want || healthy != 100 {
		t.Errorf("%+v beside %d health checks", got, healthy)
	}
}

// Whoever is refused is told when to come back: between one second and five,
// the later the more there are.
func TestF128RefusedAreToldWhen(t *testing.T) {
	last := time.Duration(0)
	for _, share := range []float64{0.9, 0.5, 0.4, 0.25, 0.1, 0.001} {
		s := made(t, Config{})
		for i := range 1000 {
			s.Admit(core.Instant(i), Level(i)%levels)
		}
		s.Reduce(1000, share, 0)
		after := s.RetryAfter(1000)
		if after < time.Second || after > 5*time.Second || after < last {
			t.Errorf("at a share of %v: %v, after %v", share, after, last)
		}
		last = after
	}
	if last != 5*time.Second {
		t.Errorf("when hardly anything is let in: %v", last)
	}
	if after := made(t, Config{}).RetryAfter(0); after != 0 {
		t.Errorf("when nothing is refused: %v", after)
	}
}

// The order is strict. High-class demand of twice the capacity leaves the low
// class next to nothing; when it is over, the low class is served within a
// second.
func TestF131StrictOrder(t *testing.T) {
	w := &world{capacity: 10, slots: 1, bound: 5, patience: time.Second, shedder: made(t, Config{}),
		load:  func(time.Duration) float64 { return 25 },
		mix:   [core.Criticalities]float64{0: 0.2, 2: 0.8},
		until: 60 * time.Second}
	w.run(1)
	low, high := w.good[core.Sheddable.Index()], w.good[core.Critical.Index()]
	t.Logf("in a minute %d of the low class are served, %d of the high", low, high)
	if low > 60 || high < 6*low {
		t.Errorf("in a minute %d of the low class are served, %d of the high", low, high)
	}
	w.mix = [core.Criticalities]float64{0: 1}
	w.load = func(time.Duration) float64 { return 5 }
	w.from, w.until = w.until, w.until+time.Second
	w.good = [core.Criticalities]int{}
	w.run(2)
	if w.good[core.Sheddable.Index()] == 0 {
		t.Error("a second later none of the low class is served")
	}
}
