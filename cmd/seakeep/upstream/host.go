package upstream

import (
	"context"
	"math/rand/v2"
	"net/http/httptrace"
	"slices"
	"sync"
	"time"

	"github.com/seakeep/seakeep/internal/connpool"
)

// host is the pool of one server.
type host struct {
	of      *Transport
	address string
	counts  counts

	mu      sync.Mutex
	busy    *conn   // with an exchange
	idle    []*conn // the one that was used last is at the end
	open    int     // connections, those being opened among them
	dialing int     // of these
	waiting []*waiter
	asked   time.Time // when a connection was last asked for; zero: not since all were closed
	kept    bool      // connections are kept warm whether they are asked for or not
	warming bool      // somebody opens connections ahead
}

// waiter is a request that waits for a connection: one that becomes free, or
// room to open one, which is nil.
type waiter struct{ got chan *conn }

// acquire returns a connection for an exchange. A fresh one was not idle.
func (h *host) acquire(x *exchange, fresh bool) (*conn, error) {
	if x.trace != nil && x.trace.GetConn != nil {
		x.trace.GetConn(h.address)
	}
	now := time.Now()
	for !fresh {
		c := h.pop(now)
		if c == nil {
			break
		}
		if c.alive() {
			h.counts.reused.Add(1)
			c.watch.begin(x.ctx, now, h.of.ticks.Load())
			h.of.watching()
			return c.got(x, now.Sub(c.since)), nil
		}
		h.counts.dead.Add(1)
		c.discard()
	}
	c, err := h.admit(x.ctx)
	if err != nil {
		return nil, err
	}
	if c == nil {
		if c, err = h.connect(x.ctx); err != nil {
			return nil, err
		}
	}
	c.watch.begin(x.ctx, time.Now(), h.of.ticks.Load())
	h.mu.Lock()
	h.take(c)
	h.mu.Unlock()
	h.of.watching()
	return c.got(x, 0), nil
}

// got says so to who wants to know.
func (c *conn) got(x *exchange, idle time.Duration) *conn {
	if x.trace != nil && x.trace.GotConn != nil {
		x.trace.GotConn(httptrace.GotConnInfo{Conn: c.Conn, Reused: c.used, WasIdle: idle > 0,
			IdleTime: idle})
	}
	return c
}

// pop takes the idle connection that was used last, or returns nil. Those that
// are too old are closed.
func (h *host) pop(now time.Time) *conn {
	s := h.of.settings.Load()
	for {
		h.mu.Lock()
		h.asked = now
		n := len(h.idle)
		if n == 0 {
			h.mu.Unlock()
			return nil
		}
		c := h.idle[n-1]
		h.idle[n-1] = nil
		h.idle = h.idle[:n-1]
		h.take(c)
		h.mu.Unlock()
		if !c.old(now, s) {
			return c
		}
		c.discard()
	}
}

// old reports whether an idle connection is past one of its limits.
func (c *conn) old(now time.Time, s *Settings) bool {
	return c.outlived(now) || now.Sub(c.since) >= s.IdleTime
}

func (c *conn) outlived(now time.Time) bool { return !c.expires.IsZero() && !now.Before(c.expires) }

// admit waits until one more connection may be opened, for which it makes room.
// It returns one if that becomes free before.
func (h *host) admit(ctx context.Context) (*conn, error) {
	s := h.of.settings.Load()
	h.mu.Lock()
	if s.MaxConns == 0 || h.open < s.MaxConns {
		h.open++
		h.mu.Unlock()
		return nil, nil
	}
	w := &waiter{got: make(chan *conn, 1)}
	h.waiting = append(h.waiting, w)
	h.mu.Unlock()
	var limit <-chan time.Time
	wait := s.Acquire
	if own, ok := connpool.AcquireOf(ctx); ok {
		wait = own
	}
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		limit = timer.C
	}
	select {
	case c := <-w.got:
		return c, nil
	case <-limit:
		return nil, h.leave(w, &connpool.AcquireError{Address: h.address, Max: s.MaxConns, Wait: wait})
	case <-ctx.Done():
		return nil, h.leave(w, context.Cause(ctx))
	}
}

// leave takes a waiter out. What it got in the last moment goes to the next one.
func (h *host) leave(w *waiter, err error) error {
	h.counts.refused.Add(1)
	h.mu.Lock()
	if i := slices.Index(h.waiting, w); i >= 0 {
		h.waiting = slices.Delete(h.waiting, i, i+1)
		h.mu.Unlock()
		return err
	}
	h.mu.Unlock()
	if c := <-w.got; c != nil {
		c.put()
	} else {
		h.closed(nil)
	}
	return err
}

// next takes the request that has waited longest. The caller holds the lock.
func (h *host) next() *waiter {
	if len(h.waiting) == 0 {
		return nil
	}
	w := h.waiting[0]
	h.waiting = slices.Delete(h.waiting, 0, 1)
	return w
}

// connect opens a connection, for which there is room.
func (h *host) connect(ctx context.Context) (*conn, error) {
	h.dials(1)
	nc, err := h.of.options.Dial(ctx, "tcp", h.address)
	h.dials(-1)
	if err != nil {
		h.counts.failed.Add(1)
		h.closed(nil)
		return nil, err
	}
	h.counts.opened.Add(1)
	c := newConn(nc, h)
	if s := h.of.settings.Load(); s.Lifetime > 0 {
		less := s.Jitter * rand.Float64() * float64(s.Lifetime)
		c.expires = time.Now().Add(s.Lifetime - time.Duration(less))
	}
	return c, nil
}

func (h *host) dials(n int) {
	h.mu.Lock()
	h.dialing += n
	h.mu.Unlock()
}

// closed takes note that a connection is no more, or, if it is nil, did not come
// about. The
// room goes to who waits.
func (h *host) closed(c *conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c != nil {
		h.give(c)
	}
	s := h.of.settings.Load()
	if s.MaxConns == 0 || h.open <= s.MaxConns {
		if w := h.next(); w != nil {
			w.got <- nil
			return
		}
	}
	h.open--
}

// put makes the connection idle, or gives it to who waits.
func (c *conn) put() {
	h, s, now := c.host, c.host.of.settings.Load(), time.Now()
	c.free()
	c.used, c.since = true, now
	if c.outlived(now) {
		c.discard()
		return
	}
	h.mu.Lock()
	h.give(c)
	if w := h.next(); w != nil {
		h.mu.Unlock()
		w.got <- c
		return
	}
	if len(h.idle) >= s.MaxIdle || s.MaxConns > 0 && h.open > s.MaxConns {
		h.mu.Unlock()
		c.discard()
		return
	}
	h.idle = append(h.idle, c)
	cold := h.open < s.Warm && !h.warming
	h.mu.Unlock()
	if !h.of.armed.Load() {
		h.of.arm()
	}
	if cold {
		h.warmUp(s)
	}
}

func (h *host) closeIdle() {
	h.mu.Lock()
	idle := h.idle
	h.idle, h.asked, h.kept = nil, time.Time{}, false
	h.mu.Unlock()
	for _, c := range idle {
		c.discard()
	}
}
