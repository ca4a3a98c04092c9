package balance

import (
	"testing"

	"github.com/seakeep/seakeep/core"
)

func BenchmarkPick(b *testing.B) {
	x := New(4)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		x.Pick(core.Instant(n), 0)
	}
}

func BenchmarkPickAndReport(b *testing.B) {
	x := New(4)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		i, _ := x.Pick(core.Instant(n), 0)
		x.Report(core.Instant(n), i, true)
	}
}
