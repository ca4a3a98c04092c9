package seakeephttp

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/deadline"
	"github.com/seakeep/seakeep/core/retry"
	"github.com/seakeep/seakeep/core/shed"
)

// DegradedHeader tells a program behind the proxy which features are off: their
// names, separated by commas. It is not there while everything is on.
const DegradedHeader = "X-Seakeep-Degraded"

// grpcAttemptsHeader counts the attempts before this one.
const grpcAttemptsHeader = "Grpc-Previous-Rpc-Attempts"

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
	body    *timedBody // nil: nothing ends it
	tied    *waiter    // nil: it is not
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
	if door == nil || cfg == nil || exempt(cfg.Health, r.URL.Path) {
		return &Passage{Request: r}, nil
	}
	a := arrival(cfg, r)
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
		return nil, g.refusals.of(cfg, r, refused)
	}
	if err != nil {
		return nil, nil
	}
	in := &Passage{visit: v, arrival: a, tied: tied}
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

// exempt reports whether a path is one of those that are never refused. A
// health check that is shed takes a healthy instance out, and its load to the
// others.
func exempt(health []string, path string) bool {
	for _, h := range health {
		prefix, all := strings.CutSuffix(h, "*")
		if h == path || all && strings.HasPrefix(path, prefix) && plain(path) {
			return true
		}
	}
	return false
}

// plain reports whether a path leads where it seems to: /health/../orders is
// no health check to a server that tidies up.
func plain(path string) bool {
	return !strings.Contains(path, "/.") && !strings.Contains(path, "//") &&
		!strings.Contains(path, `\`)
}

// arrival reads what a request says of itself. What is malformed is as good as
// absent.
func arrival(cfg *config.Serve, r *http.Request) seakeep.Arrival {
	h := r.Header
	a := seakeep.Arrival{Class: class(&cfg.Criticality, r), Retry: retried(h)}
	if h[deadline.Header] != nil || h[deadline.EnvoyHeader] != nil || h[deadline.GRPCHeader] != nil {
		if left, ok, _ := deadline.Read(h.Get); ok {
			a.Deadline = seakeep.Now().Add(left)
		}
	}
	if cfg.Tenant != "" {
		a.Tenant = h.Get(cfg.Tenant)
	}
	a.Cohort = cohort(cfg.User, h)
	return a
}

// class returns how important a request is. Only those whom the file trusts may
// say that theirs is more important than usual.
func class(c *config.Criticality, r *http.Request) core.Criticality {
	values := r.Header[http.CanonicalHeaderKey(c.Header)]
	if len(values) != 1 {
		return c.Default
	}
	claimed, ok := core.ParseCriticality(strings.TrimSpace(values[0]))
	if !ok {
		return c.Default
	}
	if claimed > c.Default && !trusted(c, r.RemoteAddr) {
		return c.Default
	}
	return claimed
}

func trusted(c *config.Criticality, remote string) bool {
	if len(c.Trust) == 0 {
		return false
	}
	addr, err := addrOf(remote)
	return err == nil && c.Trusts(addr)
}

// addrOf returns the address in a host and port, or in a host alone.
func addrOf(remote string) (netip.Addr, error) {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	return netip.ParseAddr(host)
}

// retried reports whether whoever sent the request is trying again.
func retried(h http.Header) bool {
	for _, name := range [...]string{retry.AttemptHeader, retry.EnvoyAttemptHeader} {
		if n, ok := retry.ParseAttempt(h.Get(name)); ok && n > 1 {
			return true
		}
	}
	n, err := strconv.Atoi(h.Get(grpcAttemptsHeader))
	return err == nil && n > 0
}

// cohort returns the part of a class that a request belongs to: its user's, so
// that one user sees all or nothing, or any if it names none. The hour deals
// the users anew, so that nobody is last for ever.
func cohort(header string, h http.Header) uint8 {
	if header != "" {
		if user := h.Get(header); user != "" {
			return shed.CohortOf(user, uint64(time.Now().Unix()/3600))
		}
	}
	return uint8(rand.Uint32N(shed.Cohorts))
}

// Answered says that the answer has begun and goes on at the client's pace, so
// that the time it takes from here on is not taken for the service's.
func (p *Passage) Answered() {
	if p.visit != nil {
		p.visit.Answered()
		p.body.lift()
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
		p.visit.End(p.result(status))
	}
	if p.tied != nil {
		p.tied.cancel()
	}
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
