package study

import (
	"fmt"
	"slices"
	"time"

	"github.com/seakeep/seakeep/sim"
)

// goal is the success below which an endpoint counts as failing.
const goal = 0.99

// users tells which endpoints fell below the goal and when they came back, and
// where fallbacks stood in.
func (t *tale) users() {
	names := endpointNames(t.run)
	var falls []fall
	for i := range t.run.Endpoints {
		e := &t.run.Endpoints[i]
		falls = append(falls, t.falls(names[i], e)...)
		t.standIns(names[i], e)
	}
	for len(falls) > 0 { // those that fall together are told together
		var group, rest []fall
		for _, f := range falls {
			if f.from == falls[0].from && f.alike(&falls[0]) {
				group = append(group, f)
			} else {
				rest = append(rest, f)
			}
		}
		t.falling(group)
		falls = rest
	}
}

// fall is a stretch in which an endpoint was below the goal.
type fall struct {
	spell
	name  string
	first sim.Outcomes // of its first slice
	sum   sim.Outcomes
	gave  time.Duration // the client's patience
	limit time.Duration // of its attempts
}

// wait is how long it took the first who failed to learn it: who waits in vain
// learns it late.
func (f *fall) wait() time.Duration {
	switch {
	case 2*f.first.GaveUp > f.first.Failed():
		return f.gave
	case 2*f.first.TimedOut > f.first.Failed():
		return f.limit
	}
	return 0
}

func (f *fall) alike(o *fall) bool {
	a, _ := f.sum.Success()
	b, _ := o.sum.Success()
	return a-b < 0.05 && b-a < 0.05
}

func (t *tale) slice(e *sim.EndpointResult, k int) sim.Outcomes {
	if k < len(e.Slices) {
		return e.Slices[k]
	}
	return sim.Outcomes{}
}

// falls finds the stretches of an endpoint. A slice counts if it is below the
// goal beyond what chance gives: with few requests one failure says nothing.
func (t *tale) falls(name string, e *sim.EndpointResult) (all []fall) {
	below := func(k int) bool {
		o := t.slice(e, k)
		p, ok := o.Success()
		if !ok {
			return false
		}
		_, high := wilson(p, float64(o.Answered()+o.Failed()))
		return high < goal
	}
	for _, s := range spells(t.slices, pause, below) {
		f := fall{spell: s, name: name, first: t.slice(e, s.from)}
		if c := t.scenario.Client(e.Client); c != nil {
			f.gave = c.Patience
			f.limit = policyOf(t.scenario, c.Name, c.Member.Dependency).Timeout.Request
		}
		if !t.wellAgain(e, s.to) {
			f.to = t.slices
		}
		for k := f.from; k < f.to; k++ {
			f.sum = plus(f.sum, t.slice(e, k))
		}
		all = append(all, f)
	}
	return all
}

// wellAgain reports whether slice k, where a fall ends, is one of a recovery:
// not one of the last, which say nothing of what would have come, and followed
// by one whose requests have mostly been answered. Those made shortly before the
// run ends have not ended.
func (t *tale) wellAgain(e *sim.EndpointResult, k int) bool {
	if k+pause > t.slices {
		return false
	}
	for ; k < t.slices; k++ {
		if o := t.slice(e, k); 2*o.Answered() > o.Sent {
			return true
		}
	}
	return false
}

func plus(a, b sim.Outcomes) sim.Outcomes {
	return sim.Outcomes{Sent: a.Sent + b.Sent, OK: a.OK + b.OK, Fallback: a.Fallback + b.Fallback,
		GaveUp: a.GaveUp + b.GaveUp, TimedOut: a.TimedOut + b.TimedOut,
		Refused: a.Refused + b.Refused, Errored: a.Errored + b.Errored}
}

// falling tells of endpoints that fell at the same time.
func (t *tale) falling(group []fall) {
	var names []string
	var sum sim.Outcomes
	for _, f := range group {
		if !slices.Contains(names, f.name) {
			names = append(names, f.name)
		}
		sum = plus(sum, f.sum)
	}
	f := &group[0]
	began := t.after(t.start(f.from), t.run.Slice)
	at := began
	if wait := f.wait(); wait > 0 {
		began = max(t.start(f.from), t.firstFrom(t.start(f.from), t.run.Slice))
		at = began + wait
	}
	at = min(t.caused(at), t.run.For)
	t.add(at, Failing, list(names), fmt.Sprintf("%s: %s of the requests fail, %s", list(names),
		percent(sum.Failed(), sum.Failed()+sum.Answered()), mostly(sum)))
	for _, f := range group {
		t.back(&f, began, at)
	}
}

// mostly says how most of the failed requests failed.
func mostly(o sim.Outcomes) string {
	n := max(o.GaveUp, o.TimedOut, o.Refused, o.Errored)
	word := "all"
	if n < o.Failed() {
		word = "most"
	}
	switch n {
	case o.GaveUp:
		return word + " because users gave up waiting"
	case o.Refused:
		return word + " because they were refused"
	case o.TimedOut:
		return word + " because a limit passed"
	}
	return word + " with an error"
}

// back tells of an endpoint's recovery, or that there was none.
func (t *tale) back(f *fall, began, fell time.Duration) {
	at := t.start(f.to)
	last, what := time.Duration(-1), ""
	for _, e := range t.ends {
		if e.at > last && e.at <= at {
			last, what = e.at, e.what
		}
	}
	rest := t.run.For - last
	switch {
	case f.to < t.slices:
		text := fmt.Sprintf("%s is back above %s, %s after it fell", f.name, Share.Text(goal),
			At(at-began, t.run.For))
		if last >= began {
			text += fmt.Sprintf(" and %s after %s was itself again", At(at-last, t.run.For), what)
		}
		t.add(max(at, fell), Recovered, f.name, text)
	case last >= 0 && rest > time.Duration(pause)*t.run.Slice:
		t.add(t.run.For, Recovered, f.name, fmt.Sprintf("the run ends and %s still fails, %s after %s "+
			"was itself again: it does not come back by itself", f.name, At(rest, t.run.For), what))
	}
}

// standIns tells where fallbacks answer more than a tenth.
func (t *tale) standIns(name string, e *sim.EndpointResult) {
	on := func(k int) bool {
		o := t.slice(e, k)
		return o.Fallback >= 3 && 10*o.Fallback > o.Answered()+o.Failed()
	}
	for n, s := range spells(t.slices, pause, on) {
		if n == most {
			break
		}
		var sum sim.Outcomes
		for k := s.from; k < s.to; k++ {
			sum = plus(sum, t.slice(e, k))
		}
		t.add(t.stoodIn(t.start(s.from), e), Degraded, name, fmt.Sprintf(
			"%s: fallbacks answer %s of the requests%s", name,
			percent(sum.Fallback, sum.Answered()+sum.Failed()), t.until(s.to)))
	}
}

// stoodIn is when fallbacks began to answer requests that were made from from
// on: after the first thing that policies or services did about it, if that was
// within the patience of the users.
func (t *tale) stoodIn(from time.Duration, e *sim.EndpointResult) time.Duration {
	soon := 2 * t.run.Slice
	if c := t.scenario.Client(e.Client); c != nil {
		soon += c.Patience
	}
	for _, c := range t.exact {
		if c.Kind != Given && c.At >= from && c.At < from+soon {
			return c.At
		}
	}
	return t.after(from, t.run.Slice)
}
