package h1

import (
	"context"
	"sync"
	"time"
)

// watchAfter is how long a handler takes before anybody looks whether its
// client is still there.
const watchAfter = 5 * time.Millisecond

// bodyAfter is how often it is looked whether a body has come to its end.
const bodyAfter = 50 * time.Millisecond

// watch looks for a client that leaves while its request is handled. Its timer
// belongs to the connection; its goroutine only to a request that takes long.
type watch struct {
	timer *time.Timer

	mu     sync.Mutex
	body   *body
	cancel context.CancelFunc // nil: nothing is watched
	on     chan struct{}      // closed when the goroutine has ended; nil: there is none
}

// begin watches from a moment on.
func (w *watch) begin(c *conn, b *body, cancel context.CancelFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.body, w.cancel = b, cancel
	if w.timer == nil {
		w.timer = time.AfterFunc(watchAfter, func() { w.start(c) })
		return
	}
	w.timer.Reset(watchAfter)
}

// start begins to look, unless the request has ended. While the body comes
// whoever reads it sees the client leave.
func (w *watch) start(c *conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cancel == nil || w.on != nil {
		return
	}
	if !w.body.ended() {
		w.timer.Reset(bodyAfter)
		return
	}
	cancel, on := w.cancel, make(chan struct{})
	w.on = on
	_ = c.nc.SetReadDeadline(time.Time{})
	go func() {
		defer close(on)
		if left(c.tcp) {
			cancel()
		}
	}()
}

// end stops watching, and waits for whoever does. It may be called again.
func (w *watch) end(c *conn) {
	w.mu.Lock()
	on := w.on
	idle := w.cancel == nil
	w.cancel, w.on, w.body = nil, nil, nil
	w.mu.Unlock()
	if idle {
		return
	}
	w.timer.Stop()
	if on != nil {
		_ = c.nc.SetReadDeadline(time.Unix(1, 0))
		<-on
	}
}
