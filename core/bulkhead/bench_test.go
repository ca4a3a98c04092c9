package bulkhead

import (
	"testing"

	"github.com/seakeep/seakeep/core"
)

func BenchmarkAcquireRelease(b *testing.B) {
	x := must(Config{Limit: 60})
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if x.TryAcquire(core.Instant(n), Place{}) {
			x.Release(core.Instant(n), Place{})
		}
	}
}

func BenchmarkRefuse(b *testing.B) {
	x := must(Config{Limit: 1})
	x.TryAcquire(0, Place{})
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if !x.TryAcquire(core.Instant(n), Place{}) {
			x.Enqueue(core.Instant(n), Place{}, nil)
		}
	}
}

func BenchmarkAcquireReleaseOfATenant(b *testing.B) {
	x := must(Config{Limit: 60, FlowSlots: 20})
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		p := Place{Flow: 2 + n%50}
		if x.TryAcquire(core.Instant(n), p) {
			x.Release(core.Instant(n), p)
		}
	}
}

// A slot changes hands: one waits, another releases and waits in its turn.
func BenchmarkHandOver(b *testing.B) {
	x := must(Config{Limit: 1, Queue: 1, Wait: 1000})
	x.TryAcquire(0, Place{})
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		t, _ := x.Enqueue(core.Instant(n), Place{}, nil)
		x.Release(core.Instant(n), Place{})
		x.Poll(core.Instant(n), t)
	}
}

func must(c Config) *Bulkhead {
	b, err := New(c)
	if err != nil {
		panic(err)
	}
	return b
}
