package breaker

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/window"
)

// These tests carry the ids of field reports: faults that people met in other
// breakers. Times are milliseconds from the origin.

func TestF001LateResultChangesNothing(t *testing.T) {
	r := newRig(t, consecutive(1, msd(100), 1))
	a := r.admitted(0)
	r.run(ms(10), failure)
	r.is(ms(10), Open)
	c := r.trial(ms(110))
	if ch := r.tell(ms(120), a, success, msd(120)); !ch.Late || ch.Happened() {
		t.Errorf("late report gave %+v, want late and no change", ch)
	}
	r.is(ms(120), HalfOpen)
	if late := r.Snapshot(ms(120)).Late; late != 1 {
		t.Errorf("late = %d, want 1", late)
	}
	r.tell(ms(130), c, failure, 0)
	r.is(ms(130), Open)
	if until := r.Snapshot(ms(130)).Until; until != ms(230) {
		t.Errorf("open until %v, want 230ms", time.Duration(until))
	}
}

func TestF003NeutralTrialGivesPermitBack(t *testing.T) {
	r := newRig(t, consecutive(1, msd(100), 2))
	r.run(0, failure)
	at := ms(100)
	one, two := r.trial(at), r.trial(at)
	r.tell(at, one, success, 0)
	r.tell(at, two, ignored, 0)
	r.is(at, HalfOpen)
	if s := r.Snapshot(at); s.Passed != 1 || s.Failed != 0 || s.InFlight != 0 {
		t.Errorf("trials passed %d failed %d in flight %d; want 1, 0, 0", s.Passed, s.Failed,
			s.InFlight)
	}
	three := r.trial(ms(1e9)) // whenever it comes
	r.refused(ms(1e9), core.TrialsTaken)
	r.tell(ms(1e9), three, success, 0)
	r.is(ms(1e9), Closed)
}

func TestF004NeutralIsNeutralInHalfOpen(t *testing.T) {
	for _, neutral := range []core.Outcome{ignored, canceled} {
		r := newRig(t, consecutive(1, msd(100), 1))
		r.run(0, failure)
		r.tell(ms(100), r.trial(ms(100)), neutral, 0)
		r.is(ms(100), HalfOpen)
		r.tell(ms(101), r.trial(ms(101)), success, 0)
		r.is(ms(101), Closed)
	}
}

func TestF005CancelReleasesTheTrial(t *testing.T) {
	for _, held := range []float64{50, 0} { // 0: cancelled before anything ran
		r := newRig(t, consecutive(1, msd(100), 1))
		r.run(0, failure)
		p := r.trial(ms(100))
		r.tell(ms(100+held), p, canceled, msd(held))
		next := r.trial(ms(101 + held))
		r.tell(ms(101+held), next, success, 0)
		r.is(ms(101+held), Closed)
	}
}

func TestF007MinCallsIsForClosedOnly(t *testing.T) {
	r := newRig(t, Config{
		Window: window.Config{Over: time.Second, Buckets: 10}, MinCalls: 10, Failures: 0.5,
		Open: Pause{For: 5 * time.Second}, Trials: Trials{Calls: 1},
	})
	r.run(0, slices.Repeat([]core.Outcome{failure}, 10)...)
	r.is(0, Open)
	r.tell(ms(5000), r.trial(ms(5000)), failure, 0)
	r.is(ms(5000), Open)
	r.refused(ms(9999), core.CircuitOpen)
	r.tell(ms(10000), r.trial(ms(10000)), success, 0)
	r.is(ms(10000), Closed)
}

// Our rule is "admitted per half-open period", so the call at 1101 is refused
// although a trial has ended.
func TestF008HalfOpenIsNoFlood(t *testing.T) {
	r := newRig(t, consecutive(1, time.Second, 2))
	r.run(0, failure)
	var admitted []Permit
	for range 50 {
		if p := r.ask(ms(1000)); p.OK() {
			admitted = append(admitted, p)
		} else if p.Reason() != core.TrialsTaken {
			t.Fatalf("refused by %v, want trials-taken", p.Reason())
		}
	}
	if len(admitted) != 2 {
		t.Fatalf("%d trials admitted, want 2", len(admitted))
	}
	r.tell(ms(1100), admitted[0], success, 0)
	r.refused(ms(1101), core.TrialsTaken)
}

func TestF009ReleaseIsIdempotentAndBoundToItsEra(t *testing.T) {
	r := newRig(t, consecutive(1, msd(100), 2))
	r.run(0, failure)
	at := ms(100)
	one, two := r.trial(at), r.trial(at)
	r.tell(at, one, canceled, 0)
	if ch := r.tell(at, one, canceled, 0); !ch.Late {
		t.Error("the second release of a permit was taken")
	}
	r.trial(at)
	r.refused(at, core.TrialsTaken)

	r.tell(at, two, failure, 0) // this period is over
	at = ms(200)
	r.trial(at)
	r.tell(at, two, canceled, 0)
	if s := r.Snapshot(at); s.InFlight != 1 {
		t.Errorf("in flight %d after a permit of another era came back, want 1", s.InFlight)
	}
	r.trial(at)
	r.refused(at, core.TrialsTaken)
}

func TestF011RefusalsTellTheStatesApart(t *testing.T) {
	r := newRig(t, consecutive(1, time.Second, 3))
	r.run(0, failure)
	at := ms(1000)
	p := r.trial(at)
	r.trial(at)
	r.trial(at)
	r.refused(at, core.TrialsTaken)
	r.tell(at, p, failure, 0)
	r.refused(at, core.CircuitOpen)
	h := r.Snapshot(at).History
	if last := h[len(h)-1]; last.Counts != (window.Counts{Calls: 1, Failed: 1}) {
		t.Errorf("the trials counted %+v, want the one failure; refusals count nowhere",
			last.Counts)
	}
}

// Our verdict comes as soon as it is certain: four of five must pass, so the
// fourth success closes and the fifth trial, still running, reports late.
func TestF012ClosingEmptiesTheWindow(t *testing.T) {
	r := newRig(t, Config{
		Window: window.Config{Calls: 4}, MinCalls: 4, Failures: 0.5,
		Open: Pause{For: time.Second}, Trials: Trials{Calls: 5, Pass: 0.8, Wait: 24 * time.Hour},
	})
	r.run(0, slices.Repeat([]core.Outcome{failure}, 4)...)
	at := ms(1000)
	fifth := r.trial(at)
	for range 4 {
		p := r.trial(at)
		r.tell(at, p, success, 0)
		at = at.Add(time.Hour) // half-open counts calls, not time
	}
	r.is(at, Closed)
	r.tell(at, fifth, failure, 0)
	r.counts(at, window.Counts{})
	r.run(at, failure, failure, success)
	r.counts(at, window.Counts{Calls: 3, Failed: 2})
	r.is(at, Closed)
	r.run(at, failure)
	r.is(at, Open)
}

func TestF013TimeAloneMakesItReady(t *testing.T) {
	r := newRig(t, consecutive(1, time.Second, 1))
	r.run(0, failure)
	for at := 100.0; at < 1000; at += 100 {
		r.refused(ms(at), core.CircuitOpen)
	}
	r.refused(ms(999), core.CircuitOpen)
	r.trial(ms(1000))

	r = newRig(t, consecutive(1, time.Second, 1)) // and without calls
	r.run(0, failure)
	if s := r.Snapshot(ms(999)); s.State != Open || s.Ready || s.RetryAfter != msd(1) {
		t.Errorf("@999: state %v ready %v retry %v, want open, not ready, 1ms", s.State, s.Ready,
			s.RetryAfter)
	}
	for range 3 {
		if s := r.Snapshot(ms(1000)); s.State != Open || !s.Ready || s.RetryAfter != 0 {
			t.Errorf("@1000: state %v ready %v retry %v, want open and ready", s.State, s.Ready,
				s.RetryAfter)
		}
	}
	r.trial(ms(1001))
}

func TestF015ShortOpenTime(t *testing.T) {
	r := newRig(t, consecutive(1, msd(1), 1))
	r.run(0, failure)
	r.refused(0, core.CircuitOpen)
	r.trial(ms(1))
	r.refused(ms(1), core.TrialsTaken)

	_, err := New(consecutive(1, 0, 1), 0)
	if err == nil || !strings.HasPrefix(err.Error(), "Open.For: is 0s; give") {
		t.Errorf("open time 0 gave %v, want an error that names Open.For", err)
	}
}
