package balance

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// Many goroutines, one of three endpoints dead: it costs few attempts, nobody
// is sent elsewhere than the three, and when it is back it gets its share.
func TestManyCallers(t *testing.T) {
	for _, p := range []Policy{TwoChoices, RoundRobin} {
		t.Run(p.String(), func(t *testing.T) { manyCallers(t, p) })
	}
}

func manyCallers(t *testing.T, p Policy) {
	b := balancer(t, Config{Policy: p, SlowStart: time.Second}, 3)
	var clock, lost atomic.Int64
	var dead atomic.Bool
	burst := func() {
		var wg sync.WaitGroup
		for seed := range uint64(40) {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(seed, 1))
				for range 200 {
					now := core.Instant(clock.Add(int64(time.Millisecond)))
					i, ok := b.Pick(now, Choice{Draw: r.Float64()})
					if !ok || i < 0 || i > 2 {
						t.Errorf("picked %d, %v", i, ok)
						return
					}
					s := good
					if i == 1 && dead.Load() {
						s = Sample{Outcome: core.Failure}
						lost.Add(1)
					}
					b.Report(now.Add(time.Millisecond), i, s)
				}
			})
		}
		wg.Wait()
	}
	dead.Store(true)
	burst()
	// 8 s: at once (up to one for each goroutine that has picked it already),
	// then after 1, 2 and 4 s more.
	if n := lost.Load(); n < 3 || n > 43 {
		t.Errorf("%d of 8000 attempts were lost on the dead endpoint", n)
	}
	dead.Store(false)
	clock.Add(int64(10 * time.Second))
	before := b.Snapshot(0)[1].Picked
	burst()
	// By turns it gets its share. Of two choices a goroutine that was put aside
	// with an attempt under way keeps the others from going there.
	least := uint64(1)
	if p == RoundRobin {
		least = 1600
	}
	if got := b.Snapshot(0)[1]; got.Resting || got.Picked-before < least {
		t.Errorf("back again it got %d of 8000 attempts: %+v", got.Picked-before, got)
	}
	for i, e := range b.Snapshot(0) {
		if e.InFlight != 0 {
			t.Errorf("%d are in flight at %d when all have ended", e.InFlight, i)
		}
	}
}
