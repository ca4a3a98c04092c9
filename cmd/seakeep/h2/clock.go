package h2

import "time"

// clock looks after a connection from time to time: whether it is idle, and
// whether somebody is there. What it knows is behind the connection's lock.
type clock struct {
	timer *time.Timer
	every time.Duration
	reads uint32    // when it looked last
	heard time.Time // when something had come
	asked time.Time // when a ping was sent that nothing has followed; zero: none was
	busy  time.Time // when there was a stream
	used  bool      // there was one since it looked last
}

// start begins to look. mu is held.
func (k *clock) start(c *conn) {
	now := time.Now()
	k.heard, k.busy = now, now
	k.every = min(c.s.IdleTime/4, c.s.PingAfter/4, c.s.PingTime/4)
	k.timer = time.AfterFunc(k.every, func() { k.look(c) })
}

func (k *clock) stop() {
	if k.timer != nil {
		k.timer.Stop()
	}
}

func (k *clock) look(c *conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return
	}
	now := time.Now()
	if n := c.reads.Load(); n != k.reads {
		k.reads, k.heard, k.asked = n, now, time.Time{}
	}
	if k.used || len(c.streams) > 0 {
		k.busy, k.used = now, false
	}
	switch {
	case !k.asked.IsZero() && now.Sub(k.asked) >= c.s.PingTime:
		c.cut()
		return
	case k.asked.IsZero() && now.Sub(k.heard) >= c.s.PingAfter:
		k.asked = now
		_ = c.framer.WritePing(false, [8]byte{})
		c.pump()
	case now.Sub(k.busy) >= c.s.IdleTime:
		c.leave()
	}
	k.timer.Reset(k.every)
}
