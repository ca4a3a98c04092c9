package seakeep

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/queue"
)

// QueueOrder says which of a Queue's items is next. FIFO, LIFO, CoDel and
// CoDelLIFO are explained in package core/queue.
type QueueOrder = queue.Order

// The orders of a Queue.
const (
	FIFO      = queue.FIFO
	LIFO      = queue.LIFO
	CoDel     = queue.CoDel
	CoDelLIFO = queue.CoDelLIFO
)

// QueueFull says what a Queue does when an item finds no place.
type QueueFull uint8

const (
	// Block lets the producer wait for a place. It is the zero value, because
	// a producer that can slow down loses nothing.
	Block QueueFull = iota
	// Reject gives the producer ErrQueueFull.
	Reject
	// DropOldest drops the oldest item of the least important class instead,
	// and rejects an item that is less important still.
	DropOldest
	// DropLowest drops an item of a class below the new one's instead, or one
	// of a flow in its class that has at least two items more than its own. An
	// item that is itself the lowest is rejected.
	DropLowest
)

// String returns the rule's name in lower case with hyphens.
func (f QueueFull) String() string {
	if f == Block {
		return "block"
	}
	return (queue.Full(f) - 1).String()
}

// QueueConfig holds a Queue's bounds and rules. Length must be given; the rest
// may stay zero.
type QueueConfig[T any] struct {
	// Length is how many items may wait. It has no default, and unlimited
	// does not exist: it would only move the overload into the memory.
	Length int
	// PerFlow is how many items of one flow may wait; see QueuePlace. The
	// default of 0 sets no bound but Length.
	PerFlow int
	// Wait is how long an item may wait. The default of 0 leaves it to the
	// deadline of the context it was put with; the earlier of both counts.
	Wait time.Duration
	// Full says what happens when there is no place.
	Full QueueFull
	// Order says which item is next, within a class and a flow.
	Order QueueOrder
	// Delay is for the orders CoDel and CoDelLIFO. Zeros are 5ms and 100ms.
	Delay QueueDelay
	// Floors is the share of the items taken, and of the places, that each
	// class gets at least while it waits, by its Index. The default of 0 is
	// strict priority.
	Floors [core.Criticalities]float64
	// OnDrop is given every item that was put and will not be taken, and why:
	// core.QueueTimeout, core.QueueDelay or core.Evicted. It runs outside the
	// queue's lock, on the goroutine that noticed, and so several may run at
	// once; it may use the queue, but it must not block. Nil forgets them.
	OnDrop func(item T, why core.Reason)
}

// QueueDelay is what the orders of Controlled Delay aim for.
type QueueDelay struct {
	Target   time.Duration // the wait to aim for; above the time that one item takes
	Interval time.Duration // how long waits may be too long before something is done
}

// Validate returns nil, or one error for each field at fault, joined. Each
// names the field first and says how to mend it.
func (c QueueConfig[T]) Validate() error {
	var errs []error
	if c.Length < 1 {
		errs = append(errs, fmt.Errorf("Length: is %d; give how many items may wait, at least 1",
			c.Length))
	}
	if c.Wait < 0 {
		errs = append(errs, fmt.Errorf("Wait: is %v; give a time such as 1s, or 0 for no limit",
			c.Wait))
	}
	if c.Full > DropLowest {
		errs = append(errs, fmt.Errorf("Full: is %d; use Block, Reject, DropOldest or DropLowest",
			c.Full))
	}
	line := c.line()
	line.Length, line.Full = max(line.Length, 0), queue.Reject // judged above, with what we add
	if err := line.Validate(); err != nil {
		for each := range strings.Lines(err.Error()) {
			each = strings.TrimSuffix(each, "\n")
			if strings.HasPrefix(each, "Target:") || strings.HasPrefix(each, "Interval:") {
				each = "Delay." + each
			}
			errs = append(errs, errors.New(each))
		}
	}
	return errors.Join(errs...)
}

// line returns the settings of what the queue is built on.
func (c *QueueConfig[T]) line() queue.Config {
	l := queue.Config{Length: c.Length, PerFlow: c.PerFlow}
	l.Rules = queue.Rules{Order: c.Order, Target: c.Delay.Target, Interval: c.Delay.Interval,
		Floors: c.Floors}
	if c.Full != Block {
		l.Full = queue.Full(c.Full - 1)
	}
	return l
}
