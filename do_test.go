package seakeep

import (
	"context"
	"errors"
	"io"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/retry"
)

var errBoom = errors.New("boom")

// must makes a policy or ends the test.
func must(t testing.TB, c Config) *Policy {
	t.Helper()
	p, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// script returns a function that answers with these errors in turn, and the
// times at which it was called.
func script(errs ...error) (fn func(context.Context) (int, error), at *[]time.Duration) {
	at = new([]time.Duration)
	begin := time.Now()
	return func(context.Context) (int, error) {
		n := len(*at)
		*at = append(*at, time.Since(begin))
		return n + 1, errs[min(n, len(errs)-1)]
	}, at
}

// steady is a retry rung without randomness.
func steady(attempts int) *Retry {
	return &Retry{Attempts: attempts, Idempotent: retry.Always,
		Backoff: Backoff{Base: time.Second, Jitter: retry.None, Cap: time.Hour}}
}

func TestDoGivesTheAnswer(t *testing.T) {
	p := must(t, Config{Name: "dep"})
	v, err := Do(context.Background(), p, func(context.Context) (string, error) { return "hi", nil })
	if v != "hi" || err != nil {
		t.Errorf("got %q, %v", v, err)
	}
}

func TestDoReturnsTheDependencysErrorAsItCame(t *testing.T) {
	p := must(t, Config{Name: "dep", Bulkhead: &Bulkhead{Limit: 1}})
	v, err := Do(context.Background(), p, func(context.Context) (int, error) { return 7, errBoom })
	if err != errBoom || v != 7 {
		t.Errorf("got %v, %v", v, err)
	}
}

func TestDoRetriesOnlyWhatIsSafe(t *testing.T) {
	for name, c := range map[string]struct {
		call Call
		word retry.Word
		err  error
		want int
	}{
		"nothing known":    {Call{}, retry.ByCall, io.EOF, 1},
		"idempotent":       {Call{Idempotent: true}, retry.ByCall, io.EOF, 3},
		"keyed":            {Call{IdempotencyKey: "k"}, retry.ByCall, io.EOF, 3},
		"the file says so": {Call{}, retry.Always, io.EOF, 3},
		"the file forbids": {Call{Idempotent: true}, retry.Never, io.EOF, 1},
		"never sent":       {Call{}, retry.ByCall, syscall.ECONNREFUSED, 3},
		"marked unsent":    {Call{}, retry.ByCall, Unsent(errBoom), 3},
		"own mistake":      {Call{Idempotent: true}, retry.ByCall, Ignore(errBoom), 1},
		"do not retry":     {Call{Idempotent: true}, retry.ByCall, NoRetry(errBoom), 1},
		"retried above":    {Call{Idempotent: true, RetriedAbove: true}, retry.ByCall, io.EOF, 1},
		"caller's cancel":  {Call{Idempotent: true}, retry.ByCall, context.Canceled, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := steady(3)
				r.Idempotent = c.word
				p := must(t, Config{Name: "dep", Retry: r})
				fn, at := script(c.err)
				_, err := Do(With(context.Background(), c.call), p, fn)
				if len(*at) != c.want || !errors.Is(err, c.err) {
					t.Errorf("%d attempts, want %d; err %v", len(*at), c.want, err)
				}
			})
		})
	}
}

// F052, F068: the wait that would pass the deadline is not begun.
func TestF052StopsBeforeTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := must(t, Config{Name: "dep", Timeout: Timeout{Total: 5 * time.Second}, Retry: steady(8)})
		fn, at := script(errBoom)
		begin := time.Now()
		_, err := Do(context.Background(), p, fn)
		if took := time.Since(begin); took != 3*time.Second {
			t.Errorf("returned after %v", took)
		}
		if want := "[0s 1s 3s]"; len(*at) != 3 {
			t.Errorf("attempts at %v, want %s", *at, want)
		}
		var r *Rejection
		if !errors.As(err, &r) || r.Reason != core.WaitTooLong || !errors.Is(err, errBoom) {
			t.Errorf("err = %v", err)
		}
	})
}

// The caller's own deadline is a context deadline: nothing outlives it.
func TestCallersDeadlineBoundsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := must(t, Config{Name: "dep", Timeout: Timeout{Request: time.Minute}, Retry: steady(8)})
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		begin := time.Now()
		_, err := Do(ctx, p, func(ctx context.Context) (int, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		})
		if took := time.Since(begin); took != 100*time.Millisecond {
			t.Errorf("returned after %v", took)
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("err = %v", err)
		}
		if s := p.Snapshot(); s.Stats.Timeouts != 1 {
			t.Errorf("timeouts = %d", s.Stats.Timeouts)
		}
	})
}

func TestAttemptTimeoutThenSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := must(t, Config{Name: "dep", Timeout: Timeout{Request: 50 * time.Millisecond},
			Retry: steady(2)})
		n := 0
		begin := time.Now()
		v, err := Do(context.Background(), p, func(ctx context.Context) (int, error) {
			if n++; n == 1 {
				<-ctx.Done()
				return 0, ctx.Err()
			}
			return n, nil
		})
		if v != 2 || err != nil || time.Since(begin) != 1050*time.Millisecond {
			t.Errorf("v %d, err %v after %v", v, err, time.Since(begin))
		}
	})
}

func TestF111CancelledBeforeTheCall(t *testing.T) {
	p := must(t, Config{Name: "dep", Bulkhead: &Bulkhead{Limit: 1}})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	fn, at := script(nil)
	if _, err := Do(ctx, p, fn); err != context.Canceled || len(*at) != 0 {
		t.Errorf("err %v after %d attempts", err, len(*at))
	}
	if s := p.Snapshot(); s.Bulkhead.InUse != 0 || s.Stats.Cancelled != 1 {
		t.Errorf("snapshot %+v %+v", s.Bulkhead, s.Stats)
	}
}

func TestCancelWhileWaitingToRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := must(t, Config{Name: "dep", Retry: steady(3), Bulkhead: &Bulkhead{Limit: 1}})
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(100*time.Millisecond, cancel)
		fn, at := script(errBoom)
		begin := time.Now()
		_, err := Do(ctx, p, fn)
		if time.Since(begin) != 100*time.Millisecond || len(*at) != 1 {
			t.Errorf("returned after %v, %d attempts", time.Since(begin), len(*at))
		}
		if !errors.Is(err, context.Canceled) || !errors.Is(err, errBoom) {
			t.Errorf("err = %v: want the cancel and what the attempt said", err)
		}
		s := p.Snapshot()
		if s.Bulkhead.InUse != 0 || s.Budget.Active != 0 || s.Budget.Retrying != 0 {
			t.Errorf("left behind: %+v %+v", s.Bulkhead, s.Budget)
		}
	})
}

func TestOpenBreakerRefusesAndExplains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := must(t, Config{Name: "pricing", Breaker: &Breaker{Window: Window{Consecutive: 2},
			Open: Pause{For: 5 * time.Second}}})
		fn, at := script(errBoom)
		for range 2 {
			_, _ = Do(context.Background(), p, fn)
		}
		time.Sleep(time.Second)
		_, err := Do(context.Background(), p, fn)
		var r *Rejection
		if !errors.As(err, &r) || !errors.Is(err, ErrRejected) || len(*at) != 2 {
			t.Fatalf("err %v after %d attempts", err, len(*at))
		}
		if r.Policy != "pricing" || r.Reason != core.CircuitOpen || r.RetryAfter != 4*time.Second {
			t.Errorf("rejection %+v", r)
		}
		const want = "pricing refused the call: circuit-open. Its breaker opened 1s ago: " +
			"2 calls in a row had failed. Nothing was sent. Come back in 4s."
		if got := Explain(err); got != want {
			t.Errorf("Explain:\n got  %s\n want %s", got, want)
		}
	})
}

// F079: the budget is wired into the call path, and says so.
func TestF079BudgetOnTheCallPath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		quick := steady(8)
		quick.Backoff.Base, quick.Backoff.Cap = time.Millisecond, time.Millisecond
		p := must(t, Config{Name: "dep", Retry: quick,
			Budget: &Budget{Floor: 2, Window: time.Second}})
		fn, at := script(errBoom)
		begin := time.Now()
		exhausted := 0
		for range 10 {
			ctx := context.Background()
			_, err := Do(ctx, p, fn)
			var r *Rejection
			if errors.As(err, &r) && r.Reason == core.BudgetExhausted && errors.Is(err, errBoom) {
				exhausted++
			}
		}
		if exhausted != 10 || len(*at) != 12 {
			t.Errorf("%d attempts, budget exhausted %d times; want 10 calls and 2 retries",
				len(*at), exhausted)
		}
		if took := time.Since(begin); took != 2*time.Millisecond {
			t.Errorf("took %v: a retry that is refused must not wait first", took)
		}
	})
}
