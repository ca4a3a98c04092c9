package seakeepgrpc

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/fault"
	"github.com/seakeep/seakeep/internal/grpcstatus"
	"github.com/seakeep/seakeep/internal/incoming"
)

// Server protects a gRPC service by the serve section of its policy file:
// handlers see as many calls as they can serve, the most important first, and
// the rest get a status at once. A handler's context carries the call's
// deadline and importance, and seakeep.Allows tells it what to leave out under
// pressure. Health checks pass untouched.
type Server struct {
	set      *seakeep.Set
	refusals refusals
}

// NewServer returns the interceptors for a set whose policy file has a serve
// section. A reload that takes the section out lets everything in.
func NewServer(set *seakeep.Set) (*Server, error) {
	if set.Door() == nil {
		return nil, errors.New("seakeepgrpc: the policy file has no serve section")
	}
	return &Server{set: set}, nil
}

// ServerOptions installs both interceptors, outside of those that follow in the
// list of options.
func (s *Server) ServerOptions() []grpc.ServerOption {
	return []grpc.ServerOption{grpc.ChainUnaryInterceptor(s.Unary()),
		grpc.ChainStreamInterceptor(s.Stream())}
}

// Unary returns the interceptor for calls with one request and one answer.
func (s *Server) Unary() grpc.UnaryServerInterceptor {
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo,
		handler grpc.UnaryHandler) (resp any, err error) {
		in, err := s.enter(ctx, info.FullMethod)
		if err != nil {
			return nil, refuse(err, func(md metadata.MD) { _ = grpc.SetTrailer(ctx, md) })
		}
		if in.visit == nil {
			return handler(ctx, req)
		}
		defer func() {
			in.end(err)
			_ = grpc.SetTrailer(ctx, in.spent.pushback(err))
		}()
		err = errPanicked // and it stays that, if the handler does
		var got any
		err = injuredAtDoor(in, func(ctx context.Context) (failed error) {
			got, failed = handler(ctx, req)
			return failed
		})
		return got, err
	}
}

// Stream returns the interceptor for streams. A stream keeps its slot until its
// handler returns; once the answer has begun neither the file's deadline nor the
// time it takes counts.
func (s *Server) Stream() grpc.StreamServerInterceptor {
	return func(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo,
		handler grpc.StreamHandler) (err error) {
		in, err := s.enter(ss.Context(), info.FullMethod)
		if err != nil {
			return refuse(err, ss.SetTrailer)
		}
		if in.visit == nil {
			return handler(srv, ss)
		}
		if info.IsClientStream {
			in.visit.Paced()
		}
		defer func() {
			in.end(err)
			ss.SetTrailer(in.spent.pushback(err))
		}()
		err = errPanicked
		err = injuredAtDoor(in, func(ctx context.Context) error {
			return handler(srv, &visited{ss, ctx, in.visit})
		})
		return err
	}
}

var errPanicked = errors.New("seakeepgrpc: the handler panicked")

// visited is a stream that was let in.
type visited struct {
	grpc.ServerStream
	ctx   context.Context
	visit *seakeep.Visit
}

// Context implements grpc.ServerStream.
func (v *visited) Context() context.Context { return v.ctx }

// SendHeader implements grpc.ServerStream.
func (v *visited) SendHeader(md metadata.MD) error {
	v.visit.Answered()
	return v.ServerStream.SendHeader(md)
}

// SendMsg implements grpc.ServerStream.
func (v *visited) SendMsg(m any) error {
	v.visit.Answered()
	return v.ServerStream.SendMsg(m)
}

// passage is a call that was let in.
type passage struct {
	server *Server
	ctx    context.Context
	visit  *seakeep.Visit // nil: it is none of the door's business
	method string
	remote string
	md     metadata.MD
	spent  *spent
}

// enter decides about a call, and waits for its turn if it must. The error is a
// *turnedAway, or says that the caller has left.
func (s *Server) enter(ctx context.Context, method string) (passage, error) {
	door, cfg := s.set.Door(), s.set.File().Serve
	if door == nil || cfg == nil || incoming.Exempt(cfg.Health, method) {
		return passage{}, nil
	}
	md, _ := metadata.FromIncomingContext(ctx)
	in := passage{server: s, method: method, md: md}
	if p, ok := peer.FromContext(ctx); ok && p.Addr != nil {
		in.remote = p.Addr.String()
	}
	a := in.arrival(cfg)
	v, err := door.Enter(ctx, a)
	if refused, ok := err.(*seakeep.Rejection); ok {
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
// context already.
func (in *passage) arrival(cfg *config.Serve) seakeep.Arrival {
	r := incoming.Request{Remote: in.remote, Fields: in.md.Get}
	a := seakeep.Arrival{Class: r.Class(&cfg.Criticality), Retry: r.Retried(),
		Tenant: r.Tenant(cfg), Cohort: r.Cohort(cfg)}
	if left, ok := r.Left(); ok {
		a.Deadline = seakeep.Now().Add(left)
	}
	return a
}

// end closes the accounts of a call that was let in, once its handler has
// returned.
func (in *passage) end(err error) { in.visit.End(in.result(err)) }

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
func injuredAtDoor(in passage, serve func(context.Context) error) error {
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
