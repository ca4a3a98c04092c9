package seakeepgrpc

import (
	"context"
	"errors"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core/fault"
	"github.com/seakeep/seakeep/internal/grpcstatus"
)

// Refusal is the error of a call that a policy refused: a *seakeep.Rejection,
// with a status for those who know only gRPC.
type Refusal struct{ *seakeep.Rejection }

// Unwrap returns the Rejection.
func (r *Refusal) Unwrap() error { return r.Rejection }

// GRPCStatus returns the refusal as a status: that of the last attempt if one
// was made; DEADLINE_EXCEEDED for want of time; RESOURCE_EXHAUSTED for a tenant
// with too much; UNAVAILABLE otherwise, with a RetryInfo that says when to come
// back if that is known.
func (r *Refusal) GRPCStatus() *status.Status {
	if r.Last != nil {
		if st, ok := status.FromError(r.Last); ok && st.Code() != codes.OK {
			p := st.Proto()
			p.Message = r.Error()
			return status.FromProto(p)
		}
	}
	code, no := grpcstatus.OfReason(r.Reason)
	st := status.New(codes.Code(code), r.Error())
	if r.RetryAfter <= 0 || no {
		return st
	}
	more, err := st.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(r.RetryAfter)})
	if err != nil {
		return st
	}
	return more
}

// stated is an error that has no status of its own, with one.
type stated struct {
	error
	code codes.Code
}

// Unwrap returns the error.
func (s *stated) Unwrap() error { return s.error }

// GRPCStatus is what gRPC takes the error for.
func (s *stated) GRPCStatus() *status.Status { return status.New(s.code, s.Error()) }

// withStatus returns the error of a call as one that has a status.
func withStatus(err error) error {
	if refused, ok := err.(*seakeep.Rejection); ok {
		return &Refusal{refused}
	}
	if _, ok := status.FromError(err); ok {
		return err
	}
	var hurt *seakeep.FaultError
	switch {
	case errors.As(err, &hurt):
		return &stated{err, codeOf(hurt.Hurt)}
	case errors.Is(err, context.DeadlineExceeded):
		return &stated{err, codes.DeadlineExceeded}
	case errors.Is(err, context.Canceled):
		return &stated{err, codes.Canceled}
	}
	return &stated{err, codes.Unknown}
}

// codeOf is the code that gRPC has for a fault of this kind.
func codeOf(h fault.Hurt) codes.Code {
	switch {
	case h.GRPC > 0:
		return codes.Code(h.GRPC)
	case h.Status > 0:
		return codes.Code(grpcstatus.OfHTTP(h.Status))
	}
	return codes.Unavailable
}
