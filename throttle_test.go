package seakeep

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep/core"
)

// draws answers with the numbers given, and then with the last for ever.
func draws(all ...float64) func() float64 {
	var n atomic.Int64
	return func() float64 { return all[min(int(n.Add(1)), len(all))-1] }
}

// busy calls a dependency that has too much to do.
func busy(ctx context.Context, p *Policy) error {
	_, err := Do(ctx, p, func(context.Context) (int, error) { return 0, Overloaded(errBoom, time.Second) })
	return err
}

func fine(ctx context.Context, p *Policy) error {
	_, err := Do(ctx, p, func(context.Context) (int, error) { return 1, nil })
	return err
}

func TestThrottleRefuses(t *testing.T) {
	p := must(t, Config{Name: "dep", Throttle: &Throttle{}, Bulkhead: &Bulkhead{Limit: 1},
		More: &More{Draw: func() float64 { return 0.5 }}})
	ctx := context.Background()
	for range 10 {
		if err := busy(ctx, p); !errors.Is(err, errBoom) {
			t.Fatalf("below the minimum: %v", err)
		}
	}
	called := false
	_, err := Do(ctx, p, func(context.Context) (int, error) {
		called = true
		return 1, nil
	})
	var r *Rejection
	if !errors.As(err, &r) || r.Reason != core.Throttled || r.RetryAfter != 0 || r.Last != nil || called {
		t.Fatalf("err = %v, called %v", err, called)
	}
	if got := Classify(err); got.Outcome != core.Overloaded || !got.NoRetry {
		t.Errorf("the layer above makes of it %+v", got)
	}
	const want = "dep refused the call: throttled. Of its last 11 critical requests it accepted 0; " +
		"90 % are refused here without asking it. Nothing was sent."
	if got := Explain(err); got != want {
		t.Errorf("Explain: %s", got)
	}
	s := p.Snapshot()
	if c := s.Throttle.Classes[Critical.Index()]; c.Refused != 1 || c.Requests != 11 || s.Bulkhead.Peak != 1 {
		t.Errorf("the snapshot has %+v, and a peak of %d slots", c, s.Bulkhead.Peak)
	}
	if s.Stats.Rejected != 1 || len(s.Stats.RejectedFor) != 1 || s.Stats.RejectedFor[0].Reason != core.Throttled {
		t.Errorf("counted: %+v", s.Stats)
	}
	if again := fine(ctx, p); again != err {
		t.Errorf("two refusals are two values: %p, %p", again, err)
	}
}

// The classes are counted apart, and a context says which it is.
func TestThrottleKnowsTheClass(t *testing.T) {
	p := must(t, Config{Name: "dep", Throttle: &Throttle{Minimum: 1},
		More: &More{Draw: func() float64 { return 0 }}})
	batch := WithCriticality(context.Background(), Sheddable)
	_ = busy(batch, p)
	if err := fine(batch, p); !errors.Is(err, ErrRejected) {
		t.Errorf("sheddable: %v", err)
	}
	for _, ctx := range []context.Context{context.Background(), WithCriticality(batch, CriticalPlus)} {
		if err := fine(ctx, p); err != nil {
			t.Errorf("%v: %v", CriticalityOf(ctx), err)
		}
	}
	// A retry within a call, and what the call is told of the context.
	within := WithCriticality(context.Background(), SheddablePlus)
	_, _ = Do(within, p, func(ctx context.Context) (int, error) {
		if got := CriticalityOf(ctx); got != SheddablePlus {
			t.Errorf("the attempt is %v", got)
		}
		return 0, nil
	})
	if got := Explain(fine(batch, p)); !strings.Contains(got, "sheddable requests") {
		t.Errorf("Explain: %s", got)
	}
}

func TestCriticalityOfContexts(t *testing.T) {
	ctx := context.Background()
	if c, said := LookupCriticality(ctx); c != Critical || said {
		t.Errorf("nothing was said, and it is %v, %v", c, said)
	}
	for i := range core.Criticalities {
		class := core.CriticalityAt(i)
		ctx = WithCriticality(ctx, class)
		if c, said := LookupCriticality(ctx); c != class || !said || CriticalityOf(ctx) != class {
			t.Errorf("%v is %v, %v", class, c, said)
		}
	}
	defer func() {
		if r := recover(); r == nil || !strings.HasPrefix(r.(string), "seakeep: ") {
			t.Errorf("a class that is none: %v", r)
		}
	}()
	WithCriticality(ctx, CriticalPlus+1)
}

// In observe mode the throttle says what it would have done.
func TestThrottleObserves(t *testing.T) {
	s := open(t, write(t, "version: 1\nservice: s\ndependencies:\n  dep:\n"+
		"    throttle: {minimum: 1, mode: observe}\n"))
	p := s.MustPolicy("dep")
	for range 200 {
		if err := busy(context.Background(), p); !errors.Is(err, errBoom) {
			t.Fatal(err)
		}
	}
	snap := p.Snapshot()
	if c := snap.Throttle.Classes[Critical.Index()]; c.Requests != 200 || c.Refused != 0 {
		t.Errorf("counted %+v", c)
	}
	if n := snap.Stats.Observed; n < 150 || n > 198 {
		t.Errorf("%d of 200 would have been refused, want 178 or so", n)
	}
}

// Unless somebody says otherwise, the draws are random: about a tenth gets
// through to a dependency that refuses everything.
func TestThrottleDraws(t *testing.T) {
	p := must(t, Config{Name: "dep", Throttle: &Throttle{}})
	sent := 0
	for range 2000 {
		if errors.Is(busy(context.Background(), p), errBoom) {
			sent++
		}
	}
	if sent < 120 || sent > 300 {
		t.Errorf("%d of 2000 calls were sent, want 210 or so", sent)
	}
}

// What draws a call makes is in one place: the throttle's first, then one for
// each failed attempt.
func TestDrawsOfACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := must(t, Config{Name: "dep", Throttle: &Throttle{Minimum: 1},
			Retry: &Retry{Attempts: 2, Idempotent: 1, Backoff: Backoff{Base: time.Second, Cap: time.Second}},
			More:  &More{Draw: draws(0.1, 0.25, 0.9, 0)}})
		begin := time.Now()
		_, _ = Do(context.Background(), p, func(context.Context) (int, error) { return 0, errBoom })
		if took := time.Since(begin); took != 250*time.Millisecond {
			t.Errorf("the jitter made it %v", took)
		}
		if c := p.Snapshot().Throttle.Classes[Critical.Index()]; c.Requests != 2 || c.Accepts != 2 {
			t.Errorf("two attempts that failed with an answer are %+v", c)
		}
	})
}

// A reload keeps what was counted.
func TestThrottleOutlivesReloads(t *testing.T) {
	text := "version: 1\nservice: s\ndependencies:\n  dep:\n    throttle: {k: 3}\n" +
		"    operations: [{name: op}, {name: own, throttle: {minimum: 2}}]\n"
	path := write(t, text)
	s := open(t, path)
	requests := func(name string) int64 {
		return s.MustPolicy(name).Snapshot().Throttle.Classes[Critical.Index()].Requests
	}
	for range 4 {
		_ = busy(context.Background(), s.MustPolicy("dep"))
		_ = fine(context.Background(), s.MustPolicy("dep/op"))
	}
	_ = busy(context.Background(), s.MustPolicy("dep/own"))
	text = strings.Replace(text, "k: 3", "k: 1.5, minimum: 1", 1)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := s.Reload(); err != nil {
		t.Fatal(err)
	}
	if requests("dep") != 8 || requests("dep/op") != 8 || requests("dep/own") != 1 {
		t.Errorf("after a reload: %d, %d, %d", requests("dep"), requests("dep/op"), requests("dep/own"))
	}
	c := s.MustPolicy("dep").Snapshot().Throttle.Classes[Critical.Index()]
	if want := (8 - 1.5*4) / 9; c.Refusal != want {
		t.Errorf("by the new numbers %v is refused, want %v", c.Refusal, want)
	}
}

// A policy without a throttle asks the context nothing and draws nothing for it.
func TestNoThrottleNoDraw(t *testing.T) {
	p := must(t, Config{Name: "dep", More: &More{Draw: func() float64 {
		t.Error("a call that goes well draws")
		return 0
	}}})
	if err := fine(context.Background(), p); err != nil {
		t.Error(err)
	}
}

func BenchmarkDoThrottled(b *testing.B) {
	p := full(b)
	p = must(b, Config{Name: "full", Timeout: Timeout{Request: time.Second}, Retry: &Retry{Attempts: 3},
		Breaker: p.Plan().Config().Breaker, Bulkhead: &Bulkhead{Limit: 100}, Throttle: &Throttle{}})
	benchmarkDo(b, context.Background(), p)
}
