package limit

import (
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// Nearly all samples only add to a window.
func BenchmarkReport(b *testing.B) {
	for _, a := range all {
		b.Run(a.String(), func(b *testing.B) {
			l := must(Config{Algorithm: a, Initial: 20}, 1)
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				l.Report(core.Instant(n)*1000, Sample{RTT: 10 * time.Millisecond, InFlight: 15})
			}
		})
	}
}

func BenchmarkLimit(b *testing.B) {
	l := must(Config{}, 1)
	for b.Loop() {
		if l.Limit() == 0 {
			b.Fatal("no limit")
		}
	}
}

// Neither a sample that is only counted nor one that ends a window allocates.
func TestReportAllocatesNothing(t *testing.T) {
	for _, a := range all {
		l := must(Config{Algorithm: a, Initial: 20}, 1)
		now := core.Instant(0)
		got := testing.AllocsPerRun(5000, func() {
			now += ms
			l.Report(now, Sample{RTT: 10 * time.Millisecond, InFlight: 15})
		})
		if got != 0 {
			t.Errorf("%v: %v allocations", a, got)
		}
	}
}
