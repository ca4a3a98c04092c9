package breaker

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/window"
)

// TestR8JitterSpreadsReopening has 500 breakers that opened in the same second
// 30 s ago. Without jitter all try again in one second; with 20 % their
// returns spread over 12 s.
func TestR8JitterSpreadsReopening(t *testing.T) {
	worst := func(jitter float64) (second, tenth int) {
		var bySecond, byTenth [500]int
		for seed := range 500 {
			b, err := New(Config{
				Window: window.Config{Consecutive: 1},
				Open:   Pause{For: 30 * time.Second, Jitter: jitter},
			}, uint64(seed))
			if err != nil {
				t.Fatal(err)
			}
			opened := ms(float64(seed) * 2) // evenly within the second
			p, _ := b.Admit(opened)
			b.Report(opened, p, failure, 0)
			until := time.Duration(b.Snapshot(opened).Until)
			if d := until - time.Duration(opened); d < msd(30000*(1-jitter)) ||
				d > msd(30000*(1+jitter)) {
				t.Fatalf("open for %v, outside the jitter", d)
			}
			bySecond[until/time.Second]++
			byTenth[until/(100*time.Millisecond)]++
		}
		return slices.Max(bySecond[:]), slices.Max(byTenth[:])
	}
	if s, _ := worst(0); s != 500 {
		t.Errorf("without jitter the worst second has %d, want 500", s)
	}
	if s, tenth := worst(0.2); s < 48 || s > 58 || tenth < 8 || tenth > 14 {
		t.Errorf("with jitter the worst second has %d, the worst 100 ms %d; want about 52 and 10",
			s, tenth)
	}
}

// openTimes trips the breaker n times in a row by failing trials and returns
// how long it stayed open each time.
func openTimes(r *rig, n int) (spans []time.Duration) {
	r.run(0, failure)
	for range n {
		s := r.Snapshot(0)
		spans = append(spans, s.Until.Sub(s.Since))
		r.tell(s.Until, r.trial(s.Until), failure, 0)
	}
	return spans
}

func TestOpenTimeGrowsToItsCap(t *testing.T) {
	c := consecutive(1, time.Second, 1)
	c.Open.Growth, c.Open.Cap = 2, 5*time.Second
	want := []time.Duration{1e9, 2e9, 4e9, 5e9, 5e9}
	if got := openTimes(newRig(t, c), 5); !slices.Equal(got, want) {
		t.Errorf("open times %v, want %v", got, want)
	}
	c.Open.Cap = 0
	want = []time.Duration{1e9, 2e9, 4e9, 8e9, 10e9, 10e9}
	if got := openTimes(newRig(t, c), 6); !slices.Equal(got, want) {
		t.Errorf("open times with the default cap %v, want %v", got, want)
	}
	c.Open.Growth = 0
	if got := openTimes(newRig(t, c), 3); !slices.Equal(got, []time.Duration{1e9, 1e9, 1e9}) {
		t.Errorf("open times without growth %v, want 1s each", got)
	}
}

func TestHugeOpenTimesStayInRange(t *testing.T) {
	c := consecutive(1, math.MaxInt64, 1)
	c.Open.Growth, c.Open.Jitter = 1e9, 0.9
	r := newRig(t, c)
	now := core.Never - 10
	r.run(now, failure)
	r.refused(now, core.CircuitOpen)
	if s := r.Snapshot(now); s.Until <= now || s.Until == core.Never || s.RetryAfter <= 0 {
		t.Errorf("until %d, retry after %v", s.Until, s.RetryAfter)
	}
	var p pause
	p.Pause = Pause{For: time.Hour, Cap: math.MaxInt64, Growth: math.MaxInt32, Jitter: 0.99}
	for range 1000 {
		if d := p.next(); d <= 0 {
			t.Fatalf("open time %v", d)
		}
	}
}

// Growth is forgotten when the breaker has been closed for as long as it was
// open, or as the ramp lasts if that is longer; not before.
func TestStreakIsForgottenOnlyAfterAQuietTime(t *testing.T) {
	for _, c := range []struct {
		ramp   time.Duration
		closed float64 // how long it was closed
		want   time.Duration
	}{
		{0, 1999, 4 * time.Second},
		{0, 2000, time.Second},
		{5 * time.Second, 4999, 4 * time.Second},
		{5 * time.Second, 5000, time.Second},
	} {
		cfg := consecutive(1, time.Second, 1)
		cfg.Open.Growth, cfg.Ramp = 2, c.ramp
		r := newRig(t, cfg)
		r.run(0, failure)
		r.tell(ms(1000), r.trial(ms(1000)), failure, 0) // now open for 2 s
		r.tell(ms(3000), r.trial(ms(3000)), success, 0)
		at := ms(3000 + c.closed)
		p := r.admitted(at)
		r.tell(at, p, failure, 0)
		if s := r.Snapshot(at); s.Until.Sub(at) != c.want {
			t.Errorf("ramp %v, closed %v ms: open for %v, want %v", c.ramp, c.closed,
				s.Until.Sub(at), c.want)
		}
	}
}

func TestJitterIsEvenAndSeeded(t *testing.T) {
	draw := func(seed uint64) (all []time.Duration) {
		p := pause{Pause: Pause{For: time.Second, Cap: time.Second, Growth: 1, Jitter: 0.5},
			random: seed}
		for range 10000 {
			all = append(all, p.next())
		}
		return all
	}
	a := draw(7)
	if !slices.Equal(a, draw(7)) {
		t.Error("the same seed gave other times")
	}
	if slices.Equal(a, draw(8)) {
		t.Error("another seed gave the same times")
	}
	var thirds [3]int
	for _, d := range a {
		if d < msd(500) || d > msd(1500) {
			t.Fatalf("%v is outside the jitter", d)
		}
		thirds[min(2, int((d-msd(500))*3/time.Second))]++
	}
	for i, n := range thirds {
		if n < 3100 || n > 3570 {
			t.Errorf("third %d of the range has %d of 10000", i, n)
		}
	}
}
