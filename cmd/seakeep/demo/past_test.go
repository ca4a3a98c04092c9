package demo

import (
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// What is known of a second comes when everybody has ended who came in it.
func TestPast(t *testing.T) {
	p := &past{}
	at := func(k int) time.Duration { return time.Duration(k)*time.Second + time.Second/4 }
	for k := range 10 {
		for range 4 {
			p.sent(arrival{at(k), 1}, time.Duration(k)*time.Millisecond)
		}
		p.called(at(k), 1)
		for range 3 {
			p.ended(arrival{at(k), 1}, fellBack, 20*time.Millisecond)
		}
		p.ended(arrival{at(k), 1}, failed, 0)
		p.close(k, float64(k))
	}
	c, late := p.between(5, 6) // seconds 5 to 10
	e := c.Endpoints[1]
	if *c.Busy[0] != 5 || *late[4] != 9 || *e.Calls[4] != 1 || c.Busy[5] != nil {
		t.Errorf("%+v", c)
	}
	if *e.Success[1] != 0.75 || *e.Fallback[1] != 0.75 || *e.P99MS[1] != 20 || *e.Sent[0] != 4 {
		t.Errorf("%+v", e)
	}
	if e.Success[2] != nil {
		t.Error("a second that has not settled has a value")
	}
	p.close(keptSeconds+100, 1)
	p.ended(arrival{at(100), 1}, answered, 0) // too long ago: its place is another's
	if c, _ := p.between(-3, 4); c.Busy[0] != nil || c.Busy[3] == nil {
		t.Error("there are values before the beginning, or none at it")
	}
	(*past)(nil).called(0, 1) // nobody asks
}

func TestTransitionsAreBounded(t *testing.T) {
	r := newRecorder(nil)
	r.clock.StartAt(1)
	for k := range maxTransitions + 7 {
		r.Observe(core.Event{Kind: core.BreakerChanged, At: core.Instant(k + 1), Policy: names[0]})
	}
	all := r.transitions(0)
	if len(all) != maxTransitions/2+7 || all[len(all)-1].at != maxTransitions+6 {
		t.Errorf("%d are kept, until %v", len(all), all[len(all)-1].at)
	}
	if new := r.transitions(maxTransitions + 5); len(new) != 2 {
		t.Errorf("%d are new, want 2", len(new))
	}
}
