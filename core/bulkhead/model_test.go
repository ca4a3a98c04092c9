package bulkhead

import (
	"fmt"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// model is what a bulkhead promises, written without any regard to cost: at
// every step it first ends all waiters whose time is up, then acts, then
// grants from the front of a slice.
type model struct {
	cfg                      Config
	now                      core.Instant
	inUse, peak              int
	tickets                  []*modelTicket // all there ever were, in order of arrival
	refused, waitedOut, woke int
}

type modelTicket struct {
	phase phase
	until core.Instant
}

func (m *model) at(now core.Instant) {
	m.now = max(m.now, now)
	for _, t := range m.tickets {
		if t.phase == waiting && t.until <= m.now {
			t.phase = expired
			m.waitedOut++
		}
	}
}

func (m *model) queued() (n int) {
	for _, t := range m.tickets {
		if t.phase == waiting {
			n++
		}
	}
	return n
}

func (m *model) grant() {
	for _, t := range m.tickets {
		if t.phase == waiting && m.inUse < m.cfg.Limit {
			t.phase = granted
			m.inUse++
			m.woke++
		}
	}
	m.peak = max(m.peak, m.inUse)
}

func (m *model) try() bool {
	if m.inUse >= m.cfg.Limit || m.queued() > 0 {
		return false
	}
	m.inUse++
	m.peak = max(m.peak, m.inUse)
	return true
}

func (m *model) enqueue() bool {
	if m.inUse >= m.cfg.Limit && m.queued() >= m.cfg.Queue {
		m.refused++
		return false
	}
	m.tickets = append(m.tickets, &modelTicket{until: m.now.Add(m.cfg.Wait)})
	m.grant()
	return true
}

func (m *model) leave(t *modelTicket) {
	switch t.phase {
	case waiting:
		t.phase = left
	case granted:
		t.phase = left
		m.inUse--
		m.grant()
	}
}

// op is one thing that may be done to a bulkhead.
type op struct {
	kind byte // t(ry) e(nqueue) r(elease) p(oll) l(eave) c(lock) s(ize)
	n    int  // which ticket, how many ticks, or which of the pair's sizes
}

func (o op) String() string { return fmt.Sprintf("%c%d", o.kind, o.n) }

// pair is a bulkhead and its model, driven together.
type pair struct {
	b       *Bulkhead
	model   model
	sizes   []Config
	tickets []*Ticket
	wakes   []*counter
}

// counter counts its wakes. While the bulkhead's lock was held Wake could not
// take it, so every test that uses counters also tests that it is not.
type counter struct {
	b *Bulkhead
	n int
}

func (c *counter) Wake() {
	c.b.mu.Lock()
	c.n++
	c.b.mu.Unlock()
}

func newPair(sizes ...Config) *pair {
	return &pair{b: must(sizes[0]), model: model{cfg: sizes[0]}, sizes: sizes}
}

// do applies one step to both and returns in what they differ, or "". Steps
// that make no sense now, such as a release with nothing held, do nothing.
func (p *pair) do(o op) string {
	m := &p.model
	switch o.kind {
	case 'c':
		m.now += core.Instant(o.n) * core.Instant(time.Millisecond)
	case 's':
		c := p.sizes[o.n%len(p.sizes)]
		m.at(m.now)
		m.cfg = c
		m.grant()
		if err := p.b.Resize(m.now, c); err != nil {
			return err.Error()
		}
	case 't':
		m.at(m.now)
		if got, want := p.b.TryAcquire(m.now), m.try(); got != want {
			return fmt.Sprintf("TryAcquire is %v, want %v", got, want)
		}
	case 'e':
		return p.enqueue()
	case 'r':
		m.at(m.now)
		if p.held() == 0 {
			return ""
		}
		m.inUse--
		m.grant()
		p.b.Release(m.now)
	default:
		return p.ticket(o)
	}
	return ""
}

func (p *pair) enqueue() string {
	m := &p.model
	m.at(m.now)
	w := &counter{b: p.b}
	got, reason := p.b.Enqueue(m.now, w)
	if want := m.enqueue(); want != (got != nil) || want != (reason == core.NoReason) {
		return fmt.Sprintf("Enqueue is %v, %v; want a ticket: %v", got, reason, want)
	}
	if got != nil {
		p.tickets = append(p.tickets, got)
		p.wakes = append(p.wakes, w)
	}
	return ""
}

func (p *pair) ticket(o op) string {
	m := &p.model
	if len(p.tickets) == 0 {
		return ""
	}
	i := o.n % len(p.tickets)
	mt := m.tickets[i]
	m.at(m.now)
	if o.kind == 'l' {
		m.leave(mt)
		p.b.Leave(m.now, p.tickets[i])
		return ""
	}
	if mt.phase == granted {
		mt.phase = taken
	}
	want := [...]Status{Waiting, Granted, Granted, Expired, Left}[mt.phase]
	if got := p.b.Poll(m.now, p.tickets[i]); got != want {
		return fmt.Sprintf("Poll of ticket %d is %v, want %v", i, got, want)
	}
	return ""
}

// held returns how many slots have an owner who may release them: a granted
// ticket that was not polled yet has none.
func (p *pair) held() int {
	n := p.model.inUse
	for _, t := range p.model.tickets {
		if t.phase == granted {
			n--
		}
	}
	return n
}

// compare looks inside without disturbing anything and returns a difference.
func (p *pair) compare() string {
	m, b := &p.model, p.b
	m.at(m.now)
	woke := 0
	for i, t := range p.tickets {
		got := t.phase
		if got == waiting && m.now >= t.until {
			got = expired // nobody has asked yet
		}
		if got != m.tickets[i].phase {
			return fmt.Sprintf("ticket %d is in phase %d, want %d", i, got, m.tickets[i].phase)
		}
		if t.Until() != m.tickets[i].until {
			return fmt.Sprintf("ticket %d ends at %d, want %d", i, t.Until(), m.tickets[i].until)
		}
		n := p.wakes[i].n
		woke += n
		if n > 1 || n == 0 && (got == granted || got == taken) {
			return fmt.Sprintf("ticket %d, phase %d, was woken %d times", i, got, n)
		}
	}
	if woke != m.woke {
		return fmt.Sprintf("woke %d, want %d", woke, m.woke)
	}
	if b.m.inUse != m.inUse || b.m.first != nil && b.m.inUse < b.m.cfg.Limit {
		return fmt.Sprintf("%d slots in use, want %d, with %d queued", b.m.inUse, m.inUse, b.m.queued)
	}
	return ""
}

// snapshot compares what Snapshot says.
func (p *pair) snapshot() string {
	m := &p.model
	m.at(m.now)
	want := Snapshot{Limit: m.cfg.Limit, InUse: m.inUse, Peak: m.peak, Queue: m.cfg.Queue,
		Queued: m.queued(), Refused: uint64(m.refused), WaitedOut: uint64(m.waitedOut)}
	if got := p.b.Snapshot(m.now); got != want {
		return fmt.Sprintf("snapshot %+v, want %+v", got, want)
	}
	return ""
}

// replay runs the steps and fails the test at the first difference.
func replay(t *testing.T, steps []op, sizes ...Config) *pair {
	t.Helper()
	p := newPair(sizes...)
	for i, o := range steps {
		d := p.do(o)
		if d == "" {
			d = p.compare()
		}
		if d != "" {
			t.Fatalf("%s\nafter %v, from %+v", d, steps[:i+1], sizes)
		}
	}
	return p
}
