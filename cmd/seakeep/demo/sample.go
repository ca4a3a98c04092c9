package demo

import "time"

// totals are all counters at one moment.
type totals struct {
	at time.Duration
	of [len(names)]count
}

type count struct{ sent, ok, fallback, failed, calls, retries uint64 }

func (c count) minus(o count) count {
	return count{c.sent - o.sent, c.ok - o.ok, c.fallback - o.fallback, c.failed - o.failed,
		c.calls - o.calls, c.retries - o.retries}
}

// ended returns how many requests have come to an end.
func (c count) ended() uint64 { return c.ok + c.fallback + c.failed }

func (r *recorder) totals() totals {
	t := totals{at: r.clock.Now()}
	for i := range r.of {
		c := &r.of[i]
		t.of[i] = count{c.whole.sent.Load(), c.whole.ok.Load(), c.whole.fallback.Load(),
			c.whole.failed.Load(), c.calls.Load(), c.retries.Load()}
	}
	return t
}

// sample is what happened lately, as the views show it.
type sample struct {
	at   time.Duration
	over time.Duration // how long lately is
	of   [len(names)]lane
	pool poolState
}

// lane is an endpoint and its dependency in a sample.
type lane struct {
	count
	p50, p99 time.Duration // of answered requests; -1: there were none
	breaker  string        // empty: the rung is off
}

// sampler takes samples of a stage.
type sampler struct {
	stage *stage
	over  time.Duration // how far back a sample reaches, about
	past  []totals
}

func (s *sampler) sample() sample {
	now := s.stage.rec.totals()
	s.past = append(s.past, now)
	for len(s.past) > 2 && now.at-s.past[1].at >= s.over {
		s.past = s.past[1:]
	}
	then := s.past[0]
	if len(s.past) == 1 {
		then = totals{}
	}
	out := sample{at: now.at, over: now.at - then.at, pool: s.stage.checkout.pool.snapshot()}
	for i, name := range names {
		l := &out.of[i]
		l.count = now.of[i].minus(then.of[i])
		q := s.stage.rec.of[i].recent.Snapshot(s.stage.rec.clock.Instant(now.at))
		l.p50, l.p99 = -1, -1
		if p50, ok := q.Quantile(0.5); ok {
			l.p50 = p50
			l.p99, _ = q.Quantile(0.99)
		}
		if b, ok := s.stage.breakerOf(name); ok {
			l.breaker = standing(b)
		}
	}
	return out
}

// perSecond returns n as a rate.
func (s *sample) perSecond(n uint64) float64 {
	if s.over <= 0 {
		return 0
	}
	return float64(n) / s.over.Seconds()
}

// retries returns the retries a second of all dependencies.
func (s *sample) retries() float64 {
	var n uint64
	for i := range s.of {
		n += s.of[i].retries
	}
	return s.perSecond(n)
}
