package queue

import "github.com/seakeep/seakeep/core"

// Item is one entry and its place in a queue. Set the exported fields and leave
// them alone while it waits. It may be pushed again once it is out.
type Item[T any] struct {
	Value T
	Class core.Criticality
	Flow  int          // a small number for whose it is, such as a tenant; 0: nobody's
	Until core.Instant // when it is too late; core.Never: it never is

	arrived    core.Instant
	end        core.Instant // the earlier of Until and what the order allows
	number     uint64       // rises with each Push
	flow       *flow[T]     // nil: it does not wait
	prev, next *Item[T]
	place      int         // in the heap of ends
	why        core.Reason // waiting: what end is for; out: why it left, or NoReason
}

// End returns when the queue gives the entry up, which is fixed by Push: at
// Until, or before that if the order is CoDelLIFO.
func (it *Item[T]) End() core.Instant { return it.end }

// Reason returns why the queue gave up an entry that Gone has returned:
// QueueTimeout, QueueDelay or Evicted.
func (it *Item[T]) Reason() core.Reason { return it.why }

// Waits reports whether the entry is in a queue.
func (it *Item[T]) Waits() bool { return it.flow != nil }

// before ranks entries by when they end.
func (it *Item[T]) before(other *Item[T]) bool {
	if it.end != other.end {
		return it.end < other.end
	}
	return it.number < other.number
}

func (it *Item[T]) spot() *int { return &it.place }
