package study

import (
	"fmt"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/sim"
)

// outage is a time in which breakers of one dependency were not all closed.
type outage struct {
	from, to time.Duration
	closed   bool // by the end of it all were
	opened   int  // changes to open
	users    int  // whose breaker opened
	first    change
	last     change
	fellBack int // trials that did not pass
}

// outages cuts the changes of a dependency's breakers into times.
func (d *decisions) outages(end time.Duration) (all []outage) {
	open := map[int]bool{}   // users whose breaker is not closed
	inThis := map[int]bool{} // users whose breaker opened in this outage
	for _, c := range d.changes {
		if len(open) == 0 {
			all = append(all, outage{from: c.at, to: end, first: c})
			inThis = map[int]bool{}
		}
		o := &all[len(all)-1]
		o.last = c
		switch c.to {
		case breaker.Closed.String():
			delete(open, c.user)
		case breaker.Open.String():
			o.opened++
			if c.from == breaker.HalfOpen.String() {
				o.fellBack++
			}
			inThis[c.user] = true
			open[c.user] = true
		default:
			open[c.user] = true
		}
		o.users = len(inThis)
		if len(open) == 0 {
			o.to, o.closed = c.at, true
		}
	}
	return all
}

// breakers tells when they open and close.
func (t *tale) breakers(d *decisions) {
	of := d.by + " > " + d.name
	all := d.outages(t.run.For)
	opened := 0
	for n, o := range all {
		if n >= most && len(all) > most+1 { // it flaps
			for _, o := range all[n:] {
				opened += o.opened
			}
			t.add(o.from, Breaking, of, fmt.Sprintf("the breaker of %s flaps: it opens %d times more, "+
				"the last time at %s", t.label(d), opened, At(all[len(all)-1].from, t.run.For)))
			return
		}
		t.add(o.from, Breaking, of, t.opens(d, &o))
		if o.closed {
			t.add(o.to, Breaking, of, t.closes(d, &o))
			continue
		}
		if o.fellBack > 0 {
			t.add(o.last.at, Breaking, of, fmt.Sprintf("the breaker of %s is %s when the run ends: "+
				"its trials have failed %s", t.label(d), o.last.to, times(o.fellBack)))
		}
	}
}

func (t *tale) opens(d *decisions, o *outage) string {
	text := fmt.Sprintf("the breaker of %s opens: %s", t.label(d), t.because(d, o.first))
	if users := t.result(d).Users; users > 1 {
		text = fmt.Sprintf("breakers of %s open, %d of %d in all; the first: %s", t.label(d), o.users,
			users, t.because(d, o.first))
	}
	return text
}

func (t *tale) closes(d *decisions, o *outage) string {
	text := fmt.Sprintf("the breaker of %s closes: the trials pass", t.label(d))
	if t.result(d).Users > 1 {
		text = fmt.Sprintf("all breakers of %s are closed again", t.label(d))
	}
	if o.fellBack > 0 {
		text += fmt.Sprintf(", after %s that they did not", times(o.fellBack))
	}
	return text
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func (t *tale) result(d *decisions) *sim.DependencyResult {
	for i := range t.run.Dependencies {
		if r := &t.run.Dependencies[i]; r.By == d.by && r.Name == d.name {
			return r
		}
	}
	return &sim.DependencyResult{Users: 1}
}

// because says why a breaker opened. The counts are known of its last changes
// only.
func (t *tale) because(d *decisions, c change) string {
	for _, x := range t.result(d).Timeline {
		if x.At != c.at || x.User != c.user || x.To != c.to {
			continue
		}
		n := x.Counts
		switch x.Reason {
		case core.FailureRate:
			return fmt.Sprintf("%d of %d failed", n.Failed, n.Calls)
		case core.SlowRate:
			return fmt.Sprintf("%d of %d were slow", n.Slow, n.Calls)
		}
	}
	switch c.reason {
	case core.FailureRate:
		return "too many failed"
	case core.SlowRate:
		return "too many were slow"
	case core.Consecutive:
		return "too many failed in a row"
	case core.TrialFailed:
		return "a trial failed"
	case core.TrialLost:
		return "a trial never came back"
	}
	return c.reason.String()
}
