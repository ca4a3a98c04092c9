package seakeep

import (
	"context"
	"testing"
	"time"
)

func full(b testing.TB) *Policy {
	p, err := New(Config{
		Name:     "bench",
		Timeout:  Timeout{Request: time.Second},
		Retry:    &Retry{Attempts: 3},
		Breaker:  &Breaker{Window: Window{Over: 10 * time.Second}, Failures: 0.5, Open: Pause{For: time.Second}},
		Bulkhead: &Bulkhead{Limit: 100},
	})
	if err != nil {
		b.Fatal(err)
	}
	return p
}

func BenchmarkDoFull(b *testing.B) {
	p := full(b)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		_, _ = Do(ctx, p, func(context.Context) (int, error) { return 1, nil })
	}
}

func BenchmarkDoFullCallerDeadline(b *testing.B) {
	p := full(b)
	ctx, cancel := context.WithTimeout(context.Background(), 900*time.Millisecond)
	ctx, cancel = context.WithDeadline(context.Background(), time.Now().Add(100*365*24*time.Hour))
	p2, _ := New(Config{Name: "x", Timeout: Timeout{Request: 200 * 365 * 24 * time.Hour}, Retry: &Retry{Attempts: 3},
		Breaker:  &Breaker{Window: Window{Over: 10 * time.Second}, Failures: 0.5, Open: Pause{For: time.Second}},
		Bulkhead: &Bulkhead{Limit: 100}})
	_ = p
	defer cancel()
	b.ReportAllocs()
	for b.Loop() {
		_, _ = Do(ctx, p2, func(context.Context) (int, error) { return 1, nil })
	}
}

func BenchmarkDoNothing(b *testing.B) {
	p, _ := New(Config{Name: "x"})
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		_, _ = Do(ctx, p, func(context.Context) (int, error) { return 1, nil })
	}
}
