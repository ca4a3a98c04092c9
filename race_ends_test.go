package seakeep

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep/core"
)

// A panic and a Goexit of an attempt are the caller's, and leave nothing behind.
func TestPanicOfARacingAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := racing(t, nil)
		for _, copyPanics := range []bool{false, true} {
			var calls atomic.Int32
			func() {
				defer func() {
					if r := recover(); r != "broken" {
						t.Errorf("recovered %v", r)
					}
				}()
				_, _ = Do(safe(), p, func(ctx context.Context) (int, error) {
					first := calls.Add(1) == 1
					if first == copyPanics {
						<-ctx.Done()
						return 0, ctx.Err()
					}
					if first {
						time.Sleep(60 * time.Millisecond)
					}
					panic("broken")
				})
			}()
			synctest.Wait()
			nothingLeft(t, p)
		}
		exited := make(chan bool, 1)
		go func() {
			returned := false
			defer func() { exited <- !returned }()
			_, _ = Do(safe(), p, func(context.Context) (int, error) { runtime.Goexit(); return 0, nil })
			returned = true
		}()
		if !<-exited {
			t.Error("Goexit of an attempt did not end its caller")
		}
		synctest.Wait()
		nothingLeft(t, p)
	})
}

// An attempt that was abandoned at its limit gives back its own slot, once, also
// if the next one panics.
func TestPanicAfterAnAbandonedAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := racing(t, func(c *Config) {
			c.Timeout.Request = 100 * time.Millisecond
			c.Hedge.After = time.Minute
			c.Retry = &Retry{Attempts: 2, Backoff: Backoff{Base: 1}}
		})
		var calls atomic.Int32
		func() {
			defer func() {
				if r := recover(); r != "broken" {
					t.Errorf("recovered %v", r)
				}
			}()
			_, _ = DoAbandon(safe(), p, func(context.Context) (int, error) {
				if calls.Add(1) == 2 {
					panic("broken")
				}
				time.Sleep(time.Second)
				return 0, nil
			})
		}()
		if n := p.Snapshot().Bulkhead.InUse; n != 1 {
			t.Errorf("%d slots in use while the first attempt goes on", n)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		nothingLeft(t, p)
	})
}

// The caller leaves: what its attempts do is done, and nothing is left.
func TestCallerLeavesARace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := racing(t, nil)
		ctx, cancel := context.WithCancel(safe())
		time.AfterFunc(80*time.Millisecond, cancel)
		var calls atomic.Int32
		_, err := Do(ctx, p, func(ctx context.Context) (int, error) {
			calls.Add(1)
			<-ctx.Done()
			return 0, ctx.Err()
		})
		if !errors.Is(err, context.Canceled) || calls.Load() != 2 {
			t.Errorf("%v after %d attempts", err, calls.Load())
		}
		synctest.Wait()
		nothingLeft(t, p)
		if s := p.Snapshot(); s.Stats.Cancelled != 1 || s.Breaker.Window.Failed != 0 {
			t.Errorf("%d cancelled, %d failures", s.Stats.Cancelled, s.Breaker.Window.Failed)
		}
	})
}

// Each attempt has a limit of its own, and both count when both pass.
func TestLimitsOfARace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := racing(t, nil)
		began := time.Now()
		_, err := Do(safe(), p, func(ctx context.Context) (int, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		})
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took != 1050*time.Millisecond {
			t.Errorf("%v after %v", err, took)
		}
		synctest.Wait()
		nothingLeft(t, p)
		if s := p.Snapshot(); s.Stats.Timeouts != 2 {
			t.Errorf("%d timeouts, want 2", s.Stats.Timeouts)
		}
	})
}

// What comes when nobody waits any more is given to Discard, once. A function
// that does not heed its context keeps its slot until it ends.
func TestLateAnswerIsDiscarded(t *testing.T) {
	for _, abandon := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			p := racing(t, nil)
			var calls atomic.Int32
			var discarded []any
			ctx := With(context.Background(), Call{Idempotent: true,
				Discard: func(v any) { discarded = append(discarded, v) }})
			do := Do[string]
			if abandon {
				do = DoAbandon[string]
			}
			v, err := do(ctx, p, func(context.Context) (string, error) {
				if calls.Add(1) == 1 {
					time.Sleep(300 * time.Millisecond)
					return "late", nil
				}
				return "early", nil
			})
			if v != "early" || err != nil {
				t.Errorf("%v, %v", v, err)
			}
			synctest.Wait()
			if n := p.Snapshot().Bulkhead.InUse; n != 1 {
				t.Errorf("%d slots in use while the first attempt goes on", n)
			}
			time.Sleep(time.Second)
			synctest.Wait()
			nothingLeft(t, p)
			if !abandon && (len(discarded) != 1 || discarded[0] != "late") {
				t.Errorf("discarded %v", discarded)
			}
		})
	}
}

// angry panics when it hears of the n-th event.
type angry struct{ left atomic.Int32 }

func (a *angry) Observe(core.Event) {
	if a.left.Add(-1) == 0 {
		panic("observer")
	}
}

// Whatever an observer does, nothing is left behind.
func TestObserverPanicsDuringARace(t *testing.T) {
	for n := int32(1); n <= 8; n++ {
		synctest.Test(t, func(t *testing.T) {
			o := &angry{}
			p := racing(t, func(c *Config) { c.More = &More{Observer: o} })
			o.left.Store(n)
			func() {
				defer func() { _ = recover() }()
				var calls atomic.Int32
				_, _ = Do(safe(), p, slowFirst(100*time.Millisecond, &calls))
			}()
			o.left.Store(0)
			time.Sleep(time.Second)
			synctest.Wait()
			nothingLeft(t, p)
		})
	}
}

// F093: many calls that are answered at the very moment of the copy, with an
// observer that calls back into the policy.
func TestF093AnswersAtTheCopysMoment(t *testing.T) {
	var p *Policy
	p = racing(t, func(c *Config) {
		c.Hedge.After = time.Millisecond
		c.Bulkhead.Limit = 1000
		c.More = &More{Observer: observe(func(core.Event) {
			if p != nil {
				p.Snapshot()
			}
		})}
	})
	const workers, each = 8, 150
	done := make(chan int, workers)
	for range workers {
		go func() {
			bad := 0
			for range each {
				v, err := Do(safe(), p, func(ctx context.Context) (int, error) {
					select {
					case <-time.After(time.Millisecond):
						return 1, nil
					case <-ctx.Done():
						return 0, ctx.Err()
					}
				})
				if v != 1 || err != nil {
					bad++
				}
			}
			done <- bad
		}()
	}
	for range workers {
		if bad := <-done; bad > 0 {
			t.Errorf("%d calls had no answer", bad)
		}
	}
	for range 1000 { // losers are on their way out
		if p.Snapshot().Bulkhead.InUse == 0 {
			break
		}
		runtime.Gosched()
		time.Sleep(time.Millisecond)
	}
	nothingLeft(t, p)
}

type observe func(core.Event)

func (f observe) Observe(e core.Event) { f(e) }

func BenchmarkDoHedged(b *testing.B) {
	p := racing(b, func(c *Config) { c.Hedge.After = time.Second })
	ctx := safe()
	b.ReportAllocs()
	for b.Loop() {
		_, _ = Do(ctx, p, func(context.Context) (int, error) { return 1, nil })
	}
}
