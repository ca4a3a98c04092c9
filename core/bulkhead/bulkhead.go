package bulkhead

import (
	"fmt"
	"math"
	"sync"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/queue"
)

// Waker is how a driver learns that its waiter has a slot, or has lost its
// place. Wake is called once for each ticket that is granted a slot or dropped,
// after the bulkhead's lock is released, and may call back into it. A ticket
// that Enqueue grants at once is woken before Enqueue returns. For a ticket
// whose time is up nobody calls: its driver knows Until. Wake may still arrive
// shortly after Leave, so it must do no more than tell the waiter to Poll.
type Waker interface{ Wake() }

// Status says how it stands with a ticket.
type Status uint8

const (
	// Waiting: no slot yet, and the time is not up.
	Waiting Status = iota
	// Granted: the waiter has its slot and must Release it.
	Granted
	// Expired: the time is up; there is no slot and none will come.
	Expired
	// Left: the waiter went away.
	Left
	// Dropped: the queue gave the waiter up before its time; Ticket.Reason
	// says why. There is no slot and none will come.
	Dropped
)

// String returns the status in lower case.
func (s Status) String() string {
	names := [...]string{"waiting", "granted", "expired", "left", "dropped"}
	if int(s) < len(names) {
		return names[s]
	}
	return "invalid"
}

// Place says who asks for a slot. The zero value is a call about which nothing
// is known: of the class Critical, of no tenant, with no time limit of its own.
type Place struct {
	Class core.Criticality
	// Flow is a small number for the tenant; 0: none. Whoever acquires with it
	// has to Release with it.
	Flow int
	// Until is when waiting makes no sense any more; zero: only Config.Wait
	// limits the wait. The earlier of both counts.
	Until core.Instant
}

// Ticket is one call's place in the queue. It belongs to the bulkhead that
// issued it; use with another one panics.
type Ticket struct {
	item   queue.Item[*Ticket]
	owner  *machine
	waker  Waker // nil: nobody to tell
	next   *Ticket
	until  core.Instant
	flow   int
	reason core.Reason
	phase  phase
}

// Until returns when the ticket's time is up. It never changes. At exactly
// that instant the ticket is expired, or dropped if the queue's order gave it
// less time than it asked for.
func (t *Ticket) Until() core.Instant { return t.until }

// Reason returns why a ticket ended without a slot, once Poll has answered so:
// QueueTimeout for Expired, QueueDelay or Evicted for Dropped, else NoReason.
func (t *Ticket) Reason() core.Reason { return t.reason }

// Bulkhead is a number of slots and a bounded queue for them. It is safe for
// concurrent use; make it with New.
type Bulkhead struct {
	mu     sync.Mutex
	latest core.Instant
	m      machine
}

// New returns a bulkhead with all slots free, or the errors of c.Validate.
func New(c Config) (*Bulkhead, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("bulkhead: %w", err)
	}
	m, err := newMachine(c)
	if err != nil {
		return nil, err
	}
	return &Bulkhead{latest: math.MinInt64, m: m}, nil
}

// TryAcquire takes a slot if one is free and reports whether it did. It is
// false while anybody waits who could have the slot, and while the flow has all
// the slots it may have. A call turned away here is not counted: it goes on to
// Enqueue, which lets it wait or refuses it. The slot is given back with
// Release. The class and the time of p do not matter here.
func (b *Bulkhead) TryAcquire(now core.Instant, p Place) bool {
	b.lock(now)
	ok := b.m.tryAcquire(b.latest, p.Flow)
	b.mu.Unlock()
	return ok
}

// Enqueue puts a call in the queue and returns its ticket, or nil and why not:
// BulkheadFull if there is no place, which a queue of zero never has,
// TenantLimit if its flow has all it may have, or QueueTimeout if p.Until has
// passed. If a slot has become free meanwhile the ticket is granted at once.
// The caller must go on to Poll until the status is no longer Waiting, or
// Leave. w may be nil if nobody needs to be told.
func (b *Bulkhead) Enqueue(now core.Instant, p Place, w Waker) (*Ticket, core.Reason) {
	if uint(p.Class.Index()) >= core.Criticalities {
		panic("bulkhead: Enqueue of no class that there is")
	}
	b.lock(now)
	t, reason := b.m.enqueue(b.latest, p, w)
	if b.m.woken == nil {
		b.mu.Unlock()
	} else {
		b.unlock()
	}
	return t, reason
}

// Poll answers how it stands with t. When it answers Granted for the first
// time the slot becomes the caller's, who must Release it. At t.Until() a
// ticket without a slot has ended and is out of the queue.
func (b *Bulkhead) Poll(now core.Instant, t *Ticket) Status {
	b.check(t)
	b.lock(now)
	s := b.m.poll(b.latest, t)
	b.unlock()
	return s
}

// Leave takes t out of the queue because its caller went away. If t had been
// granted a slot that Poll has not told of, the slot goes to the next waiter.
// Once Poll has answered Granted, or the ticket has ended, Leave does nothing;
// it may be called again.
func (b *Bulkhead) Leave(now core.Instant, t *Ticket) {
	b.check(t)
	b.lock(now)
	b.m.leave(b.latest, t)
	b.unlock()
}

// Release gives a slot back, from TryAcquire or from a ticket whose Poll
// answered Granted. p names the flow that it was acquired with; nothing else
// in it matters. The next waiter whose time is not up gets the slot. Release
// panics if no slot is held, or none by the flow.
func (b *Bulkhead) Release(now core.Instant, p Place) {
	b.lock(now)
	ok := b.m.release(b.latest, p.Flow)
	if b.m.woken == nil {
		b.mu.Unlock()
	} else {
		b.unlock()
	}
	if !ok {
		panic("bulkhead: Release without a slot held")
	}
}

// Resize changes the settings while calls are in flight, or returns the errors
// of c.Validate and changes nothing. A larger limit grants waiters their slots
// at once. A smaller one takes nothing away: slots above it are not handed on
// when they come back. Waiting calls keep their place and their time.
func (b *Bulkhead) Resize(now core.Instant, c Config) error {
	if err := c.Validate(); err != nil {
		return fmt.Errorf("bulkhead: %w", err)
	}
	b.lock(now)
	b.m.resize(b.latest, c)
	b.unlock()
	return nil
}

// SetLimit changes the number of slots and nothing else, for a limit that
// adapts. It grants at once and takes nothing away, as Resize does. It panics
// if limit is below 1.
func (b *Bulkhead) SetLimit(now core.Instant, limit int) {
	if limit < 1 {
		panic("bulkhead: SetLimit below 1")
	}
	b.lock(now)
	b.m.cfg.Limit = limit
	b.m.grant(b.latest)
	b.unlock()
}

// Busy returns how many slots are taken, how many there are, and how many
// calls wait for one. It costs less than Snapshot.
func (b *Bulkhead) Busy(now core.Instant) (inUse, limit, queued int) {
	b.lock(now)
	b.m.settle(b.latest, nil)
	inUse, limit, queued = b.m.inUse, b.m.cfg.Limit, b.m.line.Len()
	b.unlock()
	return inUse, limit, queued
}

// Snapshot is a bulkhead's state at one instant. The totals count since New.
type Snapshot struct {
	Limit   int                     // slots in all
	InUse   int                     // slots taken; more than Limit for a while after a shrink
	Peak    int                     // most slots ever taken
	Queue   int                     // places in the queue
	Queued  int                     // calls waiting in it
	Classes [core.Criticalities]int // of those, by the Index of their class
	Refused uint64                  // calls that found no place in the queue
	Limited uint64                  // calls whose flow had all it may have

	WaitedOut uint64 // calls whose time ran out in the queue
	Delayed   uint64 // calls dropped because the queue was slow for too long
	Evicted   uint64 // calls whose place another one took
}

// Snapshot returns the state at now. Waiters whose time is up are not in it.
func (b *Bulkhead) Snapshot(now core.Instant) Snapshot {
	b.lock(now)
	m := &b.m
	m.settle(b.latest, nil)
	s := Snapshot{
		Limit: m.cfg.Limit, InUse: m.inUse, Peak: m.peak,
		Queue: m.cfg.Queue, Queued: m.line.Len(), Refused: m.refused, Limited: m.limited,
		WaitedOut: m.waitedOut, Delayed: m.delayed, Evicted: m.evicted,
	}
	for i := range s.Classes {
		s.Classes[i] = m.line.Waiting(core.CriticalityAt(i))
	}
	b.unlock()
	return s
}

// lock locks and keeps the latest now, so that the machine never sees time go
// back although goroutines read the clock before they queue for the lock.
func (b *Bulkhead) lock(now core.Instant) {
	b.mu.Lock()
	if now > b.latest {
		b.latest = now
	}
}

// unlock unlocks and then tells those whose wait has ended. Nobody else touches
// their links: who has been granted a slot or dropped never waits again.
func (b *Bulkhead) unlock() {
	t := b.m.woken
	if t != nil {
		b.m.woken, b.m.lastWoken = nil, nil
	}
	b.mu.Unlock()
	for t != nil {
		next := t.next
		t.next = nil
		if t.waker != nil {
			t.waker.Wake()
		}
		t = next
	}
}

func (b *Bulkhead) check(t *Ticket) {
	if t == nil || t.owner != &b.m {
		panic("bulkhead: the ticket is not from this bulkhead")
	}
}
