package foreign

import (
	"math"
	"strconv"
	"time"
)

// breaker writes the circuit breaker. limit is the time limiter's, 0 for none.
func (r *r4j) breaker(dep *block, v view, retries bool, limit time.Duration) {
	b := dep.sub("breaker")
	r.window(b, v)
	rate, s := v.number("failureRateThreshold", 50)
	failures := boundPercent(rate, 0.01, 100)
	b.set("failures", showPercent(failures.value), s, failures.note)
	slow := r.slow(b, v, limit)
	r.pause(b.sub("open"), v)
	r.trials(b.sub("trials"), v, min(failures.value, slow))
	if retries {
		r.decided("circuitbreaker", target{b, "counts"})
		if r.outside("circuitbreaker") {
			b.fill("counts", "calls", "the aspect orders put the breaker around the retry")
		} else {
			b.fill("counts", "attempts", "Resilience4j's breaker stands inside its retry")
		}
	}
	if on, s := v.flag("automaticTransitionFromOpenToHalfOpenEnabled"); s != nil {
		differs := ""
		if on {
			differs = "the next call after the open time makes it half-open, not a thread"
		}
		s.mark(target{b, "open"}, differs)
	}
	if s := v.get("initialState"); s != nil && fold(s.text) == "closed" {
		s.mark(target{dep, "breaker"})
	} else if s != nil {
		s.n.drop("a breaker begins closed; an operator can force it")
	}
	b.order("window", "calls", "failures", "slow", "open", "trials", "counts")
}

// window writes what the breaker remembers.
func (r *r4j) window(b *block, v view) {
	size, s := v.count("slidingWindowSize", 100)
	kind := v.get("slidingWindowType")
	timed := kind != nil && fold(kind.text) == "timebased"
	if kind != nil && !timed && fold(kind.text) != "countbased" {
		kind.bad("COUNT_BASED or TIME_BASED")
		kind = nil
	}
	calls, least := v.count("minimumNumberOfCalls", 100)
	if timed {
		const differs = "it forgets in steps of a tenth of the window, not of a second"
		w := boundTime(time.Duration(min(size, 1e9))*time.Second, time.Second, longWindow)
		b.set("window", showTime(w.value), s, w.note, differs)
		kind.mark(target{b, "window"}, differs)
		n := boundCount(calls, 1, mostCalls)
		b.set("calls", strconv.FormatInt(n.value, 10), least, n.note)
		return
	}
	w := boundCount(size, 1, mostWindow)
	b.set("window", strconv.FormatInt(w.value, 10)+" calls", s, w.note)
	kind.mark(target{b, "window"})
	n := boundCount(calls, 1, mostCalls)
	text := strconv.FormatInt(min(n.value, w.value), 10)
	if n.value > w.value && least != nil {
		least.note = "Resilience4j takes no more than the window holds"
		b.put("calls", text, origin{n: least.n, note: least.note})
		return
	}
	b.set("calls", text, least, n.note)
}

// slow writes the rule for slow calls and returns the share in percent at which
// it opens. Where it can never act and nobody asked for it, it is left out.
func (r *r4j) slow(b *block, v view, limit time.Duration) float64 {
	over, s := v.time("slowCallDurationThreshold", time.Minute)
	share, rate := v.number("slowCallRateThreshold", 100)
	if s == nil && rate == nil && limit > 0 && limit <= over {
		return 100
	}
	section := b.sub("slow")
	t := boundTime(over, time.Microsecond, longest)
	section.set("over", showTime(t.value), s, t.note)
	p := boundPercent(share, 0.01, 100)
	section.set("share", showPercent(p.value), rate, p.note)
	return p.value
}

// pause writes how long the breaker stays open.
func (r *r4j) pause(b *block, v view) {
	d, s := v.time("waitDurationInOpenState", time.Minute)
	if s != nil && d < time.Millisecond {
		s.bad("a time of at least 1ms")
		d, s = time.Minute, nil
	}
	open := boundTime(d, time.Millisecond, longest)
	b.set("for", showTime(open.value), s, open.note)
	grows, flag := v.flag("enableExponentialBackoff")
	spread, random := v.flag("enableRandomizedWait")
	if grows && spread {
		drop("Resilience4j does not start with both kinds of wait", random)
		spread, random = false, nil
	}
	if s == nil && (grows || spread) {
		drop("Resilience4j looks at it only beside waitDurationInOpenState", flag, random)
		grows, spread, flag, random = false, false, nil, nil
	}
	r.spread(b, v, spread, random)
	if !grows {
		flag.mark(target{b, "growth"})
		b.fill("growth", "1", byDefault+", as long each time")
		return
	}
	const differs = "it also grows when a breaker that has just closed opens again"
	flag.mark(target{b, "growth"}, differs)
	given, m := v.number("exponentialBackoffMultiplier", 1.5)
	f := bound(given, 1, 100, showNumber)
	b.set("growth", showNumber(f.value), m, f.note, differs)
	most, limit := v.time("exponentialMaxWaitDurationInOpenState", 0)
	switch {
	case limit != nil && m == nil:
		limit.n.drop("Resilience4j looks at it only beside exponentialBackoffMultiplier")
	case limit != nil && most > 0:
		t := boundTime(most, open.value, longest)
		b.set("cap", showTime(t.value), limit, t.note)
		return
	case limit != nil:
		limit.bad("a time above 0")
	}
	b.fill("cap", showTime(longest), "Resilience4j has none; ten times for is our default")
}

// spread writes the jitter of the open time.
func (r *r4j) spread(b *block, v view, spread bool, flag *value) {
	factor, s := v.number("randomizedWaitFactor", 0.5)
	flag.mark(target{b, "jitter"})
	if !spread {
		drop("Resilience4j looks at it only with enableRandomizedWait", s)
		b.fill("jitter", "0%", byDefault)
		return
	}
	p := boundPercent(math.Round(min(factor, 10)*10000)/100, 0, 99)
	b.set("jitter", showPercent(p.value), s, p.note)
}

// trials writes how a half-open breaker decides. opens is the lowest share in
// percent that opens it.
func (r *r4j) trials(b *block, v view, opens float64) {
	const differs = "a slow trial counts as a failed one"
	n, s := v.count("permittedNumberOfCallsInHalfOpenState", 10)
	calls := boundCount(n, 1, mostTrials)
	b.set("calls", strconv.FormatInt(calls.value, 10), s, calls.note, differs)
	b.fill("pass", passing(int(calls.value), opens/100),
		"Resilience4j closes when fewer fail than open it")
	wait, w := v.time("maxWaitDurationInHalfOpenState", 0)
	state := v.get("transitionToStateAfterWaitDuration")
	switch {
	case w == nil:
		b.fill("wait", "1m", "Resilience4j waits for a trial for ever; our default")
	case wait == 0:
		w.mark(target{b, "wait"}, "no wait is endless; this is our default")
		b.fill("wait", "1m", "our default")
	default:
		t := boundTime(wait, time.Millisecond, longest)
		b.set("wait", showTime(t.value), w, t.note,
			"it is counted for each trial, not for all of them together")
	}
	if state != nil && fold(state.text) == "open" {
		state.mark(target{b, "wait"})
	} else if state != nil {
		state.n.drop("a trial that stays silent has failed, so the breaker opens again")
	}
}

// passing returns the share of n trials that must go well, so that those which
// may fail are just too few to open the breaker again.
func passing(n int, opens float64) string {
	need := 1
	for need < n && float64(n-need)/float64(n) >= opens {
		need++
	}
	exact := float64(need) / float64(n) * 100
	for digits := range 10 {
		scale := math.Pow10(digits)
		for _, down := range []float64{0, 1} {
			text := showPercent(max(math.Floor(exact*scale)-down, 0) / scale)
			v, err := strconv.ParseFloat(text[:len(text)-1], 64)
			if share := v / 100; err == nil && needed(n, share) == need && 1-share < opens {
				return text
			}
		}
	}
	return "100%"
}

// needed is how many of n trials must go well for a share.
func needed(n int, share float64) int {
	for need := 1; need < n; need++ {
		if float64(need)/float64(n) >= share {
			return need
		}
	}
	return n
}
