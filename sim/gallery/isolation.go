package gallery

import (
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/balance"
	"github.com/seakeep/seakeep/core/bulkhead"
	"github.com/seakeep/seakeep/core/retry"
)

// isolation holds the cards on bulkheads and shuffle sharding.
func isolation() []Entry {
	return []Entry{
		{ID: "I1", Kind: Analytic, Title: "Shuffle shards of 2 of 8", run: i1},
		{ID: "I2", Kind: Unit, Title: "A bulkhead of 20 of 200", run: i2},
		{ID: "I3", Kind: Analytic, Title: "Shuffle shards of other sizes", run: i3},
		{ID: "I4", Kind: Simulation, Title: "Two of eight workers poisoned", run: i4},
	}
}

// shares is the probability in per cent that two shards of k of n have j
// workers in common.
func shares(n, k, j int) float64 {
	return 100 * choose(k, j) * choose(n-k, k-j) / choose(n, k)
}

func i1(s *sheet) {
	s.Setup = "Each tenant gets two of eight workers."
	s.equals("pairs", known{28, 0, ""}, choose(8, 2))
	s.rounds("another tenant shares both", known{3.57, 2, "%"}, shares(8, 2, 2))
	s.rounds("one", known{42.86, 2, "%"}, shares(8, 2, 1))
	s.rounds("none", known{53.57, 2, "%"}, shares(8, 2, 0))
}

func i2(s *sheet) {
	s.Setup = "200 threads; recommendations has a bulkhead of 20 and hangs."
	b := must(bulkhead.New(bulkhead.Config{Limit: 20}))
	stuck := 0
	for range pool {
		if b.TryAcquire(0, bulkhead.Place{}) {
			stuck++
		}
	}
	s.count("threads stuck", 20, stuck)
	s.count("left for checkout", 180, pool-stuck)
}

func i3(s *sheet) {
	s.Setup = "Choose k of n."
	s.equals("4 of 16", known{1820, 0, ""}, choose(16, 4))
	s.equals("4 of 32", known{35_960, 0, ""}, choose(32, 4))
	s.equals("5 of 100", known{75_287_520, 0, ""}, choose(100, 5))
	s.equals("4 of 2,048", known{730_862_190_080, 0, ""}, choose(2048, 4))
	s.rounds("5 of 100, none shared", known{77.0, 1, "%"}, shares(100, 5, 0))
	more := shares(100, 5, 3) + shares(100, 5, 4) + shares(100, 5, 5)
	s.rounds("three or more shared", known{0.06, 2, "%"}, more)
}

// tenant makes calls to its two workers, through the balancer and with one
// retry, and returns how many fail and how many needed the retry.
func tenant(shard [2]int, poisoned [8]bool) (failed, retried int) {
	b, c := balance.New(len(shard)), retry.Config{Attempts: 2}
	lost := core.Result{Outcome: core.Failure, Cause: core.Reset}
	now := core.Instant(0)
	for range 100 {
		now += core.Instant(100 * ms)
		tried := uint64(0)
		for attempt := 1; ; attempt++ {
			i, _ := b.Pick(now, tried)
			tried |= 1 << i
			if !poisoned[shard[i]] {
				b.Report(now, i, true)
				break
			}
			b.Report(now, i, true) // it took the call, and died of it
			if c.Check(attempt, lost, retry.Idempotent, true) != core.NoReason {
				failed++
				break
			}
			retried++
		}
	}
	return failed, retried
}

func i4(s *sheet) {
	s.Setup = "28 tenants, each with its own two of eight workers; a bad tenant takes its two " +
		"down. Calls go to the workers in turn and once to the other."
	poisoned := [8]bool{2: true, 5: true}
	failing, degraded, untouched := 0, 0, 0
	for a := range 8 {
		for b := a + 1; b < 8; b++ {
			switch failed, retried := tenant([2]int{a, b}, poisoned); {
			case failed == 100:
				failing++
			case failed > 0:
				s.count("tenants with some failures", 0, 1)
			case retried > 0:
				degraded++
			default:
				untouched++
			}
		}
	}
	s.count("of 28 tenants fail", 1, failing)
	s.count("are degraded", 12, degraded)
	s.count("are untouched", 15, untouched)
	s.Note = "The shards are written out here: core/shard, which will choose them, does not " +
		"exist yet."
}
