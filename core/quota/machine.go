package quota

import (
	"strings"

	"github.com/seakeep/seakeep/core"
)

// tenant is one row of the table. Its number is its index.
type tenant struct {
	key        string // empty: the row is free
	here       int
	entered    uint64
	seen       core.Instant // when it last entered or left
	prev, next int          // among the idle, by number; 0: none
}

// first is the lowest number of a tenant of its own: 0 means none and Overflow
// all that are not told apart. Both have rows, so that all are counted alike.
const first = Overflow + 1

// machine is the table without its lock.
type machine struct {
	cfg     Config
	numbers map[string]int
	rows    []tenant
	free    []int // rows that were given up when the table was made smaller

	oldest, newest int // the ends of the idle, by number; 0: there are none

	forgotten uint64
}

func newMachine(c Config) machine {
	return machine{cfg: c.defaults(), numbers: map[string]int{}, rows: make([]tenant, first)}
}

// enter returns the key's number and counts a request in.
func (m *machine) enter(now core.Instant, key string) int {
	n := m.number(key)
	if n >= first && m.rows[n].here == 0 && m.idle(n) {
		m.unlink(n)
	}
	t := &m.rows[n]
	t.here++
	t.entered++
	t.seen = now
	return n
}

// number finds or makes the key's number. A new one is not among the idle.
func (m *machine) number(key string) int {
	switch {
	case key == "":
		return 0
	case len(key) > longestKey:
		return Overflow
	}
	if n, ok := m.numbers[key]; ok {
		return n
	}
	n := m.vacant()
	if n == 0 {
		return Overflow
	}
	key = strings.Clone(key) // the caller's may be a piece of something large
	m.rows[n] = tenant{key: key}
	m.numbers[key] = n
	return n
}

// vacant returns the number of a row for a new key, or 0.
func (m *machine) vacant() int {
	if len(m.numbers) >= m.cfg.Keys {
		n := m.oldest
		if n != 0 {
			m.forget(n)
		}
		return n
	}
	if last := len(m.free) - 1; last >= 0 {
		n := m.free[last]
		m.free = m.free[:last]
		return n
	}
	m.rows = append(m.rows, tenant{})
	return len(m.rows) - 1
}

// leave counts a request out. It reports false if there is none.
func (m *machine) leave(now core.Instant, n int) bool {
	if n < 0 || n >= len(m.rows) || m.rows[n].here == 0 {
		return false
	}
	t := &m.rows[n]
	t.here--
	t.seen = now
	if t.here == 0 && n >= first {
		m.link(n)
		m.shrink()
	}
	return true
}

// resize changes the bound. Tenants above a smaller one go when they are idle.
func (m *machine) resize(c Config) {
	m.cfg = c.defaults()
	m.shrink()
}

func (m *machine) shrink() {
	for len(m.numbers) > m.cfg.Keys && m.oldest != 0 {
		n := m.oldest
		m.forget(n)
		m.free = append(m.free, n)
	}
}

// forget takes an idle tenant out of the table. Its row is the caller's.
func (m *machine) forget(n int) {
	m.unlink(n)
	delete(m.numbers, m.rows[n].key)
	m.rows[n] = tenant{}
	m.forgotten++
}

// idle reports whether n is among the idle. Of those without requests only a
// tenant that has just been made is not.
func (m *machine) idle(n int) bool { return m.rows[n].prev != 0 || m.oldest == n }

func (m *machine) link(n int) {
	t := &m.rows[n]
	t.prev, t.next = m.newest, 0
	if m.newest == 0 {
		m.oldest = n
	} else {
		m.rows[m.newest].next = n
	}
	m.newest = n
}

func (m *machine) unlink(n int) {
	t := &m.rows[n]
	if t.prev == 0 {
		m.oldest = t.next
	} else {
		m.rows[t.prev].next = t.next
	}
	if t.next == 0 {
		m.newest = t.prev
	} else {
		m.rows[t.next].prev = t.prev
	}
	t.prev, t.next = 0, 0
}
