package gallery

import (
	"fmt"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/deadline"
	"github.com/seakeep/seakeep/core/retry"
	"github.com/seakeep/seakeep/core/stale"
	"github.com/seakeep/seakeep/sim"
)

// timeouts holds the cards on timeouts and deadlines.
func timeouts() []Entry {
	return []Entry{
		{ID: "T1", Kind: Analytic, Title: "Timeouts multiply down a chain", run: t1},
		{ID: "T2", Kind: Analytic, Title: "Work goes on after the caller left", run: t2},
		{ID: "T3", Kind: Unit, Title: "An attempt gets the smaller of its own and what is left", run: t3},
		{ID: "T4", Kind: Unit, Title: "Work that cannot finish is refused", run: t4},
		{ID: "T5", Kind: Unit, Title: "One deadline from the edge to the fallback", run: t5},
		{ID: "T6", Kind: Analytic, Title: "A timeout from a percentile", run: t6},
		{ID: "T7", Kind: Unit, Title: "What travels is a duration", run: t7},
	}
}

var (
	timedOut  = core.Result{Outcome: core.Timeout, Cause: core.TimedOut}
	succeeded = core.Result{Outcome: core.Success}
)

// layered makes a call through n layers of retries to a dependency that never
// answers in time, and returns the attempts that reach it.
func layered(n int, c retry.Config) int {
	if n == 0 {
		return 1
	}
	sum := 0
	for attempt := 1; ; attempt++ {
		sum += layered(n-1, c)
		if c.Check(attempt, timedOut, retry.Idempotent, true) != core.NoReason {
			return sum
		}
	}
}

func t1(s *sheet) {
	s.Setup = "Three services in a chain; each waits 1 s and tries once more. The last one " +
		"hangs."
	attempts := layered(3, retry.Config{Attempts: 2})
	s.equals("user held", known{8, 0, "s"}, float64(attempts)*second.Seconds())
	end := deadline.Config{Total: second}.CallDeadline(0, core.Never)
	s.add(Figure{Name: "with one deadline of 1 s", Ours: number(time.Duration(end).Seconds(), 0, "s"),
		Match: true})
}

func t2(s *sheet) {
	s.Setup = "A gateway waits 1 s for a service that asks pricing, then inventory; 300 ms and " +
		"one retry each. Both hang. The call machine runs it."
	without := inTurn(core.Never)
	s.equals("without a deadline, works until", known{1200, 0, "ms"}, without)
	s.word("which is after the gateway left", "yes", yes(without > 1000))
	with := inTurn(core.Instant(second))
	s.add(Figure{Name: "with the gateway's deadline, until", Ours: number(with, 0, "ms"),
		Match: with <= 1000})
}

// inTurn makes two calls one after the other to dependencies that hang, and
// returns when the second is over, in milliseconds.
func inTurn(until core.Instant) float64 {
	over := core.Instant(0)
	for range 2 {
		e := &sim.Engine{}
		e.Run(over)
		plan := must(call.New(call.Config{Timeout: deadline.Config{Request: 300 * ms},
			Retry: &retry.Config{Attempts: 2, Backoff: atOnce}}, 1, nil))
		hung := &patient{engine: e}
		hung.follow(hung.call.Begin(e.Now(), plan, &call.Request{Deadline: until}))
		for e.Pending() > 0 {
			e.Run(e.Now() + core.Instant(ms))
		}
		over = hung.over
	}
	return float64(over) / float64(ms)
}

// patient drives one call to a dependency that never answers.
type patient struct {
	engine *sim.Engine
	call   call.Call
	over   core.Instant
}

func (p *patient) follow(a call.Action) {
	if a.Verdict.Done() {
		p.over = p.engine.Now()
	}
	p.engine.At(a.WakeAt, sim.Due, p, 0, 0)
}

// Fire implements sim.Actor.
func (p *patient) Fire(int, int64) {
	p.follow(p.call.Step(p.engine.Now(), &call.Event{Kind: call.Woke,
		Facts: call.Facts{Safety: retry.Idempotent, Replayable: true}}))
}

func t3(s *sheet) {
	s.Setup = "10,000 random limits, deadlines and instants."
	random := stream(s.Seed, "limits")
	upTo := func(most time.Duration) time.Duration {
		return time.Duration(random.Float64() * float64(most))
	}
	wrong, shared, side := 0, 0, 0
	for range 10_000 {
		now := core.Instant(upTo(1000 * second))
		caller := now.Add(upTo(2*second) - 100*ms)
		c := deadline.Config{Request: upTo(second) + 1, Total: upTo(second) + 1, Reserve: upTo(100 * ms)}
		end := c.CallDeadline(now, caller)
		if c.AttemptDeadline(now, end).Sub(now) != min(c.Request, c.Total, caller.Sub(now)-c.Reserve) {
			wrong++
		}
		if c.AttemptDeadline(now.Add(upTo(2*second)), end) > end {
			shared++
		}
		first, second := c.AttemptDeadline(now, end), c.AttemptDeadline(now, end)
		if first != second {
			side++
		}
	}
	s.count("not min(own, left - reserve)", 0, wrong)
	s.count("one after another, past the deadline they share", 0, shared)
	s.count("side by side, not all of it each", 0, side)
}

func t4(s *sheet) {
	s.Setup = "What is left of the deadline against what the work needs."
	refusal := func(left, needs time.Duration) string {
		r := deadline.Config{Needs: needs}.Check(0, core.Instant(left))
		if r == core.NoReason {
			return "runs"
		}
		return "refused, " + r.String()
	}
	const short = "refused, deadline-too-short"
	s.word("40 ms left, needs 80 ms", short, refusal(40*ms, 80*ms))
	s.word("20 ms left, needs 80 ms", short, refusal(20*ms, 80*ms))
	s.word("50 ms left, needs 2 s", short, refusal(50*ms, 2*second))
	s.word("80 ms left, needs 80 ms", "runs", refusal(80*ms, 80*ms))
	s.word("expired in the queue", "refused, deadline-exceeded", refusal(0, 0))
}

func t5(s *sheet) {
	s.Setup = "2 s in all, 1.5 s gone; and an edge of 300 ms that keeps 20 ms, a second copy " +
		"at 40 ms, an answer at 65 ms or none."
	at := func(d time.Duration) core.Instant { return core.Instant(d) }
	left := func(end, now core.Instant) float64 { return float64(end.Sub(now)) / float64(ms) }
	end := deadline.Config{}.CallDeadline(at(1500*ms), at(2*second))
	s.equals("next hop gets", known{500, 0, "ms"}, left(end, at(1500*ms)))
	edge := deadline.Config{Reserve: 20 * ms}
	end = edge.CallDeadline(0, at(300*ms))
	s.equals("ranker gets", known{280, 0, "ms"}, left(end, 0))
	copied := edge.AttemptDeadline(at(40*ms), end)
	s.equals("second copy may take until", known{280, 0, "ms"}, left(copied, 0))
	s.word("an answer at 65 ms", "in time", inTime(edge, 65*ms, end))
	s.word("both miss, at 280 ms", "over", inTime(edge, 280*ms, end))

	answers := must(stale.New(stale.Config{Stale: time.Minute}))
	answers.Store(0, "feed", "ranked", 6)
	value, age, status := answers.Lookup(at(280*ms), "feed")
	s.word("the fallback then", "ranked, stale, 280ms old", fmt.Sprintf("%v, %v, %v old", value, status, age))
}

func inTime(c deadline.Config, now time.Duration, end core.Instant) string {
	if c.Check(core.Instant(now), end) == core.NoReason {
		return "in time"
	}
	return "over"
}

func t6(s *sheet) {
	s.Setup = "A dependency of 5 ms plus an exponential of 15 ms; the timeout that 0.1 % of " +
		"its calls miss."
	late := func(d time.Duration) float64 { return exp(-(d - 5*ms).Seconds() / (15 * ms).Seconds()) }
	p999 := 1000 * crossing(0, 10, 0.001, func(at float64) float64 {
		return late(time.Duration(at * float64(second)))
	})
	s.mean("p99.9", known{110, 0, "ms"}, same(p999), off(5))
	s.word("a timeout of 150 to 250 ms is above it", "yes", yes(p999 < 150))
	s.word("and loses less than 0.1 %", "yes", yes(late(150*ms) < 0.001))
	s.equals("200 ms of a p99 of 40 ms", known{5, 0, "times"}, float64(200*ms)/float64(40*ms))
	s.equals("100 ms of a 500 µs round trip", known{200, 0, "times"},
		float64(100*ms)/float64(500*time.Microsecond))
	s.Note = "The p99.9 itself is 108.6 ms; \"110\" is that rounded to ten."
}

func t7(s *sheet) {
	s.Setup = "400 ms are sent to machines whose clocks are off by up to 60 years; the network " +
		"takes 3 ms."
	const network = core.Instant(3 * ms)
	for _, skew := range []time.Duration{0, time.Hour, -time.Hour, 60 * 365 * 24 * time.Hour} {
		sent := core.Instant(second)
		header := deadline.EncodeMillis(400 * ms)
		received := (sent + network).Add(skew)
		rest := must(deadline.DecodeMillis(header))
		over := deadline.Config{}.CallDeadline(received, received.Add(rest)).Add(-skew)
		s.equals("clock off by "+skew.String()+", works until", known{400, 0, "ms"},
			float64(over-sent-network)/float64(ms))
	}
}
