package check

import (
	"fmt"
	"time"

	"github.com/seakeep/seakeep/core/breaker"
)

// openRules look at when a breaker opens and for how long.
var openRules = []*Rule{
	{ID: "breaker-opens-late", Severity: Warning, Title: "an outage is long before the breaker opens",
		Why: "The window still holds what was good before. Until failures are the share that opens it, " +
			"every call waits for its timeout.",
		Number:     "time from the beginning of an outage until it opens, beside 2m",
		Fix:        "a breaker.window of 10s to a minute",
		Bites:      "the dependency goes down",
		dependency: breakerLate},
	{ID: "breaker-unjittered", Severity: Warning, Title: "a fleet comes back in the same instant",
		Why: "All clients open in the same second. Without jitter they also try again in the same " +
			"instant, and knock over what was just getting up.",
		Number:   "of 500 clients, those that come back in the same tenth of a second, beside jitter of 20%",
		Fix:      "open.jitter: 20%",
		Bites:    "the dependency comes back after an outage",
		settings: breakerUnjittered},
	{ID: "breaker-open-time", Severity: Warning, Title: "the breaker is open for too short or too long",
		Why: "Open for less than a second it keeps asking what is down; open for minutes it keeps " +
			"refusing what is well again.",
		Number:   "open time, beside the usual 1s to 2m",
		Fix:      "open.for of 5s to 60s",
		Bites:    "an outage, or its end",
		settings: breakerOpenTime}}

// breakerLate looks at how long everything has to fail until failures are the
// share of the window that opens it.
func breakerLate(s *subject) {
	b, rate := s.watched(), s.measured.Rate
	if b == nil || b.Failures == 0 || b.Window.Consecutive > 0 {
		return
	}
	window := b.Window.Over
	if n := b.Window.Calls; n > 0 {
		if rate == 0 {
			return
		}
		window = time.Duration(float64(n) / rate * float64(time.Second))
	}
	late := time.Duration(b.Failures * float64(window))
	if late <= longOpen {
		return
	}
	good := time.Minute
	if rate > 0 && rate*good.Seconds() < float64(2*b.MinCalls) {
		good = roundUp(time.Duration(2 * float64(b.MinCalls) / rate * float64(time.Second)))
	}
	if good >= window/2 {
		return // so few calls that it takes this long to have enough
	}
	s.report(found{keys: []string{"breaker.window", "breaker"},
		why: fmt.Sprintf("when %s goes down, its breaker opens after %s: so long it takes until %s of the last %s "+
			"have failed", s.name(), span(late.Round(time.Second)), percent(b.Failures), windowed(b)),
		number:  Number{"time until it opens", inMillis(late), inMillis(longOpen), "ms"},
		fix:     "set breaker.window to " + span(good),
		changes: []Change{s.set("breaker.window", "%s", span(good))}})
}

func windowed(b *breaker.Config) string {
	if n := b.Window.Calls; n > 0 {
		return fmt.Sprintf("%d calls", n)
	}
	return span(b.Window.Over)
}

func breakerUnjittered(s *subject) {
	b := s.watched()
	if b == nil || b.Open.Jitter > 0 {
		return
	}
	together := max(1, 500*0.1/(0.4*b.Open.For.Seconds()))
	s.report(found{keys: []string{"breaker.open.jitter", "breaker.open"},
		why: fmt.Sprintf("all clients of %s that open together come back together, %s later", s.name(),
			span(b.Open.For)),
		number:  Number{"of 500 clients, back in the same tenth of a second", 500, min(500, together), "clients"},
		fix:     "set breaker.open.jitter to 20%",
		changes: []Change{s.set("breaker.open.jitter", "20%%")}})
}

func breakerOpenTime(s *subject) {
	b := s.watched()
	if b == nil || b.Open.For >= shortOpen && b.Open.For <= longOpen {
		return
	}
	f := found{keys: []string{"breaker.open.for", "breaker.open"},
		why: fmt.Sprintf("the breaker of %s is open for %s: it goes on refusing long after the outage",
			s.name(), span(b.Open.For)),
		number:  Number{"open time", inMillis(b.Open.For), inMillis(longOpen), "ms"},
		fix:     "set breaker.open.for to 30s",
		changes: []Change{s.set("breaker.open.for", "30s")}}
	if b.Open.For < shortOpen {
		f.why = fmt.Sprintf("the breaker of %s is open for %s: an outage is asked again all the time",
			s.name(), span(b.Open.For))
		f.number.Limit = inMillis(shortOpen)
		f.fix, f.changes[0] = "set breaker.open.for to 5s", s.set("breaker.open.for", "5s")
	}
	if _, _, written := s.places.Of(s.path("breaker.open.cap")); written {
		f.changes = append(f.changes, s.set("breaker.open.cap", "5m"))
	}
	s.report(f)
}
