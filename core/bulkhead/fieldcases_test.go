package bulkhead

import (
	"sort"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// Faults that people met in other bulkheads. Calls that take unequal shares of
// a limit do not exist here, so neither do the cases about them.

// The result and the end of the wait fall on the same instant. Whichever is
// handled first, exactly one thing happens to the waiter and to the slot.
func TestF107SlotAndEndOfWaitInTheSameInstant(t *testing.T) {
	for _, order := range []string{"release, poll", "poll, release"} {
		b := must(Config{Limit: 1, Queue: 1, Wait: 100 * time.Millisecond})
		b.TryAcquire(0, Place{})
		w := &echo{b: b}
		ticket, _ := b.Enqueue(0, Place{}, w)
		if order == "release, poll" {
			b.Release(100*ms, Place{})
		}
		if got := b.Poll(100*ms, ticket); got != Expired {
			t.Errorf("%s: the waiter is %v", order, got)
		}
		if order == "poll, release" {
			b.Release(100*ms, Place{})
		}
		got := b.Snapshot(100 * ms)
		want := Snapshot{Limit: 1, Peak: 1, Queue: 1, WaitedOut: 1}
		if got != want || w.woken != 0 {
			t.Errorf("%s: woken %d times, then %+v", order, w.woken, got)
		}
	}
}

func TestF108AbandonedWaiterGetsNoSlot(t *testing.T) {
	b := must(Config{Limit: 1, Queue: 5, Wait: 10 * time.Millisecond})
	now := core.Instant(0)
	for range 1000 {
		if !b.TryAcquire(now, Place{}) {
			t.Fatalf("at %d the slot is not free", now)
		}
		abandoned, _ := b.Enqueue(now, Place{}, nil)
		if got := b.Poll(now+10*ms, abandoned); got != Expired {
			t.Fatalf("at %d the abandoned waiter is %v", now, got)
		}
		b.Release(now+20*ms, Place{})
		if !b.TryAcquire(now+30*ms, Place{}) {
			t.Fatalf("at %d the next caller gets no slot", now)
		}
		if got := b.Snapshot(now + 30*ms); got.InUse != 1 || got.Queued != 0 {
			t.Fatalf("at %d: %+v", now, got)
		}
		b.Release(now+30*ms, Place{})
		now += 40 * ms
	}
}

// day runs n calls that all arrive at 0 and take 1000 ms each, and returns when
// they ended, how many were refused, and the most that ran at once.
func day(c Config, n int) (ends []core.Instant, refused, most int) {
	b := must(c)
	running, queue := []core.Instant{}, []*Ticket{}
	start := func(now core.Instant) { running = append(running, now+1000*ms) }
	for range n {
		if b.TryAcquire(0, Place{}) {
			start(0)
		} else if t, _ := b.Enqueue(0, Place{}, nil); t != nil {
			queue = append(queue, t)
		} else {
			refused++
		}
	}
	for len(running) > 0 {
		most = max(most, len(running))
		sort.Slice(running, func(i, j int) bool { return running[i] < running[j] })
		now := running[0]
		running = running[1:]
		ends = append(ends, now)
		b.Release(now, Place{})
		for len(queue) > 0 && b.Poll(now, queue[0]) == Granted {
			queue = queue[1:]
			start(now)
		}
	}
	return ends, refused, most
}

func TestF109QueuedCallsAllRunAndNeverTooMany(t *testing.T) {
	ends, refused, most := day(Config{Limit: 1, Queue: 3, Wait: time.Minute}, 3)
	want := []core.Instant{1000 * ms, 2000 * ms, 3000 * ms}
	if len(ends) != 3 || ends[0] != want[0] || ends[1] != want[1] || ends[2] != want[2] {
		t.Errorf("calls end at %v, want %v", ends, want)
	}
	if refused != 0 || most != 1 {
		t.Errorf("%d refused, %d at once", refused, most)
	}
}

// The bulkhead does not know contexts; the driver asks its caller's before it
// acquires. What remains here is that a caller who is gone by the time it would
// get its slot takes nothing, whichever comes first.
func TestF111CancelledCallerTakesNothing(t *testing.T) {
	for _, order := range []string{"grant, cancel", "cancel, grant", "free"} {
		b := must(Config{Limit: 1, Queue: 1, Wait: time.Second})
		if order != "free" {
			b.TryAcquire(0, Place{})
		}
		ticket, _ := b.Enqueue(0, Place{}, nil)
		switch order {
		case "free":
			b.Leave(0, ticket)
		case "grant, cancel":
			b.Release(5*ms, Place{})
			b.Leave(5*ms, ticket)
		case "cancel, grant":
			b.Leave(5*ms, ticket)
			b.Release(5*ms, Place{})
		}
		if got := b.Snapshot(5 * ms); got.InUse != 0 || got.Queued != 0 {
			t.Errorf("%s: %+v", order, got)
		}
		if got := b.Poll(5*ms, ticket); got != Left {
			t.Errorf("%s: the ticket is %v", order, got)
		}
	}
}

// Somebody else answers, early. The slot has to come back with the end of the
// exchange; the bulkhead asks for nothing but the Release.
func TestF115EarlyAnswersLoseNoSlot(t *testing.T) {
	b := must(Config{Limit: 1})
	exchange := func(now core.Instant) (status int) {
		if !b.TryAcquire(now, Place{}) {
			return 503
		}
		defer b.Release(now, Place{})
		return 429 // a later filter, on its own
	}
	for i := range 100 {
		if got := exchange(core.Instant(i)); got != 429 {
			t.Fatalf("request %d is answered %d", i, got)
		}
	}
	if got := b.Snapshot(100); got.InUse != 0 {
		t.Errorf("afterwards %d slots are in use", got.InUse)
	}
}

func TestF116LimitAndQueueAreSeparate(t *testing.T) {
	c := Config{Limit: 3, Queue: 3, Wait: time.Minute}
	ends, refused, most := day(c, 6)
	for i, at := range ends {
		if want := core.Instant(1+i/3) * 1000 * ms; at != want {
			t.Errorf("call %d ends at %d, want %d", i, at, want)
		}
	}
	if len(ends) != 6 || refused != 0 || most != 3 {
		t.Errorf("%d calls ended, %d were refused, %d ran at once", len(ends), refused, most)
	}
	if _, refused, _ := day(c, 7); refused != 1 {
		t.Errorf("of seven %d are refused", refused)
	}
	_, refused, most = day(Config{Limit: 1, Queue: 9, Wait: time.Minute}, 5)
	if refused != 0 || most != 1 {
		t.Errorf("with limit 1: %d refused, %d at once", refused, most)
	}
	if _, refused, _ := day(Config{Limit: 3}, 5); refused != 2 {
		t.Errorf("with no queue %d of 5 are refused, want 2 at once", refused)
	}
	// A limit of zero is an error; it neither refuses all nor lets all pass.
	if _, err := New(Config{Limit: 0, Queue: 10, Wait: time.Second}); err == nil {
		t.Error("a limit of zero is accepted")
	}
}

func TestF117ResizeGrantsAtOnceAndTakesNothingAway(t *testing.T) {
	grow := must(Config{Limit: 1, Queue: 2, Wait: time.Minute})
	grow.TryAcquire(0, Place{})
	one, _ := grow.Enqueue(0, Place{}, nil)
	two, _ := grow.Enqueue(0, Place{}, nil)
	if err := grow.Resize(0, Config{Limit: 3}); err != nil {
		t.Fatal(err)
	}
	if a, b := grow.Poll(0, one), grow.Poll(0, two); a != Granted || b != Granted {
		t.Errorf("after growing the waiters are %v and %v", a, b)
	}

	shrink := must(Config{Limit: 3, Queue: 2, Wait: time.Minute})
	for range 3 {
		shrink.TryAcquire(0, Place{})
	}
	next, _ := shrink.Enqueue(0, Place{}, nil)
	if err := shrink.Resize(0, Config{Limit: 1}); err != nil {
		t.Fatal(err)
	}
	shrink.Release(0, Place{})
	shrink.Release(0, Place{})
	if got := shrink.Snapshot(0); got.InUse != 1 || shrink.Poll(0, next) != Waiting {
		t.Errorf("after two of three releases: %+v", got)
	}
	shrink.Release(0, Place{})
	if got := shrink.Poll(0, next); got != Granted {
		t.Errorf("after the third release the waiter is %v", got)
	}
}
