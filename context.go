package seakeep

import (
	"context"
	"slices"
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
	parent  context.Context
	started core.Instant
	limit   core.Instant

	mu    sync.Mutex
	err   error  // why it ended; nil while it lives
	armed *armed // nil until somebody waits
}

// armed is what waiting for the end takes.
type armed struct {
	done  chan struct{}
	timer *time.Timer // nil: no limit
	leave func() bool // stops listening to the parent
	funcs []*afterFunc
}

type afterFunc struct{ run func() }

func newAttemptContext(parent context.Context, started, limit core.Instant) *attemptContext {
	return &attemptContext{parent: parent, started: started, limit: limit}
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
	return c.arm().done
}

// AfterFunc lets derived contexts hear of the end without a goroutine each.
func (c *attemptContext) AfterFunc(f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.arm()
	if c.err != nil {
		go f()
		return func() bool { return false }
	}
	entry := &afterFunc{f}
	a.funcs = append(a.funcs, entry)
	return func() bool { return c.forget(entry) }
}

func (c *attemptContext) forget(entry *afterFunc) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.armed
	i := slices.Index(a.funcs, entry)
	if i < 0 {
		return false
	}
	a.funcs = slices.Delete(a.funcs, i, i+1)
	return true
}

// arm sets up what ends a wait, once. The caller holds the lock.
func (c *attemptContext) arm() *armed {
	if c.armed != nil {
		return c.armed
	}
	a := &armed{done: make(chan struct{})}
	c.armed = a
	if c.err != nil {
		close(a.done)
		return a
	}
	if c.limit != core.Never {
		a.timer = time.AfterFunc(c.limit.Sub(Now()), c.expire)
	}
	if c.parent.Done() != nil {
		a.leave = context.AfterFunc(c.parent, func() { c.cancel(c.parent.Err()) })
	}
	return a
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
	a := c.armed
	if a == nil {
		return
	}
	if a.timer != nil {
		a.timer.Stop()
	}
	if a.leave != nil {
		a.leave()
	}
	close(a.done)
	for _, f := range a.funcs {
		go f.run()
	}
	a.funcs = nil
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
	if c.armed == nil {
		return true
	}
	if c.armed.timer != nil {
		c.armed.timer.Stop()
	}
	if limit != core.Never {
		c.armed.timer = time.AfterFunc(limit.Sub(Now()), c.expire)
	}
	return true
}
