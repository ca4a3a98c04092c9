package deadline

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

const ms = core.Instant(time.Millisecond)

func left(end, now core.Instant) core.Instant { return core.Instant(end.Sub(now)) }

// A call gets the smaller of its own timeout and what is left minus the
// reserve. Calls one after another share that, calls side by side each get all.
func TestT3SmallerOfOwnAndLeft(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	upTo := func(limit int64) time.Duration { return time.Duration(random.Int64N(limit + 1)) }
	for range 50_000 {
		now := core.Instant(random.Int64N(2e12) - 1e12)
		caller := now.Add(upTo(2e9) - 1e8)
		c := Config{Request: upTo(1e9), Total: upTo(1e9), Reserve: upTo(1e8)}
		rest := caller.Sub(now) - c.Reserve
		call := c.CallDeadline(now, caller)
		want := rest
		if c.Total > 0 {
			want = min(want, c.Total)
		}
		if got := call.Sub(now); got != want {
			t.Fatalf("%+v, %v before the caller's deadline: call gets %v, want %v",
				c, rest, got, want)
		}
		parallel := [2]core.Instant{c.AttemptDeadline(now, call), c.AttemptDeadline(now, call)}
		if c.Request > 0 {
			want = min(want, c.Request)
		}
		if parallel[0] != parallel[1] || parallel[0].Sub(now) != want {
			t.Fatalf("%+v: attempts side by side get until %v, want %v each", c, parallel, want)
		}
		// One after another: whatever the first uses, the second may not pass
		// the deadline that both share.
		later := now.Add(upTo(2e9))
		if c.AttemptDeadline(later, call) > call {
			t.Fatalf("%+v: a second attempt passes the deadline of its call", c)
		}
	}
}

func TestT4WorkThatCannotFinishIsRefused(t *testing.T) {
	tests := []struct {
		left  core.Instant
		needs time.Duration
		want  core.Reason
	}{
		{40, 80 * time.Millisecond, core.DeadlineTooShort},
		{20, 80 * time.Millisecond, core.DeadlineTooShort},
		{50, 2 * time.Second, core.DeadlineTooShort},
		{79, 80 * time.Millisecond, core.DeadlineTooShort},
		{80, 80 * time.Millisecond, core.NoReason},
		{1, 0, core.NoReason},
		{0, 0, core.DeadlineExceeded},
		{0, 80 * time.Millisecond, core.DeadlineExceeded},
		{-5, 0, core.DeadlineExceeded},
	}
	for _, test := range tests {
		got := Config{Needs: test.needs}.Check(1000*ms, (1000+test.left)*ms)
		if got != test.want {
			t.Errorf("%d ms left, %v needed: %v, want %v", test.left, test.needs, got, test.want)
		}
	}
	// What expired in the queue is dropped unrun, though it was fine when it came.
	c, call := Config{}, 100*ms
	if c.Check(0, call) != core.NoReason || c.Check(100*ms, call) != core.DeadlineExceeded {
		t.Error("a call that queued until its deadline is run")
	}
}

func TestT5Timelines(t *testing.T) {
	// 2 s in all, 1.5 s gone: the next hop gets 500 ms.
	if got := (Config{}).CallDeadline(1500*ms, 2000*ms); left(got, 1500*ms) != 500*ms {
		t.Errorf("the next hop gets %d ms, want 500", left(got, 1500*ms)/ms)
	}
	// The edge gives 300 ms and keeps 20 for itself: the ranker has 280, and
	// at 280 the stale answer must be on its way.
	edge := Config{Reserve: 20 * time.Millisecond}
	call := edge.CallDeadline(0, 300*ms)
	if call != 280*ms {
		t.Errorf("the ranker gets %d ms, want 280", call/ms)
	}
	// A second copy that starts at 40 ms shares that deadline and has 240.
	if got := edge.AttemptDeadline(40*ms, call); left(got, 40*ms) != 240*ms {
		t.Errorf("the hedge gets %d ms, want 240", left(got, 40*ms)/ms)
	}
	for now, want := range map[core.Instant]core.Reason{
		65 * ms: core.NoReason, 280*ms - 1: core.NoReason, 280 * ms: core.DeadlineExceeded,
	} {
		if got := edge.Check(now, call); got != want {
			t.Errorf("after %d ms: %v, want %v", now/ms, got, want)
		}
	}
}

// What travels is a duration. Two machines whose clocks differ by any amount,
// or whose clock is set between sending and receiving, agree on the time left
// to within what the network took.
func TestT7ClocksOfTwoMachines(t *testing.T) {
	const network = 3 * ms
	for _, skew := range []core.Instant{0, 3600e3 * ms, -3600e3 * ms, -5e9 * ms, 1e9 * ms} {
		sent, call := 1000*ms, 1400*ms // by the sender's clock
		headers := map[string]string{
			Header:     EncodeMillis(call.Sub(sent)),
			GRPCHeader: EncodeGRPC(call.Sub(sent)),
		}
		received := sent + network + skew // by the receiver's
		rest, found, err := Read(func(name string) string { return headers[name] })
		if !found || err != nil || rest != 400*time.Millisecond {
			t.Fatalf("400 ms arrive as %v, %v, %v", rest, found, err)
		}
		end := Config{}.CallDeadline(received, received.Add(rest))
		if got := end - skew - call; got != network {
			t.Errorf("skew %d ms: the receiver works until %d ms after the sender's deadline",
				skew/ms, got/ms)
		}
	}
}
