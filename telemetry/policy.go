package telemetry

import (
	"sync/atomic"

	"github.com/seakeep/seakeep/core"
)

// policy is what is counted of one policy: a dependency or an operation.
type policy struct {
	name                  string
	dependency, operation string
	hot                   []hot
	wait                  timings // for a slot, of those that waited
	queued, late          atomic.Uint64
	rejected, denied      [reasons]atomic.Uint64
	retries, failures     [causes]atomic.Uint64
	hedgesDenied          [reasons]atomic.Uint64
	observed              table // decision, reason
	transitions           table // from and to, reason
	fallback              table // kind, outcome
	deadline              [4]atomic.Uint64
	faults                [9]atomic.Uint64
	faultChanges          [3]atomic.Uint64
	endpointChanges       [6]atomic.Uint64
	ejections             table // rule, enforced
	panics                [3]atomic.Uint64
	resolved, unresolved  atomic.Uint64
	renewed, unusable     atomic.Uint64 // certificates
	moves                 table         // of the failover: from and to, reason
	breaker, failover     timeline
	fine                  *fine // native histograms; nil: there are none
	examples              examples
}

// hot is one stripe of what every call touches.
type hot struct {
	started  atomic.Uint64
	attempts [3][outcomes]atomic.Uint64
	calls    [outcomes]timings
	took     [outcomes]timings // of attempts
	left     timings           // until the caller's deadline
}

func newPolicy(name string, o Options) *policy {
	p := &policy{name: name, hot: make([]hot, stripes),
		observed:    newTable(len(decisions), reasons),
		transitions: newTable(len(breakerStates)*len(breakerStates), reasons),
		fallback:    newTable(len(fallbackKinds), len(fallbackOutcomes)),
		ejections:   newTable(len(outlierRules), len(yesNo)),
		moves:       newTable(len(failoverStates)*len(failoverStates), reasons)}
	p.dependency, p.operation = split(name)
	p.breaker.words, p.failover.words = breakerStates, failoverStates
	if o.Native {
		p.fine = &fine{}
	}
	return p
}

func (p *policy) callStarted(e *core.Event) {
	h := &p.hot[stripe()]
	h.started.Add(1)
	if e.Left != 0 {
		h.left.record(e.Left)
	}
}

func (p *policy) attemptEnded(e *core.Event) {
	o := int(e.Outcome) % outcomes
	kind := 0
	switch {
	case e.Detail != "":
		kind = 2
	case e.Attempt > 0:
		kind = 1
	}
	h := &p.hot[stripe()]
	h.attempts[kind][o].Add(1)
	if p.fine != nil {
		p.fine.attempts[o].record(e.Took)
	}
	h.took[o].record(e.Took)
	if e.Cause != core.NoCause {
		p.failures[int(e.Cause)%causes].Add(1)
	}
	if e.Outcome == core.Timeout {
		p.deadline[1].Add(1)
	}
}

func (p *policy) callEnded(e *core.Event) {
	o := int(CallOutcome(e.Reason, e.Outcome)) % outcomes
	if p.fine != nil {
		p.fine.calls[o].record(e.Took)
	}
	p.hot[stripe()].calls[o].record(e.Took)
	if e.Reason == core.DeadlineExceeded && e.Outcome == core.Cancelled {
		p.deadline[3].Add(1)
	}
}

// timeUp reports whether a reason is about the time that is left.
func timeUp(r core.Reason) bool {
	return r == core.DeadlineExceeded || r == core.DeadlineTooShort || r == core.WaitTooLong
}

// observe counts what not every call does.
func (p *policy) observe(e *core.Event) {
	r := int(e.Reason) % reasons
	switch e.Kind {
	case core.CallQueued:
		p.queued.Add(1)
	case core.CallRejected:
		if e.Observed {
			p.observed.add(0, r)
			return
		}
		p.rejected[r].Add(1)
		if timeUp(e.Reason) {
			p.deadline[0].Add(1)
		}
	case core.RetryScheduled:
		if e.Observed {
			p.observed.add(1, r)
			return
		}
		p.retries[int(e.Cause)%causes].Add(1)
	case core.RetryDenied:
		p.denied[r].Add(1)
		if timeUp(e.Reason) {
			p.deadline[2].Add(1)
		}
	case core.HedgeDenied:
		if e.Observed {
			p.observed.add(2, r)
			return
		}
		p.hedgesDenied[r].Add(1)
	case core.LateReport:
		p.late.Add(1)
	default:
		p.changed(e, r)
	}
}

// changed counts changes of state.
func (p *policy) changed(e *core.Event, r int) {
	switch e.Kind {
	case core.BreakerChanged:
		p.transitions.add(pair(breakerStates, e.From, e.To), r)
		if e.Key == "" {
			p.breaker.changed(e)
		}
	case core.FailoverChanged:
		p.moves.add(pair(failoverStates, e.From, e.To), r)
		p.failover.changed(e)
	case core.FallbackAnswered, core.FallbackRefused:
		p.fallback.add(fallbackCell(e))
	case core.FaultInjected:
		p.faults[index(faultKinds, e.Detail)].Add(1)
	case core.FaultChanged:
		p.faultChanges[index(onOff, e.To)].Add(1)
	case core.EndpointChanged:
		p.endpoint(e)
	case core.PanicChanged:
		p.panics[index(onOff, e.To)].Add(1)
	case core.EndpointsFound:
		p.resolved.Add(1)
	case core.ResolveFailed:
		p.unresolved.Add(1)
	case core.CertificatesRead:
		if e.Detail == "" {
			p.renewed.Add(1)
		} else {
			p.unusable.Add(1)
		}
	}
}

func pair(words []string, from, to string) int {
	return index(words, from)*len(words) + index(words, to)
}

func fallbackCell(e *core.Event) (kind, outcome int) {
	answered, exercised := e.Kind == core.FallbackAnswered, e.Reason == core.Exercise
	switch {
	case answered && exercised:
		outcome = 3
	case exercised:
		outcome = 4
	case e.Reason == core.FallbackFull:
		outcome = 2
	case !answered:
		outcome = 1
	}
	if e.Detail == "" {
		return index(fallbackKinds, "none"), outcome
	}
	return index(fallbackKinds, e.Detail), outcome
}

// endpoint counts a change of one endpoint.
func (p *policy) endpoint(e *core.Event) {
	from, to := marks(e.From), marks(e.To)
	if !e.Observed {
		p.endpointChanges[to.worst()].Add(1)
	}
	if to.ejected && !from.ejected {
		enforced := 1
		if e.Observed {
			enforced = 0
		}
		p.ejections.add(index(outlierRules, e.Detail), enforced)
	}
}
