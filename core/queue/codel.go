package queue

import (
	"math"
	"time"

	"github.com/seakeep/seakeep/core"
)

// codel is Controlled Delay (RFC 8289, section 5) at the head of one class.
type codel struct {
	long     bool         // the last wait looked at was above the target
	above    core.Instant // long: when waits will have been so for an interval
	dropping bool
	next     core.Instant // when to drop again
	count    int          // drops since dropping began
	before   int          // what count began at when dropping last began
}

// drop decides whether the entry at the head, which has waited for wait and
// leaves left others behind, is to be dropped.
func (c *codel) drop(now core.Instant, wait time.Duration, left int, r *Rules) bool {
	late := c.late(now, wait, left, r)
	switch {
	case !late:
		c.dropping = false
		return false
	case !c.dropping:
		c.begin(now, r)
		return true
	case now >= c.next:
		c.count++
		c.next = c.next.Add(spacing(r.Interval, c.count))
		return true
	}
	return false
}

// begin enters the dropping state. If it was left only a short while ago, the
// rate of drops that was found then is near the right one still.
func (c *codel) begin(now core.Instant, r *Rules) {
	c.dropping = true
	found := c.count - c.before
	c.count = 1
	if found > 1 && now.Sub(c.next) < 16*r.Interval {
		c.count = found
	}
	c.before = c.count
	c.next = now.Add(spacing(r.Interval, c.count))
}

// late reports whether waits have been above the target for an interval. The
// last entry of all is never late: without it the server would idle.
func (c *codel) late(now core.Instant, wait time.Duration, left int, r *Rules) bool {
	switch {
	case wait < r.Target || left == 0:
		c.long = false
		return false
	case !c.long:
		c.long, c.above = true, now.Add(r.Interval)
		return false
	}
	return now >= c.above
}

// spacing is the control law: the time to the next drop shrinks with the square
// root of how many there were, so that a rate of arrivals falls steadily.
func spacing(interval time.Duration, count int) time.Duration {
	return time.Duration(float64(interval) / math.Sqrt(float64(count)))
}
