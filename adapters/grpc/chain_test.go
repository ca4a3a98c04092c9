package seakeepgrpc

import (
	"context"
	"errors"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
)

// relay asks the next service in the chain, and answers with its error.
func relay(next testpb.TestServiceClient) func(context.Context, int) error {
	return func(ctx context.Context, _ int) error {
		_, err := next.UnaryCall(ctx, &testpb.SimpleRequest{}, Idempotent())
		return err
	}
}

func TestThreeHops(t *testing.T) {
	last := &backend{}
	set := setOf(t, `serve: {criticality: {trust: [127.0.0.1]}, deadline: {default: 5s}}
dependencies:
  pricing:
    timeout: {reserve: 50ms}
    retry: {attempts: 3, backoff: {base: 1ms}, budget: none}
`)
	server, err := NewServer(set)
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewClient(set, "pricing")
	if err != nil {
		t.Fatal(err)
	}
	last.unary = func(context.Context, int) error { return unavailable }
	address := serve(t, last, server.ServerOptions()...)
	middle := &backend{unary: relay(testpb.NewTestServiceClient(dial(t, c, address)))}
	address = serve(t, middle, server.ServerOptions()...)
	first := &backend{unary: relay(testpb.NewTestServiceClient(dial(t, c, address)))}
	client := testpb.NewTestServiceClient(dial(t, c, serve(t, first, server.ServerOptions()...)))

	ctx, cancel := context.WithTimeout(seakeep.WithCriticality(context.Background(), core.CriticalPlus), 2*time.Second)
	defer cancel()
	_, err = client.UnaryCall(ctx, &testpb.SimpleRequest{})
	if status.Code(err) != codes.Unavailable {
		t.Errorf("the error is %v", err)
	}
	for _, hop := range []struct {
		of   *backend
		most time.Duration
	}{{first, 1950 * time.Millisecond}, {middle, 1900 * time.Millisecond}, {last, 1850 * time.Millisecond}} {
		seen := hop.of.seen()[0]
		if seen.left > hop.most || seen.left < hop.most-time.Second {
			t.Errorf("what is left is %v, want just below %v", seen.left, hop.most)
		}
		if got := seen.md["x-seakeep-criticality"]; len(got) != 1 || got[0] != "critical_plus" {
			t.Errorf("the class arrives as %v", got)
		}
	}
	// One layer retries: the lowest, which the others are told.
	if n := [3]int{len(first.seen()), len(middle.seen()), len(last.seen())}; n != [3]int{1, 1, 3} {
		t.Errorf("attempts multiply: %v", n)
	}
}

func TestADependencysRefusalIsNotRepeatedAbove(t *testing.T) {
	refused := &Refusal{&seakeep.Rejection{Policy: "x", Reason: core.CircuitOpen}}
	b := &backend{unary: func(context.Context, int) error { return refused }}
	client, _ := guarded(t, b, "{}")
	var trailer metadata.MD
	_, err := client.UnaryCall(context.Background(), &testpb.SimpleRequest{}, grpc.Trailer(&trailer))
	if status.Code(err) != codes.Unavailable || trailer.Get("grpc-retry-pushback-ms")[0] != "-1" {
		t.Errorf("%v with %v", err, trailer)
	}
	if errors.Is(err, seakeep.ErrRejected) {
		t.Error("it came over the wire")
	}
}
