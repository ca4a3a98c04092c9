package queue

import "github.com/seakeep/seakeep/core"

// nextClass returns the most important class that may be served, unless another
// one has a whole entry of its floor to its credit. nil: there is none.
func (l *Line[T]) nextClass() *class[T] {
	var top, due *class[T]
	for i := core.Criticalities - 1; i >= 0; i-- {
		c := &l.classes[i]
		if c.turn == nil {
			continue
		}
		if top == nil {
			top = c
		}
		if c.credit >= whole && (due == nil || c.credit > due.credit) {
			due = c
		}
	}
	if due != nil {
		return due
	}
	return top
}

// charge keeps the accounts of the floors for an entry given out: every class
// that waits earns its share of it, and the one that got it pays, as far as it
// has anything. Credit is kept when a class stops waiting, but none is earned
// then, so that nobody saves up. As the floors are at most 1 together, credits
// stay below a few entries.
func (l *Line[T]) charge(served *class[T]) {
	if !l.shares {
		return
	}
	for i := range l.classes {
		if c := &l.classes[i]; c.turn != nil {
			c.credit += l.floors[i]
		}
	}
	served.credit = max(0, served.credit-whole)
}

// full reports whether there is no place left for a newcomer of this class. A
// place that is kept for another class is none.
func (l *Line[T]) full(newcomer core.Criticality) bool {
	if l.n >= l.cfg.Length || !l.shares {
		return l.n >= l.cfg.Length
	}
	mine, taken := newcomer.Index(), 0
	for i := range l.classes {
		taken += max(l.classes[i].n, l.kept[i])
	}
	return taken >= l.cfg.Length && l.classes[mine].n >= l.kept[mine]
}

// victim returns which entry makes room for a newcomer to a full queue; nil:
// the newcomer is refused. Entries in places that are kept for their class stay.
func (l *Line[T]) victim(now core.Instant, newcomer core.Criticality, flow int) *Item[T] {
	if l.cfg.Full == Reject {
		return nil
	}
	low, mine := 0, newcomer.Index()
	for low <= mine && l.classes[low].n <= l.kept[low] {
		low++
	}
	if low > mine {
		return nil
	}
	c := &l.classes[low]
	f := c.loads[0]
	if l.cfg.Full == DropOldest {
		return f.first
	}
	if mine == low {
		own := 0
		if g := c.find(flow); g != nil {
			own = g.n
		}
		if f.n < own+2 {
			return nil
		}
	}
	if l.newestFirst(now, c) {
		return f.first
	}
	return f.last
}
