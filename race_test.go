package seakeep

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep/core/call"
)

// racing is a policy whose calls have a copy after 50ms. It has earned enough of
// them.
func racing(t testing.TB, change func(*Config)) *Policy {
	t.Helper()
	c := Config{Name: "dep", Timeout: Timeout{Request: time.Second},
		Hedge:    &Hedge{After: 50 * time.Millisecond, Same: true, Budget: 1, Slow: 1},
		Bulkhead: &Bulkhead{Limit: 10}, Breaker: &Breaker{Window: Window{Consecutive: 3},
			Open: Pause{For: time.Second}, Trials: Trials{Calls: 1}}}
	if change != nil {
		change(&c)
	}
	p, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		_, _ = Do(safe(), p, func(context.Context) (int, error) { return 0, nil })
	}
	return p
}

// safe is the context of a call that may run twice.
func safe() context.Context { return With(context.Background(), Call{Idempotent: true}) }

// nothingLeft checks that no attempt of a policy holds anything any more.
func nothingLeft(t *testing.T, p *Policy) {
	t.Helper()
	s := p.Snapshot()
	if s.Bulkhead.InUse != 0 || s.Stats.Abandoned != 0 || s.Breaker.InFlight != 0 {
		t.Errorf("left: %d slots, %d abandoned, %d in the breaker", s.Bulkhead.InUse, s.Stats.Abandoned,
			s.Breaker.InFlight)
	}
}

// slowFirst answers each call's first attempt after slow, and copies at once.
func slowFirst(slow time.Duration, calls *atomic.Int32) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) {
		n := int(calls.Add(1))
		if n > 1 {
			return n, nil
		}
		select {
		case <-time.After(slow):
			return n, nil
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

func TestCopyAnswersFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := racing(t, nil)
		var calls atomic.Int32
		var report Report
		began := time.Now()
		ctx := With(context.Background(), Call{Idempotent: true, Report: &report})
		v, err := Do(ctx, p, slowFirst(400*time.Millisecond, &calls))
		if v != 2 || err != nil || time.Since(began) != 50*time.Millisecond {
			t.Errorf("%v, %v after %v, want the copy's answer at 50ms", v, err, time.Since(began))
		}
		if len(report.Attempts) != 1 || report.Verdict != call.Succeeded {
			t.Errorf("reported: %+v", report)
		}
		synctest.Wait()
		nothingLeft(t, p)
		if s := p.Snapshot(); s.Hedge.Counts.Sent != 1 || s.Hedge.Counts.Won != 1 || s.Breaker.Window.Failed != 0 {
			t.Errorf("counted: %+v, %d failures", s.Hedge.Counts, s.Breaker.Window.Failed)
		}
	})
}

func TestFirstAnswersBeforeItsCopy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := racing(t, nil)
		var calls atomic.Int32
		cancelled := false
		v, err := Do(safe(), p, func(ctx context.Context) (int, error) {
			if calls.Add(1) == 1 {
				time.Sleep(70 * time.Millisecond)
				return 1, nil
			}
			<-ctx.Done()
			cancelled = ctx.Err() == context.Canceled
			return 0, ctx.Err()
		})
		synctest.Wait()
		if v != 1 || err != nil || !cancelled {
			t.Errorf("%v, %v; the copy was told: %v", v, err, cancelled)
		}
		nothingLeft(t, p)
	})
}

// Only calls that may run twice have copies, and functions only if the policy
// says that they choose a server of their own.
func TestCopiesAreForSafeCalls(t *testing.T) {
	for _, c := range []struct {
		name string
		ctx  context.Context
		same bool
		want int32
	}{
		{"unknown", context.Background(), true, 1},
		{"idempotent", safe(), true, 2},
		{"keyed", With(context.Background(), Call{IdempotencyKey: "k"}), true, 2},
		{"the same server", safe(), false, 1},
		{"retried above", With(context.Background(), Call{Idempotent: true, RetriedAbove: true}), true, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := racing(t, func(k *Config) { k.Hedge.Same = c.same })
				var calls atomic.Int32
				if _, err := Do(c.ctx, p, slowFirst(200*time.Millisecond, &calls)); err != nil {
					t.Error(err)
				}
				if calls.Load() != c.want {
					t.Errorf("%d attempts, want %d", calls.Load(), c.want)
				}
				synctest.Wait()
				nothingLeft(t, p)
			})
		})
	}
}

var errDown = errors.New("down")

// A failure waits for the copy; the last failure is the call's.
func TestFailureWaitsForTheCopy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := racing(t, nil)
		for _, good := range []bool{true, false} {
			var calls atomic.Int32
			began := time.Now()
			v, err := Do(safe(), p, func(context.Context) (int, error) {
				if calls.Add(1) == 1 {
					time.Sleep(60 * time.Millisecond)
					return 0, errDown
				}
				time.Sleep(60 * time.Millisecond)
				if good {
					return 2, nil
				}
				return 0, errDown
			})
			if took := time.Since(began); took != 110*time.Millisecond || good && v != 2 || !good && err != errDown {
				t.Errorf("good %v: %v, %v after %v", good, v, err, took)
			}
		}
		synctest.Wait()
		nothingLeft(t, p)
	})
}
