package queue

import (
	"fmt"

	"github.com/seakeep/seakeep/core"
)

// Line is the queue. It is not safe for concurrent use, and its now must never
// go back; both are for whoever holds it. Make it with New.
type Line[T any] struct {
	cfg     Config
	floors  [core.Criticalities]int // in millionths
	kept    [core.Criticalities]int // places that only the class itself may take
	shares  bool                    // some floor is set
	n       int
	pushed  uint64
	classes [core.Criticalities]class[T]
	ends    heap[*Item[T]]
	held    map[int]struct{}
	spare   *flow[T] // flows to use again, linked by next

	gone, lastGone *Item[T] // given up and not yet told of, linked by next
}

// New returns an empty queue, or the errors of c.Validate.
func New[T any](c Config) (*Line[T], error) {
	l := &Line[T]{held: map[int]struct{}{}}
	for i := range l.classes {
		l.classes[i].solo.class = &l.classes[i]
		l.classes[i].flows = map[int]*flow[T]{}
	}
	if err := l.Reconfigure(c); err != nil {
		return nil, err
	}
	return l, nil
}

// Reconfigure changes the bounds and rules, or returns the errors of c.Validate
// and changes nothing. What waits keeps its place and its time, even if the
// queue is made shorter than it is.
func (l *Line[T]) Reconfigure(c Config) error {
	if err := c.Validate(); err != nil {
		return fmt.Errorf("queue: %w", err)
	}
	c.Rules = c.defaults()
	l.cfg, l.shares = c, false
	for i, f := range c.Floors {
		l.floors[i] = millionths(f)
		l.kept[i] = l.floors[i] * c.Length / whole
		if l.floors[i] > 0 {
			l.shares = true
		} else {
			l.classes[i].credit = 0
		}
	}
	return nil
}

// Len returns how many entries wait. Those whose time is up count until Sweep,
// Room, Push, Pop or Hold has seen it.
func (l *Line[T]) Len() int { return l.n }

// Waiting returns how many entries of a class wait, as Len does.
func (l *Line[T]) Waiting(c core.Criticality) int { return l.classes[c.Index()].n }

// Room returns NoReason if an entry of this class and flow would find a place,
// if need be that of another one, and else why not: BulkheadFull or TenantLimit.
func (l *Line[T]) Room(now core.Instant, c core.Criticality, flow int) core.Reason {
	l.Sweep(now)
	if most := l.cfg.PerFlow; most > 0 && flow != 0 && l.places(flow) >= most {
		return core.TenantLimit
	}
	if l.full(c) && l.victim(now, c, flow) == nil {
		return core.BulkheadFull
	}
	return core.NoReason
}

func (l *Line[T]) places(flow int) (n int) {
	for i := range l.classes {
		if f := l.classes[i].find(flow); f != nil {
			n += f.n
		}
	}
	return n
}

// Push puts an entry in the queue, or returns why it finds no place: for the
// reasons of Room, or because its time is up. It may evict another one for it.
func (l *Line[T]) Push(now core.Instant, it *Item[T]) core.Reason {
	if it.flow != nil {
		panic("queue: Push of an entry that waits")
	}
	if now >= it.Until {
		return core.QueueTimeout
	}
	if r := l.Room(now, it.Class, it.Flow); r != core.NoReason {
		return r
	}
	if l.full(it.Class) {
		l.giveUp(l.victim(now, it.Class, it.Flow), core.Evicted)
	}
	c := &l.classes[it.Class.Index()]
	l.promise(now, c, it)
	f := l.flow(c, it.Flow)
	f.push(it)
	c.n++
	l.n++
	l.ends.push(it)
	if f.n > 1 {
		c.loads.fix(f)
		return core.NoReason
	}
	c.loads.push(f)
	if _, held := l.held[it.Flow]; !held {
		c.join(now, f)
	}
	return core.NoReason
}

// promise sets until when the entry may wait.
func (l *Line[T]) promise(now core.Instant, c *class[T], it *Item[T]) {
	l.pushed++
	it.arrived, it.number = now, l.pushed
	it.end, it.why = it.Until, core.QueueTimeout
	if l.cfg.Order != CoDelLIFO {
		return
	}
	wait := l.cfg.Interval
	if c.standing(now, l.cfg.Interval) {
		wait = l.cfg.Target
	}
	if end := now.Add(wait); end < it.end {
		it.end, it.why = end, core.QueueDelay
	}
}

// flow returns the class's flow of this number, which may be an empty one.
func (l *Line[T]) flow(c *class[T], number int) *flow[T] {
	if number == 0 {
		return &c.solo
	}
	f := c.flows[number]
	if f == nil {
		if f = l.spare; f == nil {
			f = &flow[T]{}
		}
		l.spare, f.next = f.next, nil
		f.class, f.number = c, number
		c.flows[number] = f
	}
	return f
}

// Pop takes out whose turn it is, or returns nil if nobody waits who may be
// served. An entry whose time is up never comes out here.
func (l *Line[T]) Pop(now core.Instant) *Item[T] {
	l.Sweep(now)
	for {
		c := l.nextClass()
		if c == nil {
			return nil
		}
		f := c.turn
		it := f.first
		if l.newestFirst(now, c) {
			it = f.last
		}
		if l.cfg.Order == CoDel && c.codel.drop(now, now.Sub(it.arrived), c.n-1, &l.cfg.Rules) {
			l.giveUp(it, core.QueueDelay)
			continue
		}
		l.charge(c)
		c.turn = f.next
		l.unlink(it)
		it.why = core.NoReason
		return it
	}
}

func (l *Line[T]) newestFirst(now core.Instant, c *class[T]) bool {
	return l.cfg.Order == LIFO ||
		l.cfg.Order == CoDelLIFO && c.standing(now, l.cfg.Interval)
}

// Remove takes an entry out because nobody wants it any more. It reports false
// if it does not wait.
func (l *Line[T]) Remove(it *Item[T]) bool {
	if it.flow == nil {
		return false
	}
	l.unlink(it)
	it.why = core.NoReason
	return true
}

// Sweep gives up the entries whose time is up, and returns when the next one's
// is; core.Never: nobody waits.
func (l *Line[T]) Sweep(now core.Instant) (next core.Instant) {
	for len(l.ends) > 0 {
		it := l.ends[0]
		if now < it.end {
			return it.end
		}
		l.giveUp(it, it.why)
	}
	return core.Never
}

// Hold keeps a flow's entries from being served, while it has what it may have,
// or lets them again. Others pass it; its entries keep their time. The holder
// bounds how many flows it holds. Flow 0 cannot be held.
func (l *Line[T]) Hold(now core.Instant, number int, on bool) {
	if number == 0 {
		panic("queue: Hold of flow 0")
	}
	l.Sweep(now)
	if on {
		l.held[number] = struct{}{}
	} else {
		delete(l.held, number)
	}
	for i := range l.classes {
		c := &l.classes[i]
		switch f := c.find(number); {
		case f == nil:
		case on:
			c.part(f)
		default:
			c.join(now, f)
		}
	}
}

// Gone returns an entry that the queue gave up, in the order in which it did,
// and nil when all have been returned. Call it until then after every other
// call, or what was given up piles up here.
func (l *Line[T]) Gone() *Item[T] {
	it := l.gone
	if it != nil {
		if l.gone = it.next; l.gone == nil {
			l.lastGone = nil
		}
		it.next = nil
	}
	return it
}

func (l *Line[T]) giveUp(it *Item[T], why core.Reason) {
	l.unlink(it)
	it.why = why
	if l.lastGone == nil {
		l.gone = it
	} else {
		l.lastGone.next = it
	}
	l.lastGone = it
}

func (l *Line[T]) unlink(it *Item[T]) {
	f := it.flow
	if f == nil || it.place >= len(l.ends) || l.ends[it.place] != it {
		panic("queue: the entry is not from this queue")
	}
	c := f.class
	f.unlink(it)
	l.ends.remove(it)
	c.n--
	l.n--
	if f.n > 0 {
		c.loads.fix(f)
		return
	}
	c.loads.remove(f)
	c.part(f)
	if f.number != 0 {
		delete(c.flows, f.number)
		f.next, l.spare = l.spare, f
	}
}
