package seakeepgrpc

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"

	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/deadline"
	"github.com/seakeep/seakeep/core/fault"
	"github.com/seakeep/seakeep/internal/grpcstatus"
	"github.com/seakeep/seakeep/internal/incoming"
)

// passage is a call that was let in.
type passage struct {
	server *Server
	ctx    context.Context
	visit  *seakeep.Visit // nil: it is none of the door's business
	method string
	remote string
	md     metadata.MD
	spent  *spent
	promise
}

// promise is what the objectives of the file want to know of a call.
type promise struct {
	to    *seakeep.Objectives // nil: there are none
	class core.Criticality
	began core.Instant
	begun atomic.Int64 // when the answer began; 0: it has not
}

func (p *promise) answered() {
	if p.to != nil {
		p.begun.CompareAndSwap(0, int64(seakeep.Now()))
	}
}

// kept counts the call.
func (p *promise) kept(method string, o core.Outcome) {
	if p.to == nil {
		return
	}
	p.answered()
	p.to.Report(seakeep.Measure{Path: method, Class: p.class, Outcome: o,
		Took: core.Instant(p.begun.Load()).Sub(p.began)})
}

// enter decides about a call, and waits for its turn if it must. The error is a
// *turnedAway, or says that the caller has left.
func (s *Server) enter(ctx context.Context, method string) (*passage, error) {
	door, cfg := s.set.Door(), s.set.File().Serve
	if door == nil || cfg == nil || incoming.Exempt(cfg.Health, method) {
		return &passage{}, nil
	}
	md, _ := metadata.FromIncomingContext(ctx)
	in := &passage{server: s, method: method, md: md}
	if in.to = s.set.Objectives(); in.to != nil {
		in.began = seakeep.Now()
	}
	if p, ok := peer.FromContext(ctx); ok && p.Addr != nil {
		in.remote = p.Addr.String()
	}
	a := in.arrival(ctx, cfg)
	in.class = a.Class
	v, err := door.Enter(ctx, a)
	if refused, ok := err.(*seakeep.Rejection); ok {
		in.kept(method, incoming.Refused(refused.Reason))
		return in, s.refusals.of(refused)
	}
	if err != nil {
		return in, err
	}
	in.visit = v
	in.ctx, in.spent = withSpent(v.Context())
	if a.Retry { // whoever calls on must not multiply it
		in.ctx = seakeep.With(in.ctx, seakeep.Call{RetriedAbove: true})
	}
	return in, nil
}

// arrival reads what a call says of itself. gRPC has put grpc-timeout into its
// context already, as it was when the call was sent.
func (in *passage) arrival(ctx context.Context, cfg *config.Serve) seakeep.Arrival {
	r := incoming.Request{Remote: in.remote, Fields: in.md.Get}
	a := seakeep.Arrival{Class: r.Class(&cfg.Criticality), Retry: r.Retried(),
		Tenant: r.Tenant(cfg), Cohort: r.Cohort(cfg)}
	if left, ok := r.Left(); ok {
		a.Deadline = seakeep.Now().Add(left)
	}
	if left, ok := seakeep.TimeLeft(ctx); ok {
		until := seakeep.Now().Add(left - deadline.Margin(left))
		if a.Deadline == 0 || until < a.Deadline {
			a.Deadline = until
		}
	}
	return a
}

// end closes the accounts of a call that was let in, once its handler has
// returned.
func (in *passage) end(err error) {
	r := in.result(err)
	in.visit.End(r)
	in.kept(in.method, r.Outcome)
}

// result says what the end of a call means to the door.
func (in *passage) result(err error) core.Result {
	if err == nil {
		return core.Result{Outcome: core.Success}
	}
	late := in.visit.Late()
	if in.ctx.Err() == context.Canceled && !late {
		return core.Result{Outcome: core.Cancelled}
	}
	r := grpcstatus.Code(status.Code(withStatus(err))).Result(nil)
	if late && r.Outcome != core.Ignored {
		r = core.Result{Outcome: core.Timeout, Cause: core.TimedOut}
	}
	return r
}

// injuredAtDoor serves a call that was let in, unless a fault does something to
// it first.
func injuredAtDoor(in *passage, serve func(context.Context) error) error {
	f := in.server.set.Faults("")
	if f.Idle() {
		return serve(in.ctx)
	}
	marks := ""
	if addr, err := incoming.Addr(in.remote); err == nil && f.Settings() != nil &&
		f.Settings().Trusts(addr) {
		marks = strings.Join(in.md[faultField], ",")
	}
	h := f.Begin(fault.Target{Method: http.MethodPost, Path: in.method, Marks: marks})
	if err := before(in.ctx, h); err != nil {
		return err
	}
	return serve(in.ctx)
}
