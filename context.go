package seakeep

import (
	"context"
	"sync"
	"time"

	"github.com/seakeep/seakeep/core"
)

// attemptContext is the context of one attempt: its parent, and a limit.
//
// The standard library's context.WithDeadline costs four allocations and a
// timer, more than all policies together, and most attempts end without ever
// having looked. This one is a single allocation; its channel and its timer
// come into being when somebody first waits on Done.
type attemptContext struct {
	parent context.Context
	limit  core.Instant

	mu    sync.Mutex
	done  chan struct{} // nil until Done is called
	err   error         // why it ended; nil while it lives
	timer *time.Timer   // nil until Done is called
	funcs []*afterFunc
	leave func() bool // stops listening to the parent
}

type afterFunc struct{ run func() }

func newAttemptContext(parent context.Context, limit core.Instant) *attemptContext {
	return &attemptContext{parent: parent, limit: limit}
}

// Deadline returns the attempt's limit.
func (c *attemptContext) Deadline() (time.Time, bool) {
	c.mu.Lock()
	limit := c.limit
	c.mu.Unlock()
	if limit == core.Never {
		return c.parent.Deadline()
	}
	return TimeOf(limit), true
}

// Value asks the parent.
func (c *attemptContext) Value(key any) any { return c.parent.Value(key) }

// Err reports why the attempt ended: its limit, its parent, or its caller
// having returned.
func (c *attemptContext) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	if err := c.parent.Err(); err != nil {
		c.end(err)
	} else if c.limit != core.Never && Now() >= c.limit {
		c.end(context.DeadlineExceeded)
	}
	return c.err
}

// Done arms the limit and the link to the parent, once.
func (c *attemptContext) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.arm()
	return c.done
}

// AfterFunc lets derived contexts hear of the end without a goroutine each.
func (c *attemptContext) AfterFunc(f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.arm()
	if c.err != nil {
		go f()
		return func() bool { return false }
	}
	entry := &afterFunc{f}
	c.funcs = append(c.funcs, entry)
	return func() bool { return c.forget(entry) }
}

func (c *attemptContext) forget(entry *afterFunc) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, f := range c.funcs {
		if f == entry {
			c.funcs = append(c.funcs[:i], c.funcs[i+1:]...)
			return true
		}
	}
	return false
}

// arm makes the channel and sets what will close it. The caller holds the lock.
func (c *attemptContext) arm() {
	if c.done != nil {
		return
	}
	c.done = make(chan struct{})
	if c.err != nil {
		close(c.done)
		return
	}
	if c.limit != core.Never {
		c.timer = time.AfterFunc(c.limit.Sub(Now()), c.expire)
	}
	if c.parent.Done() != nil {
		c.leave = context.AfterFunc(c.parent, func() { c.cancel(c.parent.Err()) })
	}
}

func (c *attemptContext) expire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.limit == core.Never || Now() < c.limit {
		return // the limit was lifted or moved while the timer fired
	}
	c.end(context.DeadlineExceeded)
}

// cancel ends the attempt; later reasons are ignored.
func (c *attemptContext) cancel(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end(err)
}

// end marks the end and releases everything. The caller holds the lock.
func (c *attemptContext) end(err error) {
	if c.err != nil {
		return
	}
	c.err = err
	if c.timer != nil {
		c.timer.Stop()
	}
	if c.leave != nil {
		c.leave()
	}
	if c.done != nil {
		close(c.done)
	}
	for _, f := range c.funcs {
		go f.run()
	}
	c.funcs = nil
}

// extend moves the limit to a later one, or to core.Never, once an answer has
// begun. It reports false if the attempt has ended already.
func (c *attemptContext) extend(limit core.Instant) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return false
	}
	c.limit = limit
	if c.timer == nil {
		return true
	}
	c.timer.Stop()
	if limit != core.Never {
		c.timer = time.AfterFunc(limit.Sub(Now()), c.expire)
	}
	return true
}
