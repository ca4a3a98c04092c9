package seakeep

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
)

// F089: a failure with nothing else under way brings the copy forward; one that
// would repeat ends the call.
func TestF089CopyFollowsAFailureAtOnce(t *testing.T) {
	for _, fatal := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			p := racing(t, func(c *Config) {
				c.Hedge.After = time.Second
				c.Timeout.Request = 5 * time.Second
				c.More = &More{Classify: func(err error) core.Result {
					if err == errDown && fatal {
						return core.Result{Outcome: core.Ignored, Cause: core.ClientError}
					}
					return core.Result{}
				}}
			})
			var calls atomic.Int32
			began := time.Now()
			v, err := Do(safe(), p, func(context.Context) (int, error) {
				time.Sleep(10 * time.Millisecond)
				if n := calls.Add(1); n > 1 {
					return int(n), nil
				}
				return 0, errDown
			})
			took := time.Since(began)
			if fatal && (err != errDown || took != 10*time.Millisecond || calls.Load() != 1) ||
				!fatal && (v != 2 || err != nil || took != 20*time.Millisecond) {
				t.Errorf("fatal %v: %v, %v after %v and %d attempts", fatal, v, err, took, calls.Load())
			}
			synctest.Wait()
			nothingLeft(t, p)
		})
	}
}

// F091: a copy that may not be sent is not waited for, and the error is the
// attempt's.
func TestF091DeniedCopyIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := New(Config{Name: "dep", Hedge: &Hedge{After: time.Second, Same: true}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(safe(), 15*time.Second)
		defer cancel()
		began := time.Now()
		_, err = Do(ctx, p, func(context.Context) (int, error) {
			time.Sleep(5 * time.Millisecond)
			return 0, errDown
		})
		if err != errDown || time.Since(began) != 5*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// F092: retries and copies share one count.
func TestF092RetriesAndCopiesDoNotMultiply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := racing(t, func(c *Config) {
			c.Hedge.Copies = 2
			c.Retry = &Retry{Attempts: 3, Backoff: Backoff{Base: 10 * time.Millisecond}}
			c.Breaker.Window.Consecutive = 100
		})
		for _, takes := range []time.Duration{0, 60 * time.Millisecond, 200 * time.Millisecond} {
			var calls atomic.Int32
			_, err := Do(safe(), p, func(context.Context) (int, error) {
				calls.Add(1)
				time.Sleep(takes)
				return 0, errDown
			})
			if err != errDown || calls.Load() != 3 {
				t.Errorf("attempts of %v: %v after %d of them, want 3", takes, err, calls.Load())
			}
		}
		synctest.Wait()
		nothingLeft(t, p)
	})
}

// In observe mode copies are counted and not sent.
func TestObservedHedge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var would atomic.Int32
		p := racing(t, func(c *Config) {
			c.More = &More{Observe: call.RungHedge, Observer: observe(func(e core.Event) {
				if e.Kind == core.HedgeDenied && e.Observed {
					would.Add(1)
				}
			})}
		})
		var calls atomic.Int32
		v, err := Do(safe(), p, slowFirst(200*time.Millisecond, &calls))
		if v != 1 || err != nil || calls.Load() != 1 || would.Load() != 1 {
			t.Errorf("%v, %v after %d attempts, %d told", v, err, calls.Load(), would.Load())
		}
		nothingLeft(t, p)
	})
}
