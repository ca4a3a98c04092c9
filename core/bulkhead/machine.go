package bulkhead

import (
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/queue"
)

// phase is where a ticket is in its life. It moves forward only:
//
//	waiting -> granted -> taken
//	waiting -> expired
//	waiting -> dropped
//	waiting or granted -> left
type phase uint8

const (
	waiting phase = iota
	granted       // has a slot, but the waiter does not know it yet
	taken         // the waiter knows: only Release gives the slot back now
	expired
	left
	dropped
)

// machine is the bulkhead without its lock. It never reads a clock; now may
// repeat but, seen from here, never goes back, because Bulkhead clamps it.
//
// At rest a slot is free only when nobody waits whose flow may have it: every
// method that frees a slot or raises a limit calls grant before it returns.
type machine struct {
	cfg         Config
	inUse, peak int
	line        *queue.Line[*Ticket]
	flows       flows

	woken, lastWoken *Ticket // to be told once the lock is free, linked by next

	refused, limited, waitedOut, delayed, evicted uint64
}

func newMachine(c Config) (machine, error) {
	line, err := queue.New[*Ticket](c.line())
	return machine{cfg: c, line: line}, err
}

// line returns the settings of the queue.
func (c *Config) line() queue.Config {
	return queue.Config{Length: c.Queue, PerFlow: c.FlowQueue, Rules: c.Line}
}

// tryAcquire takes a slot if one is free that the flow may have. Nobody is
// overtaken who could have had it: then it would not be free.
func (m *machine) tryAcquire(now core.Instant, flow int) bool {
	if m.inUse >= m.cfg.Limit || flow != 0 && !m.count(now, flow) {
		return false
	}
	m.inUse++
	if m.inUse > m.peak {
		m.peak = m.inUse
	}
	return true
}

// count counts a slot as the flow's, and holds the flow if that was its last.
// It reports false if the flow has all that it may have.
func (m *machine) count(now core.Instant, flow int) bool {
	most := m.cfg.FlowSlots
	n := m.flows.add(flow, most)
	if n == most && n > 0 {
		m.line.Hold(now, flow, true)
	}
	return n > 0
}

// sated reports whether the flow has all the slots that it may have.
func (m *machine) sated(flow int) bool {
	return m.cfg.FlowSlots > 0 && m.flows.of(flow) >= m.cfg.FlowSlots
}

// give counts a slot as free. It reports false if none is taken, or none by
// this flow.
func (m *machine) give(now core.Instant, flow int) bool {
	if m.inUse == 0 || flow != 0 && !m.uncount(now, flow) {
		return false
	}
	m.inUse--
	return true
}

// uncount takes a slot off the flow's count, and lets the flow be served again
// if it has just come below what it may have.
func (m *machine) uncount(now core.Instant, flow int) bool {
	n := m.flows.remove(flow)
	if n >= 0 && n == m.cfg.FlowSlots-1 {
		m.line.Hold(now, flow, false)
	}
	return n >= 0
}

// enqueue returns a ticket that waits, or that has a slot already because one
// was free. It allocates only for a call it accepts.
func (m *machine) enqueue(now core.Instant, p Place, w Waker) (*Ticket, core.Reason) {
	until := now.Add(m.cfg.Wait)
	if p.Until != 0 && p.Until < until {
		if now >= p.Until {
			m.waitedOut++
			return nil, core.QueueTimeout
		}
		until = p.Until
	}
	if m.tryAcquire(now, p.Flow) {
		t := &Ticket{owner: m, waker: w, phase: granted, until: until, flow: p.Flow}
		m.wake(t)
		return t, core.NoReason
	}
	if m.cfg.Queue == 0 && p.Flow == 0 && m.line.Len() == 0 { // as Room would find
		m.refused++
		return nil, core.BulkheadFull
	}
	r := m.line.Room(now, p.Class, p.Flow)
	if r == core.NoReason {
		t := &Ticket{owner: m, waker: w, flow: p.Flow}
		t.item = queue.Item[*Ticket]{Value: t, Class: p.Class, Flow: p.Flow, Until: until}
		m.line.Push(now, &t.item)
		t.until = t.item.End()
		m.bury()
		return t, core.NoReason
	}
	m.bury()
	if r == core.TenantLimit || p.Flow != 0 && m.sated(p.Flow) {
		m.limited++
		return nil, core.TenantLimit
	}
	m.refused++
	return nil, r
}

// poll answers for one ticket. A grant seen here becomes the waiter's own.
func (m *machine) poll(now core.Instant, t *Ticket) Status {
	m.settle(now, t)
	switch t.phase {
	case waiting:
		return Waiting
	case granted, taken:
		t.phase = taken
		return Granted
	case expired:
		return Expired
	case dropped:
		return Dropped
	default:
		return Left
	}
}

// settle ends the tickets whose time is up. t itself needs no call: its waiter
// is the one who asks.
func (m *machine) settle(now core.Instant, t *Ticket) {
	if t != nil && t.phase == waiting && now >= t.until {
		t.waker = nil
	}
	m.line.Sweep(now)
	m.bury()
}

// leave takes the ticket out of the queue, or hands on the slot that it had
// been granted in the meantime. It does nothing to a ticket that ended, and one
// whose time is up has ended, whether anybody noticed or not.
func (m *machine) leave(now core.Instant, t *Ticket) {
	m.settle(now, t)
	switch t.phase {
	case waiting:
		m.line.Remove(&t.item)
		t.phase = left
	case granted:
		t.phase = left
		m.give(now, t.flow)
		m.grant(now)
	}
}

// release gives a slot back. ok is false when the flow holds none.
func (m *machine) release(now core.Instant, flow int) (ok bool) {
	if !m.give(now, flow) {
		return false
	}
	if m.line.Len() > 0 {
		m.grant(now)
	}
	return true
}

// resize changes the settings. A larger limit grants at once; a smaller one
// takes effect as slots come back. Calls that already wait keep their place and
// the time they were promised, even in a shorter queue.
func (m *machine) resize(now core.Instant, c Config) {
	m.cfg = c
	_ = m.line.Reconfigure(c.line()) // Resize has validated it
	for _, f := range m.flows.rows {
		m.line.Hold(now, f.flow, m.sated(f.flow))
	}
	m.grant(now)
}

// grant hands free slots to the waiters in their order.
func (m *machine) grant(now core.Instant) {
	for m.inUse < m.cfg.Limit {
		it := m.line.Pop(now)
		if it == nil {
			break
		}
		t := it.Value
		t.phase = granted
		m.tryAcquire(now, t.flow) // succeeds: the queue gives out no flow that is held
		m.wake(t)
	}
	m.bury()
}

// bury ends the tickets that the queue has given up. One whose time was up has
// a waiter who knows that time; the others have to be told.
func (m *machine) bury() {
	for it := m.line.Gone(); it != nil; it = m.line.Gone() {
		t := it.Value
		t.reason, t.phase = it.Reason(), dropped
		switch t.reason {
		case core.QueueTimeout:
			m.waitedOut++
			t.phase = expired
			continue
		case core.QueueDelay:
			m.delayed++
		case core.Evicted:
			m.evicted++
		}
		m.wake(t)
	}
}

func (m *machine) wake(t *Ticket) {
	if m.lastWoken == nil {
		m.woken = t
	} else {
		m.lastWoken.next = t
	}
	m.lastWoken = t
}
