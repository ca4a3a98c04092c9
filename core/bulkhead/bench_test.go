package bulkhead

import (
	"testing"

	"github.com/seakeep/seakeep/core"
)

func BenchmarkAcquireRelease(b *testing.B) {
	x := must(Config{Limit: 60})
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if x.TryAcquire(core.Instant(n)) {
			x.Release(core.Instant(n))
		}
	}
}

func BenchmarkRefuse(b *testing.B) {
	x := must(Config{Limit: 1})
	x.TryAcquire(0)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if !x.TryAcquire(core.Instant(n)) {
			x.Enqueue(core.Instant(n), nil)
		}
	}
}

func must(c Config) *Bulkhead {
	b, err := New(c)
	if err != nil {
		panic(err)
	}
	return b
}
