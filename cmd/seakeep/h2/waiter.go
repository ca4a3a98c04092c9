package h2

import (
	"sync"
	"time"
)

// waiter is somebody who waits for something that a lock guards: one at a time.
type waiter struct {
	come    chan struct{}
	waiting bool
}

// wake wakes who waits, if anybody does. The lock is held.
func (w *waiter) wake() {
	if w.waiting {
		w.waiting = false
		w.come <- struct{}{}
	}
}

// wait waits until it is woken, or until a moment, if that is not zero. The lock
// is held, and given up meanwhile.
func (w *waiter) wait(mu *sync.Mutex, until time.Time) {
	if w.come == nil {
		w.come = make(chan struct{}, 1)
	}
	w.waiting = true
	mu.Unlock()
	if until.IsZero() {
		<-w.come
		mu.Lock()
		return
	}
	t := time.NewTimer(time.Until(until))
	defer t.Stop()
	select {
	case <-w.come:
		mu.Lock()
		return
	case <-t.C:
	}
	mu.Lock()
	if !w.waiting { // it was woken at the same time
		<-w.come
	}
	w.waiting = false
}

// over reports whether a moment that is not zero has come.
func over(until time.Time) bool { return !until.IsZero() && !time.Now().Before(until) }
