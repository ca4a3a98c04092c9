package main

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/sony/gobreaker/v2"
	"golang.org/x/sync/semaphore"
)

// The peers, with the settings of rows.go.

func gobreakerOf[T any]() *gobreaker.CircuitBreaker[T] {
	return gobreaker.NewCircuitBreaker[T](gobreaker.Settings{
		Interval: window, BucketPeriod: window / buckets, Timeout: openFor,
		ReadyToTrip: func(c gobreaker.Counts) bool {
			return c.Requests >= minCalls &&
				float64(c.TotalFailures) >= failures*float64(c.Requests)
		}})
}

func gobreakerOpen() *gobreaker.CircuitBreaker[int] {
	b := gobreakerOf[int]()
	for range minCalls {
		_, _ = b.Execute(func() (int, error) { return 0, errFailed })
	}
	return b
}

func failsafeBreaker[T any]() circuitbreaker.CircuitBreaker[T] {
	return circuitbreaker.NewBuilder[T]().
		WithFailureRateThreshold(failures, minCalls, window).WithDelay(openFor).Build()
}

// failsafeRetry does not retry what an open breaker refuses; by default it
// would, after a wait.
func failsafeRetry[T any]() retrypolicy.RetryPolicy[T] {
	return retrypolicy.NewBuilder[T]().WithMaxAttempts(attempts).
		WithBackoff(backoffBy, backoffTo).AbortOnErrors(circuitbreaker.ErrOpen).Build()
}

// failsafeGet is the shortest way to call: the function gets no context, so
// the timeout can end the wait for it but not the function.
func failsafeGet(e failsafe.Executor[int]) loop {
	fn := func() (int, error) { return empty(background) }
	return func(n int) {
		for range n {
			mustPass(e.Get(fn))
		}
	}
}

// failsafeWith passes the caller's context in and the attempt's on, which is
// what a server does.
func failsafeWith(ctx context.Context, e failsafe.Executor[int], fn caller) loop {
	call := func(x failsafe.Execution[int]) (int, error) { return fn(x.Context()) }
	return func(n int) {
		for range n {
			mustPass(e.WithContext(ctx).GetWithExecution(call))
		}
	}
}

// byHand is what one writes with the usual libraries and no toolkit.
type byHand[T any] struct {
	slots   *semaphore.Weighted
	breaker *gobreaker.CircuitBreaker[T]
	limit   time.Duration
}

func newByHand[T any](limit time.Duration) *byHand[T] {
	return &byHand[T]{semaphore.NewWeighted(slots), gobreakerOf[T](), limit}
}

func (h *byHand[T]) do(ctx context.Context, fn func(context.Context) (T, error)) (v T, err error) {
	if err := h.slots.Acquire(ctx, 1); err != nil {
		return v, err
	}
	defer h.slots.Release(1)
	ctx, cancel := context.WithTimeout(ctx, h.limit)
	defer cancel()
	return backoff.Retry(ctx, func() (T, error) {
		v, err := h.breaker.Execute(func() (T, error) { return fn(ctx) })
		if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
			return v, backoff.Permanent(err)
		}
		return v, err
	}, backoff.WithBackOff(waitsBetween()), backoff.WithMaxTries(attempts))
}

// waitsBetween is needed anew for each call, because it counts.
func waitsBetween() *backoff.ExponentialBackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval = backoffBy, backoffTo
	return b
}

func (h *byHand[T]) passes(ctx context.Context, fn func(context.Context) (T, error),
	check func(T, error)) loop {
	return func(n int) {
		for range n {
			check(h.do(ctx, fn))
		}
	}
}
