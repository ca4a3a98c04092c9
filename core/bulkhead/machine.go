package bulkhead

import "github.com/seakeep/seakeep/core"

// phase is where a ticket is in its life. It moves forward only:
//
//	waiting -> granted -> taken
//	waiting -> expired
//	waiting or granted -> left
type phase uint8

const (
	waiting phase = iota
	granted       // has a slot, but the waiter does not know it yet
	taken         // the waiter knows: only Release gives the slot back now
	expired
	left
)

// machine is the bulkhead without its lock. It never reads a clock; now may
// repeat but, seen from here, never goes back, because Bulkhead clamps it.
//
// At rest a slot is free only when nobody waits: every method that frees a slot
// or raises the limit calls grant before it returns.
type machine struct {
	cfg         Config
	inUse, peak int

	first, last *Ticket // the queue, doubly linked through the tickets
	queued      int
	soonest     core.Instant // no queued ticket's time is up before this

	refused, waitedOut uint64
}

func newMachine(c Config) machine { return machine{cfg: c, soonest: core.Never} }

// tryAcquire takes a slot if one is free. Nobody is overtaken, because a slot
// is free only when nobody waits.
func (m *machine) tryAcquire() bool {
	if m.inUse >= m.cfg.Limit {
		return false
	}
	m.inUse++
	if m.inUse > m.peak {
		m.peak = m.inUse
	}
	return true
}

// enqueue returns a ticket that waits, or that has a slot already because one
// was free. It allocates only for a call it accepts.
func (m *machine) enqueue(now core.Instant, w Waker) (*Ticket, core.Reason) {
	free := m.tryAcquire()
	if !free && m.queued >= m.cfg.Queue {
		m.expire(now)
		if m.queued >= m.cfg.Queue {
			m.refused++
			return nil, core.BulkheadFull
		}
	}
	t := &Ticket{owner: m, waker: w, until: now.Add(m.cfg.Wait)}
	if free {
		t.phase = granted
		return t, core.NoReason
	}
	m.push(t)
	return t, core.NoReason
}

// poll answers for one ticket. A grant seen here becomes the waiter's own.
func (m *machine) poll(now core.Instant, t *Ticket) Status {
	switch t.phase {
	case waiting:
		if now < t.until {
			return Waiting
		}
		m.unlink(t)
		m.end(t)
		return Expired
	case granted, taken:
		t.phase = taken
		return Granted
	case expired:
		return Expired
	default:
		return Left
	}
}

// leave takes the ticket out of the queue and returns who gets the slot that
// it had been granted in the meantime. It does nothing to a ticket that ended,
// and one whose time is up has ended, whether anybody noticed or not.
func (m *machine) leave(now core.Instant, t *Ticket) *Ticket {
	switch t.phase {
	case waiting:
		m.unlink(t)
		if now >= t.until {
			m.end(t)
		} else {
			t.phase = left
		}
	case granted:
		t.phase = left
		m.inUse--
		return m.grant(now)
	}
	return nil
}

// release gives a slot back and returns who gets it. ok is false when no slot
// is held.
func (m *machine) release(now core.Instant) (chain *Ticket, ok bool) {
	if m.inUse == 0 {
		return nil, false
	}
	m.inUse--
	if m.first == nil {
		return nil, true
	}
	return m.grant(now), true
}

// resize changes the settings. A larger limit grants at once and returns to
// whom; a smaller one takes effect as slots come back. Calls that already wait
// keep their place and the time they were promised, even in a shorter queue.
func (m *machine) resize(now core.Instant, c Config) *Ticket {
	m.cfg = c
	return m.grant(now)
}

// grant hands free slots to the waiters in their order. It returns those that
// got one, linked through next; a waiter whose time is up gets none.
func (m *machine) grant(now core.Instant) *Ticket {
	var head, tail *Ticket
	for m.first != nil && m.inUse < m.cfg.Limit {
		t := m.first
		m.unlink(t)
		if now >= t.until {
			m.end(t)
			continue
		}
		m.tryAcquire()
		t.phase = granted
		if tail == nil {
			head = t
		} else {
			tail.next = t
		}
		tail = t
	}
	return head
}

// expire ends the tickets whose time is up, wherever they stand: after a
// resize a later ticket may have the shorter time. soonest spares the walk
// when it would find nothing.
func (m *machine) expire(now core.Instant) {
	if now < m.soonest {
		return
	}
	m.soonest = core.Never
	for t := m.first; t != nil; {
		next := t.next
		if now >= t.until {
			m.unlink(t)
			m.end(t)
		} else if t.until < m.soonest {
			m.soonest = t.until
		}
		t = next
	}
}

func (m *machine) end(t *Ticket) {
	t.phase = expired
	m.waitedOut++
}

func (m *machine) push(t *Ticket) {
	t.prev = m.last
	if m.last == nil {
		m.first = t
	} else {
		m.last.next = t
	}
	m.last = t
	m.queued++
	if t.until < m.soonest {
		m.soonest = t.until
	}
}

func (m *machine) unlink(t *Ticket) {
	if t.prev == nil {
		m.first = t.next
	} else {
		t.prev.next = t.next
	}
	if t.next == nil {
		m.last = t.prev
	} else {
		t.next.prev = t.prev
	}
	t.prev, t.next = nil, nil
	m.queued--
}
