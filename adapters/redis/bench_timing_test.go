package seakeepredis

import (
	"context"
	"testing"

	"github.com/redis/go-redis/v9"
)

// What the policy adds to a command: the Redis behind it is a function that
// answers at once.
func BenchmarkGet(b *testing.B) {
	_, _, do := hooked(b, "{timeout: {request: 20ms}, bulkhead: {limit: 100}, breaker: {}}", Cache,
		func(context.Context, redis.Cmder) error { return nil })
	ctx := context.Background()
	cmd := redis.NewStringCmd(ctx, "get", "k")
	b.ReportAllocs()
	for b.Loop() {
		if err := do(ctx, cmd); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGetRefused(b *testing.B) {
	_, set, do := hooked(b, "{timeout: {request: 20ms}, bulkhead: {limit: 100}, breaker: {}}", Cache,
		func(context.Context, redis.Cmder) error { return nil })
	p := set.MustPolicy("cache").Plan()
	p.Force(0, "", 1)
	ctx := context.Background()
	cmd := redis.NewStringCmd(ctx, "get", "k")
	b.ReportAllocs()
	for b.Loop() {
		if err := do(ctx, cmd); err != redis.Nil {
			b.Fatal(err)
		}
	}
}
