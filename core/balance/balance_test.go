package balance

import (
	"fmt"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

const sec = core.Instant(time.Second)

// picks returns the endpoints of the next n attempts.
func picks(b *Balancer, now core.Instant, tried uint64, n int) (out []int) {
	for range n {
		i, _ := b.Pick(now, tried)
		out = append(out, i)
	}
	return out
}

func expect(t *testing.T, what string, got []int, want ...int) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestEndpointsTakeTurns(t *testing.T) {
	expect(t, "three", picks(New(3), 0, 0, 7), 0, 1, 2, 0, 1, 2, 0)
	expect(t, "one", picks(New(1), 0, 0, 3), 0, 0, 0)
	for _, n := range []int{2, 63, 64} {
		b := New(n)
		for range 5 {
			for want := range n {
				if i, ok := b.Pick(0, 0); i != want || !ok {
					t.Fatalf("of %d: picked %d, %v, want %d", n, i, ok, want)
				}
			}
		}
		for i, e := range b.Snapshot(0) {
			if e.Picked != 5 {
				t.Errorf("of %d: endpoint %d got %d of %d attempts", n, i, e.Picked, 5*n)
			}
		}
	}
}

func TestTriedEndpointsAreAvoided(t *testing.T) {
	b := New(3)
	expect(t, "but for 0", picks(b, 0, 0b001, 4), 1, 2, 1, 2)
	expect(t, "but for 0 and 2", picks(b, 0, 0b101, 2), 1, 1)
	expect(t, "all tried, so any in turn", picks(b, 0, 0b111, 4), 2, 0, 1, 2)
	expect(t, "bits without an endpoint", picks(b, 0, ^uint64(7), 3), 0, 1, 2)
}

// The one that is down costs one attempt, then it rests and the others share.
func TestUnreachableRests(t *testing.T) {
	b := New(3)
	b.Report(0, 1, false)
	expect(t, "while 1 rests", picks(b, sec-1, 0, 4), 0, 2, 0, 2)
	// Its rest is over: one attempt tries it, all others keep away.
	expect(t, "the trial", picks(b, sec, 0, 5), 0, 1, 2, 0, 2)
	b.Report(sec+5, 1, true)
	expect(t, "it is back", picks(b, sec+5, 0, 3), 0, 1, 2)
}

func TestRestDoublesToTenSeconds(t *testing.T) {
	b := New(2)
	now := core.Instant(0)
	b.Report(now, 0, false)
	rests := []core.Instant{1, 2, 4, 8}
	for range 100 {
		rests = append(rests, 10)
	}
	for _, rest := range rests {
		expect(t, "still resting", picks(b, now+rest*sec-1, 0, 2), 1, 1)
		now += rest * sec
		expect(t, "the trial", picks(b, now, 0, 2), 0, 1)
		b.Report(now, 0, false)
	}
	// Once it has answered the count starts anew.
	expect(t, "the last trial", picks(b, now+10*sec, 0, 1), 0)
	b.Report(now+10*sec, 0, true)
	b.Report(now+10*sec, 0, false)
	if got := b.Snapshot(now + 10*sec)[0]; got.Trial != time.Second || got.Failures != 1 {
		t.Errorf("after an answer the next rest is %+v", got)
	}
}

// Fifty attempts in flight fail together: that is one failure, not fifty.
func TestFailingTogetherCountsOnce(t *testing.T) {
	b := New(2)
	for i := range 50 {
		b.Report(core.Instant(i), 0, false)
	}
	if got := b.Snapshot(0)[0]; got.Failures != 1 || !got.Resting {
		t.Errorf("%+v", got)
	}
	expect(t, "after one second", picks(b, sec, 0, 2), 0, 1)
}

// An attempt that began before the rest and ends well says nothing about now.
func TestOldGoodNewsDoesNotEndARest(t *testing.T) {
	b := New(2)
	b.Report(0, 0, false)
	b.Report(1, 0, true)
	expect(t, "it rests", picks(b, 2, 0, 2), 1, 1)
}

// A trial that never reports does not keep the endpoint out for ever.
func TestLostTrialIsReplaced(t *testing.T) {
	b := New(2)
	b.Report(0, 0, false)
	expect(t, "the trial", picks(b, sec, 0, 2), 0, 1)
	expect(t, "before the next", picks(b, 2*sec-1, 0, 2), 1, 1)
	expect(t, "the next", picks(b, 2*sec, 0, 2), 0, 1)
}

// A retry prefers an endpoint that is up, although tried, to one that rests.
func TestTriedButUpBeatsResting(t *testing.T) {
	b := New(2)
	b.Report(0, 0, false)
	expect(t, "1 was tried", picks(b, 1, 0b10, 2), 1, 1)
}

// When nobody can be reached the attempt goes where the last failure or try
// is the longest ago, first among those that this call has not tried.
func TestAllResting(t *testing.T) {
	b := New(3)
	for _, i := range []int{2, 0, 1} {
		b.Report(0, i, false)
	}
	expect(t, "each once, oldest failure first", picks(b, 1, 0, 4), 2, 0, 1, 2)
	expect(t, "2 was tried", picks(b, 1, 0b100, 2), 0, 1)
	expect(t, "all were tried", picks(b, 1, 0b111, 2), 2, 0)
	// Guesses that fail do not make the rest longer, one that succeeds ends it.
	b.Report(2, 2, false)
	b.Report(3, 0, true)
	got := b.Snapshot(3)
	if got[2].Failures != 1 || got[2].Trial != time.Second-3 {
		t.Errorf("after a failed guess: %+v", got[2])
	}
	if got[0].Resting || got[0].Failures != 0 {
		t.Errorf("after a good guess: %+v", got[0])
	}
	expect(t, "0 is back", picks(b, 4, 0, 2), 0, 0)
}

// A caller with an old reading of the clock changes nothing about time.
func TestTimeNeverGoesBack(t *testing.T) {
	b := New(2)
	b.Pick(100*sec, 0b10)
	b.Report(90*sec, 0, false)
	if got := b.Snapshot(95 * sec)[0].Trial; got != time.Second {
		t.Errorf("the rest that begins now lasts %v more", got)
	}
	b.Pick(101*sec, 0b01)
	expect(t, "the trial is due although asked with an old clock", picks(b, 0, 0b10, 1), 0)
}

func TestF137NoEndpointsAnswersAtOnce(t *testing.T) {
	b := New(0)
	if i, ok := b.Pick(0, 0); ok || i != 0 {
		t.Errorf("picked %d, %v", i, ok)
	}
	if got := b.Snapshot(0); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// A changed set of endpoints is a new balancer: an endpoint that was removed
// and added again starts afresh, whatever was known of it.
func TestF137AddedAgainIsNew(t *testing.T) {
	b := New(2)
	b.Report(0, 0, false)
	expect(t, "resting", picks(b, 1, 0, 2), 1, 1)
	expect(t, "added again", picks(New(2), 2, 0, 2), 0, 1)
}

func TestMisusePanics(t *testing.T) {
	for want, misuse := range map[string]func(){
		"balance: New with -1 endpoints; it takes 0 to 64": func() { New(-1) },
		"balance: New with 65 endpoints; it takes 0 to 64": func() { New(65) },
		"balance: Report of endpoint 2 of 2":               func() { New(2).Report(0, 2, true) },
		"balance: Report of endpoint -1 of 2":              func() { New(2).Report(0, -1, true) },
	} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("panic %v, want %q", got, want)
				}
			}()
			misuse()
		}()
	}
}

func TestPickAndReportDoNotAllocate(t *testing.T) {
	b := New(4)
	b.Report(0, 3, false)
	now := core.Instant(0)
	if got := testing.AllocsPerRun(200, func() {
		now += sec / 3
		i, _ := b.Pick(now, 0b10)
		b.Report(now, i, i != 3)
	}); got != 0 {
		t.Errorf("allocates %v times", got)
	}
}
