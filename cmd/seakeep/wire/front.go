package wire

import "time"

// Unread puts bytes back that were read, so that they are read again first.
func (c *Conn) Unread(b []byte) {
	c.held = append(append(make([]byte, 0, len(b)+len(c.held)), b...), c.held...)
	c.ready += len(b)
}

// Await gives the next request so long to come. A head that has begun to come
// has its own time. It is cheap if the deadline hardly moves.
func (c *Conn) Await(d time.Duration) {
	until := time.Now().Add(d)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hurried || c.ended.Load() {
		return
	}
	if off := until.Sub(c.deadline); off < 0 || off > d/64 {
		c.deadline = until
		_ = c.Conn.SetReadDeadline(until) // fails only if the next read does too
	}
}
