package seakeep

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep/core"
)

func TestDoOrAnswers(t *testing.T) {
	p := must(t, Config{Name: "dep"})
	var rep Report
	v, err := DoOr(With(context.Background(), Call{Report: &rep}), p,
		func(context.Context) (int, error) { return 0, errBoom },
		func(_ context.Context, err error) (int, error) {
			if err != errBoom {
				t.Errorf("the fallback was given %v", err)
			}
			return 42, nil
		})
	if v != 42 || err != nil || rep.Fallback != "function" {
		t.Errorf("got %d, %v, report %+v", v, err, rep)
	}
}

// A caller's own mistake is no reason for a fallback, nor is its leaving.
func TestNoFallbackForTheCallersOwn(t *testing.T) {
	p := must(t, Config{Name: "dep"})
	for _, cause := range []error{Ignore(errBoom), context.Canceled} {
		_, err := DoOr(context.Background(), p,
			func(context.Context) (int, error) { return 0, cause },
			func(context.Context, error) (int, error) {
				t.Errorf("the fallback ran for %v", cause)
				return 1, nil
			})
		if !errors.Is(err, cause) {
			t.Errorf("err = %v", err)
		}
	}
}

// F143: fallbacks have a limit of their own, and both causes are told.
func TestF143FallbacksAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := must(t, Config{Name: "dep", Fallback: &Fallback{Limit: 2}})
		begin := time.Now()
		var wg sync.WaitGroup
		for i := range 3 {
			wg.Go(func() {
				v, err := DoOr(context.Background(), p,
					func(context.Context) (int, error) { return 0, errBoom },
					func(context.Context, error) (int, error) {
						time.Sleep(500 * time.Millisecond)
						return 1, nil
					})
				if i < 2 {
					if v != 1 || err != nil {
						t.Errorf("call %d: %d, %v", i, v, err)
					}
					return
				}
				if time.Since(begin) != 0 || !errors.Is(err, errBoom) ||
					!errors.Is(err, errFallbackFull) || !errors.Is(err, ErrFallback) {
					t.Errorf("third call after %v: %v", time.Since(begin), err)
				}
			})
			synctest.Wait()
		}
		wg.Wait()
	})
}

func TestFallbackFunctionIsTimed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := must(t, Config{Name: "dep"})
		begin := time.Now()
		_, err := DoOr(context.Background(), p,
			func(context.Context) (int, error) { return 0, errBoom },
			func(ctx context.Context, _ error) (int, error) {
				<-ctx.Done()
				return 0, ctx.Err()
			})
		if took := time.Since(begin); took != fallbackTimeout {
			t.Errorf("returned after %v", took)
		}
		if !errors.Is(err, errBoom) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("err = %v", err)
		}
	})
}

func TestAnswersInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := must(t, Config{Name: "dep", Fallback: &Fallback{Order: []Answer{
			{Cache: &Cache{Stale: time.Minute}}, {Static: &Static{Body: "7"}}}}})
		healthy := true
		ask := func(key string) (int, Report) {
			var rep Report
			v, err := Do(With(context.Background(), Call{CacheKey: key, Report: &rep}), p,
				func(context.Context) (int, error) {
					if healthy {
						return 1, nil
					}
					return 0, errBoom
				})
			if err != nil {
				t.Fatal(err)
			}
			return v, rep
		}
		ask("a")
		healthy = false
		time.Sleep(10 * time.Second)
		if v, rep := ask("a"); v != 1 || rep.Fallback != "cache" || rep.Age != 10*time.Second {
			t.Errorf("known key: %d, %+v", v, rep)
		}
		if v, rep := ask("b"); v != 7 || rep.Fallback != "static" {
			t.Errorf("unknown key: %d, %+v", v, rep)
		}
		if v, rep := ask(""); v != 7 || rep.Fallback != "static" {
			t.Errorf("no key: %d, %+v", v, rep)
		}
		time.Sleep(time.Minute)
		if v, rep := ask("a"); v != 7 || rep.Fallback != "static" {
			t.Errorf("too old: %d, %+v", v, rep)
		}
	})
}

func TestOmitGivesTheZeroValue(t *testing.T) {
	p := must(t, Config{Name: "dep", Fallback: &Fallback{Order: []Answer{{Omit: &Omit{}}}}})
	v, err := Do(context.Background(), p, func(context.Context) ([]int, error) {
		return []int{1}, errBoom
	})
	if v != nil || err != nil {
		t.Errorf("got %v, %v", v, err)
	}
}

// F144: when a cached answer is due for renewal one call renews it, and the
// others are answered with the old one meanwhile.
func TestF144OneRefresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := must(t, Config{Name: "dep", Fallback: &Fallback{Order: []Answer{
			{Cache: &Cache{Fresh: 10 * time.Second, Stale: time.Minute}}}}})
		var calls atomic.Int32
		ask := func() (int, error) {
			return Do(With(context.Background(), Call{CacheKey: "k"}), p,
				func(context.Context) (int, error) {
					time.Sleep(500 * time.Millisecond)
					return int(calls.Add(1)), nil
				})
		}
		if v, err := ask(); v != 1 || err != nil {
			t.Fatal(v, err)
		}
		if v, _ := ask(); v != 1 || calls.Load() != 1 {
			t.Errorf("while fresh: %d after %d calls", v, calls.Load())
		}
		time.Sleep(10001 * time.Millisecond)
		begin := time.Now()
		var stale atomic.Int32
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				if v, err := ask(); err == nil && v == 1 && time.Since(begin) == 0 {
					stale.Add(1)
				}
			})
		}
		wg.Wait()
		if stale.Load() != 99 || calls.Load() != 2 {
			t.Errorf("%d stale answers, %d calls in all", stale.Load(), calls.Load())
		}
	})
}

// F145: a failed renewal replaces nothing and the answer keeps its age.
func TestF145FailureReplacesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := must(t, Config{Name: "dep", Fallback: &Fallback{Order: []Answer{
			{Cache: &Cache{Fresh: 10 * time.Second, Stale: time.Minute}}}}})
		var err error
		n := 0
		ask := func() (int, Report) {
			var rep Report
			v, e := Do(With(context.Background(), Call{CacheKey: "k", Report: &rep}), p,
				func(context.Context) (int, error) { n++; return n, err })
			if e != nil {
				t.Fatal(e)
			}
			return v, rep
		}
		ask()
		time.Sleep(11 * time.Second)
		err = errBoom
		if v, rep := ask(); v != 1 || rep.Age != 11*time.Second {
			t.Errorf("failed renewal: %d, %+v", v, rep)
		}
		time.Sleep(time.Second)
		err = nil
		if v, rep := ask(); v != 3 || rep.Fallback != "" {
			t.Errorf("renewal: %d, %+v", v, rep)
		}
	})
}

// A path that only runs in incidents is the one that is broken in one.
func TestExercise(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := &recorder{}
		p := must(t, Config{Name: "dep", Fallback: &Fallback{Exercise: 0.25},
			More: &More{Observer: seen}})
		var ran atomic.Int32
		for range 100 {
			v, err := DoOr(context.Background(), p,
				func(context.Context) (int, error) { return 1, nil },
				func(_ context.Context, err error) (int, error) {
					ran.Add(1)
					return 2, nil
				})
			if v != 1 || err != nil {
				t.Fatalf("the exercise changed the answer: %d, %v", v, err)
			}
		}
		synctest.Wait()
		if ran.Load() != 25 {
			t.Errorf("exercised %d of 100 calls, want 25", ran.Load())
		}
		if n := seen.count(func(e core.Event) bool { return e.Reason == core.Exercise }); n != 25 {
			t.Errorf("%d events", n)
		}
	})
}
