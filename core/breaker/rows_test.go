package breaker

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/window"
)

// The rows B1 to B4 are published runs of other breakers, each with its
// own rules. Here the same calls must give the same answers.

// b1Config keeps 20 results and decides by 10; half of them failed or slow
// open it for 5 s; three trials must all pass.
var b1Config = Config{
	Window: window.Config{Calls: 20}, MinCalls: 10, Failures: 0.5,
	Slow: Slow{Over: msd(500), Share: 0.5},
	Open: Pause{For: 5 * time.Second}, Trials: Trials{Calls: 3},
}

// b1Call is the dependency of B1: no answer within the 250 ms timeout from 5 s
// to 15 s, else 20 ms and one call in twenty failing.
func b1Call(i int) (core.Outcome, time.Duration) {
	switch at := float64(i) * 100; {
	case at >= 5000 && at < 15000:
		return timeout, msd(250)
	case i%20 == 0:
		return failure, msd(20)
	}
	return success, msd(20)
}

var b1Want = []Transition{
	{At: ms(6050), From: Closed, To: Open, Reason: core.FailureRate},
	{At: ms(11100), From: Open, To: HalfOpen, Reason: core.OpenElapsed},
	{At: ms(11350), From: HalfOpen, To: Open, Reason: core.TrialFailed},
	{At: ms(16400), From: Open, To: HalfOpen, Reason: core.OpenElapsed},
	{At: ms(16620), From: HalfOpen, To: Closed, Reason: core.TrialsPassed},
}

func checkTransitions(t *testing.T, b *Breaker, want []Transition) {
	t.Helper()
	got := b.Snapshot(core.Never - 1).History
	for i := range got {
		got[i].Counts = window.Counts{}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("transitions\n got %v\nwant %v", got, want)
	}
}

// TestB1 replays the published loop as it is: a call's result is recorded, in
// the future, before the next arrival is asked. The clamp makes that harmless.
func TestB1(t *testing.T) {
	b := mustNew(t, b1Config)
	sent, fallbacks, inOutage := 0, 0, 0
	for i := range 300 {
		now := ms(float64(i) * 100)
		p, _ := b.Admit(now)
		if !p.OK() {
			fallbacks++
			continue
		}
		sent++
		if i >= 50 && i < 150 {
			inOutage++
		}
		o, took := b1Call(i)
		b.Report(now.Add(took), p, o, took)
	}
	if sent != 196 || fallbacks != 104 || inOutage != 10 {
		t.Errorf("sent %d, fallbacks %d, sent in the outage %d; want 196, 104, 10", sent, fallbacks,
			inOutage)
	}
	checkTransitions(t, b, b1Want)
}

// TestB1Prime is B1 in the order in which things happen: a result lands when
// the call ends. Two more calls slip out before the breaker opens, and two
// more trials before the first of them fails.
func TestB1Prime(t *testing.T) {
	b := mustNew(t, b1Config)
	type result struct {
		at   core.Instant
		p    Permit
		o    core.Outcome
		took time.Duration
	}
	var pending []result
	settle := func(now core.Instant) {
		slices.SortStableFunc(pending, func(x, y result) int { return cmp.Compare(x.at, y.at) })
		for len(pending) > 0 && pending[0].at <= now {
			r := pending[0]
			pending = pending[1:]
			b.Report(r.at, r.p, r.o, r.took)
		}
	}
	sent, fallbacks := 0, 0
	var trials []core.Instant
	for i := range 300 {
		now := ms(float64(i) * 100)
		settle(now)
		p, _ := b.Admit(now)
		if !p.OK() {
			fallbacks++
			continue
		}
		sent++
		if p.Trial() {
			trials = append(trials, now)
		}
		o, took := b1Call(i)
		pending = append(pending, result{now.Add(took), p, o, took})
	}
	settle(core.Never)
	if sent != 200 || fallbacks != 100 {
		t.Errorf("sent %d, fallbacks %d; want 200, 100", sent, fallbacks)
	}
	want := []core.Instant{ms(11100), ms(11200), ms(11300), ms(16400), ms(16500), ms(16600)}
	if !slices.Equal(trials, want) {
		t.Errorf("trials at %v, want %v", trials, want)
	}
	checkTransitions(t, b, b1Want)
	if late := b.Snapshot(core.Never).Late; late != 4 {
		t.Errorf("late reports %d, want 4: two after opening, two after the first trial failed",
			late)
	}
}

// TestB2 is a breaker with one trial at a time of which two must succeed. The
// published run counts a slow success as a failure; here it is counted as slow.
func TestB2(t *testing.T) {
	r := newRig(t, Config{
		Window: window.Config{Over: 10 * time.Second}, MinCalls: 10, Failures: 0.5,
		Slow: Slow{Over: time.Second, Share: 0.5},
		Open: Pause{For: 5 * time.Second}, Trials: Trials{Calls: 2, AtOnce: 1},
	})
	r.run(0, success, success, success, success, timeout, timeout, timeout, timeout, timeout)
	r.is(0, Closed)
	r.run(0, timeout)
	r.is(0, Open)
	if c := r.Snapshot(0).History[0].Counts; c != (window.Counts{Calls: 10, Failed: 6}) {
		t.Errorf("opened by %+v, want 6 of 10 failed", c)
	}
	for range 5 {
		r.refused(0, core.CircuitOpen)
		if d := r.RetryAfter(0); d != 5*time.Second {
			t.Errorf("retry after %v, want 5s", d)
		}
	}
	if r.passed != 10 {
		t.Errorf("the dependency saw %d calls, want 10", r.passed)
	}

	at := ms(5000)
	p := r.trial(at)
	r.refused(at, core.TrialsTaken)
	r.tell(at, p, timeout, 0)
	r.is(at, Open)

	at = ms(10000)
	r.tell(at, r.trial(at), success, 0)
	r.is(at, HalfOpen)
	r.tell(at, r.trial(at), success, 0)
	r.is(at, Closed)

	r.run(at, ignored)
	r.counts(at, window.Counts{})
	at = ms(11500)
	r.tell(at, r.admitted(ms(10000)), success, msd(1500))
	r.counts(at, window.Counts{Calls: 1, Slow: 1})

	at = ms(12000)
	r.run(at, slices.Repeat([]core.Outcome{timeout}, 9)...)
	r.is(at, Open)
	checkTransitions(t, r.Breaker, []Transition{
		{At: 0, From: Closed, To: Open, Reason: core.FailureRate},
		{At: ms(5000), From: Open, To: HalfOpen, Reason: core.OpenElapsed},
		{At: ms(5000), From: HalfOpen, To: Open, Reason: core.TrialFailed},
		{At: ms(10000), From: Open, To: HalfOpen, Reason: core.OpenElapsed},
		{At: ms(10000), From: HalfOpen, To: Closed, Reason: core.TrialsPassed},
		{At: ms(12000), From: Closed, To: Open, Reason: core.FailureRate},
	})

	rejectsConcurrentCalls(t, r.Breaker, at)
}

// rejectsConcurrentCalls has 16 goroutines make 100 calls each.
func rejectsConcurrentCalls(t *testing.T, b *Breaker, at core.Instant) {
	t.Helper()
	var rejected atomic.Int64
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 100 {
				if p, _ := b.Admit(at); !p.OK() && p.Reason() == core.CircuitOpen {
					rejected.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if n := rejected.Load(); n != 1600 {
		t.Errorf("rejected %d of 16 times 100 calls, want all", n)
	}
}

// TestB3 is a breaker on three failures in a row, with one trial.
func TestB3(t *testing.T) {
	r := newRig(t, Config{
		Window: window.Config{Consecutive: 3},
		Open:   Pause{For: 10 * time.Second, Growth: 2}, Trials: Trials{Calls: 1},
	})
	reached, fast := 0, 0
	for range 5 {
		if p := r.ask(0); p.OK() {
			reached++
			r.tell(0, p, failure, 0)
		} else {
			fast++
		}
	}
	if reached != 3 || fast != 2 {
		t.Errorf("%d calls reached the provider and %d failed fast, want 3 and 2", reached, fast)
	}

	at := ms(10000)
	p := r.trial(at)
	for range 3 {
		r.refused(at, core.TrialsTaken)
	}
	r.tell(at, p, success, 0)
	r.is(at, Closed)

	at = ms(25000) // closed for longer than it was open: growth starts anew
	r.run(at, failure, failure)
	r.is(at, Closed)
	r.run(at, failure)
	r.is(at, Open)
	r.refused(ms(34999), core.CircuitOpen)
	r.tell(ms(35000), r.trial(ms(35000)), failure, 0)
	r.is(ms(35000), Open)
	r.refused(ms(54999), core.CircuitOpen) // each cooldown in a row is longer: 20 s
	r.trial(ms(55000))
}

// TestB4 is a breaker over ten results that decides by five.
func TestB4(t *testing.T) {
	r := newRig(t, Config{
		Window: window.Config{Calls: 10}, MinCalls: 5, Failures: 0.5,
		Open: Pause{For: msd(200)}, Trials: Trials{Calls: 1},
	})
	var ok, failed, fast int
	check := func(now core.Instant, wantOK, wantFailed, wantFast int, state State) {
		t.Helper()
		if ok != wantOK || failed != wantFailed || fast != wantFast {
			t.Errorf("ok, failed, fast = %d, %d, %d; want %d, %d, %d", ok, failed, fast, wantOK,
				wantFailed, wantFast)
		}
		r.is(now, state)
	}
	calls := func(n int, now core.Instant, o core.Outcome) {
		for range n {
			p := r.ask(now)
			switch {
			case !p.OK():
				fast++
				continue
			case o == success:
				ok++
			default:
				failed++
			}
			r.tell(now, p, o, 0)
		}
	}
	calls(20, 0, success)
	check(0, 20, 0, 0, Closed)
	calls(100, 0, timeout)
	check(0, 20, 5, 95, Open)
	calls(20, ms(250), success)
	check(ms(250), 40, 5, 95, Closed)
}
