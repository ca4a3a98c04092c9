package seakeep_test

import (
	"context"
	"testing"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/telemetry"
)

// BenchmarkDoCounted is BenchmarkDoFull with everything counted.
func BenchmarkDoCounted(b *testing.B) {
	for _, counted := range []bool{false, true} {
		name, more := "not", &seakeep.More{}
		if counted {
			name, more.Observer = "counted", telemetry.New(telemetry.Options{})
		}
		p, err := seakeep.New(seakeep.Config{Name: "pricing", Timeout: seakeep.Timeout{Request: time.Second},
			Retry: &seakeep.Retry{Attempts: 3, Backoff: seakeep.Backoff{Base: time.Millisecond, Cap: time.Second}},
			Breaker: &seakeep.Breaker{Window: seakeep.Window{Over: 10 * time.Second}, MinCalls: 20, Failures: 0.5,
				Open: seakeep.Pause{For: time.Second}}, Bulkhead: &seakeep.Bulkhead{Limit: 60}, More: more})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = seakeep.Do(context.Background(), p, func(context.Context) (int, error) { return 1, nil })
			}
		})
	}
}
