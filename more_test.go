package seakeep

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
)

func goexit() { runtime.Goexit() }

func TestDoAbandonMovesOnAndKeepsTheSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := must(t, Config{Name: "dep", Timeout: Timeout{Request: 20 * time.Millisecond},
			Bulkhead: &Bulkhead{Limit: 2}})
		begin := time.Now()
		_, err := DoAbandon(context.Background(), p, func(context.Context) (int, error) {
			time.Sleep(200 * time.Millisecond) // deaf to its context
			return 1, nil
		})
		if took := time.Since(begin); took != 20*time.Millisecond {
			t.Errorf("returned after %v", took)
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("err = %v", err)
		}
		s := p.Snapshot()
		if s.Bulkhead.InUse != 1 || s.Stats.Abandoned != 1 {
			t.Errorf("in use %d, abandoned %d, while the work goes on", s.Bulkhead.InUse,
				s.Stats.Abandoned)
		}
		time.Sleep(200 * time.Millisecond)
		synctest.Wait()
		s = p.Snapshot()
		if s.Bulkhead.InUse != 0 || s.Stats.Abandoned != 0 {
			t.Errorf("in use %d, abandoned %d, after the work ended", s.Bulkhead.InUse,
				s.Stats.Abandoned)
		}
	})
}

func TestDoAbandonPassesAnswersAndPanics(t *testing.T) {
	p := must(t, Config{Name: "dep", Bulkhead: &Bulkhead{Limit: 1}})
	v, err := DoAbandon(context.Background(), p, func(context.Context) (int, error) { return 3, nil })
	if v != 3 || err != nil {
		t.Errorf("got %d, %v", v, err)
	}
	_, err = DoAbandon(context.Background(), p, func(context.Context) (int, error) {
		goexit()
		return 0, nil
	})
	if !errors.Is(err, errExited) {
		t.Errorf("a function that ends by Goexit: %v", err)
	}
	func() {
		defer func() {
			if recover() != "ouch" {
				t.Error("the panic did not pass through")
			}
		}()
		_, _ = DoAbandon(context.Background(), p, func(context.Context) (int, error) { panic("ouch") })
	}()
	if n := p.Snapshot().Bulkhead.InUse; n != 0 {
		t.Errorf("in use %d", n)
	}
}

// F107 with real goroutines: the function ends and the limit passes at about
// the same moment, in every order; slots and abandoned counts are exact.
func TestF107AbandonRace(t *testing.T) {
	p := must(t, Config{Name: "dep", Timeout: Timeout{Request: 50 * time.Microsecond},
		Bulkhead: &Bulkhead{Limit: 64}})
	var running, most atomic.Int64
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			for i := range 200 {
				_, _ = DoAbandon(context.Background(), p, func(ctx context.Context) (int, error) {
					n := running.Add(1)
					for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
					}
					defer running.Add(-1)
					for range i % 3 {
						runtime.Gosched()
					}
					if i%2 == 0 {
						<-ctx.Done()
					}
					return 0, nil
				})
			}
		})
	}
	wg.Wait()
	for begin := time.Now(); p.Snapshot().Stats.Abandoned != 0; runtime.Gosched() {
		if time.Since(begin) > 10*time.Second {
			t.Fatal("abandoned attempts never ended")
		}
	}
	if s := p.Snapshot(); s.Bulkhead.InUse != 0 || most.Load() > 64 {
		t.Errorf("in use %d; at most %d ran on 64 slots", s.Bulkhead.InUse, most.Load())
	}
}

func TestObserveModeLetsEverythingPass(t *testing.T) {
	seen := &recorder{}
	p := must(t, Config{Name: "dep", Bulkhead: &Bulkhead{Limit: 1},
		Breaker: &Breaker{Window: Window{Consecutive: 1}, Open: Pause{For: time.Minute}},
		More:    &More{Observe: 0xff, Observer: seen}})
	fn, at := script(errBoom)
	for range 5 {
		if _, err := Do(context.Background(), p, fn); err != errBoom {
			t.Fatalf("err = %v", err)
		}
	}
	if len(*at) != 5 {
		t.Errorf("%d of 5 calls passed", len(*at))
	}
	if n := seen.count(func(e core.Event) bool {
		return e.Observed && e.Reason == core.CircuitOpen && e.Policy == "dep"
	}); n != 4 {
		t.Errorf("the breaker said %d times what it would have done, want 4", n)
	}
}

// recorder keeps events. It reads the policy back while it is told, which must
// not deadlock.
type recorder struct {
	mu     sync.Mutex
	events []core.Event
	policy *Policy
}

func (r *recorder) Observe(e core.Event) {
	if r.policy != nil {
		r.policy.Snapshot()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

func (r *recorder) count(match func(core.Event) bool) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events {
		if match(e) {
			n++
		}
	}
	return n
}

func TestObserverMayCallBack(t *testing.T) {
	seen := &recorder{}
	p := must(t, Config{Name: "dep", Breaker: &Breaker{Window: Window{Consecutive: 1},
		Open: Pause{For: time.Minute}}, More: &More{Observer: seen}})
	seen.policy = p
	fn, _ := script(errBoom)
	_, _ = Do(context.Background(), p, fn)
	if n := seen.count(func(e core.Event) bool {
		return e.Kind == core.BreakerChanged && e.From == "closed" && e.To == "open" && e.Seq > 0
	}); n != 1 {
		t.Errorf("%d changes seen: %+v", n, seen.events)
	}
}

// A breaker per key: one tenant's failures do not refuse another's calls.
func TestBreakerPerKey(t *testing.T) {
	p := must(t, Config{Name: "dep", Breaker: &Breaker{Window: Window{Consecutive: 1},
		Open: Pause{For: time.Minute}}, More: &More{Keys: 10}})
	fn, at := script(errBoom)
	for _, key := range []string{"a", "a", "b"} {
		_, _ = Do(With(context.Background(), Call{Key: key}), p, fn)
	}
	if len(*at) != 2 {
		t.Errorf("%d calls were made, want one for each tenant", len(*at))
	}
	if got := p.Plan().Breaker(Now(), "a").Snapshot(Now()).State; got != breaker.Open {
		t.Errorf("tenant a's breaker is %v", got)
	}
}

// Refusing must cost nothing that the garbage collector has to clean up.
func TestRefusalAllocatesNothing(t *testing.T) {
	p := must(t, Config{Name: "dep", Breaker: &Breaker{Window: Window{Consecutive: 1},
		Open: Pause{For: time.Hour}}})
	fn, _ := script(errBoom)
	ctx := context.Background()
	_, _ = Do(ctx, p, fn)
	n := testing.AllocsPerRun(10_000, func() { _, _ = Do(ctx, p, fn) })
	if n != 0 {
		t.Errorf("%v allocations a refusal", n)
	}
}

func TestDoAllocates(t *testing.T) {
	ctx := context.Background()
	fn := func(context.Context) (int, error) { return 1, nil }
	p := full(t)
	if n := testing.AllocsPerRun(1000, func() { _, _ = Do(ctx, p, fn) }); n > 1 {
		t.Errorf("with a timeout: %v allocations, want at most 1", n)
	}
	soon, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	if n := testing.AllocsPerRun(1000, func() { _, _ = Do(soon, p, fn) }); n != 0 {
		t.Errorf("with the caller's own deadline the earlier: %v allocations", n)
	}
}

// An operator reaches the breaker of one key, and its refusal is explained by
// that breaker's numbers.
func TestForceAndExplainPerKey(t *testing.T) {
	p := must(t, Config{Name: "dep", Breaker: &Breaker{Window: Window{Consecutive: 1},
		Open: Pause{For: time.Minute}}, More: &More{Keys: 10}})
	fn, _ := script(errBoom)
	ask := func(key string) error {
		_, err := Do(With(context.Background(), Call{Key: key}), p, fn)
		return err
	}
	_ = ask("a")
	if got := Explain(ask("a")); !strings.Contains(got, "1 calls in a row had failed") {
		t.Errorf("explained: %s", got)
	}
	if p.Plan().Force(Now(), "nobody", breaker.ForceOpen) || p.Plan().Reset(Now(), "nobody") {
		t.Error("a breaker that does not exist was changed")
	}
	if !p.Plan().Reset(Now(), "a") || !errors.Is(ask("a"), errBoom) {
		t.Error("the breaker of tenant a was not reset")
	}
}

func TestMarkIsTheWordThatCounts(t *testing.T) {
	want := core.Result{Outcome: core.Overloaded, Cause: core.TooMany, RetryAfter: time.Second, Exact: true}
	err := Mark(Ignore(errBoom), want)
	if got := Classify(err); got != want || !errors.Is(err, errBoom) || err.Error() != errBoom.Error() {
		t.Errorf("%v is %+v", err, got)
	}
	if !Marked(fmt.Errorf("in short: %w", err)) || Marked(errBoom) || Marked(nil) {
		t.Error("who has said something is not known")
	}
	if Mark(nil, want) != nil {
		t.Error("no error has become one")
	}
}
