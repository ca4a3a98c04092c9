package breaker

import (
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/window"
)

// benchConfig has every rule on, with the usual window of ten slices.
var benchConfig = Config{
	Window: window.Config{Over: 10 * time.Second}, MinCalls: 20, Failures: 0.5,
	Slow: Slow{Over: 200 * time.Millisecond, Share: 0.5},
	Open: Pause{For: 30 * time.Second, Jitter: 0.2, Growth: 2}, Ramp: 10 * time.Second,
}

func BenchmarkClosed(b *testing.B) {
	br := mustNew(b, benchConfig)
	now := core.Instant(0)
	b.ReportAllocs()
	for b.Loop() {
		now += 100_000
		p, _ := br.Admit(now)
		br.Report(now, p, core.Success, time.Millisecond)
	}
}

func BenchmarkClosedCalls(b *testing.B) {
	c := benchConfig
	c.Window = window.Config{Calls: 100}
	br := mustNew(b, c)
	now := core.Instant(0)
	b.ReportAllocs()
	for b.Loop() {
		now += 100_000
		p, _ := br.Admit(now)
		br.Report(now, p, core.Success, time.Millisecond)
	}
}

func BenchmarkClosedParallel(b *testing.B) {
	br := mustNew(b, benchConfig)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		now := core.Instant(0)
		for pb.Next() {
			now += 100_000
			p, _ := br.Admit(now)
			br.Report(now, p, core.Success, time.Millisecond)
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	br := tripped(b)
	b.ReportAllocs()
	for b.Loop() {
		if p, _ := br.Admit(1); p.OK() {
			b.Fatal("admitted")
		}
	}
}

func BenchmarkOpenParallel(b *testing.B) {
	br := tripped(b)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if p, _ := br.Admit(1); p.OK() {
				b.Fatal("admitted")
			}
		}
	})
}

func BenchmarkRamping(b *testing.B) {
	br := mustNew(b, benchConfig)
	br.m.ramp = newRamp(0, time.Hour)
	br.publish()
	b.ReportAllocs()
	for b.Loop() {
		br.Admit(1)
	}
}

func BenchmarkKeyedGet(b *testing.B) {
	k, err := NewKeyed(benchConfig, 100, 1)
	if err != nil {
		b.Fatal(err)
	}
	keys := [...]string{"tenant-a", "tenant-b"}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		k.Get(core.Instant(i), keys[i&1])
		i++
	}
}

func mustNew(tb testing.TB, c Config) *Breaker {
	tb.Helper()
	b, err := New(c, 1)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func tripped(tb testing.TB) *Breaker {
	b := mustNew(tb, benchConfig)
	for range 20 {
		p, _ := b.Admit(0)
		b.Report(0, p, core.Failure, 0)
	}
	return b
}
