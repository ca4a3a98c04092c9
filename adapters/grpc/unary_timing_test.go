package seakeepgrpc

import (
	"context"
	"testing"

	"google.golang.org/grpc"
	testpb "google.golang.org/grpc/interop/grpc_testing"
)

// everything is every rung that a call meets when all is well.
const everything = "    timeout: {request: 1s}\n    retry: {attempts: 3}\n    bulkhead: {limit: 100}\n" +
	"    breaker: {window: 10s, calls: 20, failures: 50%, open: {for: 1h}}\n"

type nop struct {
	testpb.UnimplementedTestServiceServer
}

func (nop) UnaryCall(context.Context, *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
	return &testpb.SimpleResponse{}, nil
}

func benchmarkCall(b *testing.B, c *Client, opts ...grpc.ServerOption) {
	client := testpb.NewTestServiceClient(dial(b, c, serve(b, nop{}, opts...)))
	ctx, req := context.Background(), &testpb.SimpleRequest{}
	if _, err := client.UnaryCall(ctx, req); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := client.UnaryCall(ctx, req); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCallBare(b *testing.B) { benchmarkCall(b, nil) }

func BenchmarkCallProtected(b *testing.B) { benchmarkCall(b, clientOf(b, everything)) }

func BenchmarkCallThroughADoor(b *testing.B) {
	server, err := NewServer(setOf(b, "serve: {deadline: {default: 1s}, concurrency: {}, queue: {length: 40}, shed: {}}\n"))
	if err != nil {
		b.Fatal(err)
	}
	benchmarkCall(b, nil, server.ServerOptions()...)
}

// The interceptor around nothing: what it adds to a call.
func BenchmarkInterceptor(b *testing.B) {
	call := clientOf(b, everything).Unary()
	req, reply := &testpb.SimpleRequest{}, &testpb.SimpleResponse{}
	nothing := func(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error { return nil }
	b.ReportAllocs()
	for b.Loop() {
		_ = call(context.Background(), "/s/m", req, reply, nil, nothing)
	}
}
