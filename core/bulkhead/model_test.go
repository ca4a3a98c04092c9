package bulkhead

import (
	"slices"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/queue"
)

// model is what a bulkhead promises, written without any regard to cost: at
// every step it first ends all waiters whose time is up, then acts, then
// grants. It knows every order but CoDel, which has tests of its own.
type model struct {
	cfg         Config
	now         core.Instant
	inUse, peak int
	slots       map[int]int    // by flow
	tickets     []*modelTicket // all there ever were, in order of arrival
	turns       [core.Criticalities][]int
	since       [core.Criticalities]core.Instant

	refused, limited, waitedOut, delayed, evicted, woke int
}

type modelTicket struct {
	phase  phase
	place  Place
	until  core.Instant
	delay  bool // until is the order's and not its own
	reason core.Reason
	quiet  bool // whoever asked first heard of its end by the answer
}

func newModel(c Config) *model { return &model{cfg: c, slots: map[int]int{}} }

// at ends everybody whose time is up. asked is who is asked about, if anybody.
func (m *model) at(now core.Instant, asked *modelTicket) {
	m.now = max(m.now, now)
	for _, t := range m.tickets {
		if t.phase != waiting || t.until > m.now {
			continue
		}
		if t.quiet = t == asked; t.delay {
			m.drop(t, core.QueueDelay)
			continue
		}
		t.phase, t.reason = expired, core.QueueTimeout
		m.waitedOut++
	}
	m.arrange()
}

func (m *model) drop(t *modelTicket, why core.Reason) {
	t.phase, t.reason = dropped, why
	if why == core.Evicted {
		m.evicted++
	} else {
		m.delayed++
	}
	if !t.quiet {
		m.woke++
	}
}

// waits returns who waits of a class and a flow, which -1 stands for all of.
func (m *model) waits(class, flow int) (out []*modelTicket) {
	for _, t := range m.tickets {
		if t.phase == waiting && (class < 0 || t.place.Class.Index() == class) &&
			(flow < 0 || t.place.Flow == flow) {
			out = append(out, t)
		}
	}
	return out
}

func (m *model) sated(flow int) bool {
	return flow != 0 && m.cfg.FlowSlots > 0 && m.slots[flow] >= m.cfg.FlowSlots
}

// arrange brings the turns up to date with who waits and may have a slot.
func (m *model) arrange() {
	for i := range m.turns {
		may := func(flow int) bool { return len(m.waits(i, flow)) > 0 && !m.sated(flow) }
		m.turns[i] = slices.DeleteFunc(m.turns[i], func(f int) bool { return !may(f) })
		for _, t := range m.waits(i, -1) {
			if f := t.place.Flow; may(f) && !slices.Contains(m.turns[i], f) {
				if len(m.turns[i]) == 0 {
					m.since[i] = m.now
				}
				m.turns[i] = append(m.turns[i], f)
			}
		}
	}
}

func (m *model) newest(class int) bool {
	return m.cfg.Line.Order == queue.LIFO || m.standing(class)
}

func (m *model) standing(class int) bool {
	return m.cfg.Line.Order == queue.CoDelLIFO && len(m.turns[class]) > 0 &&
		m.now.Sub(m.since[class]) >= m.cfg.Line.Interval
}

func (m *model) grant() {
	m.arrange()
	for class := core.Criticalities - 1; class >= 0; class-- {
		for m.inUse < m.cfg.Limit && len(m.turns[class]) > 0 {
			flow := m.turns[class][0]
			list := m.waits(class, flow)
			t := list[0]
			if m.newest(class) {
				t = list[len(list)-1]
			}
			t.phase = granted
			m.woke++
			m.turns[class] = append(m.turns[class][1:], flow)
			m.take(flow)
			m.arrange()
		}
	}
}

func (m *model) take(flow int) {
	m.inUse++
	m.slots[flow]++
	m.peak = max(m.peak, m.inUse)
}

func (m *model) give(flow int) {
	m.inUse--
	m.slots[flow]--
	m.grant()
}

func (m *model) try(flow int) bool {
	if m.inUse >= m.cfg.Limit || m.sated(flow) {
		return false
	}
	m.take(flow)
	return true
}

func (m *model) enqueue(p Place) core.Reason {
	t := &modelTicket{place: p, until: m.now.Add(m.cfg.Wait)}
	if p.Until != 0 {
		t.until = min(t.until, p.Until)
		if m.now >= p.Until {
			m.waitedOut++
			return core.QueueTimeout
		}
	}
	if m.try(p.Flow) {
		t.phase = granted
		m.woke++
		m.tickets = append(m.tickets, t)
		return core.NoReason
	}
	class := p.Class.Index()
	if p.Flow != 0 && m.cfg.FlowQueue > 0 && len(m.waits(-1, p.Flow)) >= m.cfg.FlowQueue {
		m.limited++
		return core.TenantLimit
	}
	if len(m.waits(-1, -1)) >= m.cfg.Queue {
		v := m.victim(class, p.Flow)
		switch {
		case v != nil:
			m.drop(v, core.Evicted)
			m.arrange()
		case m.sated(p.Flow):
			m.limited++
			return core.TenantLimit
		default:
			m.refused++
			return core.BulkheadFull
		}
	}
	if m.cfg.Line.Order == queue.CoDelLIFO {
		wait := m.cfg.Line.Interval
		if m.standing(class) {
			wait = m.cfg.Line.Target
		}
		if end := m.now.Add(wait); end < t.until {
			t.until, t.delay = end, true
		}
	}
	m.tickets = append(m.tickets, t)
	m.arrange()
	return core.NoReason
}

func (m *model) victim(class, flow int) *modelTicket {
	for i := range class + 1 {
		var large []*modelTicket // of the largest flow
		for f := range 10 {
			if list := m.waits(i, f); len(list) > len(large) {
				large = list
			}
		}
		switch {
		case len(large) == 0:
			continue
		case m.cfg.Line.Full == queue.DropOldest:
			return large[0]
		case m.cfg.Line.Full == queue.Reject, i == class && len(large) < len(m.waits(i, flow))+2:
			return nil
		case m.newest(i):
			return large[0]
		}
		return large[len(large)-1]
	}
	return nil
}

func (m *model) leave(t *modelTicket) {
	switch t.phase {
	case waiting:
		t.phase = left
		m.arrange()
	case granted:
		t.phase = left
		m.give(t.place.Flow)
	}
}
