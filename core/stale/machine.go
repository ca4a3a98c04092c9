package stale

import (
	"strings"
	"time"

	"github.com/seakeep/seakeep/core"
)

// entry is one answer, and a place in the list of use.
type entry struct {
	key        string
	value      any
	cost       int64 // the value's size and the key's length
	stored     core.Instant
	leased     core.Instant // until when somebody renews it; at or before now: nobody
	prev, next *entry
}

// machine is the cache without its lock. It never reads a clock; now may
// repeat but, seen from here, never goes back, because Cache clamps it. It
// looks entries up in the map and never ranges over it: order comes from the
// list of use alone.
type machine struct {
	cfg     Config // defaults filled in
	life    time.Duration
	entries map[string]*entry
	used    entry // a ring: used.next was used last, used.prev is the first to go
	bytes   int64
	count   counters
}

type counters struct{ fresh, stale, misses, stored, evicted, tooLarge uint64 }

func (m *machine) init(c Config) {
	m.entries = make(map[string]*entry)
	m.used.prev, m.used.next = &m.used, &m.used
	m.reconfigure(c)
}

// reconfigure changes ages and bounds and keeps what fits.
func (m *machine) reconfigure(c Config) {
	m.cfg = c.withDefaults()
	m.life = max(c.Fresh, c.Stale)
	m.evict()
}

func (m *machine) lookup(now core.Instant, key string) (any, time.Duration, Status) {
	e := m.find(now, key)
	if e == nil {
		m.count.misses++
		return nil, 0, Miss
	}
	m.touch(e)
	age := now.Sub(e.stored)
	if age < m.cfg.Fresh {
		m.count.fresh++
		return e.value, age, Fresh
	}
	m.count.stale++
	return e.value, age, Stale
}

// find returns the key's entry unless its life is over; then it is removed.
func (m *machine) find(now core.Instant, key string) *entry {
	e := m.entries[key]
	if e != nil && now.Sub(e.stored) >= m.life {
		m.remove(e)
		return nil
	}
	return e
}

func (m *machine) store(now core.Instant, key string, value any, size int64) {
	cost := size + int64(len(key))
	if size > m.cfg.Bytes || cost > m.cfg.Bytes {
		m.count.tooLarge++
		return
	}
	m.count.stored++
	e := m.entries[key]
	if e == nil {
		// The key may be a piece of something larger, such as a request's
		// buffer. Cloned, it keeps alive what it costs and no more.
		e = &entry{key: strings.Clone(key), leased: now}
		m.entries[e.key] = e
		m.link(e)
	} else {
		m.touch(e)
	}
	m.bytes += cost - e.cost
	e.value, e.cost, e.stored = value, cost, now
	m.evict()
	m.bury(now)
}

// lease reports whether the caller is the one to renew the key. A key without
// an answer has nobody who could go on with the old one, so everybody calls.
func (m *machine) lease(now core.Instant, key string) bool {
	e := m.find(now, key)
	if e == nil {
		return true
	}
	if now.Sub(e.stored) < m.cfg.Fresh || e.leased > now {
		return false
	}
	e.leased = now.Add(leaseFor)
	return true
}

func (m *machine) done(now core.Instant, key string) {
	if e := m.entries[key]; e != nil {
		e.leased = now
	}
}

// evict makes the entries fit the bounds.
func (m *machine) evict() {
	for len(m.entries) > m.cfg.Entries || m.bytes > m.cfg.Bytes {
		m.remove(m.used.prev)
		m.count.evicted++
	}
}

// bury removes entries at the far end of the list of use whose life is over,
// so that answers nobody asks for do not stay in memory after their time.
func (m *machine) bury(now core.Instant) {
	for e := m.used.prev; e != &m.used && now.Sub(e.stored) >= m.life; e = m.used.prev {
		m.remove(e)
	}
}

func (m *machine) remove(e *entry) {
	delete(m.entries, e.key)
	m.bytes -= e.cost
	m.unlink(e)
}

func (m *machine) touch(e *entry) {
	if m.used.next == e {
		return
	}
	m.unlink(e)
	m.link(e)
}

func (m *machine) link(e *entry) {
	e.prev, e.next = &m.used, m.used.next
	e.prev.next, e.next.prev = e, e
}

func (m *machine) unlink(e *entry) {
	e.prev.next, e.next.prev = e.next, e.prev
}
