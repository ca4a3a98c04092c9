package seakeephttp

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/deadline"
	"github.com/seakeep/seakeep/internal/incoming"
)

// DegradedHeader tells a program behind the proxy which features are off: their
// names, separated by commas. It is not there while everything is on.
const DegradedHeader = "X-Seakeep-Degraded"

// Gate is a Door for HTTP: it reads from a request who asks, how important it
// is and by when, and turns a refusal into an answer. Handler is all that a
// server needs; a Gate is for servers of another kind.
type Gate struct {
	set      *seakeep.Set
	refusals lastRefusals
	tied     tying
}

// NewGate returns the gate of a set whose policy file has a serve section. A
// reload that takes the section out opens the gate wide.
func NewGate(set *seakeep.Set) (*Gate, error) {
	if set.Door() == nil {
		return nil, errors.New("seakeephttp: the policy file has no serve section")
	}
	g := &Gate{set: set}
	g.tied.sender, g.tied.slots = g.newSender(), make(chan struct{}, maxTelling)
	return g, nil
}

// Passage is a request that was let in.
type Passage struct {
	// Request is the request with the context that it is to be served with.
	Request *http.Request
	visit   *seakeep.Visit // nil: it is none of the door's business
	arrival seakeep.Arrival
	promise *promise     // nil: no objective is about it
	body    *timedBody   // nil: nothing ends it
	tied    *waiter      // nil: it is not
	outcome core.Outcome // known at the end
}

// tell adds to a context what the calls that are made with it should know.
func (p *Passage) tell(ctx context.Context) context.Context {
	if p.arrival.Retry { // whoever calls on must not multiply it
		ctx = seakeep.With(ctx, seakeep.Call{RetriedAbove: true})
	}
	return ctx
}

// Open returns the request's context without its deadline, for a server whose
// answers may stream on once they have begun in time, and how much time there
// is for that; false if it may take any.
func (p *Passage) Open() (ctx context.Context, left time.Duration, limited bool) {
	if p.visit == nil {
		return p.Request.Context(), 0, false
	}
	left, limited = p.visit.Left()
	return p.tell(p.visit.Open()), left, limited
}

// Enter decides about a request, and waits for its turn if it must. Either the
// Passage is to be ended, or the Refusal to be written, or both are nil: the
// caller has left.
func (g *Gate) Enter(r *http.Request) (*Passage, *Refusal) {
	if r.Header == nil { // a server of another kind made it
		r.Header = http.Header{}
	}
	if r.Header[DegradedHeader] != nil { // ours to say
		delete(r.Header, DegradedHeader)
	}
	door, cfg := g.set.Door(), g.set.File().Serve
	if door == nil || cfg == nil || incoming.Exempt(cfg.Health, r.URL.Path) {
		return &Passage{Request: r}, nil
	}
	a, seen := arrival(cfg, r), g.promised(r)
	ctx, tied, wanted := g.tie(cfg, r)
	if !wanted {
		return nil, g.twin(cfg, r)
	}
	if tied != nil {
		defer g.tied.forget(tied) // if an observer panics
	}
	v, err := door.Enter(ctx, a)
	if !g.turn(tied, v) {
		return nil, g.twin(cfg, r)
	}
	if refused, ok := err.(*seakeep.Rejection); ok {
		seen.end(a.Class, incoming.Refused(refused.Reason))
		return nil, g.refusals.of(cfg, r, refused)
	}
	if err != nil {
		return nil, nil
	}
	in := &Passage{visit: v, arrival: a, tied: tied, promise: seen}
	in.Request = r.WithContext(in.tell(v.Context()))
	correct(r.Header, cfg, v)
	if gone := door.Dropped(); len(gone) > 0 {
		r.Header[DegradedHeader] = []string{strings.Join(gone, ", ")}
	}
	return in, nil
}

// correct makes a request say of itself what the door has made of it, for
// whoever takes its word next and trusts us: what it may not claim, and a
// deadline that is none or that only would have been one.
func correct(h http.Header, cfg *config.Serve, v *seakeep.Visit) {
	name := http.CanonicalHeaderKey(cfg.Criticality.Header)
	class := seakeep.CriticalityOf(v.Context()).String()
	if said := h[name]; said != nil && (len(said) != 1 || said[0] != class) {
		h[name] = []string{class}
	}
	if _, limited := v.Left(); !limited {
		for _, name := range [...]string{deadline.Header, deadline.EnvoyHeader, deadline.GRPCHeader} {
			delete(h, name)
		}
	}
}

// arrival reads what a request says of itself.
func arrival(cfg *config.Serve, r *http.Request) seakeep.Arrival {
	in := incoming.Request{Remote: r.RemoteAddr, Fields: func(name string) []string {
		return r.Header[http.CanonicalHeaderKey(name)]
	}}
	a := seakeep.Arrival{Class: in.Class(&cfg.Criticality), Retry: in.Retried(),
		Tenant: in.Tenant(cfg), Cohort: in.Cohort(cfg)}
	if left, ok := in.Left(); ok {
		a.Deadline = seakeep.Now().Add(left)
	}
	return a
}

// Answered says that the answer has begun and goes on at the client's pace, so
// that the time it takes from here on is not taken for the service's.
func (p *Passage) Answered() {
	if p.visit != nil {
		p.visit.Answered()
		p.body.lift()
		p.promise.answered()
	}
}

// Paced says that the request's body comes at its client's pace, so that the
// time it takes is not taken for the service's.
func (p *Passage) Paced() {
	if p.visit != nil {
		p.visit.Paced()
	}
}

// End closes the accounts of a request that was let in, once nothing works for
// it any more. The status is that of the answer, or 0 if there was none.
func (p *Passage) End(status int) {
	if p.visit != nil {
		result := p.result(status)
		p.outcome = result.Outcome
		p.visit.End(result)
		p.promise.end(p.arrival.Class, result.Outcome)
	}
	if p.tied != nil {
		p.tied.cancel()
	}
}

// Ended tells of a request what metrics have of it, once End was called: how
// important it was, how it ended, and how long it took. ok is false if it was none
// of the door's business.
func (p *Passage) Ended() (c core.Criticality, o core.Outcome, took time.Duration, ok bool) {
	if p.visit == nil || p.outcome == 0 {
		return 0, 0, 0, false
	}
	return p.visit.Class(), p.outcome, p.visit.Took(), true
}

// result says what the end of a request means to the door.
func (p *Passage) result(status int) core.Result {
	late := p.visit.Late()
	switch {
	case p.Request.Context().Err() != nil && !late:
		return core.Result{Outcome: core.Cancelled}
	case status == 0 || late && status >= 500, status == http.StatusGatewayTimeout:
		return core.Result{Outcome: core.Timeout, Cause: core.TimedOut}
	}
	return classifyStatus(status)
}

// Late reports whether the time for the answer is up.
func (p *Passage) Late() bool { return p.visit != nil && p.visit.Late() }
