package check

import (
	"fmt"
	"time"

	"github.com/seakeep/seakeep/config"
)

// deadlineRules look at the time that all attempts of a call have.
var deadlineRules = []*Rule{
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
	{ID: "total-too-long", Severity: Warning, Title: "a server that asks for it keeps a call waiting",
		Why: "timeout.total is many times what all attempts take. What is left is spent on waiting, up to " +
			"retry.max-wait, when the dependency asks for that with Retry-After; thread and slot are held.",
		Number:   "limit of a call, beside ten times what its attempts take",
		Fix:      "timeout.total for all attempts and their waits, or a shorter retry.max-wait",
		Bites:    "the dependency answers 503 with Retry-After",
		settings: totalTooLong}}

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

func totalTooLong(s *subject) {
	request, total := s.times()
	if s.attempts() < 2 || request == 0 || s.settings.Call.Retry.IgnoreRetryAfter || s.dep.Kind == config.Async {
		return
	}
	need := s.worst(1)
	waits := time.Duration(s.attempts()-1) * s.settings.Call.Retry.MaxWait
	if min(total, need+waits) <= tooLong*need {
		return
	}
	good := roundUp(need)
	s.report(found{keys: []string{"timeout.total", "timeout.request", "timeout"},
		why: fmt.Sprintf("all attempts at %s take %s, and a call may last %s if the server asks for it",
			s.name(), span(need), span(min(total, need+waits))),
		number:  Number{"limit of a call", inMillis(total), tooLong * inMillis(need), "ms"},
		fix:     "set timeout.total to " + span(good),
		changes: []Change{s.set("timeout.total", "%s", span(good))}})
}
