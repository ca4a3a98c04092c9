package seakeepgrpc

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/conformance"
)

// answered is the failure that a script has for an attempt.
type answered struct{ result core.Result }

func (a *answered) Error() string { return a.result.Outcome.String() }

// The scripts that the library, the HTTP client, the proxy and the simulator
// turn into the same decisions.
func TestConformance(t *testing.T) {
	for _, s := range conformance.Scripts(t, "../../internal/conformance/testdata") {
		t.Run(filepath.Base(s.Name), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				events, start := play(t, s)
				conformance.Same(t, conformance.Instants(conformance.Log(events, start)),
					conformance.Instants(s.Want))
			})
		})
	}
}

// play runs a script through the interceptor, with a function in place of gRPC.
func play(t *testing.T, s *conformance.Script) ([]core.Event, core.Instant) {
	d := &conformance.Diary{}
	set, err := seakeep.NewSet(s.Policy, seakeep.Options{Observer: d, Draw: conformance.Half,
		Classify: func(err error) (r core.Result) {
			var a *answered
			if errors.As(err, &a) {
				r = a.result
			}
			return r
		}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewClient(set, s.Policy.Dependencies[0].Name)
	if err != nil {
		t.Fatal(err)
	}
	start, call := seakeep.Now(), c.Unary()
	s.Play(func(n int) {
		ctx := context.Background()
		if s.Deadline > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, s.Deadline)
			defer cancel()
		}
		var attempts atomic.Int32 // of which two may be under way at once
		_ = call(ctx, "/s/m", new(emptypb.Empty), new(emptypb.Empty), nil, func(ctx context.Context, _ string,
			_, _ any, _ *grpc.ClientConn, _ ...grpc.CallOption) error {
			return attempt(ctx, s.Answer(n, int(attempts.Add(1))-1))
		}, Idempotent())
	})
	return d.Events(), start
}

func attempt(ctx context.Context, a conformance.Answer) error {
	after := a.After
	if a.Status == 0 {
		after = 24 * time.Hour
	}
	select {
	case <-time.After(after):
	case <-ctx.Done():
		return withStatus(ctx.Err())
	}
	if r := a.Result(); r.Outcome != core.Success {
		return &answered{r}
	}
	return nil
}
