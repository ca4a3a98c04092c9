package bulkhead

import (
	"fmt"
	"math"
	"sync"

	"github.com/seakeep/seakeep/core"
)

// Waker is how a driver learns that its waiter has a slot. Wake is called once
// for each ticket that is granted a slot, after the bulkhead's lock is
// released, and may call back into it. A ticket that Enqueue grants at once is
// woken before Enqueue returns. Wake may still arrive shortly after Leave, so
// it must do no more than tell the waiter to Poll.
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
)

// String returns the status in lower case.
func (s Status) String() string {
	names := [...]string{"waiting", "granted", "expired", "left"}
	if int(s) < len(names) {
		return names[s]
	}
	return "invalid"
}

// Ticket is one call's place in the queue. It belongs to the bulkhead that
// issued it; use with another one panics.
type Ticket struct {
	owner      *machine
	waker      Waker // nil: nobody to tell
	until      core.Instant
	prev, next *Ticket
	phase      phase
}

// Until returns when the ticket's time is up. It never changes. At exactly
// that instant the ticket is expired.
func (t *Ticket) Until() core.Instant { return t.until }

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
	return &Bulkhead{latest: math.MinInt64, m: newMachine(c)}, nil
}

// TryAcquire takes a slot if one is free and reports whether it did. It is
// false while anybody waits. A call turned away here is not counted: it goes on
// to Enqueue, which lets it wait or refuses it. The slot is given back with
// Release.
func (b *Bulkhead) TryAcquire(now core.Instant) bool {
	b.lock(now)
	ok := b.m.tryAcquire()
	b.mu.Unlock()
	return ok
}

// Enqueue puts a call in the queue and returns its ticket, or nil and
// BulkheadFull if the queue is full, which a queue of zero always is. If a slot
// has become free meanwhile the ticket is granted at once. The caller must go
// on to Poll until the status is no longer Waiting, or Leave. w may be nil if
// nobody needs to be told.
func (b *Bulkhead) Enqueue(now core.Instant, w Waker) (*Ticket, core.Reason) {
	b.lock(now)
	t, reason := b.m.enqueue(b.latest, w)
	wake := t != nil && t.phase == granted
	b.mu.Unlock()
	if wake {
		wakeAll(t)
	}
	return t, reason
}

// Poll answers how it stands with t. When it answers Granted for the first
// time the slot becomes the caller's, who must Release it. At t.Until() a
// ticket without a slot answers Expired and is out of the queue.
func (b *Bulkhead) Poll(now core.Instant, t *Ticket) Status {
	b.check(t)
	b.lock(now)
	s := b.m.poll(b.latest, t)
	b.mu.Unlock()
	return s
}

// Leave takes t out of the queue because its caller went away. If t had been
// granted a slot that Poll has not told of, the slot goes to the next waiter.
// Once Poll has answered Granted, or the ticket has ended, Leave does nothing;
// it may be called again.
func (b *Bulkhead) Leave(now core.Instant, t *Ticket) {
	b.check(t)
	b.lock(now)
	chain := b.m.leave(b.latest, t)
	b.mu.Unlock()
	wakeAll(chain)
}

// Release gives a slot back, from TryAcquire or from a ticket whose Poll
// answered Granted. The first waiter whose time is not up gets it. Release
// panics if no slot is held.
func (b *Bulkhead) Release(now core.Instant) {
	b.lock(now)
	chain, ok := b.m.release(b.latest)
	b.mu.Unlock()
	if !ok {
		panic("bulkhead: Release without a slot held")
	}
	if chain != nil {
		wakeAll(chain)
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
	chain := b.m.resize(b.latest, c)
	b.mu.Unlock()
	wakeAll(chain)
	return nil
}

// Snapshot is a bulkhead's state at one instant. The totals count since New.
type Snapshot struct {
	Limit     int    // slots in all
	InUse     int    // slots taken; more than Limit for a while after a shrink
	Peak      int    // most slots ever taken
	Queue     int    // places in the queue
	Queued    int    // calls waiting in it
	Refused   uint64 // calls that found the queue full
	WaitedOut uint64 // calls whose time ran out in the queue
}

// Snapshot returns the state at now. Waiters whose time is up are not in it.
func (b *Bulkhead) Snapshot(now core.Instant) Snapshot {
	b.lock(now)
	defer b.mu.Unlock()
	m := &b.m
	m.expire(b.latest)
	return Snapshot{
		Limit: m.cfg.Limit, InUse: m.inUse, Peak: m.peak,
		Queue: m.cfg.Queue, Queued: m.queued,
		Refused: m.refused, WaitedOut: m.waitedOut,
	}
}

// lock locks and keeps the latest now, so that the machine never sees time go
// back although goroutines read the clock before they queue for the lock.
func (b *Bulkhead) lock(now core.Instant) {
	b.mu.Lock()
	if now > b.latest {
		b.latest = now
	}
}

func (b *Bulkhead) check(t *Ticket) {
	if t == nil || t.owner != &b.m {
		panic("bulkhead: the ticket is not from this bulkhead")
	}
}

// wakeAll tells a chain of granted tickets. Nobody else touches their links:
// a ticket outside the queue is never linked again.
func wakeAll(t *Ticket) {
	for t != nil {
		next := t.next
		t.next = nil
		if t.waker != nil {
			t.waker.Wake()
		}
		t = next
	}
}
