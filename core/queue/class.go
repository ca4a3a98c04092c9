package queue

import (
	"time"

	"github.com/seakeep/seakeep/core"
)

// flow is what waits of one flow in one class, the oldest first.
type flow[T any] struct {
	class       *class[T]
	number      int
	first, last *Item[T]
	n           int
	prev, next  *flow[T] // in the ring of its class; nil: it is not in it
	place       int      // in the heap of loads
}

// before ranks flows by how much of them waits.
func (f *flow[T]) before(g *flow[T]) bool {
	if f.n != g.n {
		return f.n > g.n
	}
	return f.number < g.number
}

func (f *flow[T]) spot() *int { return &f.place }

func (f *flow[T]) push(it *Item[T]) {
	it.flow, it.prev = f, f.last
	if f.last == nil {
		f.first = it
	} else {
		f.last.next = it
	}
	f.last = it
	f.n++
}

func (f *flow[T]) unlink(it *Item[T]) {
	if it.prev == nil {
		f.first = it.next
	} else {
		it.prev.next = it.next
	}
	if it.next == nil {
		f.last = it.prev
	} else {
		it.next.prev = it.prev
	}
	it.flow, it.prev, it.next = nil, nil, nil
	f.n--
}

// class is what waits in one class.
type class[T any] struct {
	solo  flow[T]          // flow 0, which most users need only
	flows map[int]*flow[T] // the others that wait
	n     int              // entries
	loads heap[*flow[T]]   // the flows that wait, the largest first

	turn   *flow[T]     // the next to be served, in a ring of those that may be
	since  core.Instant // since when the ring has not been empty
	codel  codel
	credit int // in millionths of an entry: see Line.charge
}

// find returns the flow if it waits, or nil.
func (c *class[T]) find(number int) *flow[T] {
	if number != 0 {
		return c.flows[number]
	}
	if c.solo.n == 0 {
		return nil
	}
	return &c.solo
}

// join puts a flow in the ring, where its turn is after everybody's.
func (c *class[T]) join(now core.Instant, f *flow[T]) {
	if f.next != nil {
		return
	}
	if c.turn == nil {
		c.turn, c.since = f, now
		f.prev, f.next = f, f
		return
	}
	f.prev, f.next = c.turn.prev, c.turn
	f.prev.next, f.next.prev = f, f
}

func (c *class[T]) part(f *flow[T]) {
	if f.next == nil {
		return
	}
	if c.turn == f {
		if c.turn = f.next; c.turn == f {
			c.turn = nil
		}
	}
	f.prev.next, f.next.prev = f.next, f.prev
	f.prev, f.next = nil, nil
}

// standing reports whether somebody has been waiting for his turn for all of
// the interval. Flows that are held do not count: no slot would help them.
func (c *class[T]) standing(now core.Instant, interval time.Duration) bool {
	return c.turn != nil && now.Sub(c.since) >= interval
}
