package seakeepgrpc_test

import (
	"context"
	"fmt"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"

	"github.com/seakeep/seakeep"
	seakeepgrpc "github.com/seakeep/seakeep/adapters/grpc"
)

// quotes fails once.
type quotes struct {
	testpb.UnimplementedTestServiceServer
	calls int
}

func (q *quotes) UnaryCall(context.Context, *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
	if q.calls++; q.calls == 1 {
		return nil, status.Error(codes.Unavailable, "starting up")
	}
	return &testpb.SimpleResponse{Username: fmt.Sprint("answered call ", q.calls)}, nil
}

// A policy in Go around any connection. The server fails once; the caller does
// not notice.
func ExampleWrap() {
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	server := grpc.NewServer()
	testpb.RegisterTestServiceServer(server, &quotes{})
	go server.Serve(at)
	defer server.Stop()

	policy, err := seakeep.New(seakeep.Config{
		Name:    "pricing",
		Timeout: seakeep.Timeout{Request: 5 * time.Second},
		Retry:   &seakeep.Retry{Attempts: 3},
	})
	if err != nil {
		panic(err)
	}
	opts := append(seakeepgrpc.Wrap(policy).DialOptions(),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	conn, err := grpc.NewClient(at.Addr().String(), opts...)
	if err != nil {
		panic(err)
	}
	defer conn.Close()

	quote, err := testpb.NewTestServiceClient(conn).UnaryCall(context.Background(),
		&testpb.SimpleRequest{}, seakeepgrpc.Idempotent())
	fmt.Println(quote.GetUsername(), err)
	// Output: answered call 2 <nil>
}
