package breaker

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/window"
)

// Field reports about what is counted, when and by which clock.

// The window has slices of half a second, so a result leaves up to half a
// second before it is five seconds old, never after.
func TestF017SparseErrorsDoNotProlongTheWindow(t *testing.T) {
	r := newRig(t, Config{
		Window: window.Config{Over: msd(5000)}, MinCalls: 3, Failures: 1,
		Open: Pause{For: time.Second},
	})
	r.run(ms(0), failure)
	r.run(ms(5000), failure)
	r.run(ms(6000), failure)
	r.is(ms(6000), Closed)
	r.run(ms(6500), failure)
	r.is(ms(6500), Open)
}

func TestF019ASlidingWindowIsNotTumbling(t *testing.T) {
	run := func(buckets int) State {
		r := newRig(t, Config{
			Window:   window.Config{Over: 10 * time.Second, Buckets: buckets},
			MinCalls: 20, Failures: 0.5, Open: Pause{For: time.Second},
		})
		for i := range 1000 {
			r.run(ms(float64(i)*10), success)
		}
		for range 60 {
			if p := r.ask(ms(10100)); p.OK() {
				r.tell(ms(10100), p, failure, 0)
			}
		}
		if s := r.Snapshot(ms(10100)); s.State == Closed {
			if share, ok := s.Window.FailureShare(); !ok || share > 0.07 {
				t.Errorf("share of failures is %.3f, want about 0.06", share)
			}
		}
		return r.Snapshot(ms(10100)).State
	}
	if got := run(10); got != Closed {
		t.Errorf("sliding: %v, want closed", got)
	}
	if got := run(1); got != Open {
		t.Errorf("one slice, which is tumbling: %v, want open", got)
	}
}

func TestF023BelowTheMinimumThereIsNoShare(t *testing.T) {
	c := Config{
		Window: window.Config{Calls: 100}, MinCalls: 10, Failures: 0.5,
		Slow: Slow{Over: msd(100), Share: 0.5}, Open: Pause{For: time.Second},
	}
	r := newRig(t, c)
	s := r.Snapshot(0)
	if _, ok := s.Window.FailureShare(); ok {
		t.Error("there is a share of no calls")
	}
	if text, err := json.Marshal(s); err != nil || strings.Contains(string(text), "NaN") {
		t.Errorf("snapshot as JSON: %s, %v", text, err)
	}
	r.run(0, slices.Repeat([]core.Outcome{failure}, 9)...)
	r.is(0, Closed)
	r = newRig(t, c)
	for i := range 10 {
		r.is(0, Closed)
		r.tell(0, r.admitted(0), success, msd(100))
		if i < 9 {
			r.is(0, Closed)
		}
	}
	r.is(0, Open)
	if why := r.changes[0].Reason; why != core.SlowRate {
		t.Errorf("opened by %v, want slow-rate", why)
	}
}

// We keep two separate shares: a slow failed call is in both numerators and
// once in the denominator. There is no union of the two.
func TestF024SlowAndFailedAreTwoShares(t *testing.T) {
	r := newRig(t, Config{
		Window: window.Config{Calls: 4}, Failures: 0.5,
		Slow: Slow{Over: msd(100), Share: 0.5}, Open: Pause{For: time.Second},
	})
	r.run(0, success)
	r.tell(0, r.admitted(0), success, msd(100))
	r.run(0, failure, success)
	r.counts(0, window.Counts{Calls: 4, Failed: 1, Slow: 1})
	r.is(0, Closed)
	r.Reset(0)
	r.tell(0, r.admitted(0), failure, msd(100))
	r.run(0, success, success, success)
	r.counts(0, window.Counts{Calls: 4, Failed: 1, Slow: 1, SlowFailed: 1})
	r.is(0, Closed)
}

func TestF025NeutralCallsAreInNoNumber(t *testing.T) {
	r := newRig(t, Config{
		Window: window.Config{Calls: 100}, MinCalls: 4,
		Slow: Slow{Over: msd(100), Share: 0.5}, Open: Pause{For: time.Second},
	})
	for range 10 {
		r.tell(0, r.admitted(0), ignored, msd(500))
	}
	r.counts(0, window.Counts{})
	r.run(0, success, success, success)
	r.counts(0, window.Counts{Calls: 3})
	r.is(0, Closed)
}

// The breaker knows no wall clock at all; only the instants it is given count.
func TestF027OnlyTheGivenInstantsCount(t *testing.T) {
	r := newRig(t, consecutive(1, 30*time.Second, 1))
	r.run(0, failure)
	r.refused(ms(29999), core.CircuitOpen)
	r.refused(ms(-7200e3), core.CircuitOpen) // a reading two hours back
	r.trial(ms(30000))
}

func TestF028AnyOriginOfTheClock(t *testing.T) {
	run := func(origin core.Instant) (states []State) {
		b := mustNew(t, Config{
			Window: window.Config{Over: 10 * time.Second}, MinCalls: 3, Failures: 0.5,
			Open: Pause{For: 3 * time.Second, Growth: 2}, Ramp: 2 * time.Second,
		})
		for i := range 2000 {
			now := origin.Add(time.Duration(i*37) * time.Millisecond)
			if p, _ := b.Admit(now); p.OK() {
				o := success
				if i/100%3 == 1 {
					o = failure
				}
				b.Report(now, p, o, 0)
			}
			states = append(states, b.Snapshot(now).State)
		}
		return states
	}
	want := run(0)
	if !slices.Contains(want, Open) || !slices.Contains(want, HalfOpen) {
		t.Fatal("the run says nothing: it never opened")
	}
	for _, origin := range []core.Instant{ms(-5000), 1 << 62, math.MinInt64 + 1, math.MinInt64} {
		if !slices.Equal(run(origin), want) {
			t.Errorf("with origin %d the run differs", origin)
		}
	}
}

func TestF029BackwardsReadingIsHarmless(t *testing.T) {
	r := newRig(t, Config{
		Window: window.Config{Over: 2 * time.Second, Buckets: 2}, MinCalls: 20, Failures: 0.5,
		Slow: Slow{Over: msd(100), Share: 0.5}, Open: Pause{For: time.Second},
	})
	for _, at := range []float64{1000, 999, 1001} {
		r.run(ms(at), success)
	}
	r.counts(ms(1001), window.Counts{Calls: 3})
	r.tell(ms(90), r.admitted(ms(100)), success, -msd(10))
	r.counts(ms(1001), window.Counts{Calls: 4})
}

// The counts of a window are of 64 bits; the number of the era may wrap.
func TestF031OldErasStayOldWhenTheNumberWraps(t *testing.T) {
	r := newRig(t, consecutive(1, time.Second, 1))
	r.m.epoch = math.MaxUint64
	r.publish()
	old := r.admitted(0)
	r.run(0, failure)
	if r.m.epoch == 0 {
		t.Error("era 0 is that of a refused permit")
	}
	p := r.trial(ms(1000))
	if ch := r.tell(ms(1000), old, success, 0); !ch.Late {
		t.Error("a permit from before the number of the era wrapped was taken")
	}
	r.tell(ms(1000), p, success, 0)
	r.is(ms(1000), Closed)
}

// Whether retries multiply what a breaker counts is up to where it is asked;
// that an open one counts nothing is its own part.
func TestF032RefusedCallsCountNowhere(t *testing.T) {
	r := newRig(t, consecutive(3, time.Second, 1))
	for range 6 {
		if p := r.ask(0); p.OK() {
			r.tell(0, p, failure, 0)
		} else if ch := r.tell(0, p, failure, 0); ch.Happened() || ch.Late {
			t.Errorf("reporting a refused permit did %+v", ch)
		}
	}
	if r.passed != 3 {
		t.Errorf("%d calls went through, want 3", r.passed)
	}
	s := r.Snapshot(0)
	if h := s.History[0]; h.Counts.Calls != 3 || h.Reason != core.Consecutive || s.Late != 0 {
		t.Errorf("opened by %+v, late %d", h, s.Late)
	}
}

// A reload keeps the breaker whose settings did not change, so the reload has
// nothing to do here; and reading, or setting the same mode, does not prolong.
func TestF033OnlyTheTransitionSetsTheOpenTime(t *testing.T) {
	r := newRig(t, consecutive(1, time.Minute, 1))
	r.run(0, failure)
	for _, at := range []float64{20000, 40000, 59000} {
		r.Snapshot(ms(at))
		if ch := r.Force(ms(at), Auto); ch.Happened() {
			t.Errorf("setting the same mode did %+v", ch)
		}
		r.refused(ms(at), core.CircuitOpen)
	}
	r.trial(ms(60000))
}
