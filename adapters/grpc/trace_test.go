package seakeepgrpc

import (
	"context"
	"slices"
	"testing"

	"google.golang.org/grpc/metadata"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core/retry"
)

// follower is a seakeep.Tracer that sends a field and keeps what it hears.
type follower struct{ heard []string }

func (f *follower) StartCall(ctx context.Context, _ string) (context.Context, seakeep.CallTrace) {
	return ctx, f
}

func (f *follower) StartAttempt(ctx context.Context, n int, _ bool) (context.Context, seakeep.AttemptTrace) {
	return ctx, &followed{f, string(rune('0' + n))}
}

func (f *follower) EndCall(seakeep.CallEnd) { f.heard = append(f.heard, "end") }

type followed struct {
	of *follower
	n  string
}

func (a *followed) Calling(method string, set func(field, value string)) {
	a.of.heard = append(a.of.heard, a.n+" "+method)
	set("Traceparent", "trace-"+a.n)
}

func (a *followed) Status(code string) { a.of.heard = append(a.of.heard, a.n+" "+code) }

func (a *followed) EndAttempt(r seakeep.AttemptReport) {
	a.of.heard = append(a.of.heard, a.n+" "+r.Result.Outcome.String())
}

// TestTraced has a call's attempts followed, each with fields of its own.
func TestTraced(t *testing.T) {
	f := &follower{}
	p, err := seakeep.New(seakeep.Config{Name: "pricing", Retry: &seakeep.Retry{Attempts: 2,
		Backoff: retry.Backoff{Base: 1, Cap: 1}}, More: &seakeep.More{Tracer: f}})
	if err != nil {
		t.Fatal(err)
	}
	var sent []string
	x := &exchange{ctx: context.Background(), info: &seakeep.Call{}, adapter: p.Adapter(), method: "/shop.Pricing/Quote"}
	x.adapter.Run(context.Background(), x.request(), func(ctx context.Context, attempt int) seakeep.Tried {
		md, _ := metadata.FromOutgoingContext(x.tell(ctx, attempt, false))
		sent = append(sent, md.Get("traceparent")...)
		x.stated(ctx, nil)
		return seakeep.Tried{}
	})
	if !slices.Equal(sent, []string{"trace-0"}) || !slices.Contains(f.heard, "0 shop.Pricing/Quote") ||
		!slices.Contains(f.heard, "0 OK") || f.heard[len(f.heard)-1] != "end" {
		t.Errorf("%q, %q", sent, f.heard)
	}
}
