package queue

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// op is one thing that may be done to a queue: a(dd) p(op) r(emove) h(old)
// f(ree) c(lock) s(ettings).
type op struct {
	kind           byte
	n, class, flow int // n: time to live or to pass in ms, which entry, which settings
}

func (o op) String() string { return fmt.Sprintf("%c%d/%d/%d", o.kind, o.n, o.class, o.flow) }

// pair is a queue and its model, driven together.
type pair struct {
	line     *Line[int]
	model    *model
	settings []Config
	items    []*Item[int]
	entries  []*entry
	told     int // how many of the model's gone were compared
}

func newPair(settings ...Config) *pair {
	l, err := New[int](settings[0])
	if err != nil {
		panic(err)
	}
	return &pair{line: l, model: newModel(settings[0]), settings: settings}
}

// do applies one step to both and returns in what they differ, or "".
func (p *pair) do(o op) string {
	m := p.model
	if o.kind == 'c' {
		m.now += core.Instant(o.n) * ms
		return ""
	}
	m.at(m.now)
	switch o.kind {
	case 'a':
		return p.add(o)
	case 'p':
		return p.pop()
	case 'r':
		if len(p.items) == 0 {
			return ""
		}
		p.line.Sweep(m.now)
		i := o.n % len(p.items)
		waits := slices.Contains(m.entries, p.entries[i])
		m.remove(p.entries[i])
		if got := p.line.Remove(p.items[i]); got != waits {
			return fmt.Sprintf("Remove of %v is %v", p.entries[i], got)
		}
	case 'h':
		if !slices.Contains(m.held, o.flow) {
			m.held = append(m.held, o.flow)
		}
		p.line.Hold(m.now, o.flow, true)
	case 'f':
		m.held = slices.DeleteFunc(m.held, func(f int) bool { return f == o.flow })
		p.line.Hold(m.now, o.flow, false)
	case 's':
		c := p.settings[o.n%len(p.settings)]
		p.line.Sweep(m.now)
		if err := p.line.Reconfigure(c); err != nil {
			return err.Error()
		}
		m.cfg = c
		m.cfg.Rules = c.defaults()
		for i, f := range c.Floors {
			if f == 0 {
				m.classes[i].credit = 0
			}
		}
	}
	m.arrange()
	return ""
}

func (p *pair) add(o op) string {
	m := p.model
	until := m.now + core.Instant(o.n)*ms
	it := &Item[int]{Value: len(p.items), Class: core.CriticalityAt(o.class), Flow: o.flow, Until: until}
	e := &entry{id: it.Value, class: o.class, flow: o.flow, end: until}
	room := p.line.Room(m.now, it.Class, it.Flow)
	got, want := p.line.Push(m.now, it), m.push(e)
	if got != want {
		return fmt.Sprintf("Push of %v is %v, want %v", e, got, want)
	}
	if got != core.QueueTimeout && room != got {
		return fmt.Sprintf("Room for %v is %v, and Push %v", e, room, got)
	}
	if got == core.NoReason {
		if it.End() != e.end {
			return fmt.Sprintf("%v ends at %d, want %d", e, it.End(), e.end)
		}
		p.items, p.entries = append(p.items, it), append(p.entries, e)
	}
	return ""
}

func (p *pair) pop() string {
	it, e := p.line.Pop(p.model.now), p.model.pop()
	switch {
	case it == nil && e == nil:
		return ""
	case it == nil || e == nil || it.Value != e.id:
		return fmt.Sprintf("Pop is %v, want %v", it, e)
	case it.Reason() != core.NoReason || it.Waits():
		return fmt.Sprintf("popped %v has reason %v", e, it.Reason())
	}
	return ""
}

// compare returns a difference in what was given up, and in what waits.
func (p *pair) compare() string {
	m, l := p.model, p.line
	m.at(m.now)
	next := l.Sweep(m.now)
	for it := l.Gone(); it != nil; it = l.Gone() {
		if p.told >= len(m.gone) {
			return fmt.Sprintf("gave up %d for %v and should not", it.Value, it.Reason())
		}
		e := m.gone[p.told]
		if e.id != it.Value || e.why != it.Reason() {
			return fmt.Sprintf("gave up %d for %v, want %v for %v", it.Value, it.Reason(), e, e.why)
		}
		p.told++
	}
	if p.told != len(m.gone) {
		return fmt.Sprintf("did not give up %v", m.gone[p.told])
	}
	want := core.Never
	for _, e := range m.entries {
		want = min(want, e.end)
	}
	if next != want || l.Len() != len(m.entries) {
		return fmt.Sprintf("%d wait, the next end is %d; want %d and %d", l.Len(), next, len(m.entries), want)
	}
	for i := range m.classes {
		if got := l.Waiting(core.CriticalityAt(i)); got != len(m.of(i, -1)) {
			return fmt.Sprintf("%d of class %d wait, want %d", got, i, len(m.of(i, -1)))
		}
	}
	return ""
}

// replay runs the steps and fails the test at the first difference.
func replay(t *testing.T, steps []op, settings ...Config) *pair {
	t.Helper()
	p := newPair(settings...)
	for i, o := range steps {
		d := p.do(o)
		if d == "" {
			d = p.compare()
		}
		if d != "" {
			t.Fatalf("%s\nafter %v, from %+v", d, steps[:i+1], settings)
		}
	}
	return p
}

// every returns settings for each pair of an order and a rule for a full queue.
func every(c Config) (all []Config) {
	for order := range CoDelLIFO + 1 {
		for full := range DropLowest + 1 {
			c.Order, c.Full = order, full
			all = append(all, c)
		}
	}
	return all
}

var tight = Rules{Target: 2 * time.Millisecond, Interval: 3 * time.Millisecond}
