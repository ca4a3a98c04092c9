package proxy

import (
	"context"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// grpcDoor is a proxy before a program that speaks gRPC in the clear.
func grpcDoor(t *testing.T, s *service, rungs string) *under {
	return start(t, "version: 1\nservice: shop\nserve:\n  listen: 127.0.0.1:0\n  upstream: "+
		grpcServer(t, s)+"\n  protocol: h2c\n"+rungs)
}

// A program behind the door gets the caller's deadline, shortened, and no call
// that it has no room for; who is refused hears a status of gRPC.
func TestGRPCBehindTheDoor(t *testing.T) {
	stay := make(chan struct{})
	s := &service{unary: func(ctx context.Context, r *grpc_testing.SimpleRequest,
	) (*grpc_testing.SimpleResponse, error) {
		if r.FillUsername {
			<-stay
		}
		return &grpc_testing.SimpleResponse{}, nil
	}}
	u := grpcDoor(t, s, "  concurrency: {algorithm: fixed, limit: 1}\n  deadline: {default: 5s}\n")
	c := u.calls(serveName)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if _, err := c.UnaryCall(ctx, &grpc_testing.SimpleRequest{}); err != nil {
		t.Fatal(err)
	}
	if left := s.seen()[0].left; left <= time.Second || left >= 2*time.Second {
		t.Errorf("of 2s %v arrive", left)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = c.UnaryCall(context.Background(), &grpc_testing.SimpleRequest{FillUsername: true})
	}()
	until(t, "the slot is taken", func() bool { return len(s.seen()) == 2 })
	var tail metadata.MD
	_, err := c.UnaryCall(soon(t), &grpc_testing.SimpleRequest{}, grpc.Trailer(&tail))
	if status.Code(err) != codes.Unavailable ||
		!strings.HasPrefix(status.Convert(err).Message(), "bulkhead-full: ") ||
		len(tail.Get("grpc-retry-pushback-ms")) != 1 {
		t.Errorf("without room: %v, %v", err, tail)
	}
	close(stay)
	<-done
	if left := s.seen()[1].left; left != 0 { // nobody has said one, and a stream could not live with ours
		t.Errorf("without a deadline %v arrive", left)
	}
	for range 3 { // long streams and short ones pass the door
		stream, err := c.FullDuplexCall(soon(t))
		if err != nil {
			t.Fatal(err)
		}
		_ = stream.Send(&grpc_testing.StreamingOutputCallRequest{Payload: body(3)})
		if m, err := stream.Recv(); err != nil || len(m.Payload.Body) != 3 {
			t.Errorf("a stream through the door: %v", err)
		}
		_ = stream.CloseSend()
		_, _ = stream.Recv()
	}
}

// The door learns from the status how a program answers: it says overload as HTTP
// would.
func TestGRPCStatusTellsTheDoor(t *testing.T) {
	s := &service{unary: func(_ context.Context, r *grpc_testing.SimpleRequest,
	) (*grpc_testing.SimpleResponse, error) {
		return nil, status.Error(codes.Code(r.ResponseStatus.Code), "")
	}}
	u := grpcDoor(t, s, "")
	c := u.calls(serveName)
	say := func(code codes.Code) {
		_, _ = c.UnaryCall(soon(t), &grpc_testing.SimpleRequest{
			ResponseStatus: &grpc_testing.EchoStatus{Code: int32(code)}})
	}
	useful := func() (n uint64) {
		v, _ := u.serveView()
		for _, class := range v.Classes {
			n += class.Useful
		}
		return n
	}
	say(codes.OK)
	until(t, "a good answer counts", func() bool { return useful() == 1 })
	say(codes.DeadlineExceeded)
	say(codes.Internal)
	say(codes.OK)
	until(t, "what came in time counts, and what did not does not", func() bool { return useful() == 3 })
	v, _ := u.serveView()
	if v.Latency == nil || v.Latency.Count < 2 { // though gRPC says no length, it is no upload
		t.Errorf("the latency is %+v", v.Latency)
	}
}
