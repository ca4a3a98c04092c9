package check

import (
	"fmt"
	"strings"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/budget"
	"github.com/seakeep/seakeep/core/bulkhead"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/retry"
)

const (
	mostRetries  = 0.2 // of calls: what a dependency in trouble can bear
	mostAttempts = 3
	usualBase    = 25 * time.Millisecond // of backoffs
)

var retryRules = []*Rule{
	{ID: "retry-not-idempotent", Severity: Error, Title: "writes are made twice",
		Why: "A call that timed out may have been carried out. idempotent: always retries it all the " +
			"same, so an order is placed twice and a card charged twice.",
		Number:   "times that one write may be carried out, beside once",
		Fix:      "idempotent: by-call, which retries reads, and writes that carry an idempotency key",
		Bites:    "a write times out after it was carried out",
		settings: retryNotIdempotent},
	{ID: "retry-budget-missing", Severity: Error, Title: "nothing bounds the retries of all calls together",
		Why: "When everything fails, every call is made as often as attempts allows, at the moment " +
			"when the dependency can take it least.",
		Number:   "load on a dependency that fails, beside 1.1 times",
		Fix:      "the default budget: 10% of calls and 3/s",
		Bites:    "the dependency fails, or is overloaded",
		settings: budgetMissing},
	{ID: "retry-budget-large", Severity: Warning, Title: "the retry budget bounds little",
		Why: "A budget is there so that an outage adds a tenth to the load. Above a fifth it feeds " +
			"the outage; a floor does so where there are few calls.",
		Number:   "retries as a share of calls while all fail, beside 20 %",
		Fix:      "a ratio of 10% to 20%, and a floor of a few retries a second",
		Bites:    "the dependency is overloaded",
		settings: budgetLarge},
	{ID: "retry-too-many", Severity: Warning, Title: "more attempts than help",
		Why: "Three attempts pass over nearly every short fault. Those after them meet a dependency " +
			"that is down, hold a thread longer and multiply the load.",
		Number:   "attempts of a call, beside 3",
		Fix:      "at most 3 attempts",
		Bites:    "the dependency fails",
		settings: retryTooMany},
	{ID: "retry-unjittered", Severity: Warning, Title: "all retry in the same instant",
		Why: "Calls that fail together wait equally long and come back together, as one wave after " +
			"the other.",
		Number:   "of 200 calls that failed together, those that come back in the same instant, beside full jitter",
		Fix:      "jitter: full",
		Bites:    "a short fault fails many calls at once",
		settings: retryUnjittered},
	{ID: "retry-at-once", Severity: Warning, Title: "retries follow without a wait",
		Why: "What has just failed fails again an instant later, because nothing had time to change. " +
			"The attempts are spent before the fault is over.",
		Number:   "longest wait before the second attempt, beside 25 ms",
		Fix:      "a backoff.base of about the dependency's latency",
		Bites:    "a fault lasts longer than an instant",
		settings: retryAtOnce},
	{ID: "retry-server-errors", Severity: Info, Title: "answers of 500 are asked for again",
		Why: "A 500 is most often a bug, which fails in the same way each time. Retrying it spends the " +
			"budget that faults that pass would need.",
		Number:   "requests for one answer of 500, beside 1",
		Fix:      "leave server-error out of retry.on",
		Bites:    "a release makes some requests fail",
		settings: retryServerErrors},
	{ID: "retry-ignores-server", Severity: Warning, Title: "what the server asks for is not heeded",
		Why: "Retry-After says when it can take calls again. Who comes earlier is refused again, and " +
			"keeps it from getting well.",
		Number:   "longest wait before a retry, beside what a server commonly asks for",
		Fix:      "leave out ignore-retry-after",
		Bites:    "the dependency sheds load",
		settings: retryIgnores},
	{ID: "retry-holds-slots", Severity: Warning, Title: "waits between attempts fill the bulkhead",
		Why: "A slot stays taken while a retry waits. Long waits take slots from calls that could " +
			"be made.",
		Number:   "time a call waits between its attempts, beside the time it may work",
		Fix:      "a shorter backoff, or bulkhead.holds: attempts",
		Bites:    "the dependency fails for longer than the bulkhead takes to fill",
		settings: retryHolds},
}

// writes reports whether calls may change something.
func (s *subject) writes() bool {
	if s.op == nil || len(s.op.Match.Methods) == 0 {
		return true
	}
	for _, m := range s.op.Match.Methods {
		// A method of gRPC is always a POST; whether it writes, its owner knows.
		grpc := m == "POST" && strings.Contains(strings.TrimPrefix(s.op.Match.Path, "/"), ".")
		if retry.MethodSafety(m) == retry.Unsafe && !grpc {
			return true
		}
	}
	return false
}

func retryNotIdempotent(s *subject) {
	r := s.settings.Call.Retry
	if s.attempts() < 2 || r.Idempotent != retry.Always || !s.writes() {
		return
	}
	s.report(found{keys: []string{"retry.idempotent", "retry", "match.method"},
		why: fmt.Sprintf("%s retries writes too, whether or not they were carried out already", s.name()),
		number: Number{"times that one write may be carried out", float64(s.attempts()), 1,
			"times"},
		fix:     "set retry.idempotent to by-call; say always at the operations that may run twice",
		changes: []Change{s.set("retry.idempotent", "by-call")}})
}

func budgetMissing(s *subject) {
	if s.attempts() < 2 || s.settings.Call.Budget != nil {
		return
	}
	s.report(found{keys: []string{"retry.budget", "retry.attempts", "retry"},
		why: fmt.Sprintf("while all calls to %s fail, each is made %d times", s.name(), s.attempts()),
		number: Number{"load while all fail", float64(s.attempts()), 1.1,
			"times"},
		fix:     "set retry.budget to {ratio: 10%, floor: 3/s}",
		changes: []Change{s.set("retry.budget", "{ratio: 10%%, floor: 3/s}")}})
}

func budgetLarge(s *subject) {
	b := s.settings.Call.Budget
	if s.attempts() < 2 || b == nil {
		return
	}
	if b.Kind == budget.Tokens {
		s.tokensLarge(b)
		return
	}
	key, share := "retry.budget.ratio", b.Ratio
	change := s.set("retry.budget.ratio", "10%%")
	if b.Kind == budget.Concurrent {
		key, change = "retry.budget.concurrent", s.set("retry.budget.concurrent", "20%%")
	} else if rate := s.measured.Rate; rate > 0 && b.Floor/rate > share && s.wrote("retry.budget.floor") {
		share += b.Floor / rate
		key = "retry.budget.floor"
		change = s.set(key, "%s/s", figure(max(0.1, float64(int(rate))/10), 3))
		if share <= mostRetries+b.Ratio {
			return
		}
	} else if rate > 0 {
		share += b.Floor / rate
	}
	if b.Ratio <= mostRetries && key != "retry.budget.floor" {
		return
	}
	s.report(found{keys: []string{key, "retry.budget", "retry"},
		why: fmt.Sprintf("while all calls to %s fail, retries add %s to its load", s.name(),
			percent(share)),
		number:  Number{"retries as a share of calls", 100 * share, 100 * mostRetries, "%"},
		fix:     s.told([]Change{change}),
		changes: []Change{change}})
}

// tokensLarge looks at a budget of tokens: while everything fails it closes, but
// while some calls fail it allows ratio retries for each success.
func (s *subject) tokensLarge(b *budget.Config) {
	if b.Ratio <= mostRetries {
		return
	}
	change := s.set("retry.budget.ratio", "10%%")
	s.report(found{keys: []string{"retry.budget.ratio", "retry.budget", "retry"},
		why: fmt.Sprintf("while some calls to %s fail, each that succeeds pays for %s of a retry", s.name(),
			percent(b.Ratio)),
		number:  Number{"retries as a share of what succeeds", 100 * b.Ratio, 100 * mostRetries, "%"},
		fix:     s.told([]Change{change}),
		changes: []Change{change}})
}

func retryTooMany(s *subject) {
	if s.attempts() <= mostAttempts {
		return
	}
	s.report(found{keys: []string{"retry.attempts"},
		why: fmt.Sprintf("a call to %s that cannot succeed is made %d times", s.name(), s.attempts()),
		number: Number{"attempts of a call", float64(s.attempts()), mostAttempts,
			"attempts"},
		fix:     fmt.Sprintf("set retry.attempts to %d", mostAttempts),
		changes: []Change{s.set("retry.attempts", "%d", mostAttempts)}})
}

func retryUnjittered(s *subject) {
	if s.attempts() < 2 || s.settings.Call.Retry.Backoff.Jitter != retry.None {
		return
	}
	base := s.settings.Call.Retry.Backoff.Base
	// Full jitter draws from all of the wait; without one it has none to draw
	// from until that is mended too.
	wait := base
	if wait < time.Microsecond {
		wait = usualBase
	}
	bin := min(20*time.Millisecond, wait/5)
	spread := 200 * bin.Seconds() / wait.Seconds()
	s.report(found{keys: []string{"retry.backoff.jitter", "retry.backoff"},
		why: fmt.Sprintf("calls to %s that fail together come back together, %s later", s.name(),
			span(max(base.Truncate(time.Microsecond), 0))),
		number: Number{"of 200 that failed together, back in the same " + span(bin), 200, spread,
			"calls"},
		fix:     "set retry.backoff.jitter to full",
		changes: []Change{s.set("retry.backoff.jitter", "full")}})
}

func retryAtOnce(s *subject) {
	if s.attempts() < 2 {
		return
	}
	base := s.settings.Call.Retry.Backoff.Base
	if base > time.Millisecond && (base >= usualBase || base >= s.measured.P50/10) {
		return
	}
	if base < time.Microsecond {
		base = 0
	}
	s.report(found{keys: []string{"retry.backoff.base", "retry.backoff"},
		why: fmt.Sprintf("all %d attempts at %s are spent within an instant", s.attempts(), s.name()),
		number: Number{"longest wait before the second attempt",
			inMillis(base), inMillis(usualBase), "ms"},
		fix:     "set retry.backoff.base to 25ms",
		changes: []Change{s.set("retry.backoff.base", "25ms")}})
}

func retryServerErrors(s *subject) {
	if s.attempts() < 2 || !s.settings.Call.Retry.Causes.Has(core.ServerError) {
		return
	}
	s.report(found{keys: []string{"retry.on"},
		why:    fmt.Sprintf("a 500 of %s is asked for again, though the same request fails again", s.name()),
		number: Number{"requests for one answer of 500", float64(s.attempts()), 1, "requests"},
		fix:    "take server-error out of retry.on", changes: []Change{s.otherCauses()}})
}

// otherCauses is the change that leaves server-error out of retry.on.
func (s *subject) otherCauses() Change {
	var names []string
	for c := core.NoCause + 1; c <= core.Unknown; c++ {
		if c != core.ServerError && s.settings.Call.Retry.Causes.Has(c) {
			names = append(names, c.String())
		}
	}
	if len(names) == 0 {
		return s.set("retry.on", "[unsent]") // what was never sent may always be sent again
	}
	return s.set("retry.on", "[%s]", strings.Join(names, ", "))
}

func retryIgnores(s *subject) {
	if s.attempts() < 2 || !s.settings.Call.Retry.IgnoreRetryAfter {
		return
	}
	longest := pauses(s.settings.Call.Retry, 2, 1)
	s.report(found{keys: []string{"retry.ignore-retry-after"},
		why: fmt.Sprintf("when %s sheds load and says when to come back, calls come back after %s at most",
			s.name(), span(longest)),
		number:  Number{"longest wait before a retry", inMillis(longest), 1000, "ms"},
		fix:     "remove retry.ignore-retry-after",
		changes: []Change{{s.path("retry.ignore-retry-after"), ""}}})
}

func retryHolds(s *subject) {
	request, _ := s.times()
	b := s.settings.Call.Bulkhead
	if s.attempts() < 2 || b == nil || b.Holds != bulkhead.Calls || request == 0 ||
		!s.on(call.RungBulkhead) || s.dep.Kind == config.Async {
		return
	}
	wait := pauses(s.settings.Call.Retry, s.attempts(), 0.5)
	work := time.Duration(s.attempts()) * request
	if wait <= work {
		return
	}
	s.report(found{keys: []string{"retry.backoff.base", "retry.backoff", "retry.attempts", "bulkhead.holds"},
		why: fmt.Sprintf("a call to %s holds its slot for %s of waiting and %s of work at most",
			s.name(), span(wait), span(work)),
		number:  Number{"time a call waits in its slot", inMillis(wait), inMillis(work), "ms"},
		fix:     "set bulkhead.holds to attempts, or retry.backoff.base to 25ms",
		changes: []Change{s.set("bulkhead.holds", "attempts")}})
}
