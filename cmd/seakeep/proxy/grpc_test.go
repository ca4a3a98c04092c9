package proxy

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
)

// A call passes, with what goes before and behind it.
func TestGRPCUnary(t *testing.T) {
	s := &service{}
	u := start(t, overH2C(grpcServer(t, s)))
	c, ctx := u.calls("dep"), soon(t)
	var head, tail metadata.MD
	payload := &grpc_testing.Payload{Body: []byte("hello")}
	out := metadata.AppendToOutgoingContext(ctx, "x-kind", "unary")
	answer, err := c.UnaryCall(out, &grpc_testing.SimpleRequest{Payload: payload},
		grpc.Header(&head), grpc.Trailer(&tail))
	if err != nil || string(answer.Payload.Body) != "hello" {
		t.Fatalf("unary: %v, %v", answer, err)
	}
	if head.Get("head")[0] != "first" || tail.Get("tail")[0] != "last" ||
		tail.Get("tail-bin")[0] != "\x00\xff" {
		t.Errorf("unary: head %v, tail %v", head, tail)
	}
	seen := s.seen()[0].meta
	if via := seen.Get("via"); len(via) != 1 || !strings.HasPrefix(via[0], "2 seakeep") ||
		seen.Get("x-kind")[0] != "unary" {
		t.Errorf("the server saw %v", seen)
	}
	if via := head.Get("via"); len(via) != 1 || via[0] != "2 seakeep" {
		t.Errorf("the answer's Via is %v", via)
	}
}

// The three kinds of streams pass, and nothing of them is held back.
func TestGRPCStreams(t *testing.T) {
	u := start(t, overH2C(grpcServer(t, &service{})))
	c, ctx := u.calls("dep"), soon(t)
	in, err := c.StreamingInputCall(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if err := in.Send(&grpc_testing.StreamingInputCallRequest{Payload: body(50_000)}); err != nil {
			t.Fatal(err)
		}
	}
	if sum, err := in.CloseAndRecv(); err != nil || sum.AggregatedPayloadSize != 500_000 {
		t.Errorf("client stream: %v, %v", sum, err)
	}

	stream, err := c.StreamingOutputCall(ctx, &grpc_testing.StreamingOutputCallRequest{
		ResponseParameters: []*grpc_testing.ResponseParameters{{Size: 1}, {Size: 200_000}, {Size: 3}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1, 200_000, 3} {
		if m, err := stream.Recv(); err != nil || len(m.Payload.Body) != size {
			t.Fatalf("server stream: %v", err)
		}
	}
	if _, err := stream.Recv(); err != io.EOF {
		t.Errorf("server stream ends with %v", err)
	}

	both, err := c.FullDuplexCall(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 { // each waits for its answer, so nothing may be held back
		if err := both.Send(&grpc_testing.StreamingOutputCallRequest{Payload: body(int32(i))}); err != nil {
			t.Fatal(err)
		}
		if m, err := both.Recv(); err != nil || len(m.Payload.GetBody()) != i {
			t.Fatalf("both ways, message %d: %v", i, err)
		}
	}
	_ = both.CloseSend()
	if _, err := both.Recv(); err != io.EOF {
		t.Errorf("both ways end with %v", err)
	}
}

// A status passes to the letter, and the policies know what it means, in a head
// and in a trailer.
func TestGRPCStatusIsUnderstood(t *testing.T) {
	s := &service{unary: func(_ context.Context, r *grpc_testing.SimpleRequest,
	) (*grpc_testing.SimpleResponse, error) {
		return nil, status.Error(codes.Code(r.ResponseStatus.Code), r.ResponseStatus.Message)
	}}
	u := start(t, overH2C(grpcServer(t, s), "breaker: {window: 10s, calls: 2, failures: 60%, open: 10s}"))
	c, ctx := u.calls("dep"), soon(t)
	say := func(code codes.Code) error {
		_, err := c.UnaryCall(ctx, &grpc_testing.SimpleRequest{ResponseStatus: &grpc_testing.EchoStatus{
			Code: int32(code), Message: "50 % é\n"}})
		return err
	}
	for range 6 {
		if err := say(codes.NotFound); status.Code(err) != codes.NotFound ||
			status.Convert(err).Message() != "50 % é\n" {
			t.Fatalf("NOT_FOUND comes as %v", err)
		}
	}
	stream := func(code codes.Code) error {
		out, err := c.StreamingOutputCall(ctx, &grpc_testing.StreamingOutputCallRequest{
			ResponseStatus: &grpc_testing.EchoStatus{Code: int32(code), Message: "behind the head"}})
		if err == nil {
			_, err = out.Recv()
		}
		return err
	}
	// The status comes in the trailer of an answer that had a head. It is not a
	// success first.
	for range 2 {
		if err := stream(codes.Internal); status.Code(err) != codes.Internal {
			t.Fatalf("INTERNAL comes as %v", err)
		}
	}
	until(t, "the breaker opens", func() bool {
		return status.Code(say(codes.NotFound)) == codes.Unavailable
	})
	err := say(codes.OK)
	if m := status.Convert(err).Message(); status.Code(err) != codes.Unavailable ||
		!strings.HasPrefix(m, "circuit-open: dep refused the call") {
		t.Errorf("an open breaker says %v", err)
	}
}

// third is a chain of two proxies and two services.
func third(t *testing.T) (u *under, near, far *service) {
	far = &service{}
	b := start(t, overH2C(grpcServer(t, far)))
	onward := b.calls("dep")
	near = &service{unary: func(ctx context.Context, r *grpc_testing.SimpleRequest,
	) (*grpc_testing.SimpleResponse, error) {
		time.Sleep(30 * time.Millisecond)
		return onward.UnaryCall(ctx, r)
	}}
	return start(t, overH2C(grpcServer(t, near))), near, far
}

// The deadline arrives at the third hop, and is shorter there by what has passed.
func TestGRPCDeadlineAtTheThirdHop(t *testing.T) {
	u, near, far := third(t)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if _, err := u.calls("dep").UnaryCall(ctx, &grpc_testing.SimpleRequest{}); err != nil {
		t.Fatal(err)
	}
	first, last := near.seen()[0].left, far.seen()[0].left
	if first <= 0 || first > 2*time.Second || last <= 0 || last > first-30*time.Millisecond {
		t.Errorf("of 2s there are %v at the first service and %v at the second", first, last)
	}
	// Without one there is none.
	if _, err := u.calls("dep").UnaryCall(context.Background(), &grpc_testing.SimpleRequest{}); err != nil {
		t.Fatal(err)
	}
	if got := far.seen()[1].left; got != 0 {
		t.Errorf("without a deadline %v arrive", got)
	}
}

// Time that is up is DEADLINE_EXCEEDED, by the proxy's own word, also in the
// midst of a stream.
func TestGRPCDeadlineIsOurs(t *testing.T) {
	s := &service{unary: func(ctx context.Context, _ *grpc_testing.SimpleRequest,
	) (*grpc_testing.SimpleResponse, error) {
		<-ctx.Done()
		time.Sleep(100 * time.Millisecond)
		return nil, ctx.Err()
	}}
	u := start(t, overH2C(grpcServer(t, s), "timeout: {request: 50ms, total: 1s}"))
	c := u.calls("dep")
	_, err := c.UnaryCall(soon(t), &grpc_testing.SimpleRequest{})
	if status.Code(err) != codes.DeadlineExceeded ||
		!strings.Contains(status.Convert(err).Message(), "time limit") {
		t.Errorf("a silent service: %v", err)
	}
	// The client has no deadline of its own here, only a word of one.
	ctx := metadata.AppendToOutgoingContext(soon(t), "x-seakeep-deadline", "0")
	if _, err = c.UnaryCall(ctx, &grpc_testing.SimpleRequest{}); status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("no time left: %v", err)
	}
	if n := len(s.seen()); n != 1 {
		t.Errorf("the service saw %d calls, want 1", n)
	}
}

// Server reflection is a stream like any other.
func TestGRPCReflectionPasses(t *testing.T) {
	u := start(t, overH2C(grpcServer(t, &service{}, func(s *grpc.Server) { reflection.Register(s) })))
	stream, err := grpc_reflection_v1.NewServerReflectionClient(u.dialGRPC("dep")).
		ServerReflectionInfo(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	ask := func(r *grpc_reflection_v1.ServerReflectionRequest) *grpc_reflection_v1.ServerReflectionResponse {
		t.Helper()
		if err := stream.Send(r); err != nil {
			t.Fatal(err)
		}
		answer, err := stream.Recv()
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	list := ask(&grpc_reflection_v1.ServerReflectionRequest{
		MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_ListServices{}})
	names := ""
	for _, s := range list.GetListServicesResponse().GetService() {
		names += s.Name + " "
	}
	if !strings.Contains(names, "grpc.testing.TestService ") {
		t.Errorf("the services are %s", names)
	}
	file := ask(&grpc_reflection_v1.ServerReflectionRequest{
		MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_FileContainingSymbol{
			FileContainingSymbol: "grpc.testing.TestService"}})
	if len(file.GetFileDescriptorResponse().GetFileDescriptorProto()) == 0 {
		t.Errorf("the description is %v", file)
	}
	_ = stream.CloseSend()
}
