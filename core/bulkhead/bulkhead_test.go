package bulkhead

import (
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

const ms = core.Instant(time.Millisecond)

func TestValidateNamesFieldAndRemedy(t *testing.T) {
	for _, c := range []struct {
		cfg  Config
		want []string // the start of each line; none: valid
	}{
		{Config{Limit: 1}, nil},
		{Config{Limit: 60, Queue: 10, Wait: time.Millisecond, Holds: Attempts}, nil},
		{Config{Limit: 60, Wait: time.Second}, nil},
		{Config{}, []string{"Limit: is 0; give how many"}},
		{Config{Limit: -1, Queue: -2, Wait: -3},
			[]string{"Limit: is -1;", "Queue: is -2;", "Wait: is -3ns;"}},
		{Config{Limit: 1, Queue: 1}, []string{"Wait: is 0 although Queue"}},
		{Config{Limit: 1, Holds: 7}, []string{"Holds: is 7; use Calls or Attempts"}},
	} {
		var got []string
		if err := c.cfg.Validate(); err != nil {
			got = strings.Split(err.Error(), "\n")
		}
		if len(got) != len(c.want) {
			t.Errorf("%+v: %d errors %q, want %d", c.cfg, len(got), got, len(c.want))
			continue
		}
		for i := range got {
			if !strings.HasPrefix(got[i], c.want[i]) {
				t.Errorf("%+v: %q, want it to begin %q", c.cfg, got[i], c.want[i])
			}
		}
	}
}

func TestNewRefusesWhatValidateRefuses(t *testing.T) {
	b, err := New(Config{})
	if err == nil || b != nil || !strings.HasPrefix(err.Error(), "bulkhead: ") {
		t.Errorf("New of nothing is %v, %v", b, err)
	}
}

func TestResizeRefusedChangesNothing(t *testing.T) {
	b := must(Config{Limit: 2, Queue: 1, Wait: time.Second})
	if err := b.Resize(0, Config{Limit: 0}); err == nil {
		t.Error("Resize to nothing is accepted")
	}
	if got := b.Snapshot(0); got.Limit != 2 || got.Queue != 1 {
		t.Errorf("after a refused Resize the limit is %d and the queue %d", got.Limit, got.Queue)
	}
}

func TestNames(t *testing.T) {
	for got, want := range map[string]string{
		Calls.String(): "calls", Attempts.String(): "attempts", Holds(9).String(): "invalid",
		Waiting.String(): "waiting", Granted.String(): "granted", Expired.String(): "expired",
		Left.String(): "left", Dropped.String(): "dropped",
	} {
		if got != want {
			t.Errorf("name %q, want %q", got, want)
		}
	}
	if got := Status(9).String(); got != "invalid" {
		t.Errorf("an unknown status is %q", got)
	}
}

func TestMisusePanicsAndLeavesTheLockFree(t *testing.T) {
	b, other := must(Config{Limit: 1}), must(Config{Limit: 1})
	foreign, _ := other.Enqueue(0, Place{}, nil)
	const wrong = "bulkhead: the ticket is not from this bulkhead"
	for i, c := range []struct {
		want   string
		misuse func()
	}{
		{"bulkhead: Release without a slot held", func() { b.Release(0, Place{}) }},
		{"bulkhead: SetLimit below 1", func() { b.SetLimit(0, 0) }},
		{"bulkhead: Enqueue of no class that there is", func() { b.Enqueue(0, Place{Class: 2}, nil) }},
		{wrong, func() { b.Poll(0, foreign) }},
		{wrong, func() { b.Leave(0, foreign) }},
		{wrong, func() { b.Poll(0, &Ticket{}) }},
		{wrong, func() { b.Leave(0, nil) }},
	} {
		func() {
			defer func() {
				if got := recover(); got != c.want {
					t.Errorf("misuse %d: panic %v, want %q", i, got, c.want)
				}
			}()
			c.misuse()
		}()
		if !b.TryAcquire(0, Place{}) {
			t.Fatalf("misuse %d: the slot is gone", i)
		}
		b.Release(0, Place{})
	}
}

// echo calls back into the bulkhead from Wake, as drivers may.
type echo struct {
	b      *Bulkhead
	ticket *Ticket
	woken  int
}

func (e *echo) Wake() {
	e.woken++
	if e.ticket != nil && e.b.Poll(0, e.ticket) == Granted {
		e.b.Release(0, Place{})
	}
}

func TestWakeMayCallBack(t *testing.T) {
	b := must(Config{Limit: 1, Queue: 3, Wait: time.Second})
	b.TryAcquire(0, Place{})
	waiters := make([]*echo, 3)
	for i := range waiters {
		waiters[i] = &echo{b: b}
		waiters[i].ticket, _ = b.Enqueue(0, Place{}, waiters[i])
	}
	b.Release(0, Place{}) // each in turn polls, releases, and so wakes the next
	for i, w := range waiters {
		if w.woken != 1 {
			t.Errorf("waiter %d was woken %d times", i, w.woken)
		}
	}
	if got := b.Snapshot(0); got.InUse != 0 || got.Queued != 0 {
		t.Errorf("afterwards %+v", got)
	}
}

// A ticket that Enqueue grants at once is woken like any other, so that a
// driver need not care how it came by its slot.
func TestEnqueueWithAFreeSlotWakes(t *testing.T) {
	b := must(Config{Limit: 1})
	w := &echo{b: b}
	ticket, reason := b.Enqueue(0, Place{}, w)
	if reason != core.NoReason || w.woken != 1 || b.Poll(0, ticket) != Granted {
		t.Errorf("reason %v, woken %d times", reason, w.woken)
	}
	if _, reason := b.Enqueue(0, Place{}, w); reason != core.BulkheadFull {
		t.Errorf("with no queue and no slot the answer is %v", reason)
	}
}

func TestNothingOnTheHotPathAllocates(t *testing.T) {
	b := must(Config{Limit: 2, Queue: 1, Wait: time.Second})
	b.TryAcquire(0, Place{})
	check := func(name string, want float64, f func()) {
		if got := testing.AllocsPerRun(200, f); got != want {
			t.Errorf("%s allocates %v times, want %v", name, got, want)
		}
	}
	check("TryAcquire and Release", 0, func() { b.TryAcquire(1, Place{}); b.Release(1, Place{}) })
	b.TryAcquire(0, Place{})
	check("a refused TryAcquire", 0, func() { b.TryAcquire(1, Place{}) })
	check("queueing, polling and leaving", 1, func() {
		w, _ := b.Enqueue(1, Place{}, nil)
		b.Poll(1, w)
		b.Leave(1, w)
	})
	b.Enqueue(1, Place{}, nil)
	check("a refused Enqueue", 0, func() { b.Enqueue(1, Place{}, nil) })
	check("Snapshot", 0, func() { b.Snapshot(1) })
}
