package sim

import (
	"math"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
)

// queue is a double-ended queue of requests. Whoever leaves from the middle
// leaves a gap that is passed over, so that every operation is cheap.
type queue struct {
	ring  []*job
	first int
	span  int // places from first on, gaps included
	n     int
}

func (q *queue) len() int { return q.n }

func (q *queue) at(k int) **job { return &q.ring[(q.first+k)%len(q.ring)] }

func (q *queue) grow() {
	bigger := make([]*job, max(16, 2*q.n))
	k := 0
	for i := range q.span {
		if j := *q.at(i); j != nil {
			bigger[k] = j
			j.index = k
			k++
		}
	}
	q.ring, q.first, q.span = bigger, 0, k
}

func (q *queue) pushBack(j *job) {
	if q.span == len(q.ring) {
		q.grow()
	}
	*q.at(q.span) = j
	j.index = (q.first + q.span) % len(q.ring)
	q.span++
	q.n++
}

func (q *queue) popFront() *job {
	for {
		p := q.at(0)
		j := *p
		*p = nil
		q.first = (q.first + 1) % len(q.ring)
		q.span--
		if j != nil {
			q.n--
			return j
		}
	}
}

func (q *queue) popBack() *job {
	for {
		q.span--
		p := q.at(q.span)
		j := *p
		*p = nil
		if j != nil {
			q.n--
			return j
		}
	}
}

func (q *queue) remove(j *job) {
	q.ring[j.index] = nil
	q.n--
	if q.n == 0 {
		q.first, q.span = 0, 0
	}
}

// codel is the state of Controlled Delay (RFC 8289) at the head of a queue.
type codel struct {
	above    core.Instant // when the wait will have been too long for an interval; 0: it is not
	next     core.Instant
	dropping bool
	count    int
	before   int // count when dropping last ended
}

// drop decides whether the request at the head, which waited since arrived, is
// to be dropped.
func (c *codel) drop(q *config.Queue, now, arrived core.Instant, left int) bool {
	long := c.tooLong(q, now, arrived, left)
	switch {
	case !c.dropping && long:
		c.dropping = true
		if delta := c.count - c.before; delta > 1 && now.Sub(c.next) < 16*q.Interval {
			c.count = delta
		} else {
			c.count = 1
		}
		c.before = c.count
		c.next = now.Add(law(q.Interval, c.count))
		return true
	case c.dropping && !long:
		c.dropping = false
	case c.dropping && now >= c.next:
		c.count++
		c.next = c.next.Add(law(q.Interval, c.count))
		return true
	}
	return false
}

// tooLong reports whether waits have been above the target for an interval.
func (c *codel) tooLong(q *config.Queue, now, arrived core.Instant, left int) bool {
	if now.Sub(arrived) < q.Target || left == 0 {
		c.above = 0
		return false
	}
	if c.above == 0 {
		c.above = now.Add(q.Interval)
		return false
	}
	return now >= c.above
}

// law spaces drops by the inverse square root of their number.
func law(interval time.Duration, count int) time.Duration {
	return time.Duration(float64(interval) / math.Sqrt(float64(count)))
}

// expNeg is e to the minus x, the same on every architecture.
func expNeg(x float64) float64 { return math.Expm1(-x) + 1 }
