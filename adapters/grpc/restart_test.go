package seakeepgrpc

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"
)

// restarting serves b at one address, stops and starts again until it is told to
// end. Every other time it leaves in order, with GOAWAY.
func restarting(t *testing.T, b testpb.TestServiceServer, after time.Duration, end <-chan struct{}) (string, func()) {
	t.Helper()
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := at.Addr().String()
	return address, func() {
		for n := 0; ; n++ {
			s := grpc.NewServer()
			testpb.RegisterTestServiceServer(s, b)
			var served sync.WaitGroup
			served.Go(func() { _ = s.Serve(at) })
			over := false
			select {
			case <-end:
				over = true
			case <-time.After(after):
			}
			if n%2 == 0 {
				s.Stop()
			} else {
				s.GracefulStop()
			}
			served.Wait()
			if over {
				return
			}
			time.Sleep(50 * time.Millisecond)
			for at, err = net.Listen("tcp", address); err != nil; at, err = net.Listen("tcp", address) {
				time.Sleep(time.Millisecond)
			}
		}
	}
}

// No call that may run twice fails while servers die and come back, if it waits
// for a connection as long as its limits let it.
func TestServersThatDieAndComeBack(t *testing.T) {
	end := make(chan struct{})
	var servers, callers sync.WaitGroup
	found := manual.NewBuilderWithScheme("three")
	var state resolver.State
	for i := range 3 {
		address, run := restarting(t, &backend{}, time.Duration(400+170*i)*time.Millisecond, end)
		servers.Go(run)
		state.Addresses = append(state.Addresses, resolver.Address{Addr: address})
	}
	found.InitialState(state)
	c := clientOf(t, "    timeout: {request: 5s, total: 20s}\n    bulkhead: {limit: 100}\n"+
		"    retry: {attempts: 4, backoff: {base: 50ms}, budget: none}\n    hedge: {after: 50ms, same: true}\n")
	client := testpb.NewTestServiceClient(dial(t, c, "three:///", grpc.WithResolvers(found),
		grpc.WithDefaultServiceConfig(`{"loadBalancingConfig":[{"round_robin":{}}]}`)))
	var made atomic.Int32
	until := time.Now().Add(2 * time.Second)
	for i := range 8 {
		callers.Go(func() {
			for time.Now().Before(until) {
				if err := anyCall(client, i%2 == 0); err != nil {
					t.Errorf("call %d: %v", made.Load(), err)
					return
				}
				made.Add(1)
				time.Sleep(time.Millisecond)
			}
		})
	}
	callers.Wait()
	close(end)
	servers.Wait()
	settled(t, c.whole)
	if made.Load() < 20 {
		t.Errorf("only %d calls were made", made.Load())
	}
}

// anyCall makes a call with one answer, or with a stream of them. A stream that
// has begun is not repeated, so that its end is not asked for.
func anyCall(client testpb.TestServiceClient, one bool) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if one {
		_, err := client.UnaryCall(ctx, &testpb.SimpleRequest{}, Idempotent(), grpc.WaitForReady(true))
		return err
	}
	ss, err := client.StreamingOutputCall(ctx, &testpb.StreamingOutputCallRequest{}, Idempotent(), grpc.WaitForReady(true))
	if err == nil {
		_, err = ss.Header()
	}
	return err
}
