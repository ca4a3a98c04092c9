package main

import (
	"context"

	"github.com/cenkalti/backoff/v5"
	"github.com/failsafe-go/failsafe-go"
	failsafebulkhead "github.com/failsafe-go/failsafe-go/bulkhead"
	"github.com/failsafe-go/failsafe-go/timeout"
	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/bulkhead"
	"golang.org/x/sync/semaphore"
)

const backoffName = "backoff v5"

func retryRow() row {
	return row{id: "c", title: "retry alone: the first attempt succeeds", variants: []variant{
		{"seakeep Do, retry and budget", func() loop {
			p := ourPolicy(seakeep.Config{Name: "bench", Retry: ourRetry()})
			return doPasses(background, p, empty)
		}, &ours{0, []string{backoffName, failsafeName}}},
		{"seakeep Do, retry without budget", func() loop {
			p := ourPolicy(seakeep.Config{Name: "bench", Retry: ourRetry(),
				More: &seakeep.More{Unbudgeted: true}})
			return doPasses(background, p, empty)
		}, &ours{0, []string{backoffName, failsafeName}}},
		{name: backoffName, make: retryBackoff},
		{name: failsafeName, make: func() loop {
			return failsafeGet(failsafe.With[int](failsafeRetry[int]()))
		}},
	}}
}

func retryBackoff() loop {
	fn := func() (int, error) { return empty(background) }
	return func(n int) {
		for range n {
			mustPass(backoff.Retry(background, fn, backoff.WithBackOff(waitsBetween()),
				backoff.WithMaxTries(attempts)))
		}
	}
}

const (
	semaphoreTry = "x/sync TryAcquire"
	semaphoreGet = "x/sync Acquire"
)

func bulkheadRow() row {
	return row{id: "d", title: "bulkhead: take a slot and give it back", variants: []variant{
		{"seakeep, now given", bulkheadGiven, &ours{0, []string{semaphoreTry, failsafePermit}}},
		{"seakeep, clock read before and after", bulkheadRead,
			&ours{0, []string{semaphoreTry, failsafePermit}}},
		{"seakeep Do, bulkhead alone", func() loop {
			p := ourPolicy(seakeep.Config{Name: "bench", Bulkhead: &seakeep.Bulkhead{Limit: slots}})
			return doPasses(background, p, empty)
		}, &ours{0, []string{semaphoreGet, failsafeName}}},
		{name: semaphoreTry, make: bulkheadTry},
		{name: semaphoreGet, make: bulkheadAcquire},
		{name: failsafePermit, make: bulkheadPermit},
		{name: failsafeName, make: func() loop {
			return failsafeGet(failsafe.With[int](failsafebulkhead.New[int](slots)))
		}},
	}}
}

func bulkheadGiven() loop {
	b := bareBulkhead()
	return func(n int) {
		now := core.Instant(0)
		for range n {
			now += tick
			if !b.TryAcquire(now, bulkhead.Place{}) {
				panic("refused")
			}
			mustPass(empty(background))
			b.Release(now, bulkhead.Place{})
		}
	}
}

func bulkheadRead() loop {
	b := bareBulkhead()
	return func(n int) {
		for range n {
			if !b.TryAcquire(seakeep.Now(), bulkhead.Place{}) {
				panic("refused")
			}
			mustPass(empty(background))
			b.Release(seakeep.Now(), bulkhead.Place{})
		}
	}
}

func bulkheadTry() loop {
	s := semaphore.NewWeighted(slots)
	return func(n int) {
		for range n {
			if !s.TryAcquire(1) {
				panic("refused")
			}
			mustPass(empty(background))
			s.Release(1)
		}
	}
}

func bulkheadAcquire() loop {
	s := semaphore.NewWeighted(slots)
	return func(n int) {
		for range n {
			if err := s.Acquire(background, 1); err != nil {
				panic(err)
			}
			mustPass(empty(background))
			s.Release(1)
		}
	}
}

func bulkheadPermit() loop {
	b := failsafebulkhead.New[int](slots)
	return func(n int) {
		for range n {
			if !b.TryAcquirePermit() {
				panic("refused")
			}
			mustPass(empty(background))
			b.ReleasePermit()
		}
	}
}

const (
	contextName  = "context.WithTimeout"
	contextWaits = "context.WithTimeout, function waits on ctx"
)

func timeoutRow() row {
	do := func(ctx context.Context, t seakeep.Timeout, fn caller) func() loop {
		return func() loop {
			return doPasses(ctx, ourPolicy(seakeep.Config{Name: "bench", Timeout: t}), fn)
		}
	}
	attempt, later := seakeep.Timeout{Request: limit}, seakeep.Timeout{Request: laterLimit}
	return row{id: "e", title: "timeout alone", variants: []variant{
		{"seakeep Do, timeout alone", do(background, attempt, empty),
			&ours{1, []string{contextName, failsafeName, failsafeCtx}}},
		{"seakeep Do, function waits on ctx", do(background, attempt, waits),
			&ours{5, []string{contextWaits, failsafeWaits}}},
		{"seakeep Do, caller's deadline earlier", do(earlier(), later, empty),
			&ours{0, []string{contextName, failsafeCtx}}},
		{name: contextName, make: func() loop { return withTimeout(empty) }},
		{name: contextWaits, make: func() loop { return withTimeout(waits) }},
		{name: failsafeName, make: func() loop {
			return failsafeGet(failsafe.With[int](timeout.New[int](limit)))
		}},
		{name: failsafeCtx, make: func() loop {
			return failsafeWith(background, failsafe.With[int](timeout.New[int](limit)), empty)
		}},
		{name: failsafeWaits, make: func() loop {
			return failsafeWith(background, failsafe.With[int](timeout.New[int](limit)), waits)
		}},
	}}
}

func withTimeout(fn caller) loop {
	call := func(ctx context.Context) (int, error) {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		return fn(ctx)
	}
	return func(n int) {
		for range n {
			mustPass(call(background))
		}
	}
}
