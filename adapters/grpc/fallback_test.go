package seakeepgrpc

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/fault"
)

func TestFallbacks(t *testing.T) {
	tests := map[string]struct {
		settings, want string
		code           codes.Code
		kind           string
	}{
		"as JSON":     {`    fallback: [static: {body: '{"username":"spare"}'}]` + "\n", "spare", codes.OK, "static"},
		"nothing":     {"    fallback: [omit: {}]\n", "", codes.OK, "omit"},
		"no JSON":     {"    fallback: [static: {body: soup}, omit: {}]\n", "", codes.OK, "omit"},
		"a failure":   {"    fallback: [static: {status: 503, body: '{}'}]\n", "", codes.Unavailable, ""},
		"none cached": {"    fallback: [cache: {stale: 1m}]\n", "", codes.Unavailable, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			client, _ := pair(t, &backend{unary: failing(9, unavailable)}, test.settings)
			report := new(seakeep.Report)
			ctx := seakeep.With(context.Background(), seakeep.Call{Report: report})
			got, err := client.UnaryCall(ctx, &testpb.SimpleRequest{})
			if status.Code(err) != test.code || err == nil && got.Username != test.want || report.Fallback != test.kind {
				t.Errorf("%v, %v by %q", got, err, report.Fallback)
			}
			if err != nil && !errors.Is(err, seakeep.ErrFallback) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func TestACachedAnswerStandsIn(t *testing.T) {
	b := &backend{}
	client, _ := pair(t, b, "    fallback: [cache: {stale: 1m}]\n")
	ask := func(key string) (string, error) {
		got, err := client.UnaryCall(seakeep.With(context.Background(), seakeep.Call{CacheKey: key}), &testpb.SimpleRequest{})
		return got.GetUsername(), err
	}
	if got, err := ask("a"); err != nil || got != "answer 0" {
		t.Fatal(got, err)
	}
	b.unary = failing(99, unavailable)
	if got, err := ask("a"); err != nil || got != "answer 0" {
		t.Error(got, err)
	}
	if got, err := ask("b"); status.Code(err) != codes.Unavailable {
		t.Error("one user's answer has become another's:", got, err)
	}
}

func TestAFreshAnswerNeedsNoCall(t *testing.T) {
	b := &backend{}
	client, _ := pair(t, b, "    fallback: [cache: {fresh: 1m, stale: 2m}]\n")
	for range 3 {
		ctx := seakeep.With(context.Background(), seakeep.Call{CacheKey: "a"})
		if got, err := client.UnaryCall(ctx, &testpb.SimpleRequest{}); err != nil || got.Username != "answer 0" {
			t.Error(got, err)
		}
	}
	if len(b.seen()) != 1 {
		t.Errorf("%d calls", len(b.seen()))
	}
}

func TestFaultsHurtCalls(t *testing.T) {
	tests := []struct {
		hurt  fault.Hurt
		code  codes.Code
		cause core.Cause
	}{
		{fault.Hurt{Kind: fault.Error, GRPC: 14}, codes.Unavailable, core.Unavailable},
		{fault.Hurt{Kind: fault.Error, GRPC: 5}, codes.NotFound, core.ClientError},
		{fault.Hurt{Kind: fault.Error, Status: 503}, codes.Unavailable, core.Unavailable},
		{fault.Hurt{Kind: fault.Refused}, codes.Unavailable, core.Unsent},
		{fault.Hurt{Kind: fault.Reset}, codes.Unavailable, core.Reset},
	}
	for _, test := range tests {
		b := &backend{}
		client, c := pair(t, b, "    faults: {allow: true}\n")
		if err := c.whole.Faults().Start(fault.Rule{Name: "f", Share: 1, For: time.Minute, Hurt: test.hurt}, true); err != nil {
			t.Fatal(err)
		}
		report := new(seakeep.Report)
		_, err := client.UnaryCall(seakeep.With(context.Background(), seakeep.Call{Report: report}), &testpb.SimpleRequest{})
		if status.Code(err) != test.code || len(b.seen()) != 0 || !strings.Contains(err.Error(), "fault injected by f") {
			t.Errorf("%+v: %v", test.hurt, err)
		}
		if a := report.Attempts[0]; a.Result.Cause != test.cause || a.Faults != "f" {
			t.Errorf("%+v is told as %+v", test.hurt, a)
		}
		if _, err = client.StreamingOutputCall(context.Background(), &testpb.StreamingOutputCallRequest{}); status.Code(err) != test.code {
			t.Errorf("%+v: a stream gets %v", test.hurt, err)
		}
		c.whole.Faults().Stop("")
	}
}

func TestOneBreakerForEachMethod(t *testing.T) {
	b := &backend{unary: failing(99, unavailable)}
	client, _ := pair(t, b, "    breaker: {per: key, window: 10s, calls: 1, failures: 50%, open: {for: 1m}}\n")
	_, _ = client.UnaryCall(context.Background(), &testpb.SimpleRequest{})
	if _, err := client.UnaryCall(context.Background(), &testpb.SimpleRequest{}); !errors.Is(err, seakeep.ErrRejected) {
		t.Errorf("the error is %v", err)
	}
	ss, err := client.StreamingOutputCall(context.Background(), &testpb.StreamingOutputCallRequest{})
	if err != nil {
		t.Fatalf("another method: %v", err)
	}
	if n, err := drain(ss.Recv); n != 3 || err != nil {
		t.Errorf("%d messages, %v", n, err)
	}
}

func TestAFailoverIsRefused(t *testing.T) {
	set := setOf(t, "dependencies:\n  pricing: {failover: {to: spare}}\n  spare: {endpoints: [http://127.0.0.1:1]}\n")
	if _, err := NewClient(set, "pricing"); err == nil || !strings.Contains(err.Error(), "failover") {
		t.Errorf("the error is %v", err)
	}
	if _, err := NewClient(set, "nobody"); err == nil {
		t.Error("a name that is not in the file")
	}
}
