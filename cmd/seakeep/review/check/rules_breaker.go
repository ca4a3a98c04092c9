package check

import (
	"fmt"
	"math"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/call"
)

const (
	leastCalls  = 20 // that a share needs to mean something
	shortOpen   = time.Second
	longOpen    = 2 * time.Minute
	falseAlarms = 0.001 // windows in which noise may open a breaker
	usualWindow = 10 * time.Second
	shortRow    = 10 * time.Millisecond // of noise
)

var breakerRules = []*Rule{
	{ID: "breaker-missing", Severity: Warning, Title: "a dependency that is down is called on and on",
		Why: "Without a breaker each call waits for its timeout while the dependency is down, and the " +
			"dependency gets its whole load while it tries to get up.",
		Number:     "calls in a minute of outage that wait for their timeout, beside a few trials",
		Fix:        "breaker: {} with its defaults",
		Bites:      "the dependency accepts connections and does not answer",
		dependency: breakerMissing},
	{ID: "breaker-near-normal", Severity: Error, Title: "the breaker opens on a usual day",
		Why: "Its threshold is so near to the errors that are normal that chance alone reaches it. It " +
			"then refuses calls that would have been answered.",
		Number:     "probability that a window of usual calls opens it, beside 0.1 %",
		Fix:        "a threshold of several times the usual errors, over more calls",
		Bites:      "nothing has to happen: it costs calls on a usual day",
		dependency: breakerNearNormal},
	{ID: "breaker-slow-near-normal", Severity: Warning, Title: "usual answers count as slow",
		Why: "slow.over lies within the latency of healthy calls, so that a little more load makes the " +
			"share that opens the breaker.",
		Number:     "share of usual calls that count as slow, beside half of slow.share",
		Fix:        "slow.over above the p99.9",
		Bites:      "latency rises a little, as at a peak",
		dependency: breakerSlowNormal},
	{ID: "breaker-window-small", Severity: Warning, Title: "too few calls decide",
		Why: "A share of a handful of calls is noise: two unlucky ones open the breaker for everybody. " +
			"The same holds for a short row of failures where there are many calls.",
		Number:   "calls that decide, beside 20",
		Fix:      "at least 20 calls in a window of time",
		Bites:    "two or three calls fail by chance",
		settings: breakerSmall},
	{ID: "breaker-never-decides", Severity: Error, Title: "the breaker never opens",
		Why: "The measured rate never brings together as many calls as it needs within its window. It " +
			"is there in the file only.",
		Number:     "calls in a window, beside those it needs",
		Fix:        "a longer window, or fewer calls",
		Bites:      "the dependency goes down",
		dependency: breakerNever},
	{ID: "breaker-single-trial", Severity: Warning, Title: "one lucky answer closes the breaker",
		Why: "Of a dependency that answers every second call, one trial passes half of the time. The " +
			"whole load comes back and opens the breaker again: it flaps.",
		Number:   "probability that a dependency with half of its calls failing passes, beside 12.5 % of three trials",
		Fix:      "trials: 3",
		Bites:    "the dependency comes back in part",
		settings: breakerSingle},
}

// watched is the breaker if it is on.
func (s *subject) watched() *breaker.Config {
	if b := s.settings.Call.Breaker; b != nil && s.on(call.RungBreaker) {
		return b
	}
	return nil
}

func breakerMissing(s *subject) {
	if s.settings.Call.Breaker != nil || s.dep.Kind == config.Async {
		return
	}
	rate := max(s.measured.Rate, 1)
	s.report(found{keys: []string{"breaker"},
		why: fmt.Sprintf("while %s is down, every call to it waits for its timeout", s.name()),
		number: Number{fmt.Sprintf("calls that wait in a minute of outage at %s/s", figure(rate, 4)),
			60 * rate, 12 * 3, "calls"},
		fix:     "set breaker to {}, which has defaults for all of it",
		changes: []Change{s.set("breaker", "{}")}})
}

func breakerNearNormal(s *subject) {
	b, usual := s.watched(), s.measured.Errors
	if b == nil || usual == 0 {
		return
	}
	n, k := b.MinCalls, int(math.Ceil(b.Failures*float64(b.MinCalls)))
	what := fmt.Sprintf("windows of %d usual calls that open it", n)
	chance := atLeast(n, k, usual)
	if row := b.Window.Consecutive; row > 0 {
		chance = math.Pow(usual, float64(row))
		what = fmt.Sprintf("rows of %d usual calls that open it", row)
		if rate := s.measured.Rate; rate > 0 && s.settings.Call.Keys == 0 {
			rows := rate * usualWindow.Seconds() * chance * (1 - usual)
			chance = 1 - math.Exp(-rows)
			what = fmt.Sprintf("times of %s with %d failures in a row", span(usualWindow), row)
		}
	} else if b.Failures == 0 {
		return
	}
	if chance <= falseAlarms {
		return
	}
	f := found{keys: []string{"breaker.failures", "breaker.window", "breaker"},
		why: fmt.Sprintf("with %s of calls to %s failing on a usual day, chance alone opens its breaker",
			percent(usual), s.name()),
		number: Number{what, 100 * chance, 100 * falseAlarms, "%"}}
	if b.Window.Consecutive > 0 {
		f.keys[0] = "breaker.window.consecutive"
	}
	share := min(0.9, max(0.5, 4*usual))
	if usual > 0.7 {
		f.fix = "find out first why so many fail: no threshold tells such a day from an outage"
		s.report(f)
		return
	}
	calls := leastCalls
	for calls < 2000 && atLeast(calls, int(math.Ceil(share*float64(calls))), usual) > falseAlarms/10 {
		calls += 10
	}
	calls = max(calls, b.MinCalls)
	f.fix = fmt.Sprintf("set breaker.failures to %s, over at least %d calls", percent(share), calls)
	f.changes = []Change{s.set("breaker.failures", "%s", percent(share)), s.set("breaker.calls", "%d", calls)}
	if b.Window.Consecutive > 0 || b.Window.Calls > 0 {
		f.changes = append([]Change{s.set("breaker.window", "10s")}, f.changes...)
	}
	s.report(f)
}

func breakerSlowNormal(s *subject) {
	b := s.watched()
	if b == nil || b.Slow.Over == 0 {
		return
	}
	share, ok := slower(s.measured, b.Slow.Over)
	if !ok || share < b.Slow.Share/2 {
		return
	}
	good := goodTimeout(s.measured)
	if limit := s.limit(); limit > 0 {
		good = min(good, roundDown(limit*8/10))
	}
	s.report(found{keys: []string{"breaker.slow.over"},
		why: fmt.Sprintf("%s of usual calls to %s take longer than slow.over, and %s open the breaker",
			percent(share), s.name(), percent(b.Slow.Share)),
		number:  Number{"usual calls that count as slow", 100 * share, 100 * b.Slow.Share / 2, "%"},
		fix:     "set breaker.slow.over to " + span(good),
		changes: []Change{s.set("breaker.slow.over", "%s", span(good))}})
}

func breakerSmall(s *subject) {
	b := s.watched()
	if b == nil {
		return
	}
	calls, key := b.MinCalls, "breaker.calls"
	least, why := leastCalls, "a share of %d calls to %s is noise"
	var changes []Change
	if row := b.Window.Consecutive; row > 0 {
		calls, key, least = row, "breaker.window.consecutive", 3
		why = "%d failures in a row of %s happen by chance"
		if rate := s.dep.Measured.Rate; rate > 100 && s.settings.Call.Keys == 0 {
			least = max(5, int(math.Ceil(rate*shortRow.Seconds())))
			why += ": at " + figure(rate, 4) + "/s they are " +
				span(time.Duration(float64(row)/rate*float64(time.Second)).Round(100*time.Microsecond)) + " of noise"
		}
		changes = []Change{s.set(key, "%d", least)}
	} else {
		if n := b.Window.Calls; n > 0 && n < leastCalls {
			key = "breaker.window"
			changes = []Change{s.set("breaker.window", "100 calls")}
		}
		changes = append(changes, s.set("breaker.calls", "%d", leastCalls))
	}
	if calls >= least {
		return
	}
	s.report(found{keys: []string{key, "breaker"}, why: fmt.Sprintf(why, calls, s.name()),
		number: Number{"calls that decide", float64(calls), float64(least), "calls"},
		fix:    s.told(changes), changes: changes})
}

func breakerNever(s *subject) {
	b, rate := s.watched(), s.measured.Rate
	if b == nil || rate == 0 || b.Window.Over == 0 {
		return
	}
	seen := rate * b.Window.Over.Seconds()
	if seen >= float64(b.MinCalls) {
		return
	}
	window := roundUp(time.Duration(2 * float64(b.MinCalls) / rate * float64(time.Second)))
	changes := []Change{s.set("breaker.window", "%s", span(window))}
	if window > 24*time.Hour {
		changes = []Change{s.set("breaker.window", "{consecutive: 5}"), {s.path("breaker.calls"), ""}}
	}
	s.report(found{keys: []string{"breaker.calls", "breaker.window", "breaker"},
		why: fmt.Sprintf("%s gets %s calls a second, which never are %d in %s", s.name(), figure(rate, 4),
			b.MinCalls, span(b.Window.Over)),
		number: Number{"calls in a window", seen, float64(b.MinCalls), "calls"},
		fix:    s.told(changes), changes: changes})
}

func breakerSingle(s *subject) {
	b := s.watched()
	if b == nil || b.Trials.Calls > 1 {
		return
	}
	s.report(found{keys: []string{"breaker.trials.calls", "breaker.trials"},
		why:     fmt.Sprintf("one answer closes the breaker of %s, as a dependency that half works gives", s.name()),
		number:  Number{"half of its calls failing, and it passes", 50, 12.5, "%"},
		fix:     "set breaker.trials.calls to 3",
		changes: []Change{s.set("breaker.trials.calls", "3")}})
}
