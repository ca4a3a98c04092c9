package connpool

import (
	"slices"
	"sync"
	"time"
)

// lane is the connections to one address.
type lane struct {
	of *Pool
	to address

	newsMu sync.Mutex
	news   []*conn // of which net/http has told a change

	mu      sync.Mutex
	all     []*conn
	free    []*conn   // those that may take one more; the last is asked first
	waiting []*waiter // the first is served first
	dialing int
	multi   bool // the latest connection was of HTTP/2
	streams int  // how many at once the server takes on one; 0: not known
	warm    bool // connections are kept ahead
	failed  int  // dials for warmth that failed in a row
	again   time.Time
	doomed  []*conn     // to be closed after the unlock
	wake    *time.Timer // for what only time changes
	wakeAt  time.Time   // zero: it is not set
	gone    bool        // it is not the pool's any more
	counts  Counts
}

// waiter is a request that waits for a connection.
type waiter struct{ got chan handed }

// handed is a connection with a place reserved on it, or why there is none.
type handed struct {
	c   *conn
	err error
}

func newLane(p *Pool, a address) *lane {
	l := &lane{of: p, to: a}
	l.wake = time.AfterFunc(time.Hour, l.woken)
	l.wake.Stop()
	return l
}

// take returns a connection with a place reserved on it, or nil.
func (l *lane) take(now time.Time) *conn {
	m := l.of.maker.Load()
	for i := len(l.free) - 1; i >= 0; i-- {
		c := l.free[i]
		if c.silent() {
			continue
		}
		if c.over(now, m.era) || !c.reserve() {
			l.unlist(c)
			l.note(c) // closed, or full: it is looked at before anybody else comes
			continue
		}
		if !c.room() {
			l.unlist(c)
		}
		c.idle = time.Time{}
		if c.used.Load() {
			l.counts.Reused++
		}
		return c
	}
	return nil
}

func (l *lane) unlist(c *conn) {
	if c.listed {
		c.listed = false
		i := slices.Index(l.free, c)
		l.free = slices.Delete(l.free, i, i+1)
	}
}

// note puts a connection on the list of those that have changed.
func (l *lane) note(c *conn) {
	l.newsMu.Lock()
	if !c.changed {
		c.changed = true
		l.news = append(l.news, c)
	}
	l.newsMu.Unlock()
}

// told is what net/http calls when a connection has changed, perhaps from
// within a call that was made under the lock.
func (l *lane) told(c *conn) {
	l.note(c)
	if l.mu.TryLock() {
		l.leave()
	}
}

// leave unlocks the lane, once all changes were looked at. Whoever tells of one
// while it is locked counts on that.
func (l *lane) leave() {
	for {
		l.readNews()
		if l.empty() && !l.gone && l.wakeAt.IsZero() {
			l.due(time.Now().Add(idleLook)) // to be forgotten
		}
		doomed := l.doomed
		l.doomed = nil
		l.mu.Unlock()
		for _, c := range doomed {
			_ = c.Close()
		}
		l.newsMu.Lock()
		more := len(l.news) > 0
		l.newsMu.Unlock()
		if !more || !l.mu.TryLock() {
			return
		}
	}
}

// empty reports whether the lane has nothing and nobody.
func (l *lane) empty() bool { return len(l.all)+len(l.waiting)+l.dialing == 0 }

// readNews looks at what has changed.
func (l *lane) readNews() {
	for {
		l.newsMu.Lock()
		news := l.news
		l.news = nil
		for _, c := range news {
			c.changed = false
		}
		l.newsMu.Unlock()
		if len(news) == 0 {
			return
		}
		now, m := time.Now(), l.of.maker.Load()
		for _, c := range news {
			l.look(c, now, m)
		}
		l.serve(now)
	}
}

// look brings a connection's place in the lane up to date.
func (l *lane) look(c *conn, now time.Time, m *maker) {
	switch {
	case !c.inLane:
	case c.Err() != nil:
		l.remove(c)
	case c.over(now, m.era) || l.of.resting.Load() && !l.warm:
		l.unlist(c)
		if c.load() == 0 {
			l.drop(c)
		}
	case c.Available() == 0 && c.load() == 0:
		l.drop(c) // the server said GOAWAY while nothing was under way
	default:
		if free := c.Available(); c.multi && free > 0 && c.settled.Load() {
			l.streams = free + c.InFlight()
		}
		if !c.listed && c.room() {
			c.listed = true
			l.free = append(l.free, c)
		}
		if c.load() == 0 && c.idle.IsZero() {
			c.idle = now
			l.due(now.Add(m.Connections.IdleTime))
		}
		l.limitIdle(m)
	}
}

// limitIdle closes the connections that have waited longest, if too many do.
func (l *lane) limitIdle(m *maker) {
	if len(l.free) <= m.Connections.Idle {
		return
	}
	idle := 0
	for i := len(l.free) - 1; i >= 0; i-- {
		if c := l.free[i]; !c.idle.IsZero() {
			if idle++; idle > m.Connections.Idle {
				l.drop(c)
			}
		}
	}
}

// remove takes a connection out of the lane.
func (l *lane) remove(c *conn) {
	l.unlist(c)
	c.inLane = false
	if i := slices.Index(l.all, c); i >= 0 {
		l.all = slices.Delete(l.all, i, i+1)
	}
	l.counts.Closed++
	l.due(time.Now()) // warmth, and an end if it was the last
}

// drop closes a connection.
func (l *lane) drop(c *conn) {
	l.remove(c)
	l.doomed = append(l.doomed, c)
}

// dropIdle closes all that are in nobody's use.
func (l *lane) dropIdle() {
	for _, c := range slices.Clone(l.all) {
		if c.load() == 0 {
			l.drop(c)
		}
	}
}

// serve gives connections to those that wait, and opens more if they need it.
func (l *lane) serve(now time.Time) {
	for len(l.waiting) > 0 {
		c := l.take(now)
		if c == nil {
			break
		}
		w := l.waiting[0]
		l.waiting = slices.Delete(l.waiting, 0, 1)
		w.got <- handed{c: c}
	}
	l.grow()
}
