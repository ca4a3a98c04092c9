package breaker

import (
	"math"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/window"
)

// halfOpen returns a breaker that is ready for trials at 1 s.
func halfOpen(tb testing.TB, trials Trials) *rig {
	c := consecutive(1, time.Second, 0)
	c.Trials = trials
	r := newRig(tb, c)
	r.run(0, failure)
	return r
}

// A caller that dies with its trial must not keep the breaker half-open.
func TestSilentTrialCountsAsFailed(t *testing.T) {
	r := halfOpen(t, Trials{Calls: 1})
	p := r.trial(ms(1000))
	r.refused(ms(60999), core.TrialsTaken)
	r.refused(ms(61000), core.CircuitOpen) // a minute of silence is the default
	last := r.changes[len(r.changes)-1]
	if last.From != HalfOpen || last.To != Open || last.Reason != core.TrialLost {
		t.Errorf("change %+v, want half-open to open, trial-lost", last)
	}
	if ch := r.tell(ms(61001), p, success, time.Minute); !ch.Late {
		t.Error("the lost trial's report was taken")
	}
	r.refused(ms(61999), core.CircuitOpen)
	r.tell(ms(62000), r.trial(ms(62000)), success, 0)
	r.is(ms(62000), Closed)
}

// The open time runs from when the trial was due, however late that is
// noticed: after a quiet night one call notices, and the next is a trial.
func TestLostTrialNoticedLateDoesNotProlong(t *testing.T) {
	r := halfOpen(t, Trials{Calls: 1, Wait: time.Second})
	r.trial(ms(1000))
	r.refused(ms(3.6e6), core.CircuitOpen)
	if s := r.Snapshot(ms(3.6e6)); !s.Ready || s.RetryAfter != 0 {
		t.Errorf("ready %v, retry after %v; want ready at once", s.Ready, s.RetryAfter)
	}
	r.trial(ms(3.6e6))
}

func TestOverdueTrialIsLostEvenIfItReportsFirst(t *testing.T) {
	r := halfOpen(t, Trials{Calls: 1, Wait: time.Second})
	p := r.trial(ms(1000))
	ch := r.tell(ms(2000), p, success, time.Second)
	if ch.To != Open || ch.Reason != core.TrialLost {
		t.Errorf("change %+v, want open by trial-lost", ch)
	}
}

// One lost trial of several leaves the verdict to the others if they can
// still pass.
func TestLostTrialAmongOthers(t *testing.T) {
	r := halfOpen(t, Trials{Calls: 3, Pass: 0.6, Wait: time.Second})
	r.trial(ms(1000))
	r.tell(ms(1001), r.trial(ms(1001)), success, 0)
	p := r.trial(ms(1500))
	r.refused(ms(2100), core.TrialsTaken)
	if s := r.Snapshot(ms(2100)); s.Passed != 1 || s.Failed != 1 || s.InFlight != 1 {
		t.Errorf("passed %d failed %d in flight %d, want 1, 1, 1", s.Passed, s.Failed, s.InFlight)
	}
	r.tell(ms(2200), p, success, 0)
	r.is(ms(2200), Closed)
	if h := r.Snapshot(ms(2200)).History; h[2].Counts != (window.Counts{Calls: 3, Failed: 1}) {
		t.Errorf("closed by %+v, want 3 trials of which 1 failed", h[2].Counts)
	}
}

func TestSlowTrialFails(t *testing.T) {
	r := newRig(t, Config{
		Window: window.Config{Calls: 1}, Failures: 1, Slow: Slow{Over: msd(100), Share: 1},
		Open: Pause{For: time.Second}, Trials: Trials{Calls: 1},
	})
	r.run(0, failure)
	r.tell(ms(1000), r.trial(ms(1000)), success, msd(99))
	r.is(ms(1000), Closed)
	r.run(ms(1000), failure)
	r.tell(ms(2000), r.trial(ms(2000)), success, msd(100))
	r.is(ms(2000), Open)
}

// The verdict comes as soon as the rest cannot change it.
func TestVerdictAsSoonAsCertain(t *testing.T) {
	for _, c := range []struct {
		trials Trials
		steps  string // o good, f failed
		want   State
	}{
		{Trials{Calls: 3}, "oo", HalfOpen},
		{Trials{Calls: 3}, "ooo", Closed},
		{Trials{Calls: 3}, "oof", Open},
		{Trials{Calls: 3}, "f", Open},
		{Trials{}, "ooo", Closed}, // three is the default
		{Trials{Calls: 10, Pass: 0.7}, "ooooooo", Closed},
		{Trials{Calls: 10, Pass: 0.7}, "oooooofff", HalfOpen},
		{Trials{Calls: 10, Pass: 0.7}, "oooooofffo", Closed},
		{Trials{Calls: 10, Pass: 0.7}, "ffff", Open},
		{Trials{Calls: 3, Pass: 0.5}, "fo", HalfOpen},
		{Trials{Calls: 3, Pass: 0.5}, "foo", Closed},
	} {
		r := halfOpen(t, c.trials)
		for i, step := range c.steps {
			if i > 0 {
				r.is(ms(1000), HalfOpen)
			}
			o := success
			if step == 'f' {
				o = failure
			}
			r.tell(ms(1000), r.trial(ms(1000)), o, 0)
		}
		if got := r.Snapshot(ms(1000)).State; got != c.want {
			t.Errorf("%+v %q: %v, want %v", c.trials, c.steps, got, c.want)
		}
	}
}

func TestTrialsAtOnce(t *testing.T) {
	r := halfOpen(t, Trials{Calls: 100}) // 64 is the most that run at once
	var all []Permit
	for range 64 {
		all = append(all, r.trial(ms(1000)))
	}
	r.refused(ms(1000), core.TrialsTaken)
	if d := r.RetryAfter(ms(1000)); d != time.Second {
		t.Errorf("retry after %v, want at most a second", d)
	}
	r.tell(ms(1000), all[40], success, 0)
	if d := r.RetryAfter(ms(1000)); d != 0 {
		t.Errorf("retry after %v with a trial free, want 0", d)
	}
	r.trial(ms(1000))
	r.refused(ms(1000), core.TrialsTaken)
}

// A ticket of 0 would be that of a call which is no trial.
func TestTicketsWrapAroundZero(t *testing.T) {
	r := halfOpen(t, Trials{Calls: 1})
	r.m.trials.last = math.MaxUint32
	r.tell(ms(1000), r.trial(ms(1000)), success, 0)
	r.is(ms(1000), Closed)
}

// A share is reached when it is equal, however it was written.
func TestSharesAreInclusive(t *testing.T) {
	for n := uint64(1); n <= 200; n++ {
		for k := uint64(1); k <= n; k++ {
			if share := float64(k) / float64(n); !reached(k, n, share) || reached(k-1, n, share) {
				t.Fatalf("%d of %d against %v", k, n, share)
			}
		}
	}
	if reached(3, 10, 0.3) != true || reached(29, 100, 0.3) || reached(0, 0, 0.1) ||
		reached(5, 5, 0) {
		t.Error("shares are compared wrongly")
	}
}
