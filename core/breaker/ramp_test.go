package breaker

import (
	"math"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// closedWithRamp returns a breaker that has closed at 1 s with a ramp of 10 s.
func closedWithRamp(tb testing.TB) *rig {
	c := consecutive(2, time.Second, 1)
	c.Ramp = 10 * time.Second
	r := newRig(tb, c)
	r.run(0, failure, failure)
	r.run(ms(1000), success)
	r.is(ms(1000), Closed)
	return r
}

func TestRampLetsTrafficBackLinearly(t *testing.T) {
	r := closedWithRamp(t)
	var perSecond [12]int
	for i := range 12000 { // 1000 calls a second
		now := ms(1000 + float64(i))
		switch p := r.ask(now); {
		case p.OK():
			perSecond[i/1000]++
			r.tell(now, p, success, 0)
		case p.Reason() != core.Ramping:
			t.Fatalf("refused by %v, want ramping", p.Reason())
		}
	}
	for i, n := range perSecond {
		want := 1000.0
		if i < 10 {
			want = 1000 * (0.1 + 0.9*(float64(i)+0.5)/10)
		}
		if math.Abs(float64(n)-want) > 1.5 {
			t.Errorf("second %d after closing: %d calls passed, want %.0f", i, n, want)
		}
	}
}

// Error diffusion spreads the calls: at a tenth, every tenth call passes, the
// first of them at once.
func TestRampIsEvenAndStartsAtOnce(t *testing.T) {
	r := closedWithRamp(t)
	for i := range 40 {
		if p := r.ask(ms(1000)); p.OK() != (i%10 == 0) {
			t.Fatalf("call %d: passed %v", i, p.OK())
		}
	}
}

func TestRampEndsExactlyAndReads(t *testing.T) {
	r := closedWithRamp(t)
	if s := r.Snapshot(ms(6000)); s.Ramp != 0.55 || s.Until != ms(11000) ||
		s.RetryAfter != time.Second {
		t.Errorf("half way: share %v until %v retry after %v", s.Ramp, time.Duration(s.Until),
			s.RetryAfter)
	}
	if d := r.RetryAfter(ms(10999)); d != msd(1) {
		t.Errorf("retry after %v a millisecond before the end, want 1ms", d)
	}
	r.ask(ms(10999))
	if d := r.RetryAfter(ms(1000)); d != msd(1) {
		t.Errorf("retry after %v for a clock gone back, want as for the latest reading", d)
	}
	for range 1000 {
		r.admitted(ms(11000))
	}
	if s := r.Snapshot(ms(11000)); s.Ramp != 1 || s.RetryAfter != 0 || s.Until != 0 {
		t.Errorf("at the end: share %v retry after %v until %v", s.Ramp, s.RetryAfter, s.Until)
	}
}

// While traffic comes back the rules of closed hold, and what passes counts.
func TestRampingBreakerTrips(t *testing.T) {
	r := closedWithRamp(t)
	r.run(ms(1000), failure)
	now := ms(1001)
	for {
		if p := r.ask(now); p.OK() {
			r.tell(now, p, failure, 0)
			break
		}
		now = now.Add(time.Millisecond)
	}
	r.is(now, Open)
	r.refused(now, core.CircuitOpen)
}

func TestNoRampAfterTheOperator(t *testing.T) {
	r := closedWithRamp(t)
	r.Force(ms(1000), ForceClosed)
	for range 20 {
		r.admitted(ms(1000))
	}
	r = closedWithRamp(t)
	r.Reset(ms(1000))
	for range 20 {
		r.admitted(ms(1000))
	}
}

func TestRampOfAnyLengthStaysAShare(t *testing.T) {
	for _, length := range []time.Duration{1, time.Millisecond, 1e18, math.MaxInt64} {
		r := newRamp(math.MinInt64/2, length)
		for i := range int64(11) {
			now := r.start.Add(length / 10 * time.Duration(i))
			if s := r.share(now); s < floor || s > whole {
				t.Errorf("length %v: share %d at step %d", length, s, i)
			}
		}
	}
}
