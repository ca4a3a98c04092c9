package tune

import (
	"math"
	"strconv"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/budget"
)

const (
	leastSlots = 5
	bursts     = 7.0 // standard deviations of what is under way, which is its root
)

// slotsFor is how many slots the calls need, and a good number of them. By
// Little's law rate x p99 are under way, where all are as slow as the slowest. The
// headroom is as much again, or seven times its root where that is more: the
// fewer calls there are, the more their number scatters.
func slotsFor(rate, p99 float64) (need float64, want int) {
	need = rate * p99
	return need, max(slots(math.Max(2*need, need+bursts*math.Sqrt(need))), leastSlots)
}

// bulkhead is rate x p99 with headroom; its queue what is served within patience.
func (a *Advice) bulkhead() {
	b := a.dep.Call.Bulkhead
	if b != nil {
		a.size = b.Limit
	}
	v, why, ok := a.quantile(0.99)
	switch {
	case !ok:
		a.keep("bulkhead.limit: %s", why)
		return
	case a.Rate == 0:
		a.keep("bulkhead.limit: the source does not say how many calls a second there are")
		return
	}
	need, want := slotsFor(a.Rate, v.Value)
	switch {
	case b == nil && a.dep.Kind == config.Async:
		a.keep("bulkhead: none; %s at %s need %.3g slots", perSecond(a.Rate), shown(v.Value), need)
		return
	case b == nil:
		a.propose("bulkhead", "", "{limit: "+strconv.Itoa(want)+"}",
			"%s x p99 of %s (%s) is %.3g slots, and as much again or more for bursts", perSecond(a.Rate),
			shown(v.Value),
			sure(v), need)
		a.size = want
		return
	case float64(b.Limit) >= 0.8*float64(want) && float64(b.Limit) <= 1.3*float64(want):
		a.keep("bulkhead.limit: %d fits: %s x p99 of %s is %.3g slots", b.Limit, perSecond(a.Rate),
			shown(v.Value), need)
	default:
		a.propose("bulkhead.limit", strconv.Itoa(b.Limit), strconv.Itoa(want),
			"%s x p99 of %s (%s) is %.3g slots, and as much again or more for bursts", perSecond(a.Rate),
			shown(v.Value),
			sure(v), need)
		a.size = want
	}
	a.queue(b.Queue, b.Wait)
}

// queue is throughput x patience: who waits behind more than that waits in vain.
func (a *Advice) queue(places int, patience time.Duration) {
	v, _, ok := a.quantile(0.5)
	if places == 0 || patience == 0 || !ok {
		return
	}
	fit := float64(a.size) / v.Value * patience.Seconds()
	want := max(int(0.8*fit), 1)
	if float64(places) <= fit && float64(places) >= 0.2*fit {
		a.keep("bulkhead.queue: %d fits: within %s %.3g calls get a slot", places, span(patience), fit)
		return
	}
	if float64(places) < fit {
		return // a short queue is no mistake
	}
	a.propose("bulkhead.queue", strconv.Itoa(places), strconv.Itoa(want),
		"%d slots of %s each serve %.3g calls within timeout.acquire, %s; who waits behind more waits in vain",
		a.size, shown(v.Value), fit, span(patience))
}

// pool has a connection for each slot.
func (a *Advice) pool() {
	n := max(len(a.dep.Endpoints), 1)
	most := a.dep.Connections.Max
	if a.size == 0 || most == 0 {
		if a.size > 0 {
			a.keep("connections.max: no bound of its own; the bulkhead bounds them at %d", a.size)
		}
		return
	}
	each := (a.size + n - 1) / n
	if n > 1 { // they are not shared out evenly
		each = (each*3 + 1) / 2
	}
	if most >= each {
		a.keep("connections.max: %d fits: %d slots at %d endpoints", most, a.size, n)
		return
	}
	a.propose("connections.max", strconv.Itoa(most), strconv.Itoa(each),
		"%d slots at %d endpoints: who has a slot should not wait for a connection", a.size, n)
}

// budget keeps retries to a share of the calls there are.
func (a *Advice) budget() {
	r, b := a.dep.Call.Retry, a.dep.Call.Budget
	if r == nil || r.Attempts < 2 || b == nil || b.Kind > budget.Ratio || a.Rate == 0 {
		return
	}
	if most := a.Rate / 10; b.Floor > most {
		want := math.Max(math.Round(a.Rate*50)/1000, 0.001)
		a.propose("retry.budget.floor", perSecond(b.Floor), perSecond(want),
			"at %s, %s retries are %s of the calls, whatever the ratio says", perSecond(a.Rate), perSecond(b.Floor),
			percent(b.Floor/a.Rate))
	}
	errors := a.usual()
	switch {
	case a.Calls < 1000:
	case errors > 0.1:
		a.keep("retry.budget.ratio: %s of the calls fail, more than retries should mend", percent(errors))
	case b.Ratio > 0 && 2*errors > b.Ratio:
		want := math.Min(0.2, math.Ceil(200*errors)/100)
		if want > b.Ratio {
			a.propose("retry.budget.ratio", inFile(b.Ratio), inFile(want),
				"%s of the calls fail on a usual day, and there should be twice that for retries", percent(errors))
		}
	default:
		a.keep("retry.budget.ratio: %s fits: %s of the calls fail", inFile(b.Ratio), percent(errors))
	}
}
