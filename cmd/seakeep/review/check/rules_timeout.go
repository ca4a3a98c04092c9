package check

import (
	"fmt"
	"time"

	"github.com/seakeep/seakeep/config"
)

var timeoutRules = []*Rule{
	{ID: "timeout-missing", Severity: Error, Title: "calls may wait for ever",
		Why: "A call that waits holds a thread and a connection. Without a limit a dependency that " +
			"hangs takes all of them, and every other endpoint stands with it.",
		Number:   "threads held after two seconds of waiting, beside what the p99 needs",
		Fix:      "timeout.request at the p99.9 and half of it again",
		Bites:    "the dependency accepts connections and does not answer",
		settings: timeoutMissing},
	{ID: "attempt-without-limit", Severity: Warning, Title: "the first attempt may take all the time",
		Why: "Retries need time that is left. An attempt without a limit of its own uses up " +
			"timeout.total, and no second one is ever made.",
		Number:   "attempts that are made when the first hangs, beside those asked for",
		Fix:      "timeout.request, so that all attempts fit into timeout.total",
		Bites:    "one endpoint hangs",
		settings: attemptWithoutLimit},
	{ID: "timeout-under-p999", Severity: Warning, Title: "healthy calls are cut off",
		Why: "A limit below the p99.9 fails calls that would have been answered, and with retries " +
			"turns each of them into more load. Below the p99 it is an error. Who accepts more than " +
			"one in a thousand writes the share down as timeout.false-timeouts, and is told when half " +
			"as many again are cut off.",
		Number:     "share of healthy calls cut off, beside 0.1 % or timeout.false-timeouts",
		Fix:        "timeout.request at the p99.9 and half of it again, or timeout.false-timeouts",
		Bites:      "nothing has to happen: it costs calls on a usual day",
		dependency: timeoutUnder},
	{ID: "timeout-too-long", Severity: Warning, Title: "a hang is waited for much longer than any answer takes",
		Why: "What takes ten times the p99.9 will not be answered any more. Until the limit passes " +
			"the call holds its thread: rate x timeout of them.",
		Number:     "threads held when it hangs, beside what the p99 needs",
		Fix:        "timeout.request at the p99.9 and half of it again",
		Bites:      "the dependency accepts connections and does not answer",
		dependency: timeoutTooLong},
	{ID: "connect-too-long", Severity: Warning, Title: "a dead host uses up the whole attempt",
		Why: "A host in reach accepts a connection within a few round trips. A connect limit that is " +
			"no shorter than the request's leaves nothing for another host.",
		Number:   "limit for connecting, beside half of the attempt's",
		Fix:      "timeout.connect of 100ms to 500ms, at most half of timeout.request",
		Bites:    "a host goes away and drops packets",
		settings: connectTooLong},
}

// tooLong is how many times what is needed is too much.
const tooLong = 10

// usualP99 stands for a p99 that nobody has measured.
const usualP99 = 100 * time.Millisecond

// threads is how many calls of this length are under way, beside how many at
// the p99; without a measured rate for each call a second.
func (s *subject) threads(took time.Duration) Number {
	rate := s.measured.Rate
	n := Number{What: fmt.Sprintf("threads held by calls of %s at %s/s", span(took), figure(rate, 4)),
		Value: rate * took.Seconds(), Unit: "threads"}
	p99 := latency(s.measured, 0.01)
	if p99 == 0 {
		p99 = usualP99
	}
	n.Limit = rate * p99.Seconds()
	if rate == 0 {
		n.What = fmt.Sprintf("threads held for each call a second, by calls of %s", span(took))
		n.Value, n.Limit = took.Seconds(), p99.Seconds()
	}
	return n
}

// within are the changes that give an attempt a limit and the call one that
// all attempts fit into.
func (s *subject) within(request time.Duration) []Change {
	out := []Change{s.set("timeout.request", "%s", span(request))}
	need := time.Duration(s.attempts()) * request
	if s.attempts() > 1 {
		need += pauses(s.settings.Call.Retry, s.attempts(), 0.5)
	}
	if _, total := s.times(); total > 0 && (total < need || total > tooLong*need) {
		out = append(out, s.set("timeout.total", "%s", span(roundUp(need))))
	}
	if d := s.deadline(); d > 0 && request > d && s.dep.Kind != config.Async {
		out = append(out, Change{"serve.deadline.default", span(roundUp(need))})
	}
	if b := s.settings.Call.Breaker; b != nil && b.Slow.Over > request && s.op == nil {
		out = append(out, s.set("breaker.slow.over", "%s", span(roundDown(request*8/10))))
	}
	return out
}

func timeoutMissing(s *subject) {
	if s.limit() > 0 {
		return
	}
	good := goodTimeout(s.measured)
	s.report(found{keys: []string{"timeout.request", "timeout"},
		why:    fmt.Sprintf("calls to %s may wait for ever: no limit on time is in effect", s.name()),
		number: s.threads(2 * time.Second), fix: "set timeout.request to " + span(good),
		changes: append(s.within(good), s.enforced()...)})
}

// enforced are the changes that switch on a rung of time that only watches.
func (s *subject) enforced() []Change {
	if _, _, written := s.places.Of(s.path("timeout.mode")); written {
		return []Change{s.set("timeout.mode", "enforce")}
	}
	return nil
}

func attemptWithoutLimit(s *subject) {
	request, total := s.times()
	if request > 0 || total == 0 || s.attempts() < 2 {
		return
	}
	each := roundDown(total / time.Duration(s.attempts()) * 9 / 10)
	s.report(found{keys: []string{"timeout.request", "retry.attempts", "timeout"},
		why: fmt.Sprintf("one attempt at %s may take all of timeout.total, %s, so that no retry follows",
			s.name(), span(total)),
		number: Number{"attempts when the first hangs", 1, float64(s.attempts()), "attempts"},
		fix:    "set timeout.request to " + span(each), changes: s.within(each)})
}

// nearFalse is how many times the share of healthy calls that somebody gave is
// still it: between two quantiles that were measured the share is a guess.
const nearFalse = 1.5

func timeoutUnder(s *subject) {
	const usual = config.UsualFalseTimeouts
	accepted, most, least := usual, usual, latency(s.measured, usual)
	if a := s.settings.FalseTimeouts; a > usual {
		accepted, most = a, a*nearFalse
		least = latency(s.measured, most)
	}
	limit := s.limit()
	if limit == 0 || tail(s.measured) == 0 || limit >= least ||
		limit >= 4*s.measured.P99 && s.measured.P999 == 0 {
		return
	}
	share, _ := slower(s.measured, limit)
	good := goodTimeout(s.measured)
	f := found{keys: []string{"timeout.request", "timeout.total"},
		why: fmt.Sprintf("%s for %s is less than its p99.9, so that healthy calls fail",
			span(limit), s.name()),
		number:  Number{"healthy calls cut off", 100 * share, 100 * accepted, "%"},
		fix:     "set timeout.request to " + span(good),
		changes: s.within(good)}
	if accepted > usual {
		f.why = fmt.Sprintf("%s for %s fails more healthy calls than the %s that timeout.false-timeouts "+
			"accepts", span(limit), s.name(), percent(accepted))
	}
	if request, _ := s.times(); request == 0 {
		f.keys = []string{"timeout.total"}
	}
	if share > max(0.01, most) {
		f.severity = Error
	}
	s.report(f)
}

func timeoutTooLong(s *subject) {
	limit, p := s.limit(), latency(s.measured, 0.001)
	if limit == 0 || limit <= 30*time.Second && (p == 0 || limit <= 10*p) || p > 0 && limit <= 10*p {
		return
	}
	good := goodTimeout(s.measured)
	f := found{keys: []string{"timeout.request", "timeout.total"},
		why: fmt.Sprintf("%s for %s is %s times its p99.9: what takes that long is not answered any more",
			span(limit), s.name(), figure(limit.Seconds()/max(p.Seconds(), 1e-9), 3)),
		number: s.threads(limit), fix: "set timeout.request to " + span(good),
		changes: s.within(good)}
	if p == 0 {
		f.why = fmt.Sprintf("%s for %s is the default of a client that nobody has set", span(limit), s.name())
	}
	if request, _ := s.times(); request == 0 {
		f.keys = []string{"timeout.total"}
	}
	s.report(f)
}

func connectTooLong(s *subject) {
	connect, limit := s.settings.Connect, s.limit()
	if connect == 0 || limit == 0 || connect <= limit*3/4 {
		return
	}
	good := min(100*time.Millisecond, roundDown(limit/2))
	s.report(found{keys: []string{"timeout.connect", "timeout.request"},
		why: fmt.Sprintf("opening a connection to %s may take %s of the %s that an attempt has",
			s.name(), span(connect), span(limit)),
		number:  Number{"limit for connecting", inMillis(connect), inMillis(limit / 2), "ms"},
		fix:     "set timeout.connect to " + span(good),
		changes: []Change{s.set("timeout.connect", "%s", span(good))}})
}
