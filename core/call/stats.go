package call

import (
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/window"
)

// reasons bounds the tables kept per reason.
const reasons = 64

// Stats counts what happened to a plan's calls. It outlives reloads. A call
// that goes well touches it twice.
type Stats struct {
	verdicts [Cancelled + 1]atomic.Uint64
	outcomes [core.Ignored + 1]atomic.Uint64 // of attempts that were not a success
	retries  atomic.Uint64
	observed atomic.Uint64
	late     atomic.Uint64
	orphans  atomic.Int64
	rejected [reasons]atomic.Uint64
	denied   [reasons]atomic.Uint64
	latency  *window.Recent
}

// recently is how far back the latencies of a snapshot reach: long enough for
// a p99 of a few calls a second, short enough to forget an incident.
const recently = time.Minute

func newStats() *Stats { return &Stats{latency: window.NewRecent(recently)} }

func (s *Stats) ended(v Verdict) { s.verdicts[v].Add(1) }

func (s *Stats) reject(r core.Reason) { s.rejected[r%reasons].Add(1) }

func (s *Stats) deny(r core.Reason) { s.denied[r%reasons].Add(1) }

func (s *Stats) attempt(now core.Instant, o core.Outcome, took time.Duration) {
	if o != core.Success {
		s.outcomes[o].Add(1)
	}
	if !o.Neutral() {
		s.latency.Record(now, took)
	}
}

// ReasonCount is how often a reason was given.
type ReasonCount struct {
	Reason core.Reason
	Count  uint64
}

// StatsSnapshot is what Stats held at one moment. Counts are since the start.
type StatsSnapshot struct {
	Succeeded, Failed, Rejected, Cancelled uint64 // calls by verdict
	Timeouts, Failures, Overloads          uint64 // attempts that were not a success
	Retries                                uint64 // attempts after the first, decided on
	Observed                               uint64 // refusals that observe mode let pass
	Late                                   uint64 // results of an earlier era of a breaker
	Abandoned                              int64  // attempts past their timeout that still run
	RejectedFor, DeniedFor                 []ReasonCount
	Latency                                window.Quantiles // of attempts, recent
}

func (s *Stats) snapshot(now core.Instant) StatsSnapshot {
	return StatsSnapshot{
		Succeeded:   s.verdicts[Succeeded].Load(),
		Failed:      s.verdicts[Failed].Load(),
		Rejected:    s.verdicts[Rejected].Load(),
		Cancelled:   s.verdicts[Cancelled].Load(),
		Timeouts:    s.outcomes[core.Timeout].Load(),
		Failures:    s.outcomes[core.Failure].Load(),
		Overloads:   s.outcomes[core.Overloaded].Load(),
		Retries:     s.retries.Load(),
		Observed:    s.observed.Load(),
		Late:        s.late.Load(),
		Abandoned:   s.orphans.Load(),
		RejectedFor: counts(&s.rejected),
		DeniedFor:   counts(&s.denied),
		Latency:     s.latency.Snapshot(now),
	}
}

func counts(table *[reasons]atomic.Uint64) []ReasonCount {
	var out []ReasonCount
	for r := range table {
		if n := table[r].Load(); n > 0 {
			out = append(out, ReasonCount{core.Reason(r), n})
		}
	}
	return out
}
