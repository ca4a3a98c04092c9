package seakeep

import (
	"context"
	"testing"
	"time"
)

// full is a policy with every rung that a call meets when all is well.
func full(t testing.TB) *Policy {
	return must(t, Config{
		Name:    "full",
		Timeout: Timeout{Request: time.Second},
		Retry:   &Retry{Attempts: 3},
		Breaker: &Breaker{Window: Window{Over: 10 * time.Second}, Failures: 0.5,
			Open: Pause{For: time.Hour}},
		Bulkhead: &Bulkhead{Limit: 100},
	})
}

func benchmarkDo(b *testing.B, ctx context.Context, p *Policy) {
	b.ReportAllocs()
	for b.Loop() {
		_, _ = Do(ctx, p, func(context.Context) (int, error) { return 1, nil })
	}
}

func BenchmarkDoFull(b *testing.B) { benchmarkDo(b, context.Background(), full(b)) }

func BenchmarkDoNothing(b *testing.B) {
	benchmarkDo(b, context.Background(), must(b, Config{Name: "nothing"}))
}

// The caller's deadline is the earlier: its context serves for the attempt.
func BenchmarkDoFullCallersDeadline(b *testing.B) {
	p := must(b, Config{Name: "full", Timeout: Timeout{Request: 2 * time.Hour},
		Retry: &Retry{Attempts: 3}, Bulkhead: &Bulkhead{Limit: 100},
		Breaker: &Breaker{Window: Window{Over: 10 * time.Second}, Failures: 0.5,
			Open: Pause{For: time.Hour}}})
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	benchmarkDo(b, ctx, p)
}

func BenchmarkDoRefused(b *testing.B) {
	p := full(b)
	p.Plan().Force(Now(), "", 1)
	benchmarkDo(b, context.Background(), p)
}
