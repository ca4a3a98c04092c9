package sim

import (
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/balance"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/retry"
)

// member is one user of a policy: an instance of a service, or a client, with
// the state of its own breaker, budget and bulkhead.
type member struct {
	world    *World
	name     string // of the dependency
	plan     *call.Plan
	dest     *service
	fallback []config.Answer
	others   []*member // of the same instance, for a fallback that asks another dependency
	draws    *Stream
	of       owned
	unmarked bool
	faults   *faults      // nil: nothing may be hurt
	begun    uint64       // calls
	launched uint64       // attempts
	answered uint64       // by a fallback that is no call
	chained  uint64       // by another dependency
	since    core.Instant // when the breaker in use came to be
	past     []oldBreaker // those before it
	tenancy  *tenancy     // nil: every tenant may use every instance
	provided *provided    // nil: no second provider
	balances bool         // it has balancers of its own, by spread
	spread   balance.Config
	views    []view
	outliers *config.Outlier // nil: it does not look for any
	lookouts []*lookout
}

// oldBreaker is a breaker that a new policy has replaced.
type oldBreaker struct {
	was        *breaker.Snapshot
	since, end core.Instant
}

// replace puts another plan to use, and remembers what its breaker did if that
// is not the next one's too.
func (m *member) replace(next *call.Plan) {
	now := m.world.now
	if b := m.plan.Breaker(now, ""); b != next.Breaker(now, "") {
		if b != nil {
			s := b.Snapshot(now)
			m.past = append(m.past, oldBreaker{&s, m.since, now})
		}
		m.since = now
	}
	m.plan = next
}

// standIn finds the fallback for a call that failed: an answer, or another
// dependency to ask. A cache counts as one that has the answer.
func (m *member) standIn() (answered bool, next *member) {
	for _, a := range m.fallback {
		if a.Dependency == "" {
			m.answered++
			return true, nil
		}
		for _, o := range m.others {
			if o.name == a.Dependency {
				m.chained++
				return false, o
			}
		}
	}
	return false, nil
}

// wantsFallback reports whether the call's end leaves its owner without an
// answer that it could have had.
func (o *outcall) wantsFallback(v call.Verdict) bool {
	return len(o.member.fallback) > 0 &&
		(v == call.Rejected || v == call.Failed && o.call.Last().Outcome.Failed())
}

// failure is what the caller of a service sees when this call of it failed.
func (o *outcall) failure(v call.Verdict) core.Result {
	r := core.Result{Outcome: core.Failure, Cause: core.BadGateway}
	if v == call.Rejected {
		r = core.Result{Outcome: core.Overloaded, Cause: core.Unavailable}
	}
	last := o.call.Last()
	if v == call.Failed && last.Outcome == core.Ignored {
		return last
	}
	r.NoRetry = !o.member.unmarked &&
		(retry.Config{}).MarkNoRetry(o.call.Reason(), o.call.Attempts())
	return r
}

// statusResult is what an answer with this status means, as package
// seakeephttp has it.
func statusResult(status int) core.Result {
	switch {
	case status == 429:
		return core.Result{Outcome: core.Overloaded, Cause: core.TooMany}
	case status == 503:
		return core.Result{Outcome: core.Overloaded, Cause: core.Unavailable}
	case status == 502 || status == 504:
		return core.Result{Outcome: core.Failure, Cause: core.BadGateway}
	case status >= 400 && status < 500:
		return core.Result{Outcome: core.Ignored, Cause: core.ClientError}
	}
	return core.Result{Outcome: core.Failure, Cause: core.ServerError}
}
