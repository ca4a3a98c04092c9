package queue

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/seakeep/seakeep/core"
)

const ms = core.Instant(time.Millisecond)

// model is what a Line promises, written without regard to cost: one slice in
// the order of arrival that is searched for everything.
type model struct {
	cfg     Config
	now     core.Instant
	entries []*entry
	gone    []*entry
	held    []int
	classes [core.Criticalities]modelClass
}

type modelClass struct {
	turns  []int // flows that may be served, the next one first
	since  core.Instant
	credit float64
	// Of CoDel, with the names of RFC 8289.
	firstAbove, dropNext core.Instant
	dropping             bool
	count, lastCount     int
}

type entry struct {
	id, class, flow int
	arrived, end    core.Instant
	why             core.Reason
	served          bool
}

func (m *model) of(class, flow int) (out []*entry) {
	for _, e := range m.entries {
		if e.class == class && (flow < 0 || e.flow == flow) {
			out = append(out, e)
		}
	}
	return out
}

func (m *model) remove(e *entry) {
	m.entries = slices.DeleteFunc(m.entries, func(x *entry) bool { return x == e })
	m.arrange()
}

// arrange brings the turns up to date with who waits and who is held.
func (m *model) arrange() {
	for i := range m.classes {
		c := &m.classes[i]
		may := func(flow int) bool {
			return len(m.of(i, flow)) > 0 && !slices.Contains(m.held, flow)
		}
		c.turns = slices.DeleteFunc(c.turns, func(f int) bool { return !may(f) })
		for _, e := range m.of(i, -1) {
			if may(e.flow) && !slices.Contains(c.turns, e.flow) {
				if len(c.turns) == 0 {
					c.since = m.now
				}
				c.turns = append(c.turns, e.flow)
			}
		}
	}
}

// at gives up everybody whose time is up, in the order of their times.
func (m *model) at(now core.Instant) {
	m.now = now
	var over []*entry
	for _, e := range m.entries {
		if e.end <= now {
			over = append(over, e)
		}
	}
	slices.SortStableFunc(over, func(a, b *entry) int { return cmp.Compare(a.end, b.end) })
	for _, e := range over {
		m.giveUp(e, e.why)
	}
}

func (m *model) giveUp(e *entry, why core.Reason) {
	e.why = why
	m.gone = append(m.gone, e)
	m.remove(e)
}

func (m *model) standing(c *modelClass) bool {
	return len(c.turns) > 0 && m.now.Sub(c.since) >= m.cfg.Interval
}

func (m *model) newest(c *modelClass) bool {
	return m.cfg.Order == LIFO || m.cfg.Order == CoDelLIFO && m.standing(c)
}

func (m *model) largest(class int) (flow int) {
	most := 0
	for _, e := range m.of(class, -1) {
		n := len(m.of(class, e.flow))
		if n > most || n == most && e.flow < flow {
			most, flow = n, e.flow
		}
	}
	return flow
}

func (m *model) victim(class, flow int) *entry {
	for i := range class + 1 {
		if len(m.of(i, -1)) <= m.kept(i) {
			continue
		}
		large := m.of(i, m.largest(i))
		oldest, newest := large[0], large[len(large)-1]
		switch {
		case m.cfg.Full == DropOldest:
			return oldest
		case m.cfg.Full == Reject, i == class && len(large) < len(m.of(i, flow))+2:
			return nil
		case m.newest(&m.classes[i]):
			return oldest
		}
		return newest
	}
	return nil
}

func (m *model) kept(class int) int {
	return int(m.cfg.Floors[class] * float64(m.cfg.Length))
}

// full counts the places one by one: each is taken, or kept for a class, or free
// for everybody.
func (m *model) full(class int) bool {
	free := m.cfg.Length - len(m.entries)
	others := 0
	for i := range m.classes {
		if i != class {
			others += max(0, m.kept(i)-len(m.of(i, -1)))
		}
	}
	return free <= 0 || free <= others && len(m.of(class, -1)) >= m.kept(class)
}

func (m *model) push(e *entry) core.Reason {
	mine := 0
	for _, x := range m.entries {
		if x.flow == e.flow {
			mine++
		}
	}
	switch full := m.full(e.class); {
	case m.now >= e.end:
		return core.QueueTimeout
	case m.cfg.PerFlow > 0 && e.flow != 0 && mine >= m.cfg.PerFlow:
		return core.TenantLimit
	case full && (m.cfg.Full == Reject || m.victim(e.class, e.flow) == nil):
		return core.BulkheadFull
	case full:
		m.giveUp(m.victim(e.class, e.flow), core.Evicted)
	}
	e.arrived, e.why = m.now, core.QueueTimeout
	if m.cfg.Order == CoDelLIFO {
		wait := m.cfg.Interval
		if m.standing(&m.classes[e.class]) {
			wait = m.cfg.Target
		}
		if end := m.now.Add(wait); end < e.end {
			e.end, e.why = end, core.QueueDelay
		}
	}
	m.entries = append(m.entries, e)
	m.arrange()
	return core.NoReason
}

func (m *model) pop() *entry {
	for {
		class := m.next()
		if class < 0 {
			return nil
		}
		c := &m.classes[class]
		list := m.of(class, c.turns[0])
		e := list[0]
		if m.newest(c) {
			e = list[len(list)-1]
		}
		if m.cfg.Order == CoDel && m.codel(c, e, len(m.of(class, -1))-1) {
			m.giveUp(e, core.QueueDelay)
			continue
		}
		for i := range m.classes {
			if len(m.classes[i].turns) > 0 {
				m.classes[i].credit += m.cfg.Floors[i]
			}
		}
		c.credit = max(0, c.credit-1)
		c.turns = append(c.turns[1:], c.turns[0])
		e.served = true
		m.remove(e)
		return e
	}
}

// next returns the class to serve, or -1. Credits are sums of binary fractions
// in the tests, so they can be compared.
func (m *model) next() int {
	due, top := -1, -1
	for i := range m.classes {
		c := &m.classes[i]
		if len(c.turns) == 0 {
			continue
		}
		top = i
		if c.credit >= 1 && (due < 0 || c.credit >= m.classes[due].credit) {
			due = i
		}
	}
	if due >= 0 {
		return due
	}
	return top
}

// codel follows the pseudo-code of RFC 8289, section 5, one packet at a time.
func (m *model) codel(c *modelClass, e *entry, left int) (drop bool) {
	okToDrop := false
	if m.now.Sub(e.arrived) < m.cfg.Target || left == 0 {
		c.firstAbove = math.MinInt64
	} else if c.firstAbove == math.MinInt64 {
		c.firstAbove = m.now.Add(m.cfg.Interval)
	} else {
		okToDrop = m.now >= c.firstAbove
	}
	law := func(t core.Instant) core.Instant {
		return t.Add(time.Duration(float64(m.cfg.Interval) / math.Sqrt(float64(c.count))))
	}
	if c.dropping {
		if !okToDrop {
			c.dropping = false
		} else if m.now >= c.dropNext {
			c.count++
			c.dropNext = law(c.dropNext)
			return true
		}
		return false
	}
	if okToDrop {
		c.dropping = true
		delta := c.count - c.lastCount
		c.count = 1
		if delta > 1 && m.now.Sub(c.dropNext) < 16*m.cfg.Interval {
			c.count = delta
		}
		c.dropNext = law(m.now)
		c.lastCount = c.count
	}
	return okToDrop
}

func newModel(c Config) *model {
	c.Rules = c.defaults()
	m := &model{cfg: c}
	for i := range m.classes {
		m.classes[i].firstAbove = math.MinInt64
	}
	return m
}

func (e *entry) String() string {
	if e == nil {
		return "nobody"
	}
	return fmt.Sprintf("entry %d (class %d, flow %d)", e.id, e.class, e.flow)
}
