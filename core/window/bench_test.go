package window

import (
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

func benchmarkRecord(b *testing.B, c Config) {
	w := New(c)
	now := core.Instant(0)
	b.ReportAllocs()
	for b.Loop() {
		now += 100_000
		w.Record(now, false, false)
	}
}

func BenchmarkRecordOver(b *testing.B)        { benchmarkRecord(b, Config{Over: 10 * time.Second}) }
func BenchmarkRecordCalls(b *testing.B)       { benchmarkRecord(b, Config{Calls: 100}) }
func BenchmarkRecordConsecutive(b *testing.B) { benchmarkRecord(b, Config{Consecutive: 5}) }

func BenchmarkHistogram(b *testing.B) {
	var h Histogram
	d := time.Millisecond
	b.ReportAllocs()
	for b.Loop() {
		d = (d*5 + 1) & (1<<30 - 1)
		h.Record(d)
	}
}

func BenchmarkRecent(b *testing.B) {
	var r Recent
	now := core.Instant(0)
	b.ReportAllocs()
	for b.Loop() {
		now += 100_000
		r.Record(now, time.Duration(now)&(1<<30-1))
	}
}

func BenchmarkRecentParallel(b *testing.B) {
	var r Recent
	b.RunParallel(func(pb *testing.PB) {
		now := core.Instant(0)
		for pb.Next() {
			now += 100_000
			r.Record(now, time.Duration(now)&(1<<30-1))
		}
	})
}
