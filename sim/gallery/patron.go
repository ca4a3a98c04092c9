package gallery

import (
	"math"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/sim"
)

// worthless reports whether the server drops what it took from the queue, and
// tells the client if it still waits.
func (s *station) worthless(j job) bool {
	p := &s.calls[j.call]
	waiting := p.waits && p.attempt == j.attempt
	if s.expired && !waiting {
		return true
	}
	if s.Now() <= j.until {
		return false
	}
	if waiting {
		s.fail(j.call, core.Overloaded)
	}
	return true
}

// limit is how long a newcomer may wait by the rule of "Fail at Scale" (ACM
// Queue, 2015): for short if the queue has not been empty for long, else for
// long.
func (s *station) limit() time.Duration {
	switch {
	case s.long == 0:
		return math.MaxInt64
	case s.Now().Sub(s.emptied) > s.long:
		return s.short
	}
	return s.long
}

// fail ends a call's present attempt, and starts the wait for the next one.
func (s *station) fail(call int32, o core.Outcome) {
	p := &s.calls[call]
	s.Cancel(p.timer)
	p.waits = false
	now := s.Now()
	if s.budget != nil {
		s.budget.Report(now, o, p.attempt > 1)
	}
	if int(p.attempt) >= s.retry.Attempts || s.budget != nil && !s.budget.Withdraw(now) {
		p.over = true
		if s.budget != nil {
			s.budget.Close(now)
		}
		return
	}
	own := s.waits.Of(uint64(call), uint64(p.attempt))
	p.prev = s.retry.Backoff.Delay(int(p.attempt), p.prev, own.Float64())
	if p.prev == 0 {
		s.send(call)
		return
	}
	s.At(now.Add(p.prev), sim.Due, s, again, int64(call))
}

func (s *station) close(o core.Outcome, attempt int32) {
	if s.budget == nil {
		return
	}
	s.budget.Report(s.Now(), o, attempt > 1)
	s.budget.Close(s.Now())
}

// line is a queue of jobs.
type line struct {
	jobs []job
	head int
	lifo bool
}

func (l *line) len() int { return len(l.jobs) - l.head }

func (l *line) push(j job) { l.jobs = append(l.jobs, j) }

// pop takes the first, or the last, and now and then moves the rest to the
// front, so that the memory is that of the jobs that wait.
func (l *line) pop() job {
	if l.lifo {
		n := len(l.jobs) - 1
		j := l.jobs[n]
		l.jobs = l.jobs[:n]
		return j
	}
	j := l.jobs[l.head]
	if l.head++; l.head >= 1024 && l.head*2 > len(l.jobs) {
		l.jobs = l.jobs[:copy(l.jobs, l.jobs[l.head:])]
		l.head = 0
	}
	return j
}
