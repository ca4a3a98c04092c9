package bulkhead

import (
	"fmt"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// op is one thing that may be done to a bulkhead: t(ry) e(nqueue) r(elease)
// p(oll) l(eave) c(lock) s(ize) n(ew limit). n says which ticket, how many
// ticks, which of the pair's sizes, or which limit; for whom is in the rest.
type op struct {
	kind           byte
	n, class, flow int
}

func (o op) String() string { return fmt.Sprintf("%c%d/%d/%d", o.kind, o.n, o.class, o.flow) }

// pair is a bulkhead and its model, driven together.
type pair struct {
	b       *Bulkhead
	model   *model
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
	return &pair{b: must(sizes[0]), model: newModel(sizes[0]), sizes: sizes}
}

// do applies one step to both and returns in what they differ, or "". Steps
// that make no sense now, such as a release with nothing held, do nothing.
func (p *pair) do(o op) string {
	m := p.model
	place := Place{Class: core.CriticalityAt(o.class), Flow: o.flow}
	switch o.kind {
	case 'c':
		m.now += core.Instant(o.n) * ms
	case 's', 'n':
		m.at(m.now, nil)
		if o.kind == 's' {
			m.cfg = p.sizes[o.n%len(p.sizes)]
			if err := p.b.Resize(m.now, m.cfg); err != nil {
				return err.Error()
			}
		} else {
			m.cfg.Limit = 1 + o.n%4
			p.b.SetLimit(m.now, m.cfg.Limit)
		}
		m.grant()
	case 't':
		m.at(m.now, nil)
		if got, want := p.b.TryAcquire(m.now, place), m.try(o.flow); got != want {
			return fmt.Sprintf("TryAcquire is %v, want %v", got, want)
		}
	case 'e':
		if o.n > 0 {
			place.Until = m.now + core.Instant(o.n-1)*ms
		}
		return p.enqueue(place)
	case 'r':
		m.at(m.now, nil)
		if p.held(o.flow) == 0 {
			return ""
		}
		m.give(o.flow)
		p.b.Release(m.now, place)
	default:
		return p.ticket(o)
	}
	return ""
}

func (p *pair) enqueue(place Place) string {
	m := p.model
	m.at(m.now, nil)
	w := &counter{b: p.b}
	got, reason := p.b.Enqueue(m.now, place, w)
	if want := m.enqueue(place); want != reason || (got != nil) != (want == core.NoReason) {
		return fmt.Sprintf("Enqueue is %v, want %v", reason, want)
	}
	if got != nil {
		p.tickets = append(p.tickets, got)
		p.wakes = append(p.wakes, w)
	}
	return ""
}

func (p *pair) ticket(o op) string {
	m := p.model
	if len(p.tickets) == 0 {
		return ""
	}
	i := o.n % len(p.tickets)
	mt := m.tickets[i]
	m.at(m.now, mt)
	if o.kind == 'l' {
		m.leave(mt)
		p.b.Leave(m.now, p.tickets[i])
		return ""
	}
	if mt.phase == granted {
		mt.phase = taken
	}
	want := [...]Status{Waiting, Granted, Granted, Expired, Left, Dropped}[mt.phase]
	if got := p.b.Poll(m.now, p.tickets[i]); got != want {
		return fmt.Sprintf("Poll of ticket %d is %v, want %v", i, got, want)
	}
	if got := p.tickets[i].Reason(); got != mt.reason {
		return fmt.Sprintf("ticket %d ended for %v, want %v", i, got, mt.reason)
	}
	return ""
}

// held returns how many of a flow's slots have an owner who may release them: a
// granted ticket that was not polled yet has none.
func (p *pair) held(flow int) int {
	n := p.model.slots[flow]
	for _, t := range p.model.tickets {
		if t.phase == granted && t.place.Flow == flow {
			n--
		}
	}
	return n
}

// compare returns a difference in what became of anybody.
func (p *pair) compare() string {
	m, b := p.model, p.b
	m.at(m.now, nil)
	b.Busy(m.now) // so that the bulkhead has noticed the time, too
	woke := 0
	for i, t := range p.tickets {
		want := m.tickets[i]
		if t.phase != want.phase || t.reason != want.reason || t.Until() != want.until {
			return fmt.Sprintf("ticket %d is in phase %d for %v, until %d; want %d for %v, until %d",
				i, t.phase, t.reason, t.Until(), want.phase, want.reason, want.until)
		}
		n := p.wakes[i].n
		woke += n
		if told := t.phase == granted || t.phase == taken || t.phase == dropped && !want.quiet; n > 1 || n == 0 && told {
			return fmt.Sprintf("ticket %d, phase %d, was woken %d times", i, t.phase, n)
		}
	}
	if woke != m.woke {
		return fmt.Sprintf("woke %d, want %d", woke, m.woke)
	}
	for flow, n := range m.slots {
		if got := b.m.flows.of(flow); flow != 0 && got != n {
			return fmt.Sprintf("flow %d has %d slots, want %d", flow, got, n)
		}
	}
	return p.snapshot()
}

// snapshot compares what Snapshot says, and checks that its sums balance.
func (p *pair) snapshot() string {
	m := p.model
	want := Snapshot{Limit: m.cfg.Limit, InUse: m.inUse, Peak: m.peak, Queue: m.cfg.Queue,
		Queued: len(m.waits(-1, -1)), Refused: uint64(m.refused), Limited: uint64(m.limited),
		WaitedOut: uint64(m.waitedOut), Delayed: uint64(m.delayed), Evicted: uint64(m.evicted)}
	for i := range want.Classes {
		want.Classes[i] = len(m.waits(i, -1))
	}
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

const tick = time.Millisecond
