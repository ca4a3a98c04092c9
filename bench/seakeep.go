package main

import (
	"context"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/bulkhead"
)

// Our side: policies from literals.

func ourBreaker() *seakeep.Breaker {
	return &seakeep.Breaker{Window: seakeep.Window{Over: window, Buckets: buckets},
		MinCalls: minCalls, Failures: failures, Open: seakeep.Pause{For: openFor}}
}

func ourRetry() *seakeep.Retry {
	return &seakeep.Retry{Attempts: attempts,
		Backoff: seakeep.Backoff{Base: backoffBy, Cap: backoffTo}}
}

// ourStack is the settings of every rung. A retry brings its budget with it.
func ourStack(limit time.Duration) seakeep.Config {
	return seakeep.Config{Name: "bench", Timeout: seakeep.Timeout{Request: limit},
		Retry: ourRetry(), Breaker: ourBreaker(), Bulkhead: &seakeep.Bulkhead{Limit: slots}}
}

func ourPolicy(c seakeep.Config) *seakeep.Policy {
	p, err := seakeep.New(c)
	if err != nil {
		panic(err)
	}
	return p
}

// ourOpen is a policy whose breaker is open.
func ourOpen(c seakeep.Config) *seakeep.Policy {
	p := ourPolicy(c)
	for range minCalls {
		_, _ = seakeep.Do(background, p, failing)
	}
	return p
}

func failing(context.Context) (int, error) { return 0, errFailed }

type caller = func(context.Context) (int, error)

// doPasses calls fn through the policy, which lets it.
func doPasses(ctx context.Context, p *seakeep.Policy, fn caller) loop {
	return func(n int) {
		for range n {
			mustPass(seakeep.Do(ctx, p, fn))
		}
	}
}

// doRefuses calls through a policy that refuses.
func doRefuses(p *seakeep.Policy) loop {
	return func(n int) {
		for range n {
			mustRefuse(seakeep.Do(background, p, empty))
		}
	}
}

// A row's variants without Do use the policy alone, as Do does, and what each
// costs shows in the two ways of giving it the time.

// tick is how far the time moves with each call where it is given rather than
// read: it costs nothing, and slices of the window pass.
const tick core.Instant = 200

func bareBreaker() *breaker.Breaker {
	b, err := breaker.New(*ourBreaker(), 1)
	if err != nil {
		panic(err)
	}
	return b
}

// bareOpen is an open breaker.
func bareOpen() *breaker.Breaker {
	b := bareBreaker()
	for range minCalls {
		now := seakeep.Now()
		p, _ := b.Admit(now)
		b.Report(now, p, core.Failure, 0)
	}
	return b
}

func bareBulkhead() *bulkhead.Bulkhead {
	b, err := bulkhead.New(bulkhead.Config{Limit: slots})
	if err != nil {
		panic(err)
	}
	return b
}
