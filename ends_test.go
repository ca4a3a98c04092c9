package seakeep

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/call"
)

func TestPanicReportsAndFrees(t *testing.T) {
	p := must(t, Config{Name: "dep", Bulkhead: &Bulkhead{Limit: 1}, Retry: steady(3),
		Breaker: &Breaker{Window: Window{Consecutive: 2}, Open: Pause{For: time.Minute}}})
	for range 2 {
		func() {
			defer func() {
				if recover() != "ouch" {
					t.Error("the panic did not pass through")
				}
			}()
			_, _ = Do(context.Background(), p, func(context.Context) (int, error) { panic("ouch") })
		}()
	}
	s := p.Snapshot()
	if s.Bulkhead.InUse != 0 || s.Breaker.State != breaker.Open || s.Budget.Active != 0 {
		t.Errorf("after two panics: in use %d, breaker %v, active %d", s.Bulkhead.InUse,
			s.Breaker.State, s.Budget.Active)
	}
}

func TestGoexitFrees(t *testing.T) {
	p := must(t, Config{Name: "dep", Bulkhead: &Bulkhead{Limit: 1}})
	var wg sync.WaitGroup
	wg.Go(func() {
		_, _ = Do(context.Background(), p, func(context.Context) (int, error) {
			goexit()
			return 0, nil
		})
	})
	wg.Wait()
	if n := p.Snapshot().Bulkhead.InUse; n != 0 {
		t.Errorf("in use %d", n)
	}
}

func TestQueueWaitsAndGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := must(t, Config{Name: "dep", Bulkhead: &Bulkhead{Limit: 1, Queue: 2,
			Wait: 100 * time.Millisecond}})
		begin := time.Now()
		ended := make([]time.Duration, 3)
		errs := make([]error, 3)
		var wg sync.WaitGroup
		for i, work := range []time.Duration{60, 60, 60} {
			wg.Go(func() {
				_, errs[i] = Do(context.Background(), p, func(context.Context) (int, error) {
					time.Sleep(work * time.Millisecond)
					return 0, nil
				})
				ended[i] = time.Since(begin)
			})
			synctest.Wait()
		}
		wg.Wait()
		if errs[0] != nil || errs[1] != nil || ended[1] != 120*time.Millisecond {
			t.Errorf("ended %v, errors %v", ended, errs)
		}
		var r *Rejection
		if !errors.As(errs[2], &r) || r.Reason != core.QueueTimeout || ended[2] != 100*time.Millisecond {
			t.Errorf("third: %v after %v", errs[2], ended[2])
		}
		if !errors.Is(errs[2], context.DeadlineExceeded) {
			t.Error("a wait that ran out is a deadline to the caller")
		}
	})
}

func TestReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rep Report
		p := must(t, Config{Name: "dep", Retry: steady(2)})
		fn, _ := script(errBoom, nil)
		if _, err := Do(With(context.Background(), Call{Report: &rep}), p, fn); err != nil {
			t.Fatal(err)
		}
		if rep.Policy != "dep" || rep.Verdict != call.Succeeded || rep.Took != time.Second ||
			len(rep.Attempts) != 2 || rep.Attempts[0].Result.Outcome != core.Failure ||
			rep.Attempts[1].Result.Outcome != core.Success {
			t.Errorf("report %+v", rep)
		}
	})
}

func TestNewListsEveryMistake(t *testing.T) {
	_, err := New(Config{Name: "dep", Retry: &Retry{Attempts: -1}, Bulkhead: &Bulkhead{},
		Fallback: &Fallback{Exercise: 2}})
	for _, want := range []string{"dep", "Attempts", "Limit", "Exercise"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not name %s: %v", want, err)
		}
	}
}
