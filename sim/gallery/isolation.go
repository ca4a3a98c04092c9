package gallery

import (
	"fmt"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/balance"
	"github.com/seakeep/seakeep/core/bulkhead"
	"github.com/seakeep/seakeep/core/retry"
	"github.com/seakeep/seakeep/core/shard"
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

// shards is how many shards of k of n there are.
func shards(n, k int) float64 {
	c, ok := shard.Count(n, k)
	if !ok {
		panic("gallery: too many shards")
	}
	return float64(c)
}

// shares is the probability in per cent that two shards of k of n have j
// workers in common.
func shares(n, k, j int) float64 { return 100 * shard.Sharing(n, k, j) }

// workers are the shards of so many workers.
func workers(n, size int) *shard.Shards {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("http://worker-%d", i)
	}
	return must(shard.New(shard.Config{Size: size}, names))
}

func i1(s *sheet) {
	s.Setup = "Each tenant gets two of eight workers."
	s.equals("pairs", known{28, 0, ""}, shards(8, 2))
	s.rounds("another tenant shares both", known{3.57, 2, "%"}, shares(8, 2, 2))
	s.rounds("one", known{42.86, 2, "%"}, shares(8, 2, 1))
	s.rounds("none", known{53.57, 2, "%"}, shares(8, 2, 0))
	w, used := workers(8, 2), map[uint64]bool{}
	for n := range 2800 {
		used[w.Of(fmt.Sprintf("tenant-%d", n))] = true
	}
	s.count("pairs that 2,800 names are given", 28, len(used))
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
	s.equals("4 of 16", known{1820, 0, ""}, shards(16, 4))
	s.equals("4 of 32", known{35_960, 0, ""}, shards(32, 4))
	s.equals("5 of 100", known{75_287_520, 0, ""}, shards(100, 5))
	s.equals("4 of 2,048", known{730_862_190_080, 0, ""}, shards(2048, 4))
	s.rounds("5 of 100, none shared", known{77.0, 1, "%"}, shares(100, 5, 0))
	more := shares(100, 5, 3) + shares(100, 5, 4) + shares(100, 5, 5)
	s.rounds("three or more shared", known{0.06, 2, "%"}, more)
}

// tenant makes calls to the workers of its shard, through the balancer and with
// one retry, and returns how many fail and how many needed the retry.
func tenant(only, poisoned uint64) (failed, retried int) {
	b := must(balance.New(balance.Config{Policy: balance.RoundRobin}, make([]balance.Peer, 8)))
	c := retry.Config{Attempts: 2}
	lost := core.Result{Outcome: core.Failure, Cause: core.Reset}
	now := core.Instant(0)
	for range 100 {
		now += core.Instant(100 * ms)
		tried := uint64(0)
		for attempt := 1; ; attempt++ {
			i, _ := b.Pick(now, balance.Choice{Tried: tried, Only: only})
			tried |= 1 << i
			if poisoned>>i&1 == 0 {
				b.Report(now, i, balance.Sample{Outcome: core.Success, Reached: true})
				break
			}
			// It took the call, and died of it.
			b.Report(now, i, balance.Sample{Outcome: core.Failure, Reached: true})
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
	w, seen := workers(8, 2), map[uint64]bool{}
	poisoned := w.Of("poison")
	failing, degraded, untouched := 0, 0, 0
	for n := 0; len(seen) < 28; n++ {
		only := w.Of(fmt.Sprintf("tenant-%d", n))
		if seen[only] {
			continue
		}
		seen[only] = true
		switch failed, retried := tenant(only, poisoned); {
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
	s.count("of 28 tenants fail", 1, failing)
	s.count("are degraded", 12, degraded)
	s.count("are untouched", 15, untouched)
}
