package overload

import (
	"fmt"
	"slices"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
	"github.com/seakeep/seakeep/core"
)

// What a sweep promises.
const (
	gone        = 0.1   // of the capacity: the goodput of a bare program that got too much
	goneFrom    = 1.5   // times the capacity: from there on
	useful      = 0.9   // of the capacity: the goodput of a protected one at every load above it
	latencyRise = 3     // p99 at any load, in unloaded ones, and the target of the queue
	fits        = 0.9   // of the capacity: critical_plus alone
	nothingLost = 0.999 // of critical_plus, which leaves room for one request in a thousand
	inOrder     = 0.05  // by so much may a class seem to fare better than a more important one
	nobodyWaits = 0.5   // of the capacity: p99 there counts as unloaded
)

// judge says of each promise whether it held. A promise about loads that nobody
// offered is left out.
func (r *Report) judge() {
	r.promise("bare, goodput falls towards nothing from 1.5 times the capacity", r.Bare,
		func(p *Point) bool { return p.Load >= goneFrom }, r.useless)
	above := func(p *Point) bool { return p.Load > 1 }
	r.promise("protected, goodput stays at 90% of the capacity or more", r.Protected, above, r.useful)
	if calm, ok := r.unloaded(); ok {
		limit := latencyRise*calm + r.TargetMS
		r.promise("protected, p99 stays within 3 unloaded ones and the queue's target",
			r.Protected, above, func(p *Point) string { return p.slower(limit) })
	}
	r.promise("protected, critical_plus loses nothing while it alone fits", r.Protected,
		func(p *Point) bool { return p.Load > 1 && p.Load*mix[core.CriticalPlus.Index()] <= fits },
		keepsTheBest)
	r.promise("protected, classes fall in the order of their importance", r.Protected, above, ordered)
}

// promise says whether a promise held at all points that it is about. check
// returns what speaks against it.
func (r *Report) promise(text string, points []Point, about func(*Point) bool,
	check func(*Point) string) {
	n, against := 0, []string(nil)
	for i := range points {
		p := &points[i]
		if !about(p) {
			continue
		}
		n++
		if why := check(p); why != "" {
			against = append(against, fmt.Sprintf("at %gx %s%s", p.Load, why, live.Busy(p.LateMS)))
		}
	}
	if n > 0 {
		r.Holds = append(r.Holds, live.Judged(text, against))
	}
}

func (r *Report) useless(p *Point) string {
	if p.Goodput <= gone*r.Capacity {
		return ""
	}
	return fmt.Sprintf("it is %.0f/s", p.Goodput)
}

func (r *Report) useful(p *Point) string {
	if p.Goodput >= useful*r.Capacity {
		return ""
	}
	return fmt.Sprintf("it is %.0f/s of %.0f/s", p.Goodput, r.Capacity)
}

// unloaded returns the p99 where nobody had to wait, in milliseconds.
func (r *Report) unloaded() (ms float64, ok bool) {
	i := slices.IndexFunc(r.Protected, func(p Point) bool { return p.Load <= nobodyWaits && p.P99 != nil })
	if i < 0 {
		return 0, false
	}
	return *r.Protected[i].P99, true
}

// slower says if the p99 is above a limit, in milliseconds.
func (p *Point) slower(limit float64) string {
	switch {
	case p.P99 == nil:
		return "nothing is served"
	case *p.P99 > limit:
		return fmt.Sprintf("it is %.0fms; %.0fms are allowed", *p.P99, limit)
	}
	return ""
}

func keepsTheBest(p *Point) string {
	if c := p.ByClass[core.CriticalPlus.String()]; c.share() < nothingLost {
		return fmt.Sprintf("it loses %d of %d", c.offered-c.ok, c.offered)
	}
	return ""
}

func ordered(p *Point) string {
	for i := range core.Criticalities - 1 {
		low, high := core.CriticalityAt(i).String(), core.CriticalityAt(i+1).String()
		l, h := p.ByClass[low].share(), p.ByClass[high].share()
		if l > h+inOrder {
			return fmt.Sprintf("%s keeps %.0f%% and %s only %.0f%%", low, l*100, high, h*100)
		}
	}
	return ""
}
