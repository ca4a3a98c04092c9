package check

import (
	"fmt"

	"github.com/seakeep/seakeep/core/budget"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/hedge"
	"github.com/seakeep/seakeep/core/retry"
)

const mostCopies = 0.1 // of calls

var hedgeRules = []*Rule{
	{ID: "hedge-uncapped", Severity: Error, Title: "copies may multiply the load",
		Why: "When everything gets slow, every call is slower than usual and has a copy due. The " +
			"budget is what keeps that from doubling the load of a dependency in trouble.",
		Number:   "copies as a share of calls, beside 10 %",
		Fix:      "hedge.budget of 5%",
		Bites:    "the dependency as a whole gets slow",
		settings: hedgeUncapped},
	{ID: "hedge-not-idempotent", Severity: Error, Title: "writes are sent twice on purpose",
		Why: "A copy of a slow write is a second write: idempotent: always says that every call may " +
			"have one.",
		Number:   "times that one write may be carried out, beside once",
		Fix:      "idempotent: by-call, which sends copies of reads, and of writes that carry a key",
		Bites:    "a write is slow",
		settings: hedgeWrites},
	{ID: "hedge-with-retries", Severity: Warning, Title: "copies and retries together are too much",
		Why: "Each has its budget, and both are spent in the same minutes: when the dependency is slow " +
			"and fails. Together they should add no more than a fifth.",
		Number:   "copies and retries as a share of calls, beside 20 %",
		Fix:      "smaller budgets",
		Bites:    "the dependency is overloaded",
		settings: hedgeRetries},
	{ID: "hedge-too-early", Severity: Warning, Title: "copies are due for usual calls",
		Why: "A copy pays for calls that have stalled. Due earlier than the p90, most copies are of " +
			"calls that were about to be answered, and the budget is gone when one stalls.",
		Number:     "share of usual calls with a copy due, beside twice the budget",
		Fix:        "hedge.after: p95",
		Bites:      "nothing has to happen: it costs load on a usual day",
		dependency: hedgeEarly},
	{ID: "throttle-near-normal", Severity: Error, Title: "the throttle holds calls back on a usual day",
		Why: "It sends k times what was accepted of late. With so many errors as are usual that is less " +
			"than what there is to send.",
		Number:     "what it sends as a share of the calls, beside all of them",
		Fix:        "throttle.k of 2",
		Bites:      "nothing has to happen: it costs calls on a usual day",
		dependency: throttleNormal},
}

// copies is the hedge if it is on.
func (s *subject) copies() *hedge.Config {
	if h := s.settings.Call.Hedge; h != nil && s.on(call.RungHedge) {
		return h
	}
	return nil
}

func hedgeUncapped(s *subject) {
	h := s.copies()
	if h == nil || h.Budget <= mostCopies {
		return
	}
	s.report(found{keys: []string{"hedge.budget"},
		why: fmt.Sprintf("while all of %s is slow, copies add %s to its load", s.name(),
			percent(h.Budget)),
		number:  Number{"copies as a share of calls", 100 * h.Budget, 100 * mostCopies, "%"},
		fix:     "set hedge.budget to 5%",
		changes: []Change{s.set("hedge.budget", "5%%")}})
}

func hedgeWrites(s *subject) {
	h, r := s.copies(), s.settings.Call.Retry
	if h == nil || r == nil || r.Idempotent != retry.Always || !s.writes() {
		return
	}
	s.report(found{keys: []string{"hedge", "retry.idempotent"},
		why:     fmt.Sprintf("a slow write to %s is sent again while the first may be carried out", s.name()),
		number:  Number{"times that one write may be carried out", float64(1 + h.Copies), 1, "times"},
		fix:     "set retry.idempotent to by-call; say always at the operations that may run twice",
		changes: []Change{s.set("retry.idempotent", "by-call")}})
}

func hedgeRetries(s *subject) {
	h, b := s.copies(), s.settings.Call.Budget
	if h == nil || b == nil || b.Kind != budget.Ratio || s.attempts() < 2 || !s.on(call.RungRetry) ||
		h.Budget > mostCopies || b.Ratio > mostRetries || h.Budget+b.Ratio <= mostRetries+1e-9 {
		return
	}
	s.report(found{keys: []string{"hedge.budget", "retry.budget.ratio", "retry.budget"},
		why: fmt.Sprintf("copies and retries together add %s to the load of %s", percent(h.Budget+b.Ratio),
			s.name()),
		number:  Number{"copies and retries as a share of calls", 100 * (h.Budget + b.Ratio), 100 * mostRetries, "%"},
		fix:     "set hedge.budget to 5% and retry.budget.ratio to 10%",
		changes: []Change{s.set("hedge.budget", "5%%"), s.set("retry.budget.ratio", "10%%")}})
}

func hedgeEarly(s *subject) {
	h := s.copies()
	if h == nil {
		return
	}
	share, ok := 1-h.Quantile, true
	if h.After > 0 {
		share, ok = slower(s.measured, h.After)
	}
	if !ok || share <= max(2*h.Budget, 0.1)+1e-9 || s.settings.Tied {
		return
	}
	s.report(found{keys: []string{"hedge.after", "hedge"},
		why: fmt.Sprintf("%s of usual calls to %s have a copy due, and the budget is %s", percent(share),
			s.name(), percent(h.Budget)),
		number:  Number{"usual calls with a copy due", 100 * share, 200 * h.Budget, "%"},
		fix:     "set hedge.after to p95",
		changes: []Change{s.set("hedge.after", "p95")}})
}

func throttleNormal(s *subject) {
	t := s.settings.Call.Throttle
	if t == nil || s.measured.Errors == 0 || !s.on(call.RungThrottle) ||
		t.K*(1-s.measured.Errors) >= 1 {
		return
	}
	s.report(found{keys: []string{"throttle.k"},
		why: fmt.Sprintf("with %s of calls to %s failing on a usual day, it holds back some of the others",
			percent(s.measured.Errors), s.name()),
		number: Number{"sent as a share of the calls", 100 * t.K * (1 - s.measured.Errors), 100,
			"%"},
		fix:     "set throttle.k to 2",
		changes: []Change{s.set("throttle.k", "2")}})
}
