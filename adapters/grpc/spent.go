package seakeepgrpc

import (
	"context"
	"errors"
	"sync/atomic"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core/retry"
	"github.com/seakeep/seakeep/internal/grpcstatus"
)

// spent is where the calls that a handler makes leave word that repeating them
// is done with: they were repeated here, or refused on purpose. Layers that all
// retry multiply, so that the handler's own error should not be repeated either.
type spent struct {
	code atomic.Uint32 // of the latest such failure; 0: there is none
}

type spentKey struct{}

func withSpent(ctx context.Context) (context.Context, *spent) {
	s := new(spent)
	return context.WithValue(ctx, spentKey{}, s), s
}

// leaveWord tells the handler that makes a call in ctx of a failure that nobody
// above should repeat.
func leaveWord(ctx context.Context, err error, end *seakeep.Ending) {
	s, ok := ctx.Value(spentKey{}).(*spent)
	if ok && err != nil && (retry.Config{}).MarkNoRetry(end.Reason, end.Attempts) {
		s.code.Store(uint32(status.Code(err)))
	}
}

// pushback is the trailer for a handler's error: do not repeat, if it seems to be
// that of a call of which word was left, or is a refusal itself; nil: nothing
// is said.
func (s *spent) pushback(err error) metadata.MD {
	if err == nil {
		return nil
	}
	code := status.Code(withStatus(err))
	var refused *seakeep.Rejection
	own := errors.As(err, &refused) && (retry.Config{}).MarkNoRetry(refused.Reason, 1)
	if !own && (code == codes.OK || uint32(code) != s.code.Load()) {
		return nil
	}
	return metadata.Pairs(grpcstatus.PushbackField, grpcstatus.Pushback(0, true))
}
