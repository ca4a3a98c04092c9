package foreign

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// instance writes the settings of all modules for one instance.
func (r *r4j) instance(name string) {
	var of []string
	views := map[string]view{}
	for _, key := range mapped {
		if v := r.look(key, name); v != nil {
			views[key] = v
			of = append(of, key)
		}
	}
	dep := r.dependency(name, origin{note: "instance " + clean(name, 60) + " of " +
		strings.Join(of, ", ")})
	retry := views["retry"]
	if v := views["timelimiter"]; v != nil {
		r.timeLimiter(dep, v, retry != nil)
	}
	if retry != nil {
		r.retry(dep, retry)
	}
	if v := views["circuitbreaker"]; v != nil {
		r.breaker(dep, v, retry != nil, limitOf(views["timelimiter"]))
	}
	if v := views["bulkhead"]; v != nil {
		r.bulkhead(dep, v, retry != nil)
	}
	dep.order("timeout", "retry", "breaker", "bulkhead")
}

// lowest is Spring's lowest precedence, from which the aspects' places count.
const lowest = 1<<31 - 1

// places are where the aspects stand by default. The lower one is outside.
var places = map[string]int64{"retry": lowest - 4, "circuitbreaker": lowest - 3,
	"timelimiter": lowest - 1, "bulkhead": lowest}

// outside reports whether a module's aspect stands around the retry's.
func (r *r4j) outside(key string) bool { return r.place(key) < r.place("retry") }

// place is where a module's aspect stands.
func (r *r4j) place(key string) int64 {
	if p := r.placed(key); p != nil {
		text, _ := fillIn(p.n.text)
		if v, err := strconv.ParseInt(text, 10, 64); err == nil {
			return v
		}
		p.n.drop("not a whole number")
	}
	return places[key]
}

// placed returns the setting of a module's place, or nil.
func (r *r4j) placed(key string) *property {
	if m := r.modules[key]; m != nil {
		return m.own[key+"aspectorder"]
	}
	return nil
}

// decided notes what the places of a module and of the retry decide.
func (r *r4j) decided(key string, to target) {
	for _, key := range []string{key, "retry"} {
		if p := r.placed(key); p != nil && p.n.kind == scalar {
			p.n.note(Mapped, to, "")
		}
	}
}

// timeLimiter writes the limit of an attempt, or of the whole call if it stands
// around the retry.
func (r *r4j) timeLimiter(dep *block, v view, retries bool) {
	b := dep.sub("timeout")
	key := "request"
	if retries && r.outside("timelimiter") {
		key = "total"
	}
	r.decided("timelimiter", target{b, key})
	d, s := v.time("timeoutDuration", time.Second)
	switch {
	case s != nil && d == 0:
		s.n.drop("0 lets nothing through")
	default:
		t := boundTime(d, time.Microsecond, longest)
		b.set(key, showTime(t.value), s, t.note)
	}
	if on, s := v.flag("cancelRunningFuture"); s != nil && on {
		s.mark(target{b, key})
	} else if s != nil {
		s.n.drop("an attempt is always cancelled when its limit passes")
	}
}

// limitOf returns the limit of the time limiter, 0 without one.
func limitOf(v view) time.Duration {
	if v == nil {
		return 0
	}
	if s := v.get("timeoutDuration"); s != nil {
		if d, ok := parseSpringTime(s.text); ok {
			return d
		}
	}
	return time.Second
}

// bulkhead writes the semaphore.
func (r *r4j) bulkhead(dep *block, v view, retries bool) {
	n, s := v.count("maxConcurrentCalls", 25)
	wait, waits := v.time("maxWaitDuration", 0)
	if s != nil && n == 0 {
		s.n.drop("0 refuses every call; take the dependency out of use instead")
		if waits != nil {
			waits.n.drop("nobody waits for a slot, because there is no bulkhead")
		}
		return
	}
	b := dep.sub("bulkhead")
	limit := boundCount(n, 1, mostCalls)
	b.set("limit", strconv.FormatInt(limit.value, 10), s, limit.note)
	if wait > 0 {
		t := boundTime(wait, time.Microsecond, longest)
		dep.sub("timeout").set("acquire", showTime(t.value), waits, t.note)
		b.fill("queue", strconv.Itoa(mostCalls),
			"Resilience4j lets any number wait; as many as you have threads is enough")
	} else {
		b.set("queue", "0", waits)
	}
	if !retries {
		return
	}
	holds := "attempts"
	why := "Resilience4j's bulkhead stands inside its retry"
	r.decided("bulkhead", target{b, "holds"})
	if r.outside("bulkhead") {
		holds, why = "calls", "the aspect orders put the bulkhead around the retry"
	}
	b.fill("holds", holds, why)
}

// retry writes attempts and waits.
func (r *r4j) retry(dep *block, v view) {
	b := dep.sub("retry")
	n, s := v.count("maxAttempts", 3)
	if s != nil && n == 0 {
		n = 3
		s.note = "Resilience4j takes 0 for its default, 3"
	}
	attempts := boundCount(n, 1, mostAttempts)
	b.set("attempts", strconv.FormatInt(attempts.value, 10), s, attempts.note)
	r.waits(b.sub("backoff"), v, attempts.value)
	b.fill("on", "["+strings.Join(causeOrder, ", ")+"]",
		"Resilience4j retries every exception; without server-error is safer")
	b.fill("idempotent", "always",
		"Resilience4j repeats whatever it is given; by-call is safer")
	b.fill("ignore-retry-after", "true", "Resilience4j does not read Retry-After")
	if attempts.value > 1 {
		b.fill("budget", "none", "Resilience4j has none; "+
			"the default, {ratio: 10%, floor: 3/s}, keeps an outage small")
	}
}

// waits writes the wait between attempts.
func (r *r4j) waits(b *block, v view, attempts int64) {
	d, s := v.time("waitDuration", 500*time.Millisecond)
	grows, flag := v.flag("enableExponentialBackoff")
	spread, random := v.flag("enableRandomizedWait")
	alone := s == nil && (grows || spread)
	if alone {
		drop("Resilience4j looks at it only beside waitDuration", flag, random)
		grows, spread, flag, random = false, false, nil, nil
	}
	base := boundTime(d, 0, longest)
	b.set("base", showTime(base.value), s, base.note)
	flag.mark(target{b, "factor"})
	if grows {
		r.growth(b, v, base.value, attempts)
	} else {
		b.fill("cap", showTime(max(base.value, time.Microsecond)), "the wait does not grow")
		b.fill("factor", "1", byDefault+", the same wait each time")
	}
	r.jitter(b, v, spread, random)
}

// growth writes by how much the wait grows, and to what.
func (r *r4j) growth(b *block, v view, base time.Duration, attempts int64) {
	given, s := v.number("exponentialBackoffMultiplier", 1.5)
	f := bound(given, 1, 100, showNumber)
	b.set("factor", showNumber(f.value), s, f.note)
	most, cap := v.time("exponentialMaxWaitDuration", 0)
	switch {
	case cap != nil && s == nil:
		cap.n.drop("Resilience4j looks at it only beside exponentialBackoffMultiplier")
	case cap != nil && most > 0:
		t := boundTime(most, max(base, time.Microsecond), longest)
		b.set("cap", showTime(t.value), cap, t.note)
		return
	case cap != nil:
		cap.bad("a time above 0")
	}
	highest := float64(base)
	for i := int64(2); i < attempts; i++ {
		highest *= f.value
	}
	highest = min(highest, float64(longest))
	b.fill("cap", showTime(max(time.Duration(highest), base, time.Microsecond)),
		"Resilience4j has none; the last wait gets this long")
}

// jitter writes how the waits are spread.
func (r *r4j) jitter(b *block, v view, spread bool, flag *value) {
	factor, s := v.number("randomizedWaitFactor", 0.5)
	if !spread {
		flag.mark(target{b, "jitter"})
		drop("Resilience4j looks at it only with enableRandomizedWait", s)
		b.fill("jitter", "none", byDefault)
		return
	}
	off := math.Round(min(factor, 1) * 100)
	differs := "Resilience4j waits " + showPercent(100-off) + " to " + showPercent(100+off) +
		" of the curve, here it is 50% to 100%"
	flag.mark(target{b, "jitter"}, differs)
	s.mark(target{b, "jitter"}, differs)
	b.fill("jitter", "equal", "the closest to a spread up and down")
}

// drop drops the settings that are there.
func drop(why string, all ...*value) {
	for _, s := range all {
		if s != nil {
			s.n.drop(why)
		}
	}
}
