package balance

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// Many goroutines, one of three endpoints dead: it costs few attempts, nobody
// is sent elsewhere than the three, and when it is back it gets its share.
func TestManyCallers(t *testing.T) {
	b := New(3)
	var clock, lost atomic.Int64
	var dead atomic.Bool
	burst := func() {
		var wg sync.WaitGroup
		for range 40 {
			wg.Go(func() {
				for range 200 {
					now := core.Instant(clock.Add(int64(time.Millisecond)))
					i, ok := b.Pick(now, 0)
					if !ok || i < 0 || i > 2 {
						t.Errorf("picked %d, %v", i, ok)
						return
					}
					reached := i != 1 || !dead.Load()
					if !reached {
						lost.Add(1)
					}
					b.Report(now, i, reached)
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
	if got := b.Snapshot(0)[1]; got.Resting || got.Picked-before < 2000 {
		t.Errorf("back again it got %d of 8000 attempts: %+v", got.Picked-before, got)
	}
}
