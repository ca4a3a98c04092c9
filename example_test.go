package seakeep_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seakeep/seakeep"
)

// A policy written in Go, and a call through it.
func Example() {
	pricing, err := seakeep.New(seakeep.Config{
		Name:    "pricing",
		Timeout: seakeep.Timeout{Request: 250 * time.Millisecond, Total: 800 * time.Millisecond},
		Retry:   &seakeep.Retry{Attempts: 3},
		Breaker: &seakeep.Breaker{Window: seakeep.Window{Over: 10 * time.Second}, Failures: 0.5,
			Open: seakeep.Pause{For: 30 * time.Second}},
		Bulkhead: &seakeep.Bulkhead{Limit: 60},
	})
	if err != nil {
		panic(err)
	}
	price, err := seakeep.Do(context.Background(), pricing,
		func(ctx context.Context) (int, error) { return 42, nil })
	fmt.Println(price, err)
	// Output: 42 <nil>
}

// A fallback in Go answers when the call does not.
func ExampleDoOr() {
	reviews, _ := seakeep.New(seakeep.Config{Name: "reviews"})
	stars, err := seakeep.DoOr(context.Background(), reviews,
		func(ctx context.Context) (string, error) { return "", errors.New("reviews are down") },
		func(ctx context.Context, err error) (string, error) { return "no reviews yet", nil })
	fmt.Println(stars, err)
	// Output: no reviews yet <nil>
}

// A refusal says which rule refused, and when to come back.
func ExampleRejection() {
	pricing, _ := seakeep.New(seakeep.Config{
		Name: "pricing",
		Breaker: &seakeep.Breaker{Window: seakeep.Window{Consecutive: 1},
			Open: seakeep.Pause{For: 30 * time.Second}},
	})
	call := func(ctx context.Context) (int, error) { return 0, errors.New("connection refused") }
	_, _ = seakeep.Do(context.Background(), pricing, call) // opens the breaker
	_, err := seakeep.Do(context.Background(), pricing, call)

	var refused *seakeep.Rejection
	if errors.As(err, &refused) {
		fmt.Println(refused.Policy, refused.Reason, refused.RetryAfter.Round(time.Second))
	}
	// Output: pricing circuit-open 30s
}

// With says what only the caller knows: that this write may be repeated,
// because the other side recognises the key.
func ExampleWith() {
	payments, _ := seakeep.New(seakeep.Config{
		Name:  "payments",
		Retry: &seakeep.Retry{Attempts: 2, Backoff: seakeep.Backoff{Base: time.Millisecond}},
	})
	attempts := 0
	ctx := seakeep.With(context.Background(), seakeep.Call{IdempotencyKey: "order-17"})
	_, err := seakeep.Do(ctx, payments, func(ctx context.Context) (bool, error) {
		if attempts++; attempts == 1 {
			return false, errors.New("connection reset")
		}
		return true, nil
	})
	fmt.Println(attempts, err)
	// Output: 2 <nil>
}
