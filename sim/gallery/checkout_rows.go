package gallery

import (
	"github.com/seakeep/seakeep/config"
)

// checkouts holds the cards of the checkout model, in brief 0's "Try it".
func checkouts() []Entry {
	all := []Entry{
		{ID: "TRY1", Title: "Checkout, healthy", run: try1},
		{ID: "TRY2", Title: "C takes 1 s, nothing on", run: try2},
		{ID: "TRY3", Title: "C takes 1 s, timeout", run: try3},
		{ID: "TRY4", Title: "C takes 1 s, timeout and retries", run: try4},
		{ID: "TRY5", Title: "C takes 1 s, timeout, retries and budget", run: try5},
		{ID: "TRY6", Title: "C takes 1 s, with a breaker", run: try6},
		{ID: "TRY7", Title: "C does not answer, bulkhead only", run: try7},
		{ID: "TRY8", Title: "C does not answer, nothing on", run: try8},
		{ID: "TRY9", Title: "C takes 300 ms, timeout", run: try9},
		{ID: "TRY10", Title: "C takes 300 ms, timeout and retries", run: try10},
		{ID: "TRY11", Title: "C takes 300 ms, retries and a breaker", run: try11},
		{ID: "TRY12", Title: "C takes 300 ms, retries, a breaker and a budget", run: try12},
		{ID: "TRY13", Title: "C takes 1 s, bulkhead only", run: try13},
		{ID: "TRY14", Title: "C takes 1 s, bulkhead and timeout", run: try14},
		{ID: "1.5a", Title: "What the rule of the queue decides", run: queueRules},
	}
	for i := range all {
		all[i].Kind = Simulation
		all[i].Also = []string{"1.5"}
		if 8 <= i && i <= 11 {
			all[i].Also = append(all[i].Also, "B6")
		}
	}
	return all
}

const (
	checkoutSetup = "1,000 requests a second, a third each for A, B and C; 200 threads; a queue of " +
		"20; users wait for 1 s. Slow, C answers at most 400 calls a second, and what is above that " +
		"hangs. "
	checkoutRuns = 8
)

// slowly is what is known of a slow C without simulation.
type slowly struct {
	inTime float64 // share of its calls that take less than the timeout
	held   float64 // mean seconds until an answer or the timeout
}

// ofMean is a slow C with 5 ms plus an exponential up to a mean in seconds, and a
// timeout of 250 ms.
func ofMean(mean float64) slowly {
	in := 1 - exp(-0.245/(mean-0.005))
	return slowly{inTime: in, held: 0.005 + float64((mean-0.005)*in)}
}

// retried solves the row with retries: calls a second to C, the share of
// requests that find a thread, and the share of attempts that fail.
func (c slowly) retried() (load, served, fails float64) {
	solve := func(load float64) (next float64) {
		passes := min(1, 400/load)
		fails = 1 - c.inTime*passes
		attempts := 1 + fails + fails*fails
		one := passes*c.held + (1-passes)*0.250
		hold := 0.002 + attempts*one + 0.020*fails + 0.040*fails*fails
		served = min(1, pool/(held(2*third, ownWork+healthy)+third*hold))
		return third * served * attempts
	}
	load = fixedPoint(500, solve)
	return load, served, fails
}

func try1(s *sheet) {
	s.Setup = checkoutSetup
	s.equals("threads, Little", known{22, 1, ""}, threads(healthy))
	r := table{}.sample(s.seeds(checkoutRuns))
	s.mean("A and B answered", known{100, 0, "%"}, r.of(ab), share)
	s.mean("A and B p99", known{75.6, 1, "ms"}, r.of(p99), off(2))
	s.mean("threads busy", known{22, 1, ""}, r.of(busy), rate)
}

func try2(s *sheet) {
	s.Setup = checkoutSetup + "C takes 1 s on average."
	s.rounds("threads C needs", known{334, 0, ""}, third*1.002)
	s.rounds("threads needed in all", known{348.7, 1, ""}, threads(second))
	s.rounds("share that finds one", known{57.4, 1, "%"}, 100*pool/threads(second))
	r := table{slow: second}.sample(s.seeds(checkoutRuns))
	s.mean("A and B answered", known{57, 0, "%"}, r.of(ab), share)
	s.aside = "but only with a short queue, see 1.5a"
	s.Note = "What the queue refuses counts as failed. 57 % needs a bound well below the " +
		"users' patience: a queue without one serves nobody in time."
}

func try3(s *sheet) {
	s.Setup = checkoutSetup + "C takes 1 s on average, with a timeout of 250 ms."
	c := ofMean(1)
	s.rounds("most threads C can hold", known{83, 0, ""}, third*0.25)
	s.rounds("threads C holds, formula", known{74.7, 1, ""}, third*(c.held+0.002))
	s.rounds("C answers, formula", known{21.8, 1, "%"}, 100*c.inTime)
	r := table{slow: second, rungs: rungTimeout}.sample(s.seeds(checkoutRuns))
	s.mean("threads C holds", known{75, 0, ""}, r.of(busyC), rate)
	s.mean("A and B answered", known{100, 0, "%"}, r.of(ab), share)
	s.mean("A and B p99", known{76, 0, "ms"}, r.of(p99), off(2))
	s.mean("C answers", known{22, 0, "%"}, r.of(realC), share)
}

func try4(s *sheet) {
	s.Setup = checkoutSetup + "C takes 1 s; timeout 250 ms; three attempts, full jitter from " +
		"40 ms, a thread is held through the waits."
	load, served, _ := ofMean(1).retried()
	s.rounds("calls to C, fixed point", known{739, 0, "/s"}, load)
	s.rounds("A and B answered, fixed point", known{83.4, 1, "%"}, 100*served)
	r := table{slow: second, rungs: rungTimeout + rungRetry}.sample(s.seeds(checkoutRuns))
	s.mean("calls to C", known{740, 0, "/s"}, r.of(calls), off(5))
	s.mean("A and B answered", known{83, 0, "%"}, r.of(ab), share)
	s.Note = "The brief says about 740, so 735 to 745."
}

func try5(s *sheet) {
	s.Setup = checkoutSetup + "As TRY4, with a retry budget of 10 % of calls and no floor."
	s.rounds("calls to C, formula", known{366.7, 1, "/s"}, 1.1*third)
	r := table{slow: second, rungs: rungTimeout + rungBudget}.sample(s.seeds(checkoutRuns))
	s.mean("calls to C", known{367, 0, "/s"}, r.of(calls), rate)
	s.mean("A and B answered", known{100, 0, "%"}, r.of(ab), share)
	s.mean("A and B p99", known{75.2, 1, "ms"}, r.of(p99), off(2))
	s.mean("C answers", known{24, 0, "%"}, r.of(realC), share)
}

func try6(s *sheet) {
	s.Setup = checkoutSetup + "As TRY5, with the breaker of brief 0 (20 calls, at least ten, " +
		"50 %, 5 s, three trials) and a fallback."
	r := table{slow: second, rungs: rungTimeout + rungBudget + rungBreaker("20 calls", "10") +
		rungFallback}.sample(s.seeds(20))
	s.mean("threads busy", known{15.7, 1, ""}, r.of(busy), part(0.02))
	// One lucky closing in one of five runs adds 0.4 to their mean.
	s.mean("calls to C", known{1.4, 1, "/s"}, r.of(calls), off(1))
	s.mean("answered by the fallback", known{99.6, 1, "%"}, r.of(fallback), share)
	s.mean("breaker not closed", known{99.4, 1, "%"}, r.of(open), share)
	s.Note = "Calls to C spread widely: one run in ten closes the breaker by luck (0.22³ a " +
		"trial) and sends a hundred calls before it opens again."
}

func try7(s *sheet) {
	s.Setup = checkoutSetup + "C never answers; a bulkhead of 60 and a fallback."
	r := table{silent: 1, rungs: rungBulkhead + rungFallback}.sample(s.seeds(checkoutRuns))
	s.mean("A and B answered", known{100, 0, "%"}, r.of(ab), share)
	s.mean("threads busy", known{75.4, 1, ""}, r.of(busy), rate)
	// All but the 60 spend the two milliseconds of own work and are turned away.
	own := third * ownWork.Seconds()
	stuck := r.of(func(c *checkoutRun) float64 { return c.busyC - own })
	s.mean("threads stuck", known{60, 0, ""}, stuck, rate)
}

func try8(s *sheet) {
	s.Setup = checkoutSetup + "From some instant on C never answers."
	t := table{silent: 5 * second}
	r := t.sample(s.seeds(checkoutRuns))
	s.mean("A and B answered", known{0, 0, "%"}, r.of(ab), share)
	s.mean("threads busy", known{200, 0, ""}, r.of(busy), rate)
	s.mean("pool full after", known{0.55, 2, "s"}, r.of(full), spread(0.04, 5))
}

func try9(s *sheet) {
	s.Setup = checkoutSetup + "C takes 300 ms on average, with a timeout of 250 ms."
	s.rounds("C's calls that fail, formula", known{43.6, 1, "%"}, 100*(1-ofMean(0.3).inTime))
	r := table{slow: 300 * ms, rungs: rungTimeout}.sample(s.seeds(checkoutRuns))
	s.mean("calls to C", known{333, 0, "/s"}, r.of(calls), rate)
	s.mean("C answers", known{56.8, 1, "%"}, r.of(realC), share)
}

func try10(s *sheet) {
	s.Setup = checkoutSetup + "C takes 300 ms on average, with the retries of TRY4."
	load, _, fails := ofMean(0.3).retried()
	s.rounds("calls to C, fixed point", known{719, 0, "/s"}, load)
	s.rounds("attempts that fail, fixed point", known{68.6, 1, "%"}, 100*fails)
	r := table{slow: 300 * ms, rungs: rungTimeout + rungRetry}.sample(s.seeds(checkoutRuns))
	s.mean("calls to C", known{714, 0, "/s"}, r.of(calls), spread(8, 5))
	s.mean("threads busy", known{173, 0, ""}, r.of(busy), rate)
	s.mean("C answers", known{68, 0, "%"}, r.of(realC), share)
}

// flapping is a run of 300 s after the warm-up with a breaker over so many
// calls.
func (s *sheet) flapping(window, rungs string, n int) sampled {
	t := table{slow: 300 * ms, length: 310 * second,
		rungs: rungTimeout + rungs + rungBreaker(window, "10") + rungFallback}
	return t.sample(s.seeds(n))
}

func try11(s *sheet) {
	s.Setup = checkoutSetup + "C takes 300 ms; timeout, retries and a breaker over many calls, " +
		"for 300 s."
	for _, window := range []string{"1000 calls", "3000 calls"} {
		r := s.flapping(window, rungRetry, 5)
		s.mean(window+": changes", known{117.5, 1, ""}, r.of(changed), few(5))
		s.mean(window+": not closed", known{94, 0, "%"}, r.of(open), few(5))
		s.mean(window+": C's own answers", known{3, 0, "%"}, r.of(realC), few(5))
	}
	s.Note = "A change is one of the breaker's states: about 117 of them are a breaker that " +
		"flaps. Most of C's failures are made by the retries."
}

func try12(s *sheet) {
	s.Setup = checkoutSetup + "As TRY11, with a retry budget of 10 %."
	s.rounds("calls to C, formula", known{366.7, 1, "/s"}, 1.1*third)
	fails := 1 - ofMean(0.3).inTime
	s.rounds("P(at least 10 of 20 fail), formula", known{0.36, 2, ""}, atLeast(10, 20, fails))
	r := s.flapping("3000 calls", rungBudget, 5)
	s.mean("3,000 calls: changes", known{0, 0, ""}, r.of(changed), off(0))
	s.mean("C's own answers", known{61.8, 1, "%"}, r.of(realC), share)
	s.mean("calls to C", known{367.4, 1, "/s"}, r.of(calls), rate)
	for _, row := range []struct {
		window string
		want   float64
	}{{"20 calls", 125}, {"100 calls", 120}} {
		s.mean(row.window+": changes", known{row.want, 0, ""},
			s.flapping(row.window, rungBudget, 5).of(changed), off(7))
	}
	s.Note = "The budget removes the cause, but only a window of a thousand calls or more can " +
		"see that: of 20 calls half fail by chance one time in three."
}

// atLeast is the chance of k or more of n at a share p each.
func atLeast(k, n int, p float64) float64 {
	sum := 0.0
	for ; k <= n; k++ {
		sum += choose(n, k) * power(p, k) * power(1-p, n-k)
	}
	return sum
}

func try13(s *sheet) {
	s.Setup = checkoutSetup + "C takes 1 s; a bulkhead of 60 and a fallback for who finds it " +
		"full."
	r := table{slow: second, rungs: rungBulkhead + rungFallback}.sample(s.seeds(checkoutRuns))
	own := third * ownWork.Seconds()
	inside := r.of(func(c *checkoutRun) float64 { return c.busyC - own })
	s.mean("threads C holds", known{59.8, 1, ""}, inside, rate)
	s.mean("C's own answers", known{11, 0, "%"}, r.of(realC), share)
	s.mean("answered by the fallback", known{82, 0, "%"}, r.of(fallback), share)
	s.Note = "The rest are answers after the users have left: no timeout is on."
}

func try14(s *sheet) {
	s.Setup = checkoutSetup + "As TRY13 with a timeout of 250 ms. The fallback answers for who " +
		"finds the bulkhead full."
	r := table{slow: second, rungs: rungTimeout + rungBulkhead + rungFallback}.sample(s.seeds(checkoutRuns))
	s.mean("C's own answers", known{17, 0, "%"}, r.of(realC), share)
	s.mean("calls to C", known{258, 0, "/s"}, r.of(calls), rate)
	turned := r.of(func(c *checkoutRun) float64 { return 100 * (third - c.calls) / third })
	s.mean("turned away by the bulkhead", known{23, 0, "%"}, turned, share)
	s.Note = "The published 23 % of fallback answers are those turned away. Seakeep's fallback " +
		"also answers for a timeout, and then stands in for 83 %."
}

func queueRules(s *sheet) {
	s.Setup = checkoutSetup + "As TRY2 (C takes 1 s, nothing on) with other rules for who " +
		"waits: share of A and B answered within the users' second."
	s.mean("cliff at a bound of throughput times patience", known{573, 0, "slots"},
		same(checkout*pool/threads(second)), off(1))
	seeds := s.seeds(5)
	for _, row := range []struct {
		name string
		want float64
		q    config.Queue
	}{
		{"FIFO without a bound", 0, config.Queue{Rule: config.FIFO}},
		{"FIFO, expired dropped", 0.6, config.Queue{Rule: config.FIFO, DropExpired: true}},
		{"LIFO", 57.6, config.Queue{Rule: config.LIFO}},
		{"bound 20", 57.2, config.Queue{Rule: config.FIFO, Length: 20}},
		{"bound 100", 58, config.Queue{Rule: config.FIFO, Length: 100}},
	} {
		r := table{slow: second, queue: row.q}.sample(seeds)
		s.mean(row.name, known{row.want, 1, "%"}, r.of(ab), share)
		if row.q.Rule == config.LIFO {
			s.mean(row.name+", p99", known{81, 0, "ms"}, r.of(p99), off(2))
		}
	}
	for _, row := range []struct{ bound, want int }{{300, 57}, {500, 54}, {800, 7}} {
		t := table{slow: second, queue: config.Queue{Rule: config.FIFO, Length: row.bound}}
		name := number(float64(row.bound), 0, "places")
		s.shown(name+", settled", 1, "%", t.sample(seeds).of(ab))
		t.cold, t.length = true, 30*second
		s.mean(name+", first 30 s", known{float64(row.want), 0, "%"}, t.sample(seeds).of(ab), either(share, few(1)))
	}
	s.aside = "the bounds of 500 and 800 only while the queue still fills"
	s.Note = "At a bound of 800 everybody waits for 800/573 = 1.4 s, so that nobody is served " +
		"in time once it is full; the published 7 % are those served before. Half of 57 % is " +
		"lost at a bound of about 565."
}
