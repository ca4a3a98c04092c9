package sim

import (
	"github.com/seakeep/seakeep/core"
)

// Class orders events of the same instant: what ends comes before what is due,
// and that before what begins. A slot given back at an instant is there for
// whoever arrives at it.
type Class uint8

const (
	// Ends is for completions: answers, work done, slots given back.
	Ends Class = iota
	// Due is for timers: timeouts, backoffs, patience.
	Due
	// Begins is for arrivals.
	Begins
	// Changes is for what the scenario does to the world.
	Changes
)

// Actor is whatever events happen to. The engine hands back the two numbers
// that it was given; what they mean is the actor's own.
type Actor interface {
	Fire(what int, arg int64)
}

// Timer names a scheduled event, so that it can be cancelled. The zero Timer
// names none.
type Timer struct {
	slot int32
	gen  uint32
}

// Engine is a clock and a queue of events. Time is whole nanoseconds; events of
// one instant happen by class, and within a class in the order in which they
// were scheduled. It never reads a clock and starts no goroutine.
type Engine struct {
	now   core.Instant
	seq   uint64
	fired uint64
	dead  int // cancelled events still in the heap
	heap  []entry
	slots []slot
	free  []int32
}

type entry struct {
	at   core.Instant
	rank uint64 // class, then sequence
	slot int32
}

type slot struct {
	actor Actor
	arg   int64
	what  int32
	gen   uint32
	live  bool
}

// Now returns the virtual time.
func (e *Engine) Now() core.Instant { return e.now }

// Fired returns how many events have happened.
func (e *Engine) Fired() uint64 { return e.fired }

// Pending returns how many events are scheduled.
func (e *Engine) Pending() int { return len(e.heap) - e.dead }

// At schedules an event. An instant that has passed means now. core.Never
// schedules nothing.
func (e *Engine) At(at core.Instant, c Class, a Actor, what int, arg int64) Timer {
	if at == core.Never {
		return Timer{}
	}
	i := e.take()
	s := &e.slots[i]
	s.actor, s.what, s.arg, s.live = a, int32(what), arg, true
	e.seq++
	e.push(entry{max(at, e.now), uint64(c)<<60 | e.seq, i})
	return Timer{i, s.gen}
}

// Cancel takes an event back. One that has happened, or was cancelled before,
// is left alone.
func (e *Engine) Cancel(t Timer) {
	if t.gen == 0 {
		return
	}
	s := &e.slots[t.slot]
	if s.gen != t.gen || !s.live {
		return
	}
	s.live, s.actor = false, nil
	if e.dead++; e.dead > 64 && e.dead > len(e.heap)/2 {
		e.sweep()
	}
}

// Run lets events happen until the given instant, that one included, and leaves
// the clock there.
func (e *Engine) Run(until core.Instant) {
	for len(e.heap) > 0 && e.heap[0].at <= until {
		top := e.pop()
		s := e.slots[top.slot]
		e.release(top.slot)
		if !s.live {
			e.dead--
			continue
		}
		e.now = top.at
		e.fired++
		s.actor.Fire(int(s.what), s.arg)
	}
	e.now = max(e.now, until)
}

func (e *Engine) take() int32 {
	if n := len(e.free); n > 0 {
		i := e.free[n-1]
		e.free = e.free[:n-1]
		return i
	}
	e.slots = append(e.slots, slot{gen: 1})
	return int32(len(e.slots) - 1)
}

func (e *Engine) release(i int32) {
	s := &e.slots[i]
	s.live, s.actor = false, nil
	if s.gen++; s.gen == 0 { // 0 is the generation of no timer
		s.gen = 1
	}
	e.free = append(e.free, i)
}

// sweep drops cancelled events, so that long timeouts that nearly always are
// cancelled do not fill the heap.
func (e *Engine) sweep() {
	kept := e.heap[:0]
	for _, x := range e.heap {
		if e.slots[x.slot].live {
			kept = append(kept, x)
		} else {
			e.release(x.slot)
		}
	}
	e.heap, e.dead = kept, 0
	for i := len(kept)/arity + 1; i >= 0; i-- {
		e.down(i)
	}
}

// arity of the heap: a wide one is shallower and kinder to caches.
const arity = 4

func before(a, b entry) bool { return a.at < b.at || a.at == b.at && a.rank < b.rank }

func (e *Engine) push(x entry) {
	e.heap = append(e.heap, x)
	i := len(e.heap) - 1
	for i > 0 {
		parent := (i - 1) / arity
		if !before(x, e.heap[parent]) {
			break
		}
		e.heap[i] = e.heap[parent]
		i = parent
	}
	e.heap[i] = x
}

func (e *Engine) pop() entry {
	top := e.heap[0]
	last := len(e.heap) - 1
	e.heap[0] = e.heap[last]
	e.heap = e.heap[:last]
	e.down(0)
	return top
}

func (e *Engine) down(i int) {
	h := e.heap
	if i >= len(h) {
		return
	}
	x := h[i]
	for {
		first := i*arity + 1
		if first >= len(h) {
			break
		}
		least := first
		for c := first + 1; c < min(first+arity, len(h)); c++ {
			if before(h[c], h[least]) {
				least = c
			}
		}
		if !before(h[least], x) {
			break
		}
		h[i] = h[least]
		i = least
	}
	h[i] = x
}
