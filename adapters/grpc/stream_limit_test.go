package seakeepgrpc

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"

	"github.com/seakeep/seakeep/core/breaker"
)

// The limit of an attempt is until the answer begins; then the stream may take
// its time, and its server is not told otherwise.
func TestAStreamOutlivesTheLimit(t *testing.T) {
	b := &backend{output: func(_ int, ss testpb.TestService_StreamingOutputCallServer) error {
		for range 2 {
			if err := ss.Send(&testpb.StreamingOutputCallResponse{}); err != nil {
				return err
			}
			time.Sleep(400 * time.Millisecond)
		}
		return ss.Context().Err()
	}}
	client, c := pair(t, b, tight)
	ss, err := client.StreamingOutputCall(context.Background(), &testpb.StreamingOutputCallRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := drain(ss.Recv); n != 2 || err != nil {
		t.Errorf("%d messages, %v", n, err)
	}
	settled(t, c.whole)

	b.output = func(_ int, ss testpb.TestService_StreamingOutputCallServer) error {
		<-ss.Context().Done()
		return nil
	}
	ss, err = client.StreamingOutputCall(context.Background(), &testpb.StreamingOutputCallRequest{})
	if err == nil {
		_, err = ss.Recv()
	}
	if status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("without a beginning: %v", err)
	}
	settled(t, c.whole)
}

func TestASilentStreamIsEnded(t *testing.T) {
	b := &backend{output: func(_ int, ss testpb.TestService_StreamingOutputCallServer) error {
		_ = ss.Send(&testpb.StreamingOutputCallResponse{})
		<-ss.Context().Done()
		return nil
	}}
	client, c := pair(t, b, "    bulkhead: {limit: 1}\n    response: {idle: 50ms}\n"+
		"    breaker: {window: 10s, calls: 2, failures: 50%, open: {for: 1m}}\n")
	ss, err := client.StreamingOutputCall(context.Background(), &testpb.StreamingOutputCallRequest{})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond) // the reader's own pauses do not count
	n, err := drain(ss.Recv)
	if n != 1 || status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("%d messages, %v", n, err)
	}
	settled(t, c.whole)
	if s := c.whole.Snapshot().Breaker; s.State != breaker.Open {
		t.Errorf("the breaker is %+v", s)
	}
}

func TestMessagesAreBounded(t *testing.T) {
	b := &backend{output: func(_ int, ss testpb.TestService_StreamingOutputCallServer) error {
		return ss.Send(&testpb.StreamingOutputCallResponse{Payload: &testpb.Payload{Body: make([]byte, 2000)}})
	}}
	for settings, want := range map[string]codes.Code{"    response: {body: 1KiB}\n": codes.ResourceExhausted,
		"    response: {body: 1MiB}\n": codes.OK} {
		client, _ := pair(t, b, settings)
		ss, err := client.StreamingOutputCall(context.Background(), &testpb.StreamingOutputCallRequest{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := drain(ss.Recv); status.Code(err) != want {
			t.Errorf("%s: %v", settings, err)
		}
	}
}
