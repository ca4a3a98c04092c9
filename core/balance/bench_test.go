package balance

import (
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

func BenchmarkPickAndReport(b *testing.B) {
	for _, c := range []struct {
		name  string
		c     Config
		n     int
		heavy bool
	}{
		{"two-choices", Config{}, 4, false}, {"two-choices", Config{}, 20, false},
		{"two-choices", Config{}, 64, false}, {"two-choices weighted", Config{}, 20, true},
		{"round-robin", Config{Policy: RoundRobin}, 20, false},
		{"round-robin weighted", Config{Policy: RoundRobin}, 20, true},
	} {
		b.Run(fmt.Sprintf("%s/%d", c.name, c.n), func(b *testing.B) {
			peers := make([]Peer, c.n)
			if c.heavy {
				peers[0].Weight = 2
			}
			x, err := New(c.c, peers)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			draw := 0.0
			for n := 0; b.Loop(); n++ {
				now := core.Instant(n) * 100_000
				if draw += 0.618; draw >= 1 {
					draw--
				}
				i, _ := x.Pick(now, Choice{Draw: draw})
				x.Report(now+50_000, i, Sample{Took: time.Millisecond, Outcome: core.Success, Reached: true})
			}
		})
	}
}

func TestPickAndReportDoNotAllocate(t *testing.T) {
	for _, p := range []Policy{TwoChoices, RoundRobin} {
		b, err := New(Config{Policy: p, Zone: "a"}, []Peer{{}, {Weight: 2}, {Zone: "a"}, {Zone: "a"}})
		if err != nil {
			t.Fatal(err)
		}
		now := core.Instant(0)
		if got := testing.AllocsPerRun(200, func() {
			now += sec / 3
			c := Choice{Tried: 0b10, Draw: float64(now%sec) / float64(sec)}
			i, _ := b.Pick(now, c)
			s := Sample{Took: time.Millisecond, Outcome: core.Success, Reached: true, Open: true}
			if i == 3 {
				s = Sample{Outcome: core.Failure}
			}
			b.Report(now, i, s)
			if s.Open {
				b.Done(i)
			}
			b.Elsewhere(now, c)
			b.Mark(now, 1, Ejected, i == 2)
		}); got != 0 {
			t.Errorf("%v: allocates %v times", p, got)
		}
	}
}

func TestFadeIsAnExponential(t *testing.T) {
	m := newMachine(Config{}.Filled(), nil)
	for d := time.Duration(0); d < 400*time.Second; d += 7*time.Millisecond + d/50 {
		want := math.Exp(-d.Seconds() / 10)
		if got := m.fade(d); math.Abs(got-want) > 1e-6*want+1e-7 {
			t.Errorf("after %v %v is left, want %v", d, got, want)
		}
	}
}

// The price of the lock alone, to compare with.
func BenchmarkTwoLocks(b *testing.B) {
	var mu sync.Mutex
	n := 0
	for b.Loop() {
		mu.Lock()
		n++
		mu.Unlock()
		mu.Lock()
		n++
		mu.Unlock()
	}
	if n == 0 {
		b.Error("nothing was locked")
	}
}
