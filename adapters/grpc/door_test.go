package seakeepgrpc

import (
	"context"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/seakeep/seakeep/core/fault"
)

const promised = "\nslo:\n  objectives:\n  - {name: quotes, objective: 99%, latency: 5s, window: 30d}"

func TestObjectivesAreCountedAtTheDoor(t *testing.T) {
	b := &backend{}
	client, set := guarded(t, b, "{concurrency: {}, recovery: {}}"+promised)
	one := func() {
		_, _ = client.UnaryCall(context.Background(), &testpb.SimpleRequest{})
	}
	one() // good
	b.unary = failing(99, unavailable)
	one() // bad
	b.unary = failing(99, status.Error(codes.NotFound, ""))
	one() // the caller's own mistake
	if ss, err := client.StreamingOutputCall(context.Background(), &testpb.StreamingOutputCallRequest{}); err == nil {
		_, _ = drain(ss.Recv) // good
	}
	if err := set.Door().Admit(0, 0); err != nil {
		t.Fatal(err)
	}
	one() // refused
	within(t, "all are counted", func() bool {
		s := set.Objectives().Snapshot(0)[0]
		return s.Events == 4 && s.Bad == 2
	})
}

func TestFaultsBehindTheDoor(t *testing.T) {
	client, set := guarded(t, &backend{}, "{faults: {allow: true, trust: [127.0.0.1]}}")
	rule := fault.Rule{Name: "f", Share: 1, For: time.Minute, Scope: fault.Scope{Marked: true},
		Hurt: fault.Hurt{Kind: fault.Error, GRPC: 10}}
	if err := set.Faults("").Start(rule, true); err != nil {
		t.Fatal(err)
	}
	ctx := metadata.AppendToOutgoingContext(context.Background(), "x-seakeep-fault", "f")
	for name, call := range map[string]func(context.Context) error{
		"unary": func(ctx context.Context) error {
			_, err := client.UnaryCall(ctx, &testpb.SimpleRequest{})
			return err
		},
		"stream": func(ctx context.Context) error {
			ss, err := client.StreamingOutputCall(ctx, &testpb.StreamingOutputCallRequest{})
			if err == nil {
				_, err = drain(ss.Recv)
			}
			return err
		},
	} {
		if err := call(ctx); status.Code(err) != codes.Aborted || !strings.Contains(err.Error(), "injected by f") {
			t.Errorf("%s: %v", name, err)
		}
		if err := call(context.Background()); err != nil {
			t.Errorf("%s, not marked: %v", name, err)
		}
	}
	set.Faults("").Stop("")
}

func TestAConnectionThatAFaultBreaks(t *testing.T) {
	b := &backend{unary: stuck(1)}
	client, c := pair(t, b, "    faults: {allow: true}\n"+retrying)
	rule := fault.Rule{Name: "f", Share: 1, For: time.Minute, Hurt: fault.Hurt{Kind: fault.Reset, Delay: 20 * time.Millisecond}}
	if err := c.whole.Faults().Start(rule, true); err != nil {
		t.Fatal(err)
	}
	got, err := client.UnaryCall(context.Background(), &testpb.SimpleRequest{}, Idempotent())
	if err != nil || got.Username != "answer 1" {
		t.Errorf("%v, %v", got, err)
	}
	c.whole.Faults().Stop("")
}

func TestTheKeyOfABreakerMayBeMetadata(t *testing.T) {
	b := &backend{unary: failing(1, unavailable)}
	client, _ := pair(t, b, "    breaker: {per: key, key: X-Tenant, window: 10s, calls: 1, failures: 50%, open: {for: 1m}}\n")
	as := func(tenant string) error {
		ctx := metadata.AppendToOutgoingContext(context.Background(), "x-tenant", tenant)
		_, err := client.UnaryCall(ctx, &testpb.SimpleRequest{})
		return err
	}
	if err := as("a"); err == nil {
		t.Fatal("the first call went well")
	}
	if err := as("a"); err == nil {
		t.Error("the tenant's breaker is closed")
	}
	if err := as("b"); err != nil {
		t.Errorf("another tenant: %v", err)
	}
}
