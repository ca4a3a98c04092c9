package shed

import (
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// BenchmarkAdmit is a request that is let in: what every request pays.
func BenchmarkAdmit(b *testing.B) {
	s := made(b, Config{})
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		now := core.Instant(i) * 1000
		s.Busy(now, 1, 10, 0)
		s.Admit(now, Level(i)%levels)
		s.Report(now, 0)
	}
}

// BenchmarkRefuse is a request that is refused: it must cost next to nothing.
func BenchmarkRefuse(b *testing.B) {
	s := made(b, Config{})
	s.Reduce(0, 0, 0)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s.Admit(core.Instant(i), 0)
	}
}

// BenchmarkJudge is what the end of a window costs.
func BenchmarkJudge(b *testing.B) {
	s := made(b, Config{})
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s.Snapshot(core.Instant(i) * core.Instant(defaultWindow+time.Millisecond))
		s.Admit(core.Instant(i)*core.Instant(defaultWindow+time.Millisecond), 5)
	}
}

func BenchmarkCohort(b *testing.B) {
	for b.Loop() {
		CohortOf("user-1234567890", 489_000)
	}
}
