package seakeep

import (
	"context"
	"slices"
	"time"

	"github.com/seakeep/seakeep/core"
)

// lock locks and reads the clock, which never goes back under the lock.
func (q *Queue[T]) lock() core.Instant {
	q.mu.Lock()
	q.latest = max(q.latest, Now())
	return q.latest
}

// unlock brings everybody together that can be, unlocks, and hands over what
// was dropped meanwhile.
func (q *Queue[T]) unlock(now core.Instant) {
	q.settle(now)
	dropped := q.dropped
	q.dropped = nil
	q.mu.Unlock()
	for _, it := range dropped {
		q.cfg.OnDrop(it.Value, it.Reason())
	}
}

// settle gives items to consumers and places to producers until there is no
// pair left that could be made, and sees to it that somebody looks again when
// the next item's time is up.
func (q *Queue[T]) settle(now core.Instant) {
	for q.serve(now) || q.admit(now) {
	}
	next := q.line.Sweep(now)
	q.bury()
	if q.closed && q.line.Len() == 0 {
		for _, t := range q.takers {
			close(t.item)
		}
		q.takers = nil
	}
	if next < q.alarm {
		q.arm(now, next)
	}
}

// bury counts what was dropped, and keeps it for OnDrop.
func (q *Queue[T]) bury() {
	for it := q.line.Gone(); it != nil; it = q.line.Gone() {
		switch it.Reason() {
		case core.QueueTimeout:
			q.counts.TimedOut++
		case core.QueueDelay:
			q.counts.Delayed++
		case core.Evicted:
			q.counts.Evicted++
		}
		if q.cfg.OnDrop != nil {
			q.dropped = append(q.dropped, it)
		}
	}
}

// push puts an item in the line, where it may wait for as long as the queue and
// its own deadline allow.
func (q *Queue[T]) push(now core.Instant, p *putter[T]) core.Reason {
	p.item.Until = p.deadline
	if q.cfg.Wait > 0 {
		p.item.Until = min(p.deadline, now.Add(q.cfg.Wait))
	}
	r := q.line.Push(now, p.item)
	if r == core.NoReason {
		q.counts.Put++
	}
	return r
}

// serve gives an item to the first consumer. It reports whether it did.
func (q *Queue[T]) serve(now core.Instant) bool {
	if len(q.takers) == 0 {
		return false
	}
	it := q.line.Pop(now)
	if it == nil {
		return false
	}
	q.takers[0].item <- it
	q.takers = slices.Delete(q.takers, 0, 1)
	q.counts.Taken++
	return true
}

// admit gives a place to a producer, the most important first. It reports
// whether it did.
func (q *Queue[T]) admit(now core.Instant) bool {
	for i := core.Criticalities - 1; i >= 0; i-- {
		for k, p := range q.putters[i] {
			r := q.push(now, p)
			if r == core.BulkheadFull {
				break // no place for this class
			}
			if r == core.TenantLimit {
				continue // those of other flows pass
			}
			q.putters[i] = slices.Delete(q.putters[i], k, k+1)
			if r == core.NoReason {
				p.end <- nil
			} else {
				p.end <- context.DeadlineExceeded
			}
			return true
		}
	}
	return false
}

// arm sets the alarm for the next item whose time will be up. It is left set
// when the item goes before that: one look too many is cheaper than setting it
// anew for each item.
func (q *Queue[T]) arm(now, next core.Instant) {
	q.alarm = next
	wait := next.Sub(now)
	if q.timer != nil {
		q.timer.Reset(wait)
		return
	}
	q.timer = time.AfterFunc(wait, func() {
		now := q.lock()
		q.alarm = core.Never
		q.unlock(now)
	})
}
