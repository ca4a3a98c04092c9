package breaker

import (
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/window"
)

const (
	success  = core.Success
	failure  = core.Failure
	timeout  = core.Timeout
	ignored  = core.Ignored
	canceled = core.Cancelled
)

// ms is an instant that many milliseconds after the origin.
func ms(n float64) core.Instant { return core.Instant(n * 1e6) }

func msd(n float64) time.Duration { return time.Duration(n * 1e6) }

// consecutive is the config of the field cases: it trips on n failures in a
// row, stays open for open and lets ho trials through.
func consecutive(n int, open time.Duration, ho int) Config {
	return Config{
		Window: window.Config{Consecutive: n},
		Open:   Pause{For: open}, Trials: Trials{Calls: ho},
	}
}

// rig drives one breaker in a test.
type rig struct {
	testing.TB
	*Breaker
	changes []Change
	passed  int // calls that were admitted
}

func newRig(tb testing.TB, c Config) *rig {
	tb.Helper()
	return &rig{TB: tb, Breaker: mustNew(tb, c)}
}

// ask admits a call and notes the change it made.
func (r *rig) ask(now core.Instant) Permit {
	p, ch := r.Breaker.Admit(now)
	r.note(ch)
	if p.OK() {
		r.passed++
	}
	return p
}

func (r *rig) tell(now core.Instant, p Permit, o core.Outcome, took time.Duration) Change {
	r.Helper()
	ch := r.Breaker.Report(now, p, o, took)
	r.note(ch)
	return ch
}

func (r *rig) note(ch Change) {
	if ch.Happened() {
		r.changes = append(r.changes, ch)
	}
}

// run makes one call that must be admitted and takes no time.
func (r *rig) run(now core.Instant, outcomes ...core.Outcome) {
	r.Helper()
	for _, o := range outcomes {
		p := r.admitted(now)
		r.tell(now, p, o, 0)
	}
}

func (r *rig) admitted(now core.Instant) Permit {
	r.Helper()
	p := r.ask(now)
	if !p.OK() {
		r.Fatalf("@%v: refused (%v), want admitted", time.Duration(now), p.Reason())
	}
	return p
}

func (r *rig) trial(now core.Instant) Permit {
	r.Helper()
	p := r.admitted(now)
	if !p.Trial() {
		r.Fatalf("@%v: admitted as an ordinary call, want a trial", time.Duration(now))
	}
	return p
}

func (r *rig) refused(now core.Instant, why core.Reason) {
	r.Helper()
	if p := r.ask(now); p.OK() || p.Reason() != why {
		r.Fatalf("@%v: got ok=%v reason %v, want refused by %v", time.Duration(now), p.OK(),
			p.Reason(), why)
	}
}

func (r *rig) is(now core.Instant, want State) {
	r.Helper()
	if got := r.Snapshot(now).State; got != want {
		r.Fatalf("@%v: state is %v, want %v", time.Duration(now), got, want)
	}
}

func (r *rig) counts(now core.Instant, want window.Counts) {
	r.Helper()
	if got := r.Snapshot(now).Window; got != want {
		r.Fatalf("@%v: window holds %+v, want %+v", time.Duration(now), got, want)
	}
}
