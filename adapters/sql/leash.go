package seakeepsql

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// AcquireError is the error of a call for which the pool had no connection
// within timeout.acquire. No policy counts it: it says something about the pool
// and nothing about the database. It matches context.DeadlineExceeded.
type AcquireError struct{ Within time.Duration }

// Error says how long the call waited.
func (e *AcquireError) Error() string {
	return fmt.Sprintf("seakeepsql: no connection of the pool became free within %v", e.Within)
}

// Is matches context.DeadlineExceeded.
func (e *AcquireError) Is(target error) bool { return target == context.DeadlineExceeded }

// Timeout reports true, as the errors of package net do.
func (e *AcquireError) Timeout() bool { return true }

// leash is the context that database/sql and the driver are given. It ends with
// its parent, the attempt, and may have a shorter limit of its own, which is
// lifted when it has served. When the work is over it is let go: it then never
// ends, because database/sql would take that for the reason why rows were closed.
type leash struct {
	parent context.Context
	done   chan struct{}

	mu    sync.Mutex
	err   error // why it ended; nil while it lives
	loose bool
	timer *time.Timer
	stop  func() bool // stops listening to the parent
	funcs []*func()
}

// newLeash ties a leash to its parent.
func newLeash(parent context.Context) *leash {
	l := &leash{parent: parent, done: make(chan struct{})}
	if parent.Done() != nil {
		stop := context.AfterFunc(parent, func() { l.end(parent.Err()) })
		l.mu.Lock()
		l.stop = stop
		l.mu.Unlock()
	}
	return l
}

// limit ends the leash with err after d, unless lift comes first. 0 is no limit.
func (l *leash) limit(d time.Duration, err error) {
	if d <= 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil && !l.loose {
		l.timer = time.AfterFunc(d, func() { l.end(err) })
	}
}

// lift takes the leash's own limit away. It reports false if it has passed.
func (l *leash) lift() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
	return l.err == nil
}

// release lets the leash go.
func (l *leash) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.loose, l.funcs = true, nil
	if l.timer != nil {
		l.timer.Stop()
	}
	if l.stop != nil {
		l.stop()
	}
}

func (l *leash) end(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil || l.loose {
		return
	}
	l.err = err
	if l.timer != nil {
		l.timer.Stop()
	}
	close(l.done)
	for _, f := range l.funcs {
		go (*f)()
	}
	l.funcs = nil
}

// Deadline returns the parent's: a shorter limit of the leash's own is for the
// wait before a driver sees it.
func (l *leash) Deadline() (time.Time, bool) { return l.parent.Deadline() }

// Done is closed when the leash ends.
func (l *leash) Done() <-chan struct{} { return l.done }

// Value asks the parent.
func (l *leash) Value(key any) any { return l.parent.Value(key) }

// Err says why the leash ended. It asks the parent too, which may know sooner
// than its timer.
func (l *leash) Err() error {
	l.mu.Lock()
	err, loose := l.err, l.loose
	l.mu.Unlock()
	if err != nil || loose {
		return err
	}
	if err = l.parent.Err(); err != nil {
		l.end(err)
	}
	return err
}

// AfterFunc lets derived contexts hear of the end without a goroutine each.
func (l *leash) AfterFunc(f func()) (stop func() bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.err != nil:
		go f()
		return func() bool { return false }
	case l.loose:
		return func() bool { return true }
	}
	entry := &f
	l.funcs = append(l.funcs, entry)
	return func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		i := slices.Index(l.funcs, entry)
		if i < 0 {
			return false
		}
		l.funcs = slices.Delete(l.funcs, i, i+1)
		return true
	}
}

// refused is a context that has ended for the reason why a call was refused. A
// *sql.Row can carry an error only if database/sql has made it.
type refused struct {
	context.Context
	err error
}

var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

func (r refused) Done() <-chan struct{} { return closed }
func (r refused) Err() error            { return r.err }
