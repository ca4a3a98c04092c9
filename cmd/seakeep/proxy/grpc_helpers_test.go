package proxy

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// service is a server of gRPC that says what a test wants.
type service struct {
	grpc_testing.UnimplementedTestServiceServer
	unary func(context.Context, *grpc_testing.SimpleRequest) (*grpc_testing.SimpleResponse, error)

	mu    sync.Mutex
	calls []seenCall
}

// seenCall is a call as the server saw it.
type seenCall struct {
	at   time.Time
	left time.Duration // till its deadline; 0: none
	meta metadata.MD
}

func (s *service) note(ctx context.Context) {
	c := seenCall{at: time.Now()}
	if end, ok := ctx.Deadline(); ok {
		c.left = time.Until(end)
	}
	c.meta, _ = metadata.FromIncomingContext(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, c)
}

func (s *service) seen() []seenCall {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]seenCall(nil), s.calls...)
}

func (s *service) UnaryCall(
	ctx context.Context, r *grpc_testing.SimpleRequest,
) (*grpc_testing.SimpleResponse, error) {
	s.note(ctx)
	if s.unary != nil {
		return s.unary(ctx, r)
	}
	_ = grpc.SetHeader(ctx, metadata.Pairs("head", "first"))
	_ = grpc.SetTrailer(ctx, metadata.Pairs("tail", "last", "tail-bin", "\x00\xff"))
	return &grpc_testing.SimpleResponse{Payload: r.Payload}, nil
}

func (s *service) StreamingInputCall(
	stream grpc_testing.TestService_StreamingInputCallServer,
) error {
	s.note(stream.Context())
	size := 0
	for {
		r, err := stream.Recv()
		if err != nil {
			return stream.SendAndClose(&grpc_testing.StreamingInputCallResponse{
				AggregatedPayloadSize: int32(size)})
		}
		size += len(r.Payload.GetBody())
	}
}

// StreamingOutputCall sends as many messages as were asked for, and then fails
// if the payload says so.
func (s *service) StreamingOutputCall(
	r *grpc_testing.StreamingOutputCallRequest,
	stream grpc_testing.TestService_StreamingOutputCallServer,
) error {
	s.note(stream.Context())
	for _, p := range r.ResponseParameters {
		time.Sleep(time.Duration(p.IntervalUs) * time.Microsecond)
		if err := stream.Send(&grpc_testing.StreamingOutputCallResponse{Payload: body(p.Size)}); err != nil {
			return err
		}
	}
	if s := r.GetResponseStatus(); s != nil {
		_ = stream.SendHeader(metadata.MD{})
		return status.Error(codes.Code(s.Code), s.Message)
	}
	return nil
}

// FullDuplexCall sends each message back at once.
func (s *service) FullDuplexCall(stream grpc_testing.TestService_FullDuplexCallServer) error {
	s.note(stream.Context())
	for {
		r, err := stream.Recv()
		if err != nil {
			return nil
		}
		err = stream.Send(&grpc_testing.StreamingOutputCallResponse{Payload: r.Payload})
		if err != nil {
			return err
		}
	}
}

func body(size int32) *grpc_testing.Payload {
	return &grpc_testing.Payload{Body: make([]byte, size)}
}

// grpcServer starts a server, and returns its address.
func grpcServer(t *testing.T, s *service, more ...func(*grpc.Server)) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	grpc_testing.RegisterTestServiceServer(server, s)
	for _, register := range more {
		register(server)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l)
	}()
	t.Cleanup(func() {
		server.Stop()
		<-done
	})
	return "http://" + l.Addr().String()
}

// overH2C is policy for endpoints that speak HTTP/2 without TLS.
func overH2C(endpoints string, rungs ...string) string {
	return policy(endpoints, append(rungs, "protocol: h2c")...)
}

// dialGRPC returns a client of a listener of the proxy.
func (u *under) dialGRPC(name string) *grpc.ClientConn {
	u.t.Helper()
	c, err := grpc.NewClient("passthrough:///"+u.Addr(name).String(),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		u.t.Fatal(err)
	}
	u.t.Cleanup(func() { _ = c.Close() })
	return c
}

func (u *under) calls(name string) grpc_testing.TestServiceClient {
	u.t.Helper()
	return grpc_testing.NewTestServiceClient(u.dialGRPC(name))
}

// soon is the context of a call that must not hang.
func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}
