package idempotency

import "github.com/seakeep/seakeep/core"

// entry is a record and its place in the heap.
type entry struct {
	Record
	at int
}

// machine is Memory without its lock. It never reads a clock; now may repeat
// but, seen from here, never goes back, because Memory clamps it. It looks
// records up in the map and never ranges over it: what has an order comes from
// the heap, whose first entry is the one whose Until comes first.
type machine struct {
	cfg     Config // defaults filled in
	entries map[string]*entry
	heap    []*entry
	bytes   int64
	states  [Unknown + 1]int
	count   counters
}

type counters struct{ began, replayed, refused, full, unkept uint64 }

// sweepStep is how many records a call removes at most on its way, so that
// their room comes back without anybody waiting for it.
const sweepStep = 8

func (m *machine) admit(now core.Instant, c Claim) (Record, core.Reason) {
	m.sweep(now, sweepStep)
	e := m.entries[c.Key]
	var old Record
	if e != nil {
		old = e.Record
	}
	next, reason := old.Admit(now, m.cfg, c)
	switch {
	case reason == core.KeyReplayed:
		m.count.replayed++
		return next, reason
	case reason != core.NoReason:
		m.count.refused++
		return next, reason
	case e != nil:
		m.set(e, next)
	case !m.room(now, next.Cost()):
		m.count.full++
		return Record{}, core.KeysExhausted
	default:
		m.add(next)
	}
	m.count.began++
	return next, core.NoReason
}

func (m *machine) report(now core.Instant, c Claim, end Ending) bool {
	e := m.entries[c.Key]
	if e == nil {
		_, changed := Record{}.Report(now, m.cfg, c.Owner, end)
		return changed
	}
	next, changed := e.Record.Report(now, m.cfg, c.Owner, end)
	if !changed {
		return false
	}
	if next.State == Fresh {
		m.remove(e)
		return true
	}
	for next.State == Done && m.bytes-e.Cost()+next.Cost() > m.cfg.Bytes {
		if m.sweep(now, sweepStep) == 0 {
			next = next.Sealed()
		}
	}
	if next.State != end.State {
		m.count.unkept++
	}
	m.set(e, next)
	return next.State == end.State
}

// room reports whether another record of this size fits, now or after those
// whose time is over have made way.
func (m *machine) room(now core.Instant, cost int64) bool {
	for len(m.entries) >= m.cfg.Entries || m.bytes+cost > m.cfg.Bytes {
		if m.sweep(now, sweepStep) == 0 {
			return false
		}
	}
	return true
}

// sweep brings up to most records up to date whose Until is over, which
// removes all but the runs that have lasted too long. It returns how many.
func (m *machine) sweep(now core.Instant, most int) (n int) {
	for n < most && len(m.heap) > 0 && now >= m.heap[0].Until {
		e := m.heap[0]
		if next := e.At(now, m.cfg); next.State == Fresh {
			m.remove(e)
		} else {
			m.set(e, next)
		}
		n++
	}
	return n
}

func (m *machine) add(r Record) {
	e := &entry{Record: r, at: len(m.heap)}
	m.entries[r.Key] = e
	m.heap = append(m.heap, e)
	m.bytes += r.Cost()
	m.states[r.State]++
	m.up(e)
}

func (m *machine) set(e *entry, r Record) {
	m.bytes += r.Cost() - e.Cost()
	m.states[e.State]--
	m.states[r.State]++
	e.Record = r
	m.up(e)
	m.down(e)
}

func (m *machine) remove(e *entry) {
	delete(m.entries, e.Key)
	m.bytes -= e.Cost()
	m.states[e.State]--
	last := m.heap[len(m.heap)-1]
	m.heap[len(m.heap)-1] = nil
	m.heap = m.heap[:len(m.heap)-1]
	if last != e {
		m.put(last, e.at)
		m.up(last)
		m.down(last)
	}
}

func (m *machine) put(e *entry, at int) {
	m.heap[at], e.at = e, at
}

// up moves e towards the front until its parent is not later.
func (m *machine) up(e *entry) {
	for e.at > 0 {
		parent := m.heap[(e.at-1)/2]
		if parent.Until <= e.Until {
			return
		}
		at := e.at
		m.put(e, parent.at)
		m.put(parent, at)
	}
}

// down moves e away from the front until no child is earlier.
func (m *machine) down(e *entry) {
	for {
		left := 2*e.at + 1
		if left >= len(m.heap) {
			return
		}
		child := m.heap[left]
		if right := left + 1; right < len(m.heap) && m.heap[right].Until < child.Until {
			child = m.heap[right]
		}
		if child.Until >= e.Until {
			return
		}
		at := e.at
		m.put(e, child.at)
		m.put(child, at)
	}
}
