package bulkhead

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// bell is a Waker for real goroutines.
type bell chan struct{}

func (b bell) Wake() {
	select {
	case b <- struct{}{}:
	default:
	}
}

// storm is a bulkhead used by many goroutines at once, on a clock that moves
// with every use so that waiters do expire.
type storm struct {
	b               *Bulkhead
	clock           atomic.Int64
	running, most   atomic.Int64
	done, gone, out atomic.Int64
	cancel          atomic.Pointer[chan struct{}]
}

func (s *storm) now() core.Instant { return core.Instant(s.clock.Add(1)) }

// A hundred goroutines acquire, wait, give up and are cancelled together,
// again and again. No more than Limit ever run at once, and afterwards every
// slot is free.
func TestCancelStorm(t *testing.T) {
	const workers, rounds, limit = 100, 150, 7
	s := &storm{b: must(Config{Limit: limit, Queue: 40, Wait: 3 * time.Microsecond})}
	first := make(chan struct{})
	s.cancel.Store(&first)
	var wg sync.WaitGroup
	for id := range uint64(workers) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(id, 5))
			for range rounds {
				s.call(r)
			}
		})
	}
	wg.Wait()
	got := s.b.Snapshot(s.now())
	if got.InUse != 0 || got.Queued != 0 {
		t.Errorf("afterwards %d slots are in use and %d calls queue", got.InUse, got.Queued)
	}
	if s.most.Load() > limit || got.Peak > limit {
		t.Errorf("%d ran at once (peak %d) with a limit of %d", s.most.Load(), got.Peak, limit)
	}
	sum := s.done.Load() + s.gone.Load() + s.out.Load() + int64(got.Refused)
	if sum != workers*rounds || uint64(s.out.Load()) != got.WaitedOut {
		t.Errorf("%d calls ended, want %d: ran %d, left %d, waited out %d (says %d), refused %d", sum,
			workers*rounds, s.done.Load(), s.gone.Load(), s.out.Load(), got.WaitedOut, got.Refused)
	}
	if s.done.Load() == 0 || s.gone.Load() == 0 || got.WaitedOut == 0 || got.Refused == 0 {
		t.Errorf("a tame storm: ran %d, left %d, waited out %d, refused %d",
			s.done.Load(), s.gone.Load(), got.WaitedOut, got.Refused)
	}
	for range limit {
		if !s.b.TryAcquire(s.now()) {
			t.Fatal("not all slots can be taken again")
		}
	}
}

func (s *storm) call(r *rand.Rand) {
	if r.IntN(40) == 0 {
		// Everybody who waits now is cancelled in one instant.
		next := make(chan struct{})
		close(*s.cancel.Swap(&next))
	}
	if !s.b.TryAcquire(s.now()) && !s.wait(r) {
		return
	}
	n := s.running.Add(1)
	for m := s.most.Load(); n > m && !s.most.CompareAndSwap(m, n); m = s.most.Load() {
	}
	for range r.IntN(20) {
		runtime.Gosched()
	}
	s.running.Add(-1)
	s.done.Add(1)
	s.b.Release(s.now())
}

// wait reports whether the call got a slot in the end.
func (s *storm) wait(r *rand.Rand) bool {
	cancelled := *s.cancel.Load()
	rung := make(bell, 1)
	t, _ := s.b.Enqueue(s.now(), rung)
	if t == nil {
		return false
	}
	for {
		select {
		case <-cancelled:
			return s.leave(t)
		case <-rung:
			if r.IntN(8) == 0 {
				return s.leave(t) // cancelled just as the slot came
			}
		default:
			runtime.Gosched()
		}
		switch s.b.Poll(s.now(), t) {
		case Granted:
			return true
		case Expired:
			s.out.Add(1)
			return false
		}
	}
}

func (s *storm) leave(t *Ticket) bool {
	s.b.Leave(s.now(), t)
	if s.b.Poll(s.now(), t) == Expired {
		s.out.Add(1)
	} else {
		s.gone.Add(1)
	}
	return false
}

// Slots are resized under load; what was taken is given back exactly.
func TestResizeUnderLoad(t *testing.T) {
	s := &storm{b: must(Config{Limit: 3, Queue: 100, Wait: time.Hour})}
	never := make(chan struct{})
	var wg sync.WaitGroup
	for id := range uint64(20) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(id, 6))
			for range 200 {
				s.cancel.Store(&never)
				if s.b.TryAcquire(s.now()) || s.wait(r) {
					s.b.Release(s.now())
				}
				if r.IntN(10) == 0 {
					c := Config{Limit: 1 + r.IntN(9), Queue: 100, Wait: time.Hour}
					if err := s.b.Resize(s.now(), c); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	if got := s.b.Snapshot(s.now()); got.InUse != 0 || got.Queued != 0 {
		t.Errorf("afterwards %d slots are in use and %d calls queue", got.InUse, got.Queued)
	}
}
