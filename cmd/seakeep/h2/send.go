package h2

import (
	"os"
	"time"
)

// room waits until something may be added to what is unsent. c.mu is held, and
// given up meanwhile.
func (st *stream) room() error {
	until := time.Time{}
	defer st.yield()
	for st.gone == nil && st.c.unsent() >= maxUnsent {
		if err := st.wait(&until); err != nil {
			return err
		}
	}
	return st.gone
}

// write writes a piece of the body, as the client lets it, and the end if it is
// that. c.mu is held, and given up meanwhile.
func (st *stream) write(b []byte, end bool) error {
	c := st.c
	until := time.Time{}
	defer st.yield()
	for len(b) > 0 || end {
		if st.gone != nil {
			return st.gone
		}
		n := int(min(int64(len(b)), int64(c.maxFrame), st.send, c.send))
		if len(b) > 0 && n <= 0 || c.unsent() >= maxUnsent {
			if err := st.wait(&until); err != nil {
				return err
			}
			continue
		}
		n = max(n, 0)
		last := end && n == len(b)
		c.writeData(st.id, b[:n], last)
		c.calm.sent(n)
		st.send -= int64(n)
		c.send -= int64(n)
		if b = b[n:]; last {
			return nil
		}
	}
	return st.gone
}

// wait waits for something that lets the stream write. The first call says until
// when, if the handler has not.
func (st *stream) wait(until *time.Time) error {
	if until.IsZero() {
		*until = time.Now().Add(st.c.s.writeTime())
	}
	limit := *until
	if !st.writeUntil.IsZero() {
		limit = st.writeUntil
	}
	if over(limit) {
		return os.ErrDeadlineExceeded
	}
	c := st.c
	if !st.waits && (st.send > 0 || c.unsent() >= maxUnsent) {
		st.waits = true
		c.waiting = append(c.waiting, st)
	}
	st.yield()
	c.pump()
	st.writable.wait(&c.mu, limit)
	return nil
}

// wake wakes some of those who wait for the connection: as many as may find room.
// Who is on the list and does not wait any more has no use for a turn: it was
// reset, has given up, or looks for room by itself. mu is held.
func (c *conn) wake(most int) {
	seen := 0
	for _, st := range c.waiting {
		if most == 0 {
			break
		}
		seen++
		if st.waits = false; st.writable.waiting {
			st.turn = true
			st.writable.wake()
			most--
		}
	}
	c.waiting = append(c.waiting[:0], c.waiting[seen:]...)
	clear(c.waiting[len(c.waiting):cap(c.waiting)])
}

// yield passes a stream's turn on, which it has taken, or has no use for. mu is
// held.
func (st *stream) yield() {
	if !st.turn {
		return
	}
	st.turn = false
	if c := st.c; c.send > 0 && c.unsent() < maxUnsent {
		c.wake(1)
	}
}
