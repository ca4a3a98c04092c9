package seakeep

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep/core"
)

// attemptContext is the context of one attempt: its parent, and a limit.
//
// The standard library's context.WithDeadline costs four allocations and a
// timer, more than all policies together, and most attempts end without ever
// having looked. This one is a single small allocation; what waiting needs
// comes into being when somebody first waits on Done.
type attemptContext struct {
	parent  context.Context
	started core.Instant
	limit   atomic.Int64
	// watch is nil until somebody waits, and overCancelled or overTimedOut if
	// the attempt ended before that.
	watch atomic.Pointer[watch]
}

// watch is what an attempt needs that somebody waits for.
type watch struct {
	c     *attemptContext
	mu    sync.Mutex
	done  chan struct{}
	err   error // why it ended; nil while it lives
	timer *time.Timer
	funcs []*afterFunc
	leave func() bool // stops listening to the parent
}

type afterFunc struct{ run func() }

// The ends of attempts that nobody waited for: nearly all of them, so they share.
var (
	overCancelled = over(context.Canceled)
	overTimedOut  = over(context.DeadlineExceeded)
)

func over(err error) *watch {
	w := &watch{done: make(chan struct{}), err: err}
	close(w.done)
	return w
}

func newAttemptContext(parent context.Context, started, limit core.Instant) *attemptContext {
	c := &attemptContext{parent: parent, started: started}
	c.limit.Store(int64(limit))
	return c
}

// Deadline returns the attempt's limit.
func (c *attemptContext) Deadline() (time.Time, bool) {
	limit := core.Instant(c.limit.Load())
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
	if w := c.watch.Load(); w != nil {
		if err := w.reason(); err != nil {
			return err
		}
	}
	if err := c.parent.Err(); err != nil {
		return c.cancel(err)
	}
	if limit := core.Instant(c.limit.Load()); limit != core.Never && Now() >= limit {
		return c.cancel(context.DeadlineExceeded)
	}
	return nil
}

// Over reports whether the attempt has ended. Unlike Err it does not end one whose
// limit has passed and has not acted yet: its answer may still be good.
func (c *attemptContext) Over() bool {
	w := c.watch.Load()
	return w != nil && w.reason() != nil
}

// Done arms the limit and the link to the parent, once.
func (c *attemptContext) Done() <-chan struct{} { return c.armed().done }

// AfterFunc lets derived contexts hear of the end without a goroutine each.
func (c *attemptContext) AfterFunc(f func()) (stop func() bool) {
	w := c.armed()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		go f()
		return func() bool { return false }
	}
	entry := &afterFunc{f}
	w.funcs = append(w.funcs, entry)
	return func() bool { return w.forget(entry) }
}

func (w *watch) forget(entry *afterFunc) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.Index(w.funcs, entry)
	if i < 0 {
		return false
	}
	w.funcs = slices.Delete(w.funcs, i, i+1)
	return true
}

// armed returns what waits for the end, and sets it up the first time.
func (c *attemptContext) armed() *watch {
	if w := c.watch.Load(); w != nil {
		return w
	}
	w := &watch{c: c, done: make(chan struct{})}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !c.watch.CompareAndSwap(nil, w) {
		return c.watch.Load()
	}
	if limit := core.Instant(c.limit.Load()); limit != core.Never {
		w.timer = time.AfterFunc(limit.Sub(Now()), w.expire)
	}
	if c.parent.Done() != nil {
		w.leave = context.AfterFunc(c.parent, func() { w.end(c.parent.Err()) })
	}
	return w
}

// reason is why the attempt ended; nil while it lives.
func (w *watch) reason() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

func (w *watch) expire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if limit := core.Instant(w.c.limit.Load()); limit == core.Never || Now() < limit {
		return // the limit was lifted or moved while the timer fired
	}
	w.close(context.DeadlineExceeded)
}

// cancel ends the attempt; later reasons are ignored. It returns the reason
// that stands.
func (c *attemptContext) cancel(err error) error {
	var ended *watch
	switch err {
	case context.Canceled:
		ended = overCancelled
	case context.DeadlineExceeded:
		ended = overTimedOut
	default: // a parent with errors of its own
		ended = over(err)
	}
	if c.watch.CompareAndSwap(nil, ended) {
		return err
	}
	return c.watch.Load().end(err)
}

func (w *watch) end(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.close(err)
	return w.err
}

// close marks the end and releases everything. The caller holds the lock.
func (w *watch) close(err error) {
	if w.err != nil {
		return
	}
	w.err = err
	if w.timer != nil {
		w.timer.Stop()
	}
	if w.leave != nil {
		w.leave()
	}
	close(w.done)
	for _, f := range w.funcs {
		go f.run()
	}
	w.funcs = nil
}

// extend moves the limit to a later one, or to core.Never, once an answer has
// begun. It reports false if the attempt has ended already.
func (c *attemptContext) extend(limit core.Instant) bool {
	c.limit.Store(int64(limit))
	w := c.watch.Load()
	if w == nil {
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return false
	}
	if w.timer != nil {
		w.timer.Stop()
	}
	if limit != core.Never {
		w.timer = time.AfterFunc(limit.Sub(Now()), w.expire)
	}
	return true
}
