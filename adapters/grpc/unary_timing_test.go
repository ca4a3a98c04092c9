package seakeepgrpc

import (
	"context"
	"slices"
	"testing"
	"time"

	"google.golang.org/grpc"
	testpb "google.golang.org/grpc/interop/grpc_testing"
)

const (
	// rungs are those that a call meets when all is well.
	rungs = "    retry: {attempts: 3}\n    bulkhead: {limit: 100}\n" +
		"    breaker: {window: 10s, calls: 20, failures: 50%, open: {for: 1h}}\n"
	everything = "    timeout: {request: 1s}\n" + rungs
)

type nop struct {
	testpb.UnimplementedTestServiceServer
}

func (nop) UnaryCall(context.Context, *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
	return &testpb.SimpleResponse{}, nil
}

// way is one way of making the same call over loopback.
type way struct {
	name   string
	client testpb.TestServiceClient
	limit  time.Duration // of the caller's own; 0: none
	took   []float64     // nanoseconds a call, by block
}

func (w *way) block(b *testing.B, calls int) {
	began := time.Now()
	for range calls {
		ctx, cancel := context.Background(), func() {}
		if w.limit > 0 {
			ctx, cancel = context.WithTimeout(ctx, w.limit)
		}
		if _, err := w.client.UnaryCall(ctx, &testpb.SimpleRequest{}); err != nil {
			b.Fatal(err)
		}
		cancel()
	}
	w.took = append(w.took, float64(time.Since(began).Nanoseconds())/float64(calls))
}

// BenchmarkCallsInTurn makes blocks of calls in each way in turn, so that what
// else the machine does hurts all alike, and reports the median of each.
func BenchmarkCallsInTurn(b *testing.B) {
	server, err := NewServer(setOf(b, "serve: {deadline: {default: 1s}, concurrency: {}, queue: {length: 40}, shed: {}}\n"))
	if err != nil {
		b.Fatal(err)
	}
	to := func(c *Client, opts ...grpc.ServerOption) testpb.TestServiceClient {
		return testpb.NewTestServiceClient(dial(b, c, serve(b, nop{}, opts...)))
	}
	ways := []*way{
		{name: "bare", client: to(nil)},
		{name: "own-timeout", client: to(nil), limit: time.Second},
		{name: "rungs", client: to(clientOf(b, rungs))},
		{name: "rungs-and-timeout", client: to(clientOf(b, everything))},
		{name: "door", client: to(nil, server.ServerOptions()...)},
	}
	for b.Loop() {
		for _, w := range ways {
			w.block(b, 100)
		}
	}
	for _, w := range ways {
		slices.Sort(w.took)
		b.ReportMetric(w.took[len(w.took)/2]/1000, w.name+"-µs")
	}
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
