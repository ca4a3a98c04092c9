package balance

import (
	"fmt"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

const sec = core.Instant(time.Second)

var good = Sample{Took: time.Millisecond, Outcome: core.Success, Reached: true}

// turns returns a balancer of n endpoints that take turns.
func turns(t testing.TB, n int) *Balancer {
	t.Helper()
	return balancer(t, Config{Policy: RoundRobin, SlowStart: Off}, n)
}

func balancer(t testing.TB, c Config, n int) *Balancer {
	t.Helper()
	b, err := New(c, make([]Peer, n))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// picks returns the endpoints of the next n attempts.
func picks(b *Balancer, now core.Instant, tried uint64, n int) (out []int) {
	for range n {
		i, _ := b.Pick(now, Choice{Tried: tried})
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
	expect(t, "three", picks(turns(t, 3), 0, 0, 7), 0, 1, 2, 0, 1, 2, 0)
	expect(t, "one", picks(turns(t, 1), 0, 0, 3), 0, 0, 0)
	for _, n := range []int{2, 63, 64} {
		b := turns(t, n)
		for range 5 {
			for want := range n {
				if i, ok := b.Pick(0, Choice{}); i != want || !ok {
					t.Fatalf("of %d: picked %d, %v, want %d", n, i, ok, want)
				}
			}
		}
		for i, e := range b.Snapshot(0) {
			if e.Picked != 5 || e.InFlight != 5 {
				t.Errorf("of %d: endpoint %d got %d of %d attempts", n, i, e.Picked, 5*n)
			}
		}
	}
}

// The processes of a fleet start together, and not all at the first endpoint.
func TestTurnsBeginAnywhere(t *testing.T) {
	for _, draw := range []float64{0, 0.3, 0.5, 0.999} {
		b := turns(t, 4)
		if i, _ := b.Pick(0, Choice{Draw: draw}); i != int(4*draw) {
			t.Errorf("with a draw of %v the first is %d", draw, i)
		}
		expect(t, "then by turns", picks(b, 0, 0, 1), (int(4*draw)+1)%4)
	}
}

func TestTriedEndpointsAreAvoided(t *testing.T) {
	b := turns(t, 3)
	expect(t, "but for 0", picks(b, 0, 0b001, 4), 1, 2, 1, 2)
	expect(t, "but for 0 and 2", picks(b, 0, 0b101, 2), 1, 1)
	expect(t, "all tried, so any in turn", picks(b, 0, 0b111, 4), 2, 0, 1, 2)
	expect(t, "bits without an endpoint", picks(b, 0, ^uint64(7), 3), 0, 1, 2)
	for tried, want := range map[uint64]bool{0: true, 0b001: true, 0b111: false, ^uint64(0): false} {
		if got := b.Elsewhere(0, Choice{Tried: tried}); got != want {
			t.Errorf("with %b tried there is another: %v", tried, got)
		}
	}
	if b.Elsewhere(0, Choice{Tried: 0b001, Only: 0b001}) {
		t.Error("there is another of one")
	}
}

// A retry that would go to a tried endpoint because the others rest does not go
// elsewhere.
func TestRestingIsNotElsewhere(t *testing.T) {
	b := turns(t, 2)
	picks(b, 0, 0, 2)
	b.Report(0, 0, Sample{Outcome: core.Failure})
	if b.Elsewhere(0, Choice{Tried: 0b10}) || !b.Elsewhere(sec, Choice{Tried: 0b10}) {
		t.Error("an endpoint that rests counts, or one that is due for a trial does not")
	}
	b.Report(0, 1, Sample{Outcome: core.Failure})
	if !b.Elsewhere(0, Choice{Tried: 0b10}) {
		t.Error("where all rest the untried one is guessed at")
	}
}

func TestRestDoublesToTenSeconds(t *testing.T) {
	b := turns(t, 2)
	now := core.Instant(0)
	picks(b, now, 0, 1)
	b.Report(now, 0, Sample{Outcome: core.Failure})
	rests := []core.Instant{1, 2, 4, 8}
	for range 100 {
		rests = append(rests, 10)
	}
	for _, rest := range rests {
		expect(t, "still resting", picks(b, now+rest*sec-1, 0, 2), 1, 1)
		now += rest * sec
		expect(t, "the trial", picks(b, now, 0, 2), 0, 1)
		b.Report(now, 0, Sample{Outcome: core.Failure})
	}
}

// Fifty attempts in flight fail together: that is one failure, not fifty. One
// that ends well after all says nothing about now.
func TestFailingTogetherCountsOnce(t *testing.T) {
	b := turns(t, 2)
	picks(b, 0, 0b10, 51)
	for i := range 50 {
		b.Report(core.Instant(i), 0, Sample{Outcome: core.Failure})
	}
	b.Report(50, 0, good)
	if got := b.Snapshot(50)[0]; got.Failures != 1 || !got.Resting {
		t.Errorf("%+v", got)
	}
	expect(t, "after one second", picks(b, sec, 0, 2), 1, 0)
}

// A trial that never reports, or of which nothing is known, does not keep the
// endpoint out for ever, and does not end its rest.
func TestLostTrialIsReplaced(t *testing.T) {
	for _, p := range []Policy{RoundRobin, TwoChoices} {
		b := balancer(t, Config{Policy: p}, 2)
		picks(b, 0, 0b10, 1)
		picks(b, 0, 0b01, 1)
		b.Report(0, 0, Sample{Outcome: core.Failure})
		expect(t, "the trial", picks(b, sec, 0, 2), 0, 1)
		b.Report(sec, 0, Sample{Outcome: core.Timeout, Took: time.Second})
		expect(t, "before the next", picks(b, 2*sec-1, 0, 2), 1, 1)
		expect(t, "the next", picks(b, 2*sec, 0, 2), 0, 1)
		b.Report(2*sec, 0, Sample{Outcome: core.Cancelled})
		if !b.Snapshot(2 * sec)[0].Resting {
			t.Error("a caller that left has ended the rest")
		}
	}
}

// A caller with an old reading of the clock changes nothing about time.
func TestTimeNeverGoesBack(t *testing.T) {
	b := turns(t, 2)
	b.Pick(100*sec, Choice{Tried: 0b10})
	b.Report(90*sec, 0, Sample{Outcome: core.Failure})
	if got := b.Snapshot(95 * sec)[0].Trial; got != time.Second {
		t.Errorf("the rest that begins now lasts %v more", got)
	}
	b.Pick(101*sec, Choice{Tried: 0b01})
	expect(t, "the trial is due although asked with an old clock", picks(b, 0, 0b10, 1), 0)
}

func TestF136PanicIsExplicit(t *testing.T) {
	for _, c := range []struct {
		panic float64
		out   uint64 // marked
		want  uint64 // picked
	}{
		{0.5, 0b0111, 0b1111}, {Off, 0b0111, 0b1000}, {Off, 0b1111, 0}, {0.5, 0b1111, 0b1111},
		{0.5, 0b0011, 0b1100}, {0.51, 0b0011, 0b1111}, {1, 0b0001, 0b1111}, {0.25, 0b0111, 0b1000},
	} {
		for _, p := range []Policy{TwoChoices, RoundRobin} {
			b := balancer(t, Config{Policy: p, Panic: c.panic, SlowStart: Off}, 4)
			for i := range 4 {
				if c.out>>i&1 != 0 {
					b.Mark(0, i, Ejected, true)
				}
			}
			got := uint64(0)
			for n := range 400 {
				if i, ok := b.Pick(0, Choice{Draw: float64(n) / 400}); ok {
					got |= 1 << i
				}
			}
			if got != c.want {
				t.Errorf("panic %v, %04b out: picked %04b, want %04b", c.panic, c.out, got, c.want)
			}
			panicked := c.want&c.out != 0
			if b.Panics() != panicked {
				t.Errorf("panic %v, %04b out: says panic %v", c.panic, c.out, b.Panics())
			}
		}
	}
}

func TestF137NoEndpointsAnswersAtOnce(t *testing.T) {
	b := turns(t, 0)
	if i, ok := b.Pick(0, Choice{}); ok || i != 0 {
		t.Errorf("picked %d, %v", i, ok)
	}
	if got := b.Snapshot(0); len(got) != 0 || b.Panics() {
		t.Errorf("%+v", got)
	}
}

// An endpoint that was removed and added again starts afresh, whatever was known
// of it.
func TestF137AddedAgainIsNew(t *testing.T) {
	b := turns(t, 2)
	b.Pick(0, Choice{})
	b.Report(0, 0, Sample{Outcome: core.Failure, Took: time.Second})
	b.Mark(0, 0, Ejected|Unhealthy, true)
	b.Remove(0)
	if i, ok := b.Add(1, Peer{}, Up); i != 0 || !ok {
		t.Fatalf("added as %d, %v", i, ok)
	}
	if got := b.Snapshot(1)[0]; got.State != Up || got.Resting || got.Latency != 0 || got.Failing != 0 {
		t.Errorf("%+v", got)
	}
	expect(t, "added again", picks(b, 2, 0b10, 1), 0)
}

func TestAllPlacesAreTaken(t *testing.T) {
	b := turns(t, 63)
	if i, ok := b.Add(0, Peer{}, Draining); i != 63 || !ok {
		t.Errorf("added as %d, %v", i, ok)
	}
	if _, ok := b.Add(0, Peer{}, Up); ok {
		t.Error("there are 65")
	}
	picks(b, 0, 0, 1)
	b.Remove(0)
	b.Remove(0)
	if _, ok := b.Add(0, Peer{}, Up); ok {
		t.Error("the place of one that drains was given away")
	}
	b.Report(0, 0, Sample{Outcome: core.Success, Reached: true, Open: true})
	if _, ok := b.Add(0, Peer{}, Up); ok {
		t.Error("the place of one with an open answer was given away")
	}
	b.Done(0)
	if i, ok := b.Add(0, Peer{Weight: 3}, Up); i != 0 || !ok || b.Snapshot(0)[0].Weight != 3 {
		t.Errorf("added as %d, %v", i, ok)
	}
}

func TestMisusePanics(t *testing.T) {
	for want, misuse := range map[string]func(){
		"balance: Report of endpoint 0 without a Pick":       func() { turns(t, 2).Report(0, 0, good) },
		"balance: Report of endpoint 2 without a Pick":       func() { turns(t, 2).Report(0, 2, good) },
		"balance: Report of endpoint -1 without a Pick":      func() { turns(t, 2).Report(0, -1, good) },
		"balance: Done of endpoint 1 without an open answer": func() { turns(t, 2).Done(1) },
		"balance: Mark of endpoint 2, which is not there":    func() { turns(t, 2).Mark(0, 2, Ejected, true) },
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
