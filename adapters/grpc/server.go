package seakeepgrpc

import (
	"context"
	"errors"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/seakeep/seakeep"
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
			return handler(srv, &visited{ss, ctx, in})
		})
		return err
	}
}

var errPanicked = errors.New("seakeepgrpc: the handler panicked")

// visited is a stream that was let in.
type visited struct {
	grpc.ServerStream
	ctx context.Context
	in  *passage
}

// answered says that the answer has begun.
func (v *visited) answered() {
	v.in.visit.Answered()
	v.in.answered()
}

// Context implements grpc.ServerStream.
func (v *visited) Context() context.Context { return v.ctx }

// SendHeader implements grpc.ServerStream.
func (v *visited) SendHeader(md metadata.MD) error {
	v.answered()
	return v.ServerStream.SendHeader(md)
}

// SendMsg implements grpc.ServerStream.
func (v *visited) SendMsg(m any) error {
	v.answered()
	return v.ServerStream.SendMsg(m)
}
