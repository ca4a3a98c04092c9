package upstream

import (
	"context"
	"sync"
	"time"
)

// tick is how often somebody looks for exchanges whose context is to be listened
// to. One that is over within a tick never was, and most are.
const tick = 10 * time.Millisecond

// watch ends what waits on a connection when the context of its exchange ends.
type watch struct {
	cut func() // does it

	mu        sync.Mutex
	ctx       context.Context // nil: there is no exchange
	began     int64           // the number of the tick
	listening bool
	stop      func() bool // ends that; nil: nothing to stop
}

// begin begins an exchange. One that may take little time is listened to at
// once, so that its deadline is exact.
func (w *watch) begin(ctx context.Context, now time.Time, ticks int64) {
	w.mu.Lock()
	w.ctx, w.began, w.listening, w.stop = ctx, ticks, false, nil
	if d, ok := ctx.Deadline(); ok && d.Sub(now) < 3*tick {
		w.listen()
	}
	w.mu.Unlock()
}

// late listens to an exchange that has seen a whole tick.
func (w *watch) late(ticks int64) {
	w.mu.Lock()
	if w.ctx != nil && ticks > w.began+1 {
		w.listen()
	}
	w.mu.Unlock()
}

// listen is called with the lock.
func (w *watch) listen() {
	if w.listening {
		return
	}
	w.listening = true
	// Contexts of seakeep have the function themselves, which saves a layer.
	if own, ok := w.ctx.(interface{ AfterFunc(func()) func() bool }); ok {
		w.stop = own.AfterFunc(w.cut)
	} else if w.ctx.Done() != nil {
		w.stop = context.AfterFunc(w.ctx, w.cut)
	}
}

// end ends the exchange. It reports false if the context has ended meanwhile,
// and the connection with it.
func (w *watch) end() bool {
	w.mu.Lock()
	stop := w.stop
	w.ctx, w.stop = nil, nil
	w.mu.Unlock()
	return stop == nil || stop()
}

// take lists a connection as busy. The caller holds the lock.
func (h *host) take(c *conn) {
	c.prev, c.next = nil, h.busy
	if h.busy != nil {
		h.busy.prev = c
	}
	h.busy = c
}

// give takes it off the list, if it is there. The caller holds the lock.
func (h *host) give(c *conn) {
	switch {
	case c.prev != nil:
		c.prev.next = c.next
	case h.busy == c:
		h.busy = c.next
	default:
		return
	}
	if c.next != nil {
		c.next.prev = c.prev
	}
	c.prev, c.next = nil, nil
}

// late listens to the exchanges that have seen a whole tick, and reports whether
// there is any exchange.
func (h *host) late(ticks int64) (busy bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := h.busy; c != nil; c = c.next {
		c.watch.late(ticks)
	}
	return h.busy != nil
}

// watching sees to it that there are ticks while there are exchanges.
func (t *Transport) watching() {
	if t.ticking.Load() || t.ticking.Swap(true) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.clock == nil {
		t.clock = time.AfterFunc(tick, t.tick)
		return
	}
	t.clock.Reset(tick)
}

func (t *Transport) tick() {
	ticks := t.ticks.Add(1)
	// Whoever begins from here on sets the clock again.
	t.ticking.Store(false)
	busy := false
	t.mu.RLock()
	for _, h := range t.hosts {
		busy = h.late(ticks) || busy
	}
	t.mu.RUnlock()
	if busy {
		t.watching()
	}
}
