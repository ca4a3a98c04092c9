package telemetry

import (
	"slices"
	"sync/atomic"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/balance"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/call"
)

// policy writes what was counted of a policy.
func (c collection) policy(p *policy) {
	d, op := p.dependency, p.operation
	c.calls(p)
	c.attempts(p)
	c.each(idRejected, p.rejected[:], listed(reasonWord, usualRefusals...), d, op)
	p.observed.each(func(decision, reason int, n uint64) {
		c.value(idObserved, float64(n), d, op, decisions[decision], reasonWord(reason))
	})
	c.count(idQueued, &p.queued, d, op)
	c.each(idAttemptFailures, p.failures[:], listed(causeWord), d, op)
	c.each(idRetries, p.retries[:], listed(causeWord), d, op)
	c.each(idRetryDenied, p.denied[:], listed(reasonWord, int(core.AttemptsExhausted),
		int(core.BudgetExhausted)), d, op)
	c.each(idHedgeDenied, p.hedgesDenied[:], listed(reasonWord), d, op)
	c.moves(idBreakerTransitions, &p.transitions, breakerStates, d, op)
	c.count(idLate, &p.late, d, op)
	if t := sum(1, func(int) *timings { return &p.wait }); t.Count > 0 {
		c.timing(idBulkheadWait, t, d, op)
	}
	p.fallback.each(func(kind, outcome int, n uint64) {
		c.value(idFallback, float64(n), d, op, fallbackKinds[kind], fallbackOutcomes[outcome])
	})
	for i := range p.deadline {
		c.value(idDeadlineExceeded, float64(p.deadline[i].Load()), d, op, hops[0], callPhases[i])
	}
	c.each(idFaultInjected, p.faults[:], words(faultKinds), d, op)
	c.each(idFaultChanges, p.faultChanges[:], words(onOff), d, op)
	if on, off := p.faultChanges[0].Load(), p.faultChanges[1].Load(); on > 0 {
		c.value(idFaultActive, float64(on-min(on, off)), d, op)
	}
	c.each(idEndpointChanges, p.endpointChanges[:], words(endpointStates), d, op)
	p.ejections.each(func(rule, enforced int, n uint64) {
		c.value(idEjections, float64(n), d, op, outlierRules[rule], yesNo[enforced])
	})
	c.each(idPanicChanges, p.panics[:], words(onOff), d, op)
	c.count(idResolveChanges, &p.resolved, d, op)
	c.count(idResolveFailures, &p.unresolved, d, op)
	c.count(idCertificates, &p.renewed, d, op)
	c.count(idCertificateFailures, &p.unusable, d, op)
	c.moves(idFailoverTransitions, &p.moves, failoverStates, d, op)
}

func (c collection) calls(p *policy) {
	started, ended := uint64(0), uint64(0)
	for o := range outcomes {
		t := sum(len(p.hot), func(i int) *timings { return &p.hot[i].calls[o] })
		word := callOutcomeWord(o)
		c.value(idCalls, float64(t.Count), p.dependency, p.operation, word)
		if t.Count == 0 {
			continue
		}
		ended += t.Count
		t.Exemplars = p.examples.read(CallTimed, o)
		if p.fine != nil {
			t.refine(&p.fine.calls[o])
		}
		c.timing(idCallDuration, t, p.dependency, p.operation, word)
	}
	for i := range p.hot { // after those that ended, so that none seems to end before it began
		started += p.hot[i].started.Load()
	}
	c.value(idCallsInFlight, float64(started-min(started, ended)), p.dependency, p.operation)
	if t := sum(len(p.hot), func(i int) *timings { return &p.hot[i].left }); t.Count > 0 {
		c.timing(idDeadlineRemaining, t, p.dependency, p.operation, hops[0])
	}
}

func (c collection) attempts(p *policy) {
	for kind, name := range attemptKinds {
		for o := 1; o < outcomes; o++ {
			n := uint64(0)
			for i := range p.hot {
				n += p.hot[i].attempts[kind][o].Load()
			}
			c.value(idAttempts, float64(n), p.dependency, p.operation, name, callOutcomeWord(o))
		}
	}
	for o := range outcomes {
		t := sum(len(p.hot), func(i int) *timings { return &p.hot[i].took[o] })
		if t.Count == 0 {
			continue
		}
		t.Exemplars = p.examples.read(AttemptTimed, o)
		if p.fine != nil {
			t.refine(&p.fine.attempts[o])
		}
		c.timing(idAttemptDuration, t, p.dependency, p.operation, callOutcomeWord(o))
	}
}

// count writes a counter that has counted something.
func (c collection) count(of id, n *atomic.Uint64, d, op string) {
	if n := n.Load(); n > 0 {
		c.value(of, float64(n), d, op)
	}
}

// listed names the words of a list. Those in always are written even at zero:
// the rate of a series that begins with its first event does not show that one.
type list struct {
	word   func(int) string
	always []int
}

func listed(word func(int) string, always ...int) list { return list{word, always} }

func words(all []string) list { return list{word: func(i int) string { return all[i] }} }

var usualRefusals = []int{int(core.CircuitOpen), int(core.BulkheadFull), int(core.QueueTimeout),
	int(core.DeadlineExceeded), int(core.DeadlineTooShort), int(core.Throttled)}

// each writes the counters of a list of words that have counted something.
func (c collection) each(of id, counts []atomic.Uint64, l list, labels ...string) {
	for i := range counts {
		if n := counts[i].Load(); n > 0 || slices.Contains(l.always, i) {
			c.value(of, float64(n), append(labels[:len(labels):len(labels)], l.word(i))...)
		}
	}
}

// usualMoves are the transitions of a breaker that nobody has to do with.
var usualMoves = []struct {
	from, to breaker.State
	reason   core.Reason
}{
	{breaker.Closed, breaker.Open, core.FailureRate}, {breaker.Closed, breaker.Open, core.SlowRate},
	{breaker.Closed, breaker.Open, core.Consecutive}, {breaker.Open, breaker.HalfOpen, core.OpenElapsed},
	{breaker.HalfOpen, breaker.Open, core.TrialFailed}, {breaker.HalfOpen, breaker.Closed, core.TrialsPassed},
}

// quiet writes the usual transitions that have not happened.
func (c collection) quiet(p *policy) {
	for _, m := range usualMoves {
		from, to := m.from.String(), m.to.String()
		at := pair(breakerStates, from, to)*p.transitions.width + int(m.reason)
		if p.transitions.cells[at].Load() == 0 {
			c.value(idBreakerTransitions, 0, p.dependency, p.operation, from, to, m.reason.String())
		}
	}
}

func (c collection) moves(of id, t *table, words []string, d, op string) {
	t.each(func(pair, reason int, n uint64) {
		c.value(of, float64(n), d, op, words[pair/len(words)], words[pair%len(words)], reasonWord(reason))
	})
}

// policyState writes what a policy is like now. What belongs to its dependency
// is written there.
func (c collection) policyState(s *PolicyState, p *policy) {
	d, op := p.dependency, p.operation
	if b := s.Breaker; b != nil && !s.Shared.Has(call.RungBreaker) {
		c.states(idBreakerState, breakerStates, b.State.String(), d, op)
		c.spent(idBreakerSeconds, &p.breaker, d, op)
		c.yes(idBreakerForced, b.Mode != breaker.Auto, d, op)
		c.quiet(p)
		c.keyed(s.Keyed, d, op)
	}
	if b := s.Bulkhead; b != nil && !s.Shared.Has(call.RungBulkhead) {
		c.value(idBulkheadInFlight, float64(b.InUse), d, op)
		c.value(idBulkheadLimit, float64(b.Limit), d, op)
		c.value(idBulkheadQueue, float64(b.Queued), d, op)
		c.value(idBulkheadQueueLimit, float64(b.Queue), d, op)
	}
	if b := s.Budget; b != nil && !s.Shared.Has(call.RungRetry) {
		c.value(idBudgetTokens, float64(b.Available), d, op)
	}
	if t := s.Throttle; t != nil && !s.Shared.Has(call.RungThrottle) {
		for i, class := range t.Classes {
			c.value(idThrottleRefusal, class.Refusal, d, op, classWord(i))
		}
	}
	if h := s.Hedge; h != nil {
		c.value(idHedgeDelay, h.After.Seconds(), d, op)
		c.value(idHedgeWins, float64(h.Counts.Won), d, op)
	}
	c.value(idAbandoned, float64(s.Stats.Abandoned), d, op)
	if s.Fallbacks > 0 || s.Cache != nil {
		c.value(idFallbackRunning, float64(s.Fallbacks), d, op)
	}
	if cache := s.Cache; cache != nil {
		c.value(idCacheLookups, float64(cache.Fresh), d, op, "fresh")
		c.value(idCacheLookups, float64(cache.Stale), d, op, "stale")
		c.value(idCacheLookups, float64(cache.Miss), d, op, "miss")
		c.value(idCacheEntries, float64(cache.Entries), d, op)
		c.value(idCacheBytes, float64(cache.Bytes), d, op)
	}
}

// keyed counts breakers that are kept by key. The keys are no labels: clients
// choose them.
func (c collection) keyed(all []breaker.Snapshot, d, op string) {
	if len(all) == 0 {
		return
	}
	counts := map[string]int{}
	for i := range all {
		counts[all[i].State.String()]++
	}
	for _, state := range breakerStates[:len(breakerStates)-1] {
		c.value(idBreakerKeys, float64(counts[state]), d, op, state)
	}
}

func (c collection) endpoints(e *EndpointStates) {
	ejected := 0
	var counts [4]int // up to draining: what is gone is no endpoint
	for _, s := range e.States {
		if s&balance.Ejected != 0 {
			ejected++
		}
		if at := marks(s.String()).worst(); at < len(counts) {
			counts[at]++
		}
	}
	for i, n := range counts {
		c.value(idEndpoints, float64(n), e.Dependency, "", endpointStates[i])
	}
	c.value(idEjected, float64(ejected), e.Dependency, "")
	c.yes(idPanic, e.Panic, e.Dependency, "")
}

func (c collection) failover(f *FailoverState, p *policy) {
	c.states(idFailoverState, failoverStates, f.State.String(), f.Dependency, "")
	c.spent(idFailoverSeconds, &p.failover, f.Dependency, "")
	c.value(idFailoverCalls, float64(f.ToFirst), f.Dependency, "", "first")
	c.value(idFailoverCalls, float64(f.ToSecond), f.Dependency, "", "second")
}
