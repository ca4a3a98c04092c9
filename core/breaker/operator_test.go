package breaker

import (
	"math"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/window"
)

func TestForceOpenHoldsForEver(t *testing.T) {
	r := newRig(t, consecutive(1, time.Second, 1))
	p := r.admitted(0)
	ch := r.Force(0, ForceOpen)
	if !ch.Happened() || ch.From != Closed || ch.To != Open || ch.Reason != core.Operator {
		t.Errorf("change %+v", ch)
	}
	for _, now := range []core.Instant{math.MinInt64, 0, ms(1e9), core.Never} {
		r.refused(now, core.ForcedOpen)
		if d := r.RetryAfter(now); d != 0 {
			t.Errorf("retry after %v, want 0: nobody knows", d)
		}
	}
	if s := r.Snapshot(ms(1e9)); s.Mode != ForceOpen || s.State != Open || s.Ready || s.Until != 0 {
		t.Errorf("snapshot %+v", s)
	}
	if ch := r.tell(ms(1), p, failure, 0); !ch.Late {
		t.Error("a call from before was counted")
	}
}

// What an operator forced open is tried before all traffic returns.
func TestFromForceOpenToAutoIsHalfOpen(t *testing.T) {
	r := newRig(t, consecutive(1, time.Second, 1))
	r.Force(0, ForceOpen)
	if ch := r.Force(ms(10), Auto); ch.From != Open || ch.To != HalfOpen {
		t.Errorf("change %+v", ch)
	}
	p := r.trial(ms(10))
	r.refused(ms(10), core.TrialsTaken)
	r.tell(ms(10), p, success, 0)
	r.is(ms(10), Closed)
}

func TestForceClosedCountsButNeverOpens(t *testing.T) {
	r := newRig(t, consecutive(1, time.Second, 1))
	r.run(0, failure)
	if ch := r.Force(0, ForceClosed); ch.From != Open || ch.To != Closed {
		t.Errorf("change %+v", ch)
	}
	r.run(0, failure, failure, failure)
	r.counts(0, window.Counts{Calls: 3, Failed: 3})
	if ch := r.Force(0, ForceClosed); ch.Happened() {
		t.Errorf("the same mode again did %+v", ch)
	}
	if ch := r.Force(0, Auto); !ch.Happened() || ch.From != Closed || ch.To != Closed {
		t.Errorf("change %+v", ch)
	}
	r.counts(0, window.Counts{}) // decisions are made from here on
	r.run(0, failure)
	r.is(0, Open)
}

func TestResetMakesItAsNew(t *testing.T) {
	c := consecutive(1, time.Second, 1)
	c.Open.Growth = 2
	r := newRig(t, c)
	openTimes(r, 3)
	at := r.Snapshot(0).Since
	if s := r.Snapshot(at); s.Streak != 4 {
		t.Fatalf("streak %d, want 4", s.Streak)
	}
	if ch := r.Reset(at); ch.To != Closed || ch.Reason != core.Operator {
		t.Errorf("change %+v", ch)
	}
	r.run(at, failure)
	if s := r.Snapshot(at); s.Until.Sub(at) != time.Second || s.Streak != 1 {
		t.Errorf("open for %v with streak %d, want 1s and 1", s.Until.Sub(at), s.Streak)
	}
	r.Force(at, ForceOpen)
	r.Reset(at)
	if s := r.Snapshot(at); s.Mode != Auto || s.State != Closed || s.InARow != 0 {
		t.Errorf("after reset: %v %v", s.Mode, s.State)
	}
	r.admitted(at)
}

func TestHistoryKeepsTheLast32(t *testing.T) {
	r := newRig(t, consecutive(1, time.Second, 1))
	for i := range 50 {
		r.Force(ms(float64(i)), Mode(1+i%2))
		h := r.Snapshot(ms(float64(i))).History
		if len(h) != min(i+1, 32) || h[len(h)-1].At != ms(float64(i)) {
			t.Fatalf("after %d changes: %d kept, the last at %v", i+1, len(h), h[len(h)-1].At)
		}
		for j := 1; j < len(h); j++ {
			if h[j].At != h[j-1].At.Add(time.Millisecond) || h[j].From != h[j-1].To {
				t.Fatalf("after %d changes: out of order at %d", i+1, j)
			}
		}
	}
	h := r.Snapshot(0).History
	h[0].At = 42
	if r.Snapshot(0).History[0].At == 42 {
		t.Error("a snapshot's history is not a copy")
	}
}

func TestMisusePanics(t *testing.T) {
	r := newRig(t, consecutive(1, time.Second, 1))
	for name, f := range map[string]func(){
		"no outcome":      func() { r.Report(0, r.admitted(0), 0, 0) },
		"unknown outcome": func() { r.Report(0, r.admitted(0), core.Ignored+1, 0) },
		"unknown mode":    func() { r.Force(0, ForceClosed+1) },
		"no limit":        func() { _, _ = NewKeyed(consecutive(1, time.Second, 1), 0, 0) },
	} {
		func() {
			defer func() {
				if text, ok := recover().(string); !ok || len(text) < 9 || text[:9] != "breaker: " {
					t.Errorf("%s: panic %q, want one that begins with the package", name, text)
				}
			}()
			f()
			t.Errorf("%s: no panic", name)
		}()
	}
}

func TestNames(t *testing.T) {
	for got, want := range map[string]string{
		Closed.String(): "closed", Open.String(): "open", HalfOpen.String(): "half-open",
		State(9).String(): "invalid",
		Auto.String():     "auto", ForceOpen.String(): "force-open",
		ForceClosed.String(): "force-closed",
		Attempts.String():    "attempts", Calls.String(): "calls",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
