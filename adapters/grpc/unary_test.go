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

const retrying = "    retry: {attempts: 3, backoff: {base: 1ms, cap: 2ms}, budget: none}\n"

var unavailable = status.Error(codes.Unavailable, "out")

// failing fails the first calls.
func failing(times int, err error) func(context.Context, int) error {
	return func(_ context.Context, n int) error {
		if n < times {
			return err
		}
		return nil
	}
}

func TestRepeatsWhatIsSafe(t *testing.T) {
	const operation = `    retry: none
    operations:
    - name: quote
      match: {grpc: grpc.testing.TestService/*}
      retry: {attempts: 3, idempotent: always, backoff: {base: 1ms}, budget: none}
`
	tests := map[string]struct {
		ctx      context.Context
		opts     []grpc.CallOption
		settings string
		err      error
		attempts int
	}{
		"nothing said":     {context.Background(), nil, retrying, unavailable, 1},
		"by an option":     {context.Background(), []grpc.CallOption{Idempotent()}, retrying, unavailable, 3},
		"by the context":   {seakeep.With(context.Background(), seakeep.Call{Idempotent: true}), nil, retrying, unavailable, 3},
		"by a key":         {seakeep.With(context.Background(), seakeep.Call{IdempotencyKey: "k"}), nil, retrying, unavailable, 3},
		"by the operation": {context.Background(), nil, operation, unavailable, 3},
		"its own mistake":  {context.Background(), []grpc.CallOption{Idempotent()}, retrying, status.Error(codes.NotFound, ""), 1},
		"retried above": {seakeep.With(context.Background(),
			seakeep.Call{Idempotent: true, RetriedAbove: true}), nil, retrying, unavailable, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b := &backend{unary: failing(2, test.err)}
			client, _ := pair(t, b, test.settings)
			var trailer metadata.MD
			answer, err := client.UnaryCall(test.ctx, &testpb.SimpleRequest{}, append(test.opts, grpc.Trailer(&trailer))...)
			if n := len(b.seen()); n != test.attempts {
				t.Errorf("%d attempts, want %d", n, test.attempts)
			}
			if test.attempts == 3 {
				if err != nil || answer.Username != "answer 2" {
					t.Errorf("%v, %v", answer, err)
				}
			} else if status.Code(err) != status.Code(test.err) {
				t.Errorf("the error is %v", err)
			}
			for i, a := range b.seen() {
				want := map[int]string{1: "1", 2: "2"}[i]
				if test.attempts == 1 && name == "retried above" {
					want = "1"
				}
				got := ""
				if v := a.md["grpc-previous-rpc-attempts"]; len(v) > 0 {
					got = v[0]
				}
				if got != want {
					t.Errorf("attempt %d says that %q came before", i, got)
				}
			}
		})
	}
}

func TestWhatNeverLeftIsRepeated(t *testing.T) {
	c := clientOf(t, retrying)
	conn := dial(t, c, "127.0.0.1:1")
	report := new(seakeep.Report)
	_, err := testpb.NewTestServiceClient(conn).UnaryCall(
		seakeep.With(context.Background(), seakeep.Call{Report: report}), &testpb.SimpleRequest{})
	if status.Code(err) != codes.Unavailable || len(report.Attempts) != 3 {
		t.Errorf("%v after %d attempts", err, len(report.Attempts))
	}
	for _, a := range report.Attempts {
		if a.Result.Cause != core.Unsent {
			t.Errorf("an attempt that found nobody is %+v", a.Result)
		}
	}
}

func TestPushbackIsHonoured(t *testing.T) {
	for value, want := range map[string]struct {
		attempts int
		wait     time.Duration
	}{"-1": {1, 0}, "250": {2, 250 * time.Millisecond}, "soon": {1, 0}, "": {2, 0}} {
		b := &backend{}
		b.unary = func(ctx context.Context, n int) error {
			if n > 0 {
				return nil
			}
			if value != "" {
				_ = grpc.SetTrailer(ctx, metadata.Pairs("grpc-retry-pushback-ms", value))
			}
			return unavailable
		}
		client, _ := pair(t, b, retrying)
		_, err := client.UnaryCall(context.Background(), &testpb.SimpleRequest{}, Idempotent())
		seen := b.seen()
		if len(seen) != want.attempts || (err == nil) != (want.attempts == 2) {
			t.Fatalf("%q: %d attempts, %v", value, len(seen), err)
		}
		if want.attempts == 2 {
			if waited := seen[1].at.Sub(seen[0].at); waited < want.wait || waited > want.wait+5*time.Second {
				t.Errorf("%q: waited %v", value, waited)
			}
		}
	}
}

func TestARefusalNeedsNoWordThatRepeatingIsSafe(t *testing.T) {
	b := &backend{}
	b.unary = func(ctx context.Context, n int) error {
		if n > 0 {
			return nil
		}
		_ = grpc.SetTrailer(ctx, metadata.Pairs("grpc-retry-pushback-ms", "1"))
		return unavailable
	}
	client, _ := pair(t, b, retrying)
	if _, err := client.UnaryCall(context.Background(), &testpb.SimpleRequest{}); err != nil || len(b.seen()) != 2 {
		t.Errorf("%v after %d attempts", err, len(b.seen()))
	}
}

func TestRefusalsHaveAStatus(t *testing.T) {
	b := &backend{unary: failing(100, unavailable)}
	client, _ := pair(t, b, "    breaker: {window: 10s, calls: 2, failures: 50%, open: {for: 30s}}\n")
	for range 2 {
		_, _ = client.UnaryCall(context.Background(), &testpb.SimpleRequest{})
	}
	_, err := client.UnaryCall(context.Background(), &testpb.SimpleRequest{})
	var refused *seakeep.Rejection
	if !errors.As(err, &refused) || refused.Reason != core.CircuitOpen || !errors.Is(err, seakeep.ErrRejected) {
		t.Fatalf("the error is %v", err)
	}
	if st := status.Convert(err); st.Code() != codes.Unavailable || len(st.Details()) != 1 {
		t.Errorf("the status is %v", st)
	}
	if len(b.seen()) != 2 {
		t.Errorf("%d calls have arrived", len(b.seen()))
	}
}

func TestDeadlineIsSentAndShortened(t *testing.T) {
	b := &backend{}
	client, _ := pair(t, b, "    timeout: {total: 2s, request: 500ms, reserve: 100ms}\n")
	ctx, cancel := context.WithTimeout(context.Background(), 400*time.Millisecond)
	defer cancel()
	if _, err := client.UnaryCall(ctx, &testpb.SimpleRequest{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.UnaryCall(context.Background(), &testpb.SimpleRequest{}); err != nil {
		t.Fatal(err)
	}
	seen := b.seen()
	if left := seen[0].left; left > 300*time.Millisecond || left < 50*time.Millisecond {
		t.Errorf("the caller's 400 ms arrive as %v", left)
	}
	if left := seen[1].left; left > 500*time.Millisecond || left < 200*time.Millisecond {
		t.Errorf("our 500 ms arrive as %v", left)
	}
}

func TestWeSayThatTheTimeIsUp(t *testing.T) {
	b := &backend{unary: func(ctx context.Context, _ int) error { <-ctx.Done(); return ctx.Err() }}
	client, _ := pair(t, b, "    timeout: {total: 100ms}\n")
	_, err := client.UnaryCall(context.Background(), &testpb.SimpleRequest{})
	if status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("the error is %v", err)
	}
	ctx, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancel()
	_, err = client.UnaryCall(ctx, &testpb.SimpleRequest{})
	var refused *seakeep.Rejection
	if status.Code(err) != codes.DeadlineExceeded || !errors.As(err, &refused) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %v", err)
	}
}

func TestACallersLeavingIsNeutral(t *testing.T) {
	arrived := make(chan struct{})
	b := &backend{unary: func(ctx context.Context, _ int) error { close(arrived); <-ctx.Done(); return ctx.Err() }}
	client, c := pair(t, b, "    breaker: {window: 10s, calls: 1, failures: 50%, open: {for: 30s}}\n    bulkhead: {limit: 1}\n")
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-arrived; cancel() }()
	_, err := client.UnaryCall(ctx, &testpb.SimpleRequest{})
	if status.Code(err) != codes.Canceled {
		t.Errorf("the error is %v", err)
	}
	settled(t, c.whole)
	b.unary = nil
	if _, err := client.UnaryCall(context.Background(), &testpb.SimpleRequest{}); err != nil {
		t.Errorf("then: %v", err)
	}
}

func TestAConnectionThatIsClosedHereIsNeutral(t *testing.T) {
	c := clientOf(t, "    breaker: {window: 10s, calls: 1, failures: 1%, open: {for: 30s}}\n")
	address := serve(t, &backend{})
	conn := dial(t, c, address)
	_ = conn.Close()
	ctx, req := context.Background(), &testpb.SimpleRequest{}
	if _, err := testpb.NewTestServiceClient(conn).UnaryCall(ctx, req); status.Code(err) != codes.Canceled {
		t.Errorf("the error is %v", err)
	}
	if _, err := testpb.NewTestServiceClient(dial(t, c, address)).UnaryCall(ctx, req); err != nil {
		t.Errorf("over another: %v", err)
	}
}

func TestAMarkFromAboveOnlyGrows(t *testing.T) {
	b := &backend{unary: failing(1, unavailable)}
	client, _ := pair(t, b, retrying)
	ctx := metadata.AppendToOutgoingContext(context.Background(), "grpc-previous-rpc-attempts", "5")
	if _, err := client.UnaryCall(ctx, &testpb.SimpleRequest{}, Idempotent()); err != nil {
		t.Fatal(err)
	}
	for i, a := range b.seen() {
		if got := a.md["grpc-previous-rpc-attempts"]; len(got) != 1 || got[0] != "5" {
			t.Errorf("attempt %d comes with %q", i, got)
		}
	}
}

func TestImportanceTravels(t *testing.T) {
	b := &backend{}
	client, _ := pair(t, b, retrying)
	ctx := metadata.AppendToOutgoingContext(context.Background(), "x-seakeep-criticality", "critical_plus", "x-own", "1")
	ctx = seakeep.WithCriticality(ctx, seakeep.Sheddable)
	if _, err := client.UnaryCall(ctx, &testpb.SimpleRequest{}); err != nil {
		t.Fatal(err)
	}
	md := b.seen()[0].md
	if got := md["x-seakeep-criticality"]; len(got) != 1 || got[0] != "sheddable" || len(md["x-own"]) != 1 {
		t.Errorf("what arrives is %v", md)
	}
}
