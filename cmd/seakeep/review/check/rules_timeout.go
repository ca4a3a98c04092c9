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
			"turns each of them into more load. Below the p99 it is an error.",
		Number:     "share of healthy calls cut off, beside 0.1 %",
		Fix:        "timeout.request at the p99.9 and half of it again",
		Bites:      "nothing has to happen: it costs calls on a usual day",
		dependency: timeoutUnder},
	{ID: "timeout-too-long", Severity: Warning, Title: "a hang is waited for much longer than any answer takes",
		Why: "What takes ten times the p99.9 will not be answered any more. Until the limit passes " +
			"the call holds its thread: rate x timeout of them.",
		Number:     "threads held when it hangs, beside what the p99 needs",
		Fix:        "timeout.request at the p99.9 and half of it again",
		Bites:      "the dependency accepts connections and does not answer",
		dependency: timeoutTooLong},
	{ID: "timeout-over-deadline", Severity: Error, Title: "an attempt may outlast the request it is for",
		Why: "serve.deadline says when the caller has given up. An attempt that may take longer works " +
			"for nobody and holds a thread meanwhile.",
		Number:   "limit of an attempt, beside the deadline of the request",
		Fix:      "a shorter timeout.request, or a longer serve.deadline",
		Bites:    "the dependency gets slow",
		settings: timeoutOverDeadline},
	{ID: "retries-over-deadline", Severity: Warning, Title: "the attempts do not fit into the time there is",
		Why: "Attempts x timeout + backoff is more than timeout.total or serve.deadline: the last " +
			"attempt is cut short or never made, and its load was for nothing.",
		Number:   "time that all attempts take with usual waits, beside the time there is",
		Fix:      "fewer attempts, or more time",
		Bites:    "the dependency gets slow",
		settings: retriesOverDeadline},
	{ID: "per-try-over-total", Severity: Error, Title: "a retry never has time",
		Why: "timeout.request is no less than timeout.total, so the first attempt that times out ends " +
			"the call. The retries are there in the file only.",
		Number:   "limit of an attempt, beside the limit of the call",
		Fix:      "timeout.total for all attempts and their waits",
		Bites:    "an attempt times out",
		settings: perTryOverTotal},
	{ID: "total-missing", Severity: Warning, Title: "a call with its retries has no limit",
		Why: "Each attempt has a limit, the call has none: attempts, waits and what Retry-After asks " +
			"for add up, while the caller has long gone.",
		Number:   "time that a call may take, beside one attempt",
		Fix:      "timeout.total for all attempts and their waits",
		Bites:    "the dependency gets slow, or answers 503 with Retry-After",
		settings: totalMissing},
	{ID: "connect-too-long", Severity: Warning, Title: "a dead host uses up the whole attempt",
		Why: "A host in reach accepts a connection within a few round trips. A connect limit that is " +
			"no shorter than the request's leaves nothing for another host.",
		Number:   "limit for connecting, beside half of the attempt's",
		Fix:      "timeout.connect of 100ms to 500ms, at most half of timeout.request",
		Bites:    "a host goes away and drops packets",
		settings: connectTooLong},
}

// usualP99 stands for a p99 that nobody has measured.
const usualP99 = 100 * time.Millisecond

// threads is how many calls of this length are under way, beside how many at
// the p99; without a measured rate for each call a second.
func (s *subject) threads(took time.Duration) Number {
	rate := s.measured.Rate
	n := Number{What: fmt.Sprintf("threads held by calls of %s at %.4g/s", span(took), rate),
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
	if _, total := s.times(); total > 0 {
		need := time.Duration(s.attempts()) * request
		if s.attempts() > 1 {
			need += pauses(s.settings.Call.Retry, s.attempts(), 0.5)
		}
		if total < need || total > 10*need {
			out = append(out, s.set("timeout.total", "%s", span(roundUp(need))))
		}
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

func timeoutUnder(s *subject) {
	limit, most := s.limit(), tail(s.measured)
	if limit == 0 || most == 0 || limit >= latency(s.measured, 0.001) || limit >= 4*s.measured.P99 &&
		s.measured.P999 == 0 {
		return
	}
	share, _ := slower(s.measured, limit)
	good := goodTimeout(s.measured)
	f := found{keys: []string{"timeout.request", "timeout.total"},
		why: fmt.Sprintf("%s for %s is less than its p99.9, so that healthy calls fail",
			span(limit), s.name()),
		number:  Number{"healthy calls cut off", 100 * share, 0.1, "%"},
		fix:     "set timeout.request to " + span(good),
		changes: s.within(good)}
	if request, _ := s.times(); request == 0 {
		f.keys = []string{"timeout.total"}
	}
	if share > 0.01 {
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
		why: fmt.Sprintf("%s for %s is %.3g times its p99.9: what takes that long is not answered any more",
			span(limit), s.name(), limit.Seconds()/max(p.Seconds(), 1e-9)),
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

func timeoutOverDeadline(s *subject) {
	limit, deadline := s.limit(), s.deadline()
	if limit == 0 || deadline == 0 || limit <= deadline || s.dep.Kind == config.Async {
		return
	}
	good := goodTimeout(s.dep.Measured)
	f := found{keys: []string{"timeout.request", "timeout.total"},
		why: fmt.Sprintf("an attempt at %s may take %s, but a request has %s in all",
			s.name(), span(limit), span(deadline)),
		number: Number{"limit of an attempt", inMillis(limit), inMillis(deadline), "ms"}}
	if good <= deadline {
		f.fix, f.changes = "set timeout.request to "+span(good), s.within(good)
	} else {
		more := span(roundUp(s.worst(0.5)))
		f.fix = "set serve.deadline.default to " + more + ", or ask for less"
		f.changes = []Change{{"serve.deadline.default", more}}
	}
	s.report(f)
}

// bound is the time there is for a call, and whose it is.
func (s *subject) bound() (time.Duration, string) {
	_, total := s.times()
	deadline := s.deadline()
	if s.dep.Kind == config.Async {
		deadline = 0
	}
	if deadline > 0 && (total == 0 || deadline < total) {
		return deadline, "serve.deadline"
	}
	return total, "timeout.total"
}

func retriesOverDeadline(s *subject) {
	request, total := s.times()
	have, whose := s.bound()
	need := s.worst(0.5)
	if request == 0 || have == 0 || s.attempts() < 2 || need <= have || request >= have {
		return
	}
	f := found{keys: []string{"retry.attempts", "timeout.total", "timeout.request"},
		why: fmt.Sprintf("%d attempts of %s and their waits do not fit into %s of %s", s.attempts(),
			span(request), whose, s.name()),
		number: Number{"time that all attempts take", inMillis(need), inMillis(have), "ms"}}
	more := roundUp(need)
	if deadline := s.deadline(); whose == "timeout.total" && (deadline == 0 || more <= deadline) {
		f.fix = fmt.Sprintf("set timeout.total to %s, or give fewer attempts", span(more))
		f.changes = []Change{s.set("timeout.total", "%s", span(more))}
		s.report(f)
		return
	}
	fits := 1
	for n := 2; n < s.attempts(); n++ {
		if time.Duration(n)*request+pauses(s.settings.Call.Retry, n, 0.5) <= have {
			fits = n
		}
	}
	f.fix = fmt.Sprintf("set retry.attempts to %d, or give more time", fits)
	f.changes = []Change{s.set("retry.attempts", "%d", fits)}
	if total > have {
		f.changes = append(f.changes, s.set("timeout.total", "%s", span(have)))
	}
	if _, _, written := s.places.Of(s.path("retry.budget")); fits == 1 && written {
		f.changes = append(f.changes, Change{s.path("retry.budget"), ""})
	}
	s.report(f)
}

func perTryOverTotal(s *subject) {
	request, total := s.times()
	if s.attempts() < 2 || request == 0 || total == 0 || request < total {
		return
	}
	need := roundUp(s.worst(0.5))
	s.report(found{keys: []string{"timeout.total", "timeout.request", "retry.attempts"},
		why: fmt.Sprintf("the first attempt at %s that times out after %s ends the call too, at %s",
			s.name(), span(request), span(total)),
		number: Number{"limit of an attempt", inMillis(request), inMillis(total), "ms"},
		fix: fmt.Sprintf("set timeout.total to %s for all %d attempts, or timeout.request lower",
			span(need), s.attempts()),
		changes: []Change{s.set("timeout.total", "%s", span(need))}})
}

func totalMissing(s *subject) {
	request, total := s.times()
	if s.attempts() < 2 || request == 0 || total > 0 {
		return
	}
	need := roundUp(s.worst(0.5))
	s.report(found{keys: []string{"timeout.total", "retry.attempts", "timeout.request", "timeout"},
		why: fmt.Sprintf("a call to %s has no limit: %d attempts, their waits, and what Retry-After asks",
			s.name(), s.attempts()),
		number:  Number{"time that a call may take", inMillis(s.worst(1)), inMillis(request), "ms"},
		fix:     "set timeout.total to " + span(need),
		changes: []Change{s.set("timeout.total", "%s", span(need))}})
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
