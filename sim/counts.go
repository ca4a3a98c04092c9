package sim

import (
	"fmt"
	"time"

	"github.com/seakeep/seakeep/core"
)

// counts is what a service saw. Every request that arrived is in exactly one of
// the endings, or still there.
type counts struct {
	arrived uint64
	served  uint64 // answered well
	failed  uint64 // answered with a failure, after work
	refused uint64 // for want of room
	expired uint64 // dropped from the queue, nobody waited any more
	dropped uint64 // stopped, because the caller left
	crashed uint64 // the instance went down
	hung    uint64 // accepted and never answered; they end as dropped or crashed

	here, busy, queued level
	stayed             int64 // nanoseconds, of all who have left
	doors              doorCounts
}

// level is a number over time, with its integral and its maximum.
type level struct {
	n, most int
	area    int64 // number times nanoseconds
	since   core.Instant
}

func (l *level) add(now core.Instant, d int) {
	l.area += int64(l.n) * int64(now-l.since)
	l.since = now
	l.n += d
	l.most = max(l.most, l.n)
}

// enter counts a request in.
func (s *service) enter(j *job) {
	s.count.arrived++
	s.count.here.add(s.world.now, +1)
	i := j.inst
	if j.after = i.active; j.after != nil {
		j.after.before = j
	}
	i.active = j
}

// exit counts a request out.
func (s *service) exit(j *job) {
	now := s.world.now
	s.count.here.add(now, -1)
	s.count.stayed += int64(now - j.arrived)
	if j.before != nil {
		j.before.after = j.after
	} else {
		j.inst.active = j.after
	}
	if j.after != nil {
		j.after.before = j.before
	}
	j.before, j.after = nil, nil
}

func (s *service) busyAt(now core.Instant, d int) {
	s.count.busy.add(now, d)
	if d > 0 && s.allBusy() {
		s.full.note(now)
	}
}

func (s *service) queueAt(now core.Instant, d int) { s.count.queued.add(now, d) }

func (s *service) allBusy() bool {
	n := s.cfg.Workers * len(s.instances)
	return n > 0 && s.count.busy.n == n
}

// moment is when something happened first in the present slice of time.
type moment struct {
	at    core.Instant
	known bool
}

func (m *moment) note(now core.Instant) {
	if !m.known {
		m.at, m.known = now, true
	}
}

// take returns the moment, or -1, and forgets it.
func (m *moment) take() time.Duration {
	was := *m
	*m = moment{}
	if !was.known {
		return -1
	}
	return time.Duration(was.at)
}

// sample is the state of the service at the end of a slice of time.
func (s *service) sample() Sample {
	now, c := s.world.now, &s.count
	r := Sample{At: time.Duration(now), Busy: c.busy.n, Queued: c.queued.n, Arrived: c.arrived,
		Served: c.served, Refused: c.refused, Full: s.full.take(), Turned: s.turned.take(),
		Gone: s.gone.take()}
	c.busy.add(now, 0)
	c.queued.add(now, 0)
	r.Worked, r.Waited = time.Duration(c.busy.area), time.Duration(c.queued.area)
	for _, i := range s.instances {
		if i.down {
			r.Away++
		}
	}
	if s.allBusy() { // and so they are when the next slice begins
		s.full.note(now)
	}
	return r
}

// check panics if the books of the service do not balance at the end of a run:
// what arrived has ended or is here, and the integral of the number here is the
// time that all have stayed.
func (s *service) check() {
	c, now := &s.count, s.world.now
	c.here.add(now, 0)
	ended := c.served + c.failed + c.refused + c.expired + c.dropped + c.crashed
	if c.arrived != ended+uint64(c.here.n) {
		panic(fmt.Sprintf("sim: %s: %d arrived, %d ended, %d are here", s.cfg.Name, c.arrived,
			ended, c.here.n))
	}
	stayed := c.stayed
	busy, queued := 0, 0
	for _, i := range s.instances {
		busy += i.busy
		queued += i.queue.len() + i.outside
		for j := i.active; j != nil; j = j.after {
			stayed += int64(now - j.arrived)
		}
	}
	if stayed != c.here.area {
		panic(fmt.Sprintf("sim: %s: Little's law: %d ns stayed, the integral is %d", s.cfg.Name,
			stayed, c.here.area))
	}
	if busy != c.busy.n || queued != c.queued.n {
		panic(fmt.Sprintf("sim: %s: %d busy and %d queued, counted %d and %d", s.cfg.Name, busy,
			queued, c.busy.n, c.queued.n))
	}
}
