package seakeepgrpc

import (
	"context"
	"errors"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/grpcstatus"
)

// result says what an attempt that ended with err means to the policies. A
// cancellation by the caller, or by another attempt that was first, is told
// apart from one by the other side.
func (x *exchange) result(ctx context.Context, s *sending, err error) core.Result {
	switch {
	case err == nil:
		return core.Result{Outcome: core.Success}
	case ctx.Err() == context.Canceled || x.ctx.Err() == context.Canceled:
		return core.Result{Outcome: core.Cancelled}
	}
	var refused *seakeep.Rejection
	var hurt *seakeep.FaultError
	if errors.As(err, &refused) || errors.As(err, &hurt) || seakeep.Marked(err) {
		return x.adapter.Classify(err)
	}
	return x.adapter.Classify(seakeep.Mark(err, s.meaning(err)))
}

// meaning is the result by gRPC's own account of the attempt.
func (s *sending) meaning(err error) core.Result {
	code := status.Code(err)
	r := grpcstatus.Code(code).Result(s.trailer[grpcstatus.PushbackField])
	text := status.Convert(err).Message()
	switch {
	case s.unsent() && code == codes.Canceled: // the connection was closed on this side
		return r
	case s.unsent() && r.Outcome.Failed():
		r.Cause = core.Unsent
	case code == codes.Canceled: // the caller is still there, so somebody below gave up
		return core.Result{Outcome: core.Failure, Cause: core.Unknown}
	case code == codes.Unavailable && unprocessed(text):
		r.Cause = core.Unsent
	case code == codes.ResourceExhausted && strings.Contains(text, "message larger than max"):
		// A limit on messages, and no lack of anything over there.
		if len(s.header) > 0 { // of ours, on the answer
			return core.Result{Outcome: core.Failure, Cause: core.BadAnswer}
		}
		return core.Result{Outcome: core.Ignored, Cause: core.ClientError}
	}
	return r
}

// unprocessed reports whether the server has said that it has not begun with the
// stream. gRPC has no error value for it.
func unprocessed(text string) bool {
	return strings.HasSuffix(text, "error code: REFUSED_STREAM") ||
		text == "the stream is rejected because server is draining the connection" ||
		text == "the connection is draining"
}
