package gallery

import (
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/budget"
	"github.com/seakeep/seakeep/core/retry"
	"github.com/seakeep/seakeep/core/window"
	"github.com/seakeep/seakeep/sim"
)

// fleet is Brooker's study (2022): clients who share a Poisson stream of calls
// to a service that fails each attempt with the same probability. Each client
// has its own rule for when it may try again.
type fleet struct {
	sim.Engine
	fleetConfig
	gaps, who, luck *sim.Stream
	rules           []rule
	calls           int
	attempts        int
	succeeded       int
}

type fleetConfig struct {
	clients int
	fails   float64 // share of attempts
	settle  int     // calls before counting begins
	count   int     // calls counted
	rule    func(client int) rule
}

// rule decides on a retry, and is told of every attempt.
type rule interface {
	begin(now core.Instant)
	may(now core.Instant) bool
	note(now core.Instant, failed, wasRetry bool)
	end(now core.Instant)
}

const (
	fleetRate    = 1000.0 // calls a second of all clients together
	moreAttempts = 3      // after the first
)

// load returns attempts per call and the share of calls that succeed.
func (c fleetConfig) run(seed uint64) (load, success float64) {
	f := &fleet{fleetConfig: c, gaps: stream(seed, "gaps"), who: stream(seed, "who"),
		luck: stream(seed, "luck"), rules: make([]rule, c.clients)}
	for i := range f.rules {
		f.rules[i] = c.rule(i)
	}
	f.At(0, sim.Begins, f, arrives, 0)
	for f.Pending() > 0 {
		f.Run(f.Now() + core.Instant(second))
	}
	return float64(f.attempts) / float64(c.count), float64(f.succeeded) / float64(c.count)
}

// Fire implements sim.Actor. A call and its retries take no time.
func (f *fleet) Fire(int, int64) {
	now := f.Now()
	f.calls++
	counts := f.calls > f.settle
	r := f.rules[f.who.Uint64()%uint64(len(f.rules))]
	r.begin(now)
	luck := f.luck.Of(uint64(f.calls), 0)
	c := retry.Config{Attempts: 1 + moreAttempts}
	for attempt := 1; ; attempt++ {
		failed := luck.Float64() < f.fails
		r.note(now, failed, attempt > 1)
		if counts {
			f.attempts++
			if !failed {
				f.succeeded++
			}
		}
		if !failed || c.Check(attempt, timedOut, retry.Idempotent, true) != core.NoReason || !r.may(now) {
			break
		}
	}
	r.end(now)
	if f.calls < f.settle+f.count {
		gap := f.gaps.Exp() * float64(second) / fleetRate
		f.At(now+core.Instant(gap), sim.Begins, f, arrives, 0)
	}
}

// always is the rule of a count of attempts alone.
type always struct{}

func (always) begin(core.Instant)            {}
func (always) may(core.Instant) bool         { return true }
func (always) note(core.Instant, bool, bool) {}
func (always) end(core.Instant)              {}

// bucket is Brooker's: a tenth of a token for each success, a whole one for
// each retry, full at first.
type bucket struct {
	always
	tenths int
}

const fullBucket = 100 // tenths

func (b *bucket) may(core.Instant) bool {
	if b.tenths < 10 {
		return false
	}
	b.tenths -= 10
	return true
}

func (b *bucket) note(_ core.Instant, failed, _ bool) {
	if !failed {
		b.tenths = min(b.tenths+1, fullBucket)
	}
}

// seakeeps is Seakeep's own budget.
type seakeeps struct{ *budget.Budget }

func (b seakeeps) begin(now core.Instant)    { b.Deposit(now) }
func (b seakeeps) may(now core.Instant) bool { return b.Withdraw(now) }
func (b seakeeps) end(now core.Instant)      { b.Close(now) }
func (b seakeeps) note(now core.Instant, failed, wasRetry bool) {
	o := core.Success
	if failed {
		o = core.Timeout
	}
	b.Report(now, o, wasRetry)
}

// tripping retries as long as a breaker on the client's own attempts is closed.
type tripping struct {
	always
	*breaker.Breaker
}

func (t tripping) may(now core.Instant) bool {
	return t.Snapshot(now).State == breaker.Closed
}

func (t tripping) note(now core.Instant, failed, _ bool) {
	o := core.Success
	if failed {
		o = core.Timeout
	}
	if p, _ := t.Admit(now); p.OK() {
		t.Breaker.Report(now, p, o, time.Millisecond)
	}
}

func byCount(int) rule  { return always{} }
func byBucket(int) rule { return &bucket{tenths: fullBucket} }
func byBudget(int) rule {
	return seakeeps{must(budget.New(budget.Config{Ratio: 0.1, Window: time.Minute}))}
}

func byBreaker(client int) rule {
	return tripping{Breaker: must(breaker.New(breaker.Config{
		Window: window.Config{Over: 10 * second}, MinCalls: 1, Failures: 0.1,
		Open: breaker.Pause{For: second}, Trials: breaker.Trials{Calls: 1}}, uint64(client)))}
}

func brooker(s *sheet) {
	s.Setup = "100 clients with 1,000 Poisson calls a second together; attempts fail at " +
		"random; up to three retries, or as many as a bucket allows that each success fills by " +
		"0.1."
	runs := s.seeds(5)
	sample := func(c fleetConfig) (load, success []float64) {
		for _, seed := range runs {
			l, ok := c.run(seed)
			load, success = append(load, l), append(success, 100*ok)
		}
		return load, success
	}
	for _, row := range []struct {
		fails                        float64
		load, success, bucket, share known
	}{
		{0.05, known{1.053, 3, ""}, known{99.999, 3, "%"}, known{1.053, 3, ""}, known{99.999, 3, "%"}},
		{0.1, known{1.111, 3, ""}, known{99.99, 2, "%"}, known{1.099, 3, ""}, known{98.9, 1, "%"}},
		{0.2, known{1.248, 3, ""}, known{99.84, 2, "%"}, known{1.087, 3, ""}, known{87.0, 1, "%"}},
		{0.5, known{1.875, 3, ""}, known{93.75, 2, "%"}, known{1.053, 3, ""}, known{52.6, 1, "%"}},
		{0.9, known{3.439, 3, ""}, known{34.4, 1, "%"}, known{1.010, 3, ""}, known{10.1, 1, "%"}},
		{1, known{4, 0, ""}, known{0, 0, "%"}, known{1.0, 1, ""}, known{0, 0, "%"}},
	} {
		name := number(100*row.fails, 0, "%")
		x := row.fails
		s.rounds(name+": load, formula", row.load, 1+x+x*x+x*x*x)
		c := fleetConfig{clients: 100, fails: x, settle: 60_000, count: 40_000, rule: byCount}
		load, success := sample(c)
		s.mean(name+": load", row.load, load, rate)
		s.mean(name+": success", row.success, success, share)
		c.rule = byBucket
		load, success = sample(c)
		s.mean(name+": load with a bucket", row.bucket, load, rate)
		s.mean(name+": success with a bucket", row.share, success, share)
	}
	s.fleets(runs[0])
	s.Note = "The bucket is Brooker's own and not one of Seakeep's kinds: it earns by " +
		"successes. Seakeep's ratio earns by calls and stays at 1.1 (last figures)."
}

// fleets is the sweep over the number of clients that share the same calls.
func (s *sheet) fleets(seed uint64) {
	var bucket, trip [3]float64
	for i, clients := range []int{10, 100, 1000} {
		name := number(float64(clients), 0, "clients")
		c := fleetConfig{clients: clients, fails: 0.5, count: 20_000, rule: byBucket}
		bucket[i], _ = c.run(seed)
		c.fails, c.rule, c.settle = 0.05, byBreaker, 10_000
		trip[i], _ = c.run(seed)
		s.shown("load of full buckets at 50 %, "+name, 3, "", same(bucket[i]))
		s.shown("load behind a retry breaker of 10 % at 5 %, "+name, 3, "", same(trip[i]))
	}
	s.word("the more clients, the more a full bucket lets through", "yes",
		yes(bucket[0] < bucket[1] && bucket[1] < bucket[2]))
	s.word("the more clients, the less a retry breaker does", "yes",
		yes(trip[0] > trip[1] && trip[1] > trip[2]))
	own := fleetConfig{clients: 100, fails: 0.5, settle: 60_000, count: 40_000, rule: byBudget}
	load, _ := own.run(seed)
	s.mean("Seakeep's budget of 10 % at 50 %", known{1.1, 1, ""}, same(load), rate)
}
