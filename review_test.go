package seakeep

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/retry"
)

func TestErrorThatClassifyCallsGoodIsReturned(t *testing.T) {
	none := errors.New("no rows")
	p := must(t, Config{Name: "dep",
		Fallback: &Fallback{Order: []Answer{{Cache: &Cache{Fresh: time.Hour}}}},
		More: &More{Classify: func(error) core.Result {
			return core.Result{Outcome: core.Success}
		}}})
	ctx := With(context.Background(), Call{CacheKey: "k"})
	fn := func(context.Context) (int, error) { return 0, none }
	for range 2 { // the second time it must not come from the cache
		if _, err := Do(ctx, p, fn); err != none {
			t.Errorf("Do: err = %v", err)
		}
		if _, err := DoAbandon(ctx, p, fn); err != none {
			t.Errorf("DoAbandon: err = %v", err)
		}
	}
	if s := p.Snapshot().Stats; s.Succeeded != 4 {
		t.Errorf("counted %d as good, want 4", s.Succeeded)
	}
}

func TestOperationMaySwitchRungsOff(t *testing.T) {
	for _, rung := range []string{"breaker: none", "bulkhead: none", "retry: {budget: none}",
		"retry: none", "throttle: none", "fallback: none"} {
		s := open(t, write(t, "version: 1\nservice: s\ndependencies:\n  dep:\n"+
			"    retry: {attempts: 2, idempotent: always, backoff: {base: 1ns}}\n"+
			"    breaker: {window: {consecutive: 9}, open: {for: 60s}}\n"+
			"    bulkhead: {limit: 1}\n"+
			"    throttle: {}\n"+
			"    operations: [{name: op, match: {path: /x}, "+rung+"}]\n"))
		p := s.MustPolicy("dep/op")
		if err := fail(p); !errors.Is(err, errBoom) {
			t.Errorf("%s: err = %v", rung, err)
		}
		snap := p.Snapshot()
		if (snap.Breaker == nil) != (rung == "breaker: none") ||
			(snap.Bulkhead == nil) != (rung == "bulkhead: none") ||
			(snap.Throttle == nil) != (rung == "throttle: none") ||
			(snap.Budget == nil) != (rung == "retry: {budget: none}") {
			t.Errorf("%s leaves %+v", rung, snap.Snapshot)
		}
	}
}

func TestPolicyComesBackWithItsName(t *testing.T) {
	const file = "version: 1\nservice: s\ndependencies:\n  %s:\n    bulkhead: {limit: %d}\n"
	path := write(t, fmt.Sprintf(file, "dep", 1))
	s := open(t, path)
	p := s.MustPolicy("dep")
	for i, name := range []string{"other", "third", "dep"} {
		if err := os.WriteFile(path, fmt.Appendf(nil, file, name, i+5), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := s.Reload(); err != nil {
			t.Fatal(err)
		}
	}
	if s.MustPolicy("dep") != p || p.Snapshot().Bulkhead.Limit != 7 {
		t.Errorf("whoever holds the policy calls by old settings: limit %d",
			p.Snapshot().Bulkhead.Limit)
	}
}

func TestRejectionFromBelowIsNotRetried(t *testing.T) {
	below := &Rejection{Reason: core.BudgetExhausted, Last: Overloaded(errBoom, 0)}
	if r := Classify(fmt.Errorf("price: %w", below)); !r.NoRetry {
		t.Errorf("a mark inside a Rejection overrules it: %+v", r)
	}
	if r := Classify(Ignore(below)); r.Outcome != core.Ignored {
		t.Errorf("a mark around a Rejection does not: %+v", r)
	}
}

func TestReportIsOfOneCall(t *testing.T) {
	var r Report
	outer := must(t, Config{Name: "outer", Fallback: &Fallback{Exercise: 1}})
	inner := must(t, Config{Name: "inner"})
	ctx := With(context.Background(), Call{Report: &r})
	exercised := make(chan struct{}, 2)
	for range 2 {
		_, err := DoOr(ctx, outer, func(ctx context.Context) (int, error) {
			return Do(ctx, inner, func(context.Context) (int, error) { return 1, nil })
		}, func(ctx context.Context, err error) (int, error) {
			defer func() { exercised <- struct{}{} }()
			return Do(ctx, inner, func(context.Context) (int, error) { return 2, nil })
		})
		if err != nil || r.Policy != "outer" || len(r.Attempts) != 1 {
			t.Errorf("err = %v, report = %+v", err, r)
		}
	}
	<-exercised
	<-exercised
}

// touchy panics at one kind of event.
type touchy struct{ kind core.EventKind }

func (o touchy) Observe(e core.Event) {
	if e.Kind == o.kind {
		panic("observer")
	}
}

func TestObserverThatPanicsLosesNothing(t *testing.T) {
	for _, counts := range []breaker.Counts{breaker.Attempts, breaker.Calls} {
		synctest.Test(t, func(t *testing.T) { panickyObservers(t, counts) })
	}
}

func panickyObservers(t *testing.T, counts breaker.Counts) {
	for kind := core.CallStarted; kind <= core.CallEnded; kind++ {
		for _, err := range []error{nil, errBoom} {
			const ms = time.Millisecond
			p := must(t, Config{Name: "dep", Bulkhead: &Bulkhead{Limit: 1},
				Retry: &Retry{Attempts: 2, Idempotent: retry.Always, Backoff: Backoff{Base: 1}},
				Breaker: &Breaker{Window: Window{Consecutive: 1}, Open: Pause{For: ms},
					Counts: counts},
				More: &More{Observer: touchy{kind}}})
			for range 3 {
				func() {
					defer func() { _ = recover() }()
					_, _ = Do(context.Background(), p, func(context.Context) (int, error) {
						return 0, err
					})
				}()
				time.Sleep(2 * ms)
			}
			s := p.Snapshot()
			if s.Bulkhead.InUse != 0 || s.Budget.Active != 0 || s.Budget.Retrying != 0 ||
				s.Breaker.InFlight != 0 {
				t.Errorf("%v, %v: %d slots in use, %d calls and %d retries open, %d trials", kind,
					err, s.Bulkhead.InUse, s.Budget.Active, s.Budget.Retrying, s.Breaker.InFlight)
			}
		}
	}
}

func TestExerciseSurvivesAPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var refused atomic.Int32
		p := must(t, Config{Name: "dep", Fallback: &Fallback{Exercise: 1},
			More: &More{Observer: watcher(func(e core.Event) {
				if e.Kind == core.FallbackRefused && e.Reason == core.Exercise {
					refused.Add(1)
				}
			})}})
		_, err := DoOr(context.Background(), p, func(context.Context) (int, error) { return 1, nil },
			func(_ context.Context, err error) (int, error) { panic(err) })
		synctest.Wait()
		if err != nil || refused.Load() != 1 {
			t.Errorf("err = %v, told %d times", err, refused.Load())
		}
	})
}

type watcher func(core.Event)

func (w watcher) Observe(e core.Event) { w(e) }

func TestFallbackCountsOutliveAReload(t *testing.T) {
	s := open(t, write(t, policyFile))
	p := s.MustPolicy("reviews")
	for range 2 {
		_, err := Do(context.Background(), p, func(context.Context) ([]string, error) {
			return nil, errBoom
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Reload(); err != nil {
			t.Fatal(err)
		}
	}
	if n := p.Snapshot().Fallback.Answered["static"]; n != 2 {
		t.Errorf("counted %d answers, want 2", n)
	}
}

// The wall clock was set back by an hour since the epoch.
func TestDeadlineWithoutMonotonicReading(t *testing.T) {
	origin := epoch
	(*struct {
		wall uint64
		mono int64
	})(unsafe.Pointer(&origin)).mono -= int64(time.Hour)
	if passed := time.Since(origin); passed < time.Hour {
		t.Fatalf("the test does not set the clock: %v", passed)
	}
	for _, at := range []time.Time{time.Now(), time.Now().Round(0)} {
		now := core.Instant(time.Since(origin))
		left := instantOf(at.Add(time.Minute), origin).Sub(now)
		if left > time.Minute || left < 30*time.Second {
			t.Errorf("%v left of a minute", left)
		}
	}
	for _, far := range []time.Time{{}, time.Unix(1<<40, 0)} {
		if got := instantOf(far, origin); (got > 0) != (far.Unix() > 0) {
			t.Errorf("%v is %v", far, got)
		}
	}
}

func TestDoAbandonUsesTheCache(t *testing.T) {
	p := must(t, Config{Name: "dep",
		Fallback: &Fallback{Order: []Answer{{Cache: &Cache{Fresh: time.Hour}}}}})
	ctx := With(context.Background(), Call{CacheKey: "k"})
	for want := range 3 {
		v, err := DoAbandon(ctx, p, func(context.Context) (int, error) { return want + 1, nil })
		if v != 1 || err != nil {
			t.Errorf("got %d, %v", v, err)
		}
	}
}

func TestRetryAfterDoesNotOverflow(t *testing.T) {
	p := must(t, Config{Name: "dep", Timeout: Timeout{Total: time.Second}, Retry: steady(2)})
	_, err := Do(context.Background(), p, func(context.Context) (int, error) {
		return 0, Overloaded(errBoom, math.MaxInt64)
	})
	var r *Rejection
	if errors.As(err, &r) && r.RetryAfter <= 0 {
		t.Errorf("retry after %v", r.RetryAfter)
	}
	if r = p.state.Load().reject(&Ending{Reason: core.CircuitOpen, RetryAfter: math.MaxInt64},
		"", nil); r.RetryAfter <= 0 {
		t.Errorf("retry after %v", r.RetryAfter)
	}
}
