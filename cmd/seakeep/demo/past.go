package demo

import (
	"sync"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/curves"
)

const (
	keptSeconds = 15 * 60
	// settling is after how many seconds nobody can be under way any more who came
	// in one: users have the patience of one second.
	settling = 3
)

// past is what became of users in each of the last seconds. It does nothing if it
// is nil.
type past struct {
	mu      sync.Mutex
	seconds [keptSeconds + settling + 1]second
}

// second is one second of the run.
type second struct {
	n    int // which, from 1 on; 0: none yet
	busy *float64
	late time.Duration // how late requests were made at most
	of   [len(names)]struct {
		tally curves.Tally
		row   curves.Row // once it has settled
		calls int
	}
}

// at returns second k, from 0 on; nil if it is too long ago. The caller holds the
// lock.
func (p *past) at(k int) *second {
	if k < 0 {
		return nil
	}
	s := &p.seconds[k%len(p.seconds)]
	if s.n <= k {
		*s = second{n: k + 1}
	}
	if s.n > k+1 {
		return nil
	}
	return s
}

// with does something with the second of a moment.
func (p *past) with(at time.Duration, do func(*second)) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.at(int(at / time.Second)); s != nil {
		do(s)
	}
}

func (p *past) sent(a arrival, late time.Duration) {
	p.with(a.at, func(s *second) {
		s.of[a.endpoint].tally.Sent(1)
		s.late = max(s.late, late)
	})
}

func (p *past) ended(a arrival, e ending, took time.Duration) {
	p.with(a.at, func(s *second) { s.of[a.endpoint].tally.Ended(e != failed, e == fellBack, took) })
}

func (p *past) called(at time.Duration, dependency int) {
	p.with(at, func(s *second) { s.of[dependency].calls++ })
}

// close ends second k: so many workers were busy, on average. What settles with it
// is made into figures.
func (p *past) close(k int, busy float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.at(k); s != nil {
		s.busy = curves.Value(busy)
	}
	if s := p.at(k - settling); s != nil {
		for i := range s.of {
			o := &s.of[i]
			o.row = o.tally.Row(time.Second)
			o.tally = curves.Tally{}
		}
	}
}

// between returns the columns from second k on, and how late requests were made in
// each, in milliseconds. What is not kept or has not settled has no values.
func (p *past) between(k, steps int) (c *curves.Curves, late []*float64) {
	c, late = curves.New(names[:], steps, time.Second), make([]*float64, steps)
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range steps {
		if k+i < 0 {
			continue
		}
		s := &p.seconds[(k+i)%len(p.seconds)]
		if s.n != k+i+1 || s.busy == nil {
			continue
		}
		c.Busy[i] = s.busy
		late[i] = curves.Value(s.late.Seconds() * 1000)
		for n := range c.Endpoints {
			c.Endpoints[n].Calls[i] = curves.Value(float64(s.of[n].calls))
			c.Endpoints[n].Set(i, s.of[n].row)
		}
	}
	return c, late
}
