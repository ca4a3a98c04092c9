package tune

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

const (
	leastDecide = 20    // calls that decide
	byChance    = 0.001 // windows of usual calls that may open a breaker
)

// breaker needs as many calls as make an opening by chance rare, a window that
// holds them, and a slow limit that healthy calls stay under.
func (a *Advice) breaker() {
	b := a.dep.Call.Breaker
	if b == nil {
		a.keep("breaker: it is off")
		return
	}
	a.decides()
	if b.Slow.Over == 0 {
		return
	}
	v, why, ok := a.quantile(0.999)
	if !ok {
		if v, _, ok = a.quantile(0.99); !ok {
			a.keep("breaker.slow.over: %s", why)
			return
		}
	}
	name := "p99.9"
	if why != "" {
		name = "p99"
	}
	want := up(v.Value, 2)
	if a.limit > 0 && want > a.limit { // a call that is cut off is a failure, and never slow
		want = down(a.limit.Seconds() * 0.9)
	}
	now := b.Slow.Over
	if now.Seconds() >= 0.9*want.Seconds() && (a.limit == 0 || now <= a.limit) &&
		now.Seconds() <= 4*want.Seconds() {
		a.keep("breaker.slow.over: %s fits: the %s is %s", span(now), name, shown(v.Value))
		return
	}
	a.propose("breaker.slow.over", span(now), span(want), "the %s is %s, %s: what takes longer is slow", name,
		shown(v.Value), sure(v))
}

// decides proposes how many calls decide, and the window for them.
func (a *Advice) decides() {
	b := a.dep.Call.Breaker
	if b.Window.Consecutive > 0 || b.Failures == 0 {
		return
	}
	calls := b.MinCalls
	if calls == 0 {
		calls = leastDecide
	}
	errors := a.usual()
	if a.sample.Failed > 0 {
		errors += 2 * math.Sqrt(errors/float64(a.Calls)) // as many as it may truly be
	}
	want := calls
	for want < 1000 && (want < leastDecide || atLeast(want, b.Failures, errors) > byChance) {
		want += 5
	}
	if want >= 1000 {
		a.keep("breaker.failures: %s of the calls fail on a usual day, too near to %s for any number of calls",
			percent(a.usual()), inFile(b.Failures))
		return
	}
	if want > calls {
		a.propose("breaker.calls", strconv.Itoa(calls), strconv.Itoa(want),
			"%s of the calls fail on a usual day; of %d the breaker would open by chance in %s of "+
				"its windows, of %d in %s",
			percent(a.usual()), calls, percent(atLeast(calls, b.Failures, errors)), want,
			percent(atLeast(want, b.Failures, errors)))
	} else {
		a.keep("breaker.calls: %d fits: by chance it opens in %s of its windows", calls,
			percent(atLeast(calls, b.Failures, errors)))
	}
	length := b.Window.Over
	if length == 0 || a.Rate == 0 || a.Rate*length.Seconds() >= 1.5*float64(want) {
		return
	}
	need := up(2*float64(want)/a.Rate, 1)
	if need > 24*time.Hour {
		a.keep("breaker.window: %s are too few calls for a breaker that goes by a share; {consecutive: 5} suits them",
			perSecond(a.Rate))
		return
	}
	a.propose("breaker.window", span(length), span(need), "at %s a window of %s holds %s calls, and %d are to decide",
		perSecond(a.Rate), span(length), fmt.Sprintf("%.3g", a.Rate*length.Seconds()), want)
}

// atLeast is the probability that a share of n calls or more fails, if each does
// with probability p (the binomial distribution).
func atLeast(n int, share, p float64) float64 {
	k := int(math.Ceil(share*float64(n) - 1e-9))
	if k <= 0 || p >= 1 {
		return 1
	}
	if p <= 0 {
		return 0
	}
	all, _ := math.Lgamma(float64(n + 1))
	sum := 0.0
	for i := k; i <= n; i++ {
		a, _ := math.Lgamma(float64(i + 1))
		b, _ := math.Lgamma(float64(n - i + 1))
		sum += math.Exp(all - a - b + float64(i)*math.Log(p) + float64(n-i)*math.Log(1-p))
	}
	return math.Min(sum, 1)
}
