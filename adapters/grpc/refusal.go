package seakeepgrpc

import (
	"math/rand/v2"
	"sync/atomic"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/internal/grpcstatus"
)

// spread is over how long those who were refused are spread when they come back.
const spread = 5 * time.Second

// refusals are the last answers for each reason. The door gives the same
// Rejection as long as it would say the same, and refusing must be cheap.
type refusals [64]atomic.Pointer[turnedAway]

// turnedAway is the error for a call that was not let in. It is shared by all
// that are refused alike.
type turnedAway struct {
	*seakeep.Rejection
	st      *status.Status
	noRetry bool
}

func (all *refusals) of(why *seakeep.Rejection) *turnedAway {
	if int(why.Reason) >= len(all) {
		return newTurnedAway(why)
	}
	slot := &all[why.Reason]
	t := slot.Load()
	if t == nil || t.Rejection != why {
		t = newTurnedAway(why)
		slot.Store(t)
	}
	return t
}

func newTurnedAway(why *seakeep.Rejection) *turnedAway {
	t := &turnedAway{Rejection: why}
	code, noRetry := grpcstatus.OfReason(why.Reason)
	t.noRetry = noRetry
	t.st = status.New(codes.Code(code), why.Error())
	if why.RetryAfter > 0 && code != grpcstatus.DeadlineExceeded {
		more, err := t.st.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(why.RetryAfter)})
		if err == nil {
			t.st = more
		}
	}
	return t
}

// Unwrap returns the Rejection.
func (t *turnedAway) Unwrap() error { return t.Rejection }

// GRPCStatus is what the caller is told.
func (t *turnedAway) GRPCStatus() *status.Status { return t.st }

// refuse tells when to come back, each caller another time, and returns the
// error to end the call with.
func refuse(err error, trailer func(metadata.MD)) error {
	t, ok := err.(*turnedAway)
	if !ok { // the caller has left
		return withStatus(err)
	}
	after := t.RetryAfter + time.Second
	after += rand.N(spread - time.Second)
	trailer(metadata.Pairs(grpcstatus.PushbackField, grpcstatus.Pushback(after, t.noRetry)))
	return err
}
