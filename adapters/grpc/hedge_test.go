package seakeepgrpc

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

const (
	hedging = "    hedge: {after: 30ms, same: true, budget: 100%, slow: 100%}\n    bulkhead: {limit: 8}\n"
	patient = 5 * time.Second // much longer than any copy takes to be first
)

// stuck hangs in the first calls until they are called off.
func stuck(first int) func(context.Context, int) error {
	return func(ctx context.Context, n int) error {
		if n >= first {
			return nil
		}
		<-ctx.Done()
		return ctx.Err()
	}
}

func TestACopyIsSentAndTheLoserCalledOff(t *testing.T) {
	b := &backend{unary: stuck(1)}
	client, c := pair(t, b, hedging)
	var header, trailer metadata.MD
	var from peer.Peer
	ended := 0
	began := time.Now()
	answer, err := client.UnaryCall(context.Background(), &testpb.SimpleRequest{}, Idempotent(), grpc.Header(&header),
		grpc.Trailer(&trailer), grpc.Peer(&from), grpc.OnFinish(func(error) { ended++ }))
	if err != nil || answer.Username != "answer 1" || time.Since(began) > patient {
		t.Fatalf("%v, %v after %v", answer, err, time.Since(began))
	}
	if len(header) == 0 || from.Addr == nil || ended != 1 {
		t.Errorf("the caller is told header %v, peer %v and %d ends", header, from.Addr, ended)
	}
	seen := b.seen()
	if len(seen) != 2 {
		t.Fatalf("the server has seen %d calls", len(seen))
	}
	within(t, "the loser is called off", func() bool { return seen[0].finished.Err() == context.Canceled })
	if md := seen[1].md; len(md["x-seakeep-hedge"]) != 1 || md["grpc-previous-rpc-attempts"][0] != "1" {
		t.Errorf("the copy comes with %v", md)
	}
	if seen[0].md["x-seakeep-hedge"] != nil {
		t.Error("the first attempt is marked as a copy")
	}
	settled(t, c.whole)
}

func TestNoCopyOfWhatMayNotRunTwice(t *testing.T) {
	b := &backend{unary: func(context.Context, int) error { time.Sleep(100 * time.Millisecond); return nil }}
	client, _ := pair(t, b, hedging)
	if _, err := client.UnaryCall(context.Background(), &testpb.SimpleRequest{}); err != nil || len(b.seen()) != 1 {
		t.Errorf("%v after %d calls", err, len(b.seen()))
	}
}

func TestACodeThatIsAnAnswerEndsTheRace(t *testing.T) {
	b := &backend{unary: func(ctx context.Context, n int) error {
		if n == 1 {
			return status.Error(codes.NotFound, "no")
		}
		<-ctx.Done()
		return ctx.Err()
	}}
	client, _ := pair(t, b, hedging)
	_, err := client.UnaryCall(context.Background(), &testpb.SimpleRequest{}, Idempotent())
	if status.Code(err) != codes.NotFound {
		t.Errorf("the error is %v", err)
	}
}

func TestAFailureIsOutlasted(t *testing.T) {
	b := &backend{}
	b.unary = func(ctx context.Context, n int) error {
		if n == 1 {
			return unavailable
		}
		for len(b.seen()) < 2 {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(20 * time.Millisecond)
		return nil
	}
	client, _ := pair(t, b, hedging)
	answer, err := client.UnaryCall(context.Background(), &testpb.SimpleRequest{}, Idempotent())
	if err != nil || answer.Username != "answer 0" || len(b.seen()) != 2 {
		t.Errorf("%v, %v after %d calls", answer, err, len(b.seen()))
	}
}

func TestPushbackStopsCopies(t *testing.T) {
	b := &backend{}
	b.unary = func(ctx context.Context, n int) error {
		if n == 1 {
			_ = grpc.SetTrailer(ctx, metadata.Pairs("grpc-retry-pushback-ms", "-1"))
			return unavailable
		}
		time.Sleep(300 * time.Millisecond)
		return nil
	}
	client, _ := pair(t, b, "    hedge: {after: 30ms, copies: 4, same: true, budget: 100%, slow: 100%}\n")
	_, err := client.UnaryCall(context.Background(), &testpb.SimpleRequest{}, Idempotent())
	if err != nil || len(b.seen()) != 2 {
		t.Errorf("%v after %d calls", err, len(b.seen()))
	}
}

func TestACopyOfAStream(t *testing.T) {
	b := &backend{output: func(n int, ss testpb.TestService_StreamingOutputCallServer) error {
		if n == 0 {
			<-ss.Context().Done()
			return ss.Context().Err()
		}
		for range 3 {
			if err := ss.Send(&testpb.StreamingOutputCallResponse{}); err != nil {
				return err
			}
		}
		return nil
	}}
	client, c := pair(t, b, hedging)
	ss, err := client.StreamingOutputCall(context.Background(), &testpb.StreamingOutputCallRequest{}, Idempotent())
	if err != nil {
		t.Fatal(err)
	}
	if n, err := drain(ss.Recv); n != 3 || err != nil {
		t.Errorf("%d messages, %v", n, err)
	}
	seen := b.seen()
	if len(seen) != 2 {
		t.Fatalf("the server has seen %d streams", len(seen))
	}
	within(t, "the loser is called off", func() bool { return seen[0].finished.Err() == context.Canceled })
	settled(t, c.whole)
}

// A copy that is just beginning when the call ends touches nothing that is the
// caller's again. The race detector looks on.
func TestACallEndsAsItsCopyBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		call := clientOf(t, "    hedge: {after: 1ms, same: true, budget: 100%, slow: 100%}\n").Unary()
		for n := range int64(200) {
			req, reply := wrapperspb.Int64(n), new(wrapperspb.Int64Value)
			err := call(context.Background(), "/s/m", req, reply, nil, func(ctx context.Context, _ string,
				req, reply any, _ *grpc.ClientConn, _ ...grpc.CallOption) error {
				time.Sleep(time.Millisecond)
				reply.(*wrapperspb.Int64Value).Value = req.(*wrapperspb.Int64Value).Value
				return nil
			}, Idempotent())
			if err != nil || reply.Value != n {
				t.Fatalf("%v, %v", reply, err)
			}
			req.Value, reply.Value = -1, -1 // the caller uses both again
		}
		time.Sleep(time.Second) // for the last copy to end
	})
}
