package seakeep

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/queue"
)

// queueError is an error of a Queue. It matches ErrRejected: nothing was done.
type queueError string

func (e queueError) Error() string { return string(e) }

// Is matches ErrRejected.
func (e queueError) Is(target error) bool { return target == ErrRejected }

var (
	// ErrQueueFull is what Put returns for an item that finds no place.
	ErrQueueFull error = queueError("seakeep: the queue is full")
	// ErrQueueClosed is what Put returns after Close, and Take once a closed
	// queue is empty.
	ErrQueueClosed error = queueError("seakeep: the queue is closed")

	errFlowFull = fmt.Errorf("%w for this flow", ErrQueueFull)
)

// Queue hands items from producers to consumers inside a program. It holds a
// bounded number of them, serves the important first, and drops what it is too
// late for. It is safe for concurrent use; make it with NewQueue. It needs no
// goroutine of its own.
type Queue[T any] struct {
	cfg QueueConfig[T]

	mu      sync.Mutex
	latest  core.Instant
	line    *queue.Line[T]
	takers  []*taker[T]                      // who waits for an item, in order of arrival
	putters [core.Criticalities][]*putter[T] // who waits for a place, likewise
	closed  bool
	timer   *time.Timer
	alarm   core.Instant     // when timer goes off; core.Never: it is not set
	dropped []*queue.Item[T] // not yet handed to OnDrop
	counts  QueueSnapshot
}

// taker is a Take that waits. The channel has room for its item.
type taker[T any] struct{ item chan *queue.Item[T] } // closed without one: the queue is

// putter is a Put that waits. The channel has room for its end.
type putter[T any] struct {
	item     *queue.Item[T]
	deadline core.Instant // of the context
	end      chan error   // nil until it waits
}

// QueuePlace says whose an item is.
type QueuePlace struct {
	Class Criticality
	// Flow is a small number for the producer or tenant that it comes from: in
	// each class flows are served in turn. 0 is one flow as any other, but
	// has no bound of its own.
	Flow int
}

// NewQueue returns an empty queue, or the errors of c.Validate.
func NewQueue[T any](c QueueConfig[T]) (*Queue[T], error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("queue: %w", err)
	}
	line, err := queue.New[T](c.line())
	if err != nil {
		return nil, err
	}
	return &Queue[T]{cfg: c, line: line, latest: Now(), alarm: core.Never}, nil
}

// Put puts an item in the queue, with the class that WithCriticality gave ctx
// and no flow. The context's deadline is also the item's: after it the item is
// dropped. Its cancellation is not: it only ends Put's own wait for a place.
//
// The error is nil if the item is in the queue or taken already. Else nothing
// was done, and it is ErrQueueFull, ErrQueueClosed, or that of the context.
func (q *Queue[T]) Put(ctx context.Context, v T) error {
	return q.PutAs(ctx, v, QueuePlace{Class: CriticalityOf(ctx)})
}

// PutAs is Put for an item of the given class and flow.
func (q *Queue[T]) PutAs(ctx context.Context, v T, as QueuePlace) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if as.Class < Sheddable || as.Class > CriticalPlus {
		panic("seakeep: PutAs of no class that there is")
	}
	p := &putter[T]{deadline: deadlineOf(ctx)}
	p.item = &queue.Item[T]{Value: v, Class: as.Class, Flow: as.Flow}
	now := q.lock()
	err := q.put(now, p)
	q.unlock(now)
	if p.end == nil {
		return err
	}
	select {
	case err = <-p.end:
		return err
	case <-ctx.Done():
		return q.giveUp(ctx, p)
	}
}

// put gives the item a place, or refuses it, or makes its Put wait for one.
func (q *Queue[T]) put(now core.Instant, p *putter[T]) error {
	if q.closed {
		return ErrQueueClosed
	}
	waiting := &q.putters[p.item.Class.Index()]
	r := core.BulkheadFull
	if len(*waiting) == 0 { // or it would overtake
		r = q.push(now, p)
	}
	switch {
	case r == core.NoReason:
		return nil
	case r == core.QueueTimeout:
		return context.DeadlineExceeded
	case q.cfg.Full == Block:
		p.end = make(chan error, 1)
		*waiting = append(*waiting, p)
		return nil
	}
	q.counts.Refused++
	if r == core.TenantLimit {
		return errFlowFull
	}
	return ErrQueueFull
}

// giveUp ends a Put whose caller will not wait any longer, unless it has just
// found its place.
func (q *Queue[T]) giveUp(ctx context.Context, p *putter[T]) error {
	now := q.lock()
	list := &q.putters[p.item.Class.Index()]
	i := slices.Index(*list, p)
	if i >= 0 {
		*list = slices.Delete(*list, i, i+1)
	}
	q.unlock(now) // whom it stood in the way of may have a place now
	if i < 0 {
		return <-p.end
	}
	return ctx.Err()
}

// Take returns the next item, and waits for one if there is none. The error is
// that of the context, or ErrQueueClosed once the queue is closed and empty.
func (q *Queue[T]) Take(ctx context.Context) (v T, err error) {
	if err := ctx.Err(); err != nil {
		return v, err
	}
	now := q.lock()
	it, over := q.next(now)
	if it != nil || over {
		q.unlock(now)
		return taken(it)
	}
	t := &taker[T]{item: make(chan *queue.Item[T], 1)}
	q.takers = append(q.takers, t)
	q.unlock(now)
	select {
	case it = <-t.item:
		return taken(it)
	case <-ctx.Done():
	}
	now = q.lock()
	i := slices.Index(q.takers, t)
	if i >= 0 {
		q.takers = slices.Delete(q.takers, i, i+1)
	}
	q.unlock(now)
	if i < 0 { // it has an item after all, which would be lost otherwise
		return taken(<-t.item)
	}
	return v, ctx.Err()
}

// next takes an item if there is one and nobody waits for it. over reports that
// there will be none.
func (q *Queue[T]) next(now core.Instant) (it *queue.Item[T], over bool) {
	if len(q.takers) > 0 {
		return nil, false
	}
	for {
		if it = q.line.Pop(now); it != nil {
			q.counts.Taken++
			return it, false
		}
		if !q.admit(now) {
			return nil, q.closed
		}
	}
}

func taken[T any](it *queue.Item[T]) (v T, err error) {
	if it == nil {
		return v, ErrQueueClosed
	}
	return it.Value, nil
}

// Close lets nothing more in. What waits can still be taken; who waits for a
// place gets ErrQueueClosed. It may be called again.
func (q *Queue[T]) Close() {
	now := q.lock()
	q.closed = true
	for i, list := range q.putters {
		for _, p := range list {
			p.end <- ErrQueueClosed
		}
		q.putters[i] = nil
	}
	q.unlock(now)
}

// Len returns how many items wait.
func (q *Queue[T]) Len() int {
	now := q.lock()
	q.settle(now)
	n := q.line.Len()
	q.unlock(now)
	return n
}

// QueueSnapshot is a Queue's state at one instant. The totals count since
// NewQueue; Put = Taken + TimedOut + Delayed + Evicted + Len.
type QueueSnapshot struct {
	Len       int
	Length    int
	Classes   [core.Criticalities]int // of Len, by the Index of the class
	Producers int                     // waiting for a place
	Consumers int                     // waiting for an item

	Put      uint64 // items let in
	Taken    uint64
	Refused  uint64 // items that found no place
	TimedOut uint64 // items whose time ran out
	Delayed  uint64 // items dropped because the queue was slow for too long
	Evicted  uint64 // items whose place another one took
}

// Snapshot returns the queue's state. Items whose time is up are not in it.
func (q *Queue[T]) Snapshot() QueueSnapshot {
	now := q.lock()
	q.settle(now)
	s := q.counts
	s.Len, s.Length, s.Consumers = q.line.Len(), q.cfg.Length, len(q.takers)
	for i := range s.Classes {
		s.Classes[i] = q.line.Waiting(core.CriticalityAt(i))
		s.Producers += len(q.putters[i])
	}
	q.unlock(now)
	return s
}
