package seakeepgrpc

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
)

// drain reads a stream to its end and counts its messages.
func drain[T any](recv func() (T, error)) (n int, err error) {
	for {
		if _, err = recv(); err != nil {
			break
		}
		n++
	}
	if err == io.EOF {
		err = nil
	}
	return n, err
}

const tight = "    bulkhead: {limit: 1}\n    timeout: {request: 300ms}\n" + retrying

func TestAStreamOfAnswers(t *testing.T) {
	b := &backend{}
	client, c := pair(t, b, tight)
	var trailer metadata.MD
	ended := make(chan error, 2)
	ss, err := client.StreamingOutputCall(context.Background(), &testpb.StreamingOutputCallRequest{},
		grpc.Trailer(&trailer), grpc.OnFinish(func(err error) { ended <- err }))
	if err != nil {
		t.Fatal(err)
	}
	if md, err := ss.Header(); err != nil || md["content-type"] == nil {
		t.Errorf("header %v, %v", md, err)
	}
	if in := c.whole.Snapshot().Bulkhead.InUse; in != 1 {
		t.Errorf("%d slots are held while the stream is open", in)
	}
	if n, err := drain(ss.Recv); n != 3 || err != nil {
		t.Errorf("%d messages, %v", n, err)
	}
	if _, err := ss.Recv(); err != io.EOF {
		t.Errorf("after the end: %v", err)
	}
	settled(t, c.whole)
	if err := <-ended; err != nil || len(ended) != 0 {
		t.Errorf("the end is told as %v", err)
	}
}

func TestAStreamThatIsEmptyIsNoFailure(t *testing.T) {
	b := &backend{output: func(int, testpb.TestService_StreamingOutputCallServer) error { return nil }}
	client, c := pair(t, b, tight)
	ss, err := client.StreamingOutputCall(context.Background(), &testpb.StreamingOutputCallRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := drain(ss.Recv); n != 0 || err != nil {
		t.Errorf("%d messages, %v", n, err)
	}
	settled(t, c.whole)
	if len(b.seen()) != 1 {
		t.Errorf("it was opened %d times", len(b.seen()))
	}
}

func TestAStreamIsRepeatedBeforeItsFirstMessage(t *testing.T) {
	b := &backend{output: func(n int, ss testpb.TestService_StreamingOutputCallServer) error {
		if n == 0 {
			return unavailable
		}
		_ = ss.Send(&testpb.StreamingOutputCallResponse{})
		return unavailable
	}}
	client, c := pair(t, b, tight)
	ss, err := client.StreamingOutputCall(context.Background(), &testpb.StreamingOutputCallRequest{}, Idempotent())
	if err != nil {
		t.Fatal(err)
	}
	n, err := drain(ss.Recv)
	if n != 1 || status.Code(err) != codes.Unavailable || len(b.seen()) != 2 {
		t.Errorf("%d messages, %v, from %d streams", n, err, len(b.seen()))
	}
	settled(t, c.whole)
}

func TestAnUpload(t *testing.T) {
	b := &backend{input: func(ss testpb.TestService_StreamingInputCallServer) error {
		n, err := drain(ss.Recv)
		if err != nil {
			return err
		}
		return ss.SendAndClose(&testpb.StreamingInputCallResponse{AggregatedPayloadSize: int32(n)})
	}}
	client, c := pair(t, b, tight)
	ss, err := client.StreamingInputCall(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if err := ss.Send(&testpb.StreamingInputCallRequest{}); err != nil {
			t.Fatal(err)
		}
	}
	answer, err := ss.CloseAndRecv()
	if err != nil || answer.AggregatedPayloadSize != 5 {
		t.Errorf("%v, %v", answer, err)
	}
	settled(t, c.whole)
}

func echo(ss testpb.TestService_FullDuplexCallServer) error {
	for {
		if _, err := ss.Recv(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := ss.Send(&testpb.StreamingOutputCallResponse{}); err != nil {
			return err
		}
	}
}

func TestAConversation(t *testing.T) {
	b := &backend{duplex: echo}
	client, c := pair(t, b, tight)
	ss, err := client.FullDuplexCall(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := ss.Send(&testpb.StreamingOutputCallRequest{}); err != nil {
			t.Fatal(err)
		}
		if _, err := ss.Recv(); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			time.Sleep(400 * time.Millisecond) // the limit was until the first answer
		}
	}
	_, err = client.FullDuplexCall(context.Background())
	var refused *seakeep.Rejection
	if !errors.As(err, &refused) || refused.Reason != core.BulkheadFull || status.Code(err) != codes.Unavailable {
		t.Errorf("beside it: %v", err)
	}
	_ = ss.CloseSend()
	if n, err := drain(ss.Recv); n != 0 || err != nil {
		t.Errorf("then %d messages, %v", n, err)
	}
	settled(t, c.whole)
}

func TestAnAbandonedStreamGivesItsSlotBack(t *testing.T) {
	hang := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	b := &backend{duplex: func(ss testpb.TestService_FullDuplexCallServer) error { return hang(ss.Context()) },
		output: func(_ int, ss testpb.TestService_StreamingOutputCallServer) error { return hang(ss.Context()) }}
	client, c := pair(t, b, "    bulkhead: {limit: 1}\n    breaker: {window: 10s, calls: 1, failures: 1%, open: {for: 1m}}\n")
	for _, begin := range []func(context.Context) error{
		func(ctx context.Context) error { _, err := client.FullDuplexCall(ctx); return err },
		func(ctx context.Context) error {
			_, err := client.StreamingOutputCall(ctx, &testpb.StreamingOutputCallRequest{})
			return err
		},
	} {
		ctx, cancel := context.WithCancel(context.Background())
		if err := begin(ctx); err != nil {
			t.Fatal(err) // also if the one before counted as a failure
		}
		cancel()
		settled(t, c.whole)
	}
}

func TestAConnectionThatIsClosedGivesItsSlotsBack(t *testing.T) {
	b := &backend{duplex: func(ss testpb.TestService_FullDuplexCallServer) error {
		<-ss.Context().Done()
		return nil
	}}
	c := clientOf(t, "    bulkhead: {limit: 1}\n")
	conn := dial(t, c, serve(t, b))
	if _, err := testpb.NewTestServiceClient(conn).FullDuplexCall(context.Background()); err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	settled(t, c.whole)
}

// The breaker goes by the status at the end.
func TestHowAStreamEndsCounts(t *testing.T) {
	b := &backend{duplex: func(testpb.TestService_FullDuplexCallServer) error { return unavailable }}
	client, _ := pair(t, b, "    breaker: {window: 10s, calls: 2, failures: 50%, open: {for: 1m}}\n")
	for range 2 {
		ss, err := client.FullDuplexCall(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ss.Recv(); status.Code(err) != codes.Unavailable {
			t.Fatal(err)
		}
	}
	_, err := client.FullDuplexCall(context.Background())
	var refused *seakeep.Rejection
	if !errors.As(err, &refused) || refused.Reason != core.CircuitOpen {
		t.Errorf("the error is %v", err)
	}
}

func TestAStreamIsRefusedWhenItIsOpened(t *testing.T) {
	client, c := pair(t, &backend{}, "    breaker: {calls: 1}\n")
	c.whole.Plan().Breaker(seakeep.Now(), "").Force(seakeep.Now(), breaker.ForceOpen)
	_, err := client.StreamingOutputCall(context.Background(), &testpb.StreamingOutputCallRequest{})
	var refused *seakeep.Rejection
	if !errors.As(err, &refused) || refused.Reason != core.ForcedOpen {
		t.Errorf("the error is %v", err)
	}
}
