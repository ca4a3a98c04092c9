package telemetry

import (
	"fmt"
	"testing"

	"github.com/seakeep/seakeep/core"
)

// TestNoAllocation: the events of a call that goes well allocate nothing.
func TestNoAllocation(t *testing.T) {
	m := New(Options{})
	goodCall(m)
	if n := testing.AllocsPerRun(100, func() { goodCall(m) }); n != 0 {
		t.Errorf("a call allocates %v times", n)
	}
}

func goodCall(m core.Observer) {
	m.Observe(core.Event{Kind: core.CallStarted, Policy: "pricing", Left: 400 * ms})
	m.Observe(core.Event{Kind: core.AttemptStarted, Policy: "pricing"})
	m.Observe(core.Event{Kind: core.AttemptEnded, Policy: "pricing", Outcome: core.Success, Took: 20 * ms})
	m.Observe(core.Event{Kind: core.CallEnded, Policy: "pricing", Outcome: core.Success, Took: 20 * ms})
}

func BenchmarkCall(b *testing.B) {
	m := New(Options{})
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			goodCall(m)
		}
	})
}

func BenchmarkCollect(b *testing.B) {
	m := New(Options{})
	for i := range 20 {
		oneCall(m, fmt.Sprint("dependency-", i))
	}
	b.ReportAllocs()
	for b.Loop() {
		m.Collect(func(Sample) {})
	}
}
