package gallery

import (
	"strings"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/budget"
	"github.com/seakeep/seakeep/core/retry"
)

// retries holds the cards on retries, jitter and budgets.
func retries() []Entry {
	return []Entry{
		{ID: "R1", Kind: Analytic, Title: "Retries multiply across layers", run: r1},
		{ID: "R2", Kind: Unit, Title: "Exponential backoff", run: r2},
		{ID: "R3", Kind: Unit, Title: "Three kinds of jitter, Python's generator", run: r3},
		{ID: "R4", Kind: Simulation, Title: "How many of 200 callers come back together", run: r4},
		{ID: "R5", Kind: Unit, Title: "gRPC's retry throttle in an outage", run: r5},
		{ID: "R5b", Kind: Unit, Title: "gRPC's retry throttle, other settings", run: r5b},
		{ID: "R6", Kind: Analytic, Title: "A budget bounds the load", run: r6},
		{ID: "R7", Kind: Unit, Title: "Two timeouts, then an answer", run: r7},
		{ID: "R8", Kind: Simulation, Title: "500 breakers that opened together", run: r8},
		{ID: "R10", Kind: Unit, Title: "Which failures deserve another try", run: r10},
		{ID: "R11", Kind: Analytic, Title: "What an alarm on retries sees", run: r11},
	}
}

func r1(s *sheet) {
	s.Setup = "A failing call through n layers of three attempts each."
	for i, want := range []int{3, 9, 27, 81, 243} {
		s.count(number(float64(i+1), 0, "layers"), want, layered(i+1, retry.Config{Attempts: 3}))
	}
}

// waits returns the first n waits in whole milliseconds and their sum.
func waits(b retry.Backoff, n int, draw func() float64) (text string, sum time.Duration) {
	var prev time.Duration
	var parts []string
	for k := 1; k <= n; k++ {
		prev = b.Delay(k, prev, draw())
		sum += prev
		parts = append(parts, number(prev.Seconds()*1000, 0, ""))
	}
	return strings.Join(parts, ", "), sum
}

func r2(s *sheet) {
	s.Setup = "Base 100 ms, doubling, cap 10 s, six attempts, no jitter."
	b := retry.Backoff{Base: 100 * ms, Cap: 10 * second, Jitter: retry.None}
	text, sum := waits(b, 5, func() float64 { return 0 })
	s.word("waits in ms", "100, 200, 400, 800, 1600", text)
	s.equals("in all", known{3.10, 2, "s"}, sum.Seconds())
	b.Cap = time.Hour
	s.equals("tenth wait without a cap", known{51.2, 1, "s"}, b.Delay(10, 0, 0).Seconds())
}

func r3(s *sheet) {
	s.Setup = "As R2 with jitter, drawn from Python's MT19937 with seed 42, a fresh one for " +
		"each kind."
	for _, row := range []struct {
		jitter retry.Jitter
		waits  string
		sum    float64
	}{
		{retry.Full, "64, 5, 110, 179, 1178", 1.54},
		{retry.Equal, "82, 103, 255, 489, 1389", 2.32},
		{retry.Decorrelated, "228, 115, 167, 190, 445", 1.14},
	} {
		b := retry.Backoff{Base: 100 * ms, Cap: 10 * second, Jitter: row.jitter}
		text, sum := waits(b, 5, newMersenne(42).random)
		s.word(row.jitter.String()+" in ms", row.waits, text)
		s.rounds(row.jitter.String()+" in all", known{row.sum, 2, "s"}, sum.Seconds())
	}
}

// outage is what becomes of calls whose every attempt fails, one after another.
type outage struct{ attempts, exhausted, denied, closedAt int }

func fails(b *budget.Budget, now core.Instant, calls, attempts int) (sum outage) {
	c := retry.Config{Attempts: attempts}
	for n := 1; n <= calls; n++ {
		b.Deposit(now)
		for attempt := 1; ; attempt++ {
			sum.attempts++
			b.Report(now, core.Timeout, attempt > 1)
			if c.Check(attempt, timedOut, retry.Idempotent, true) != core.NoReason {
				sum.exhausted++
				break
			}
			if !b.Withdraw(now) {
				sum.denied++
				if sum.closedAt == 0 {
					sum.closedAt = n
				}
				break
			}
		}
		b.Close(now)
	}
	return sum
}

func r5(s *sheet) {
	s.Setup = "100 tokens, ratio 0.1, four attempts; 100 calls that all fail."
	b := must(budget.New(budget.Config{Kind: budget.Tokens, MaxTokens: 100, Ratio: 0.1}))
	sum := fails(b, 0, 100, 4)
	s.count("attempts", 137, sum.attempts)
	s.count("closes on call", 13, sum.closedAt)
	s.equals("tokens left", known{0, 0, ""}, b.Snapshot(0).Tokens)
	s.count("calls that used all attempts", 12, sum.exhausted)
	s.count("calls denied a retry", 88, sum.denied)
	s.count("attempts without a budget", 400, 100*layered(1, retry.Config{Attempts: 4}))
	s.Note = "Retries stop at exactly half of the tokens, as gRPC's text says."
}

func r5b(s *sheet) {
	s.Setup = "As R5 with other settings."
	for _, row := range []struct {
		tokens                    float64
		attempts, calls, closedAt int
	}{
		{100, 2, 125, 26}, {100, 3, 133, 17}, {100, 5, 140, 11}, {10, 4, 103, 2}, {1000, 4, 400, 0},
	} {
		b := must(budget.New(budget.Config{Kind: budget.Tokens, MaxTokens: row.tokens, Ratio: 0.1}))
		sum := fails(b, 0, 100, row.attempts)
		name := number(row.tokens, 0, "tokens") + ", " + number(float64(row.attempts), 0, "attempts")
		s.count(name, row.calls, sum.attempts)
		s.count(name+", closes on call", row.closedAt, sum.closedAt)
	}
	b := must(budget.New(budget.Config{Kind: budget.Tokens, MaxTokens: 100, Ratio: 0.1}))
	fails(b, 0, 100, 4)
	for range 501 { // from none to just above half
		b.Report(0, core.Success, false)
	}
	granted := 0
	for range 100 {
		for range 10 {
			b.Report(0, core.Success, false)
		}
		b.Report(0, core.Failure, false)
		if b.Withdraw(0) {
			granted++
			b.Report(0, core.Ignored, true)
		}
	}
	s.count("retries earned by 1,000 successes", 100, granted)
}

// dead is the load on a dependency that is down, by rate calls a second of
// three attempts, in attempts a second.
func dead(c *budget.Config, rate float64) float64 {
	const length = 60 * second
	sum := 0
	var b *budget.Budget
	if c != nil {
		b = must(budget.New(*c))
	}
	gap := core.Instant(float64(second)/rate + 0.5)
	for now := core.Instant(0); now < core.Instant(length); now += gap {
		if b == nil {
			sum += layered(1, retry.Config{Attempts: 3})
		} else {
			sum += fails(b, now, 1, 3).attempts
		}
	}
	return float64(sum) / length.Seconds()
}

func r6(s *sheet) {
	s.Setup = "C of the checkout gets 333.3 calls a second of three attempts and fails them " +
		"all."
	s.equals("bound at 10 %", known{1.1, 1, "times"}, 1+0.1)
	s.equals("bound at 20 %", known{1.2, 1, "times"}, 1+0.2)
	load := dead(&budget.Config{Ratio: 0.1}, third)
	s.mean("C sees", known{366.7, 1, "/s"}, same(load), off(0.1))
	s.mean("at 20 %", known{400, 0, "/s"}, same(dead(&budget.Config{Ratio: 0.2}, third)), off(0.5))
}

func r7(s *sheet) {
	s.Setup = "Full jitter, base 100 ms, Python's MT19937 with seed 7; two timeouts, then an " +
		"answer."
	c := retry.Config{Attempts: 4, Backoff: retry.Backoff{Base: 100 * ms, Cap: 10 * second}}
	draws, attempts := newMersenne(7), 0
	var slept []time.Duration
	for _, r := range []core.Result{timedOut, timedOut, succeeded} {
		attempts++
		if c.Check(attempts, r, retry.Idempotent, true) == core.NoReason {
			slept = append(slept, c.Wait(attempts, 0, r, draws.random()))
		}
	}
	s.count("attempts", 3, attempts)
	s.equals("amplification", known{3, 1, ""}, float64(attempts))
	s.rounds("first wait", known{32.4, 1, "ms"}, slept[0].Seconds()*1000)
	s.rounds("second wait", known{30.2, 1, "ms"}, slept[1].Seconds()*1000)
	s.rounds("in all", known{63, 0, "ms"}, (slept[0]+slept[1]).Seconds()*1000)
}

func r10(s *sheet) {
	s.Setup = "One failure; the call is a GET, then a POST without a key."
	c := retry.Config{Attempts: 3}
	verdict := func(r core.Result) string {
		one := func(safety retry.Safety) string {
			return yes(c.Check(1, r, safety, true) == core.NoReason)
		}
		return one(retry.MethodSafety("GET")) + ", " + one(retry.MethodSafety("POST"))
	}
	unavailable := core.Result{Outcome: core.Overloaded, Cause: core.Unavailable, RetryAfter: second}
	s.word("refused, DNS", "yes, yes", verdict(core.Result{Outcome: core.Failure, Cause: core.Unsent}))
	s.word("timeout", "yes, no", verdict(timedOut))
	s.word("reset", "yes, no", verdict(core.Result{Outcome: core.Failure, Cause: core.Reset}))
	s.word("503 with Retry-After", "yes, yes", verdict(unavailable))
	s.word("429 with Retry-After", "yes, yes",
		verdict(core.Result{Outcome: core.Overloaded, Cause: core.TooMany, RetryAfter: second}))
	s.word("500", "no, no", verdict(core.Result{Outcome: core.Failure, Cause: core.ServerError}))
	s.word("4xx", "no, no", verdict(core.Result{Outcome: core.Ignored, Cause: core.ClientError}))
	unavailable.NoRetry = true
	s.word("overloaded, do not retry", "no, no", verdict(unavailable))
	s.word("503 waits as asked", "1s", c.Wait(1, 0, unavailable, 0).String())
	s.Note = "A 500 is retried only where the policy file says so."
}

func r11(s *sheet) {
	s.Setup = "333.3 calls a second of three attempts to a dependency that is down."
	s.equals("no budget", known{3, 0, "times"}, dead(nil, 250)/250)
	s.mean("budget 10 %", known{1.1, 1, "times"}, same(dead(&budget.Config{Ratio: 0.1}, third)/third), off(0.001))
	s.mean("budget 20 %", known{1.2, 1, "times"}, same(dead(&budget.Config{Ratio: 0.2}, third)/third), off(0.001))
	floor := budget.Default().Floor
	s.word("floor is a few a second", "yes", yes(floor >= 1 && floor <= 5))
	ratio := 100 * (dead(&budget.Config{Ratio: 0.2}, third)/third - 1)
	s.word("an alarm at a retry ratio of 10 % rings", "yes", yes(ratio > 10))
}
