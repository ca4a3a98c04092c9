package upstream

import (
	"context"
	"time"
)

const (
	// A sweep comes several times in an idle time, so that no connection is
	// idle for much longer.
	sweepsPerIdle = 4
	minSweep      = 50 * time.Millisecond
	maxSweep      = 30 * time.Second
	// forget is how long a server is remembered that has no connection, and
	// how long those of one are kept warm that nobody asks for.
	forget = 10 * time.Minute
	// warmLimit bounds the opening of a connection that nobody waits for.
	warmLimit = 10 * time.Second
)

// arm sets the timer of the next sweep, unless it is set.
func (t *Transport) arm() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.armed.Swap(true) {
		return
	}
	every := min(max(t.settings.Load().IdleTime/sweepsPerIdle, minSweep), maxSweep)
	if t.timer == nil {
		t.timer = time.AfterFunc(every, t.sweep)
		return
	}
	t.timer.Reset(every)
}

// Keep says to which servers, as host or host:port, connections are kept warm
// from now on, whether they are asked for or not. Others are left alone.
func (t *Transport) Keep(servers []string) {
	wanted := map[*host]bool{}
	if s := t.settings.Load(); s.Warm > 0 {
		for _, name := range servers {
			wanted[t.host(name)] = true
		}
	}
	t.mu.RLock()
	for _, h := range t.hosts {
		h.mu.Lock()
		h.kept = wanted[h]
		h.mu.Unlock()
	}
	t.mu.RUnlock()
	for h := range wanted {
		h.warmUp(t.settings.Load())
	}
	if len(wanted) > 0 {
		t.arm() // a server that is not there yet is asked again
	}
}

// sweep closes what was idle for too long, and opens what is to be kept warm.
func (t *Transport) sweep() {
	if !t.armed.Swap(false) {
		return // CloseIdleConnections came in between
	}
	now := time.Now()
	more := false
	t.mu.Lock()
	var hosts []*host
	for name, h := range t.hosts {
		if h.unused(now) {
			delete(t.hosts, name)
			continue
		}
		hosts = append(hosts, h)
	}
	t.mu.Unlock()
	for _, h := range hosts {
		more = h.sweep(now) || more
	}
	if more {
		t.arm()
	}
}

// unused reports whether nothing is known of the server any more.
func (h *host) unused(now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.open == 0 && !h.kept && now.Sub(h.asked) > forget
}

// sweep closes the idle connections that are too old. As many as are to be warm
// are kept however long they were idle, if the server lets them. It reports
// whether there will be something to do again.
func (h *host) sweep(now time.Time) (more bool) {
	s := h.of.settings.Load()
	h.mu.Lock()
	warm := 0
	if h.kept || now.Sub(h.asked) < forget {
		warm = s.Warm
	}
	var out []*conn
	kept := h.idle[:0]
	for i, c := range h.idle {
		late := len(h.idle)-i <= warm // among those that were used last
		if c.outlived(now) || !late && now.Sub(c.since) >= s.IdleTime || late && !c.stays(now) {
			out = append(out, c)
			continue
		}
		kept = append(kept, c)
	}
	clear(h.idle[len(kept):])
	h.idle = kept
	more = len(kept) > 0 || warm > 0
	h.mu.Unlock()
	for _, c := range out {
		c.discard()
	}
	if warm > 0 {
		h.warmUp(s)
	}
	return more
}

// stays looks whether a warm connection is still there. If it is it counts as
// used.
func (c *conn) stays(now time.Time) bool {
	if !c.alive() {
		c.host.counts.dead.Add(1)
		return false
	}
	c.since = now
	return true
}

// warmUp opens connections until there are as many as are to be warm, one after
// the other, on a goroutine that lives for that long.
func (h *host) warmUp(s *Settings) {
	h.mu.Lock()
	missing := s.Warm - h.open
	if s.MaxConns > 0 {
		missing = min(missing, s.MaxConns-h.open)
	}
	if missing <= 0 || h.warming {
		h.mu.Unlock()
		return
	}
	h.warming = true
	h.mu.Unlock()
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), warmLimit)
		defer cancel()
		for range missing {
			h.mu.Lock()
			h.open++
			h.mu.Unlock()
			c, err := h.connect(ctx)
			if err != nil {
				break // the next sweep tries again
			}
			if h.closing() {
				c.discard()
				break
			}
			c.put()
		}
		h.mu.Lock()
		h.warming = false
		h.mu.Unlock()
	}()
}

// closing reports whether all connections were closed since one was last asked
// for.
func (h *host) closing() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.asked.IsZero() && !h.kept
}
