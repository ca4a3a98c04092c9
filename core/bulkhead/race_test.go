package bulkhead

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/queue"
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
	dropped         atomic.Int64
	cancel          atomic.Pointer[chan struct{}]
}

func (s *storm) now() core.Instant { return core.Instant(s.clock.Add(1)) }

// A hundred goroutines acquire, wait, give up, are evicted and are cancelled
// together, again and again, under each order of the queue. No more than Limit
// ever run at once, and afterwards every slot is free.
func TestCancelStorm(t *testing.T) {
	for order := range queue.CoDelLIFO + 1 {
		t.Run(order.String(), func(t *testing.T) {
			c := Config{Limit: 7, Queue: 40, Wait: 3 * time.Microsecond, FlowSlots: 5, FlowQueue: 30}
			c.Line = queue.Rules{Order: order, Full: queue.Full(order % 3), Target: 200, Interval: 1000}
			theStorm(t, c)
		})
	}
}

func theStorm(t *testing.T, c Config) {
	const workers, rounds = 100, 50
	s := &storm{b: must(c)}
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
	if got.InUse != 0 || got.Queued != 0 || len(s.b.m.flows.rows) != 0 {
		t.Errorf("afterwards %d slots are in use and %d calls queue", got.InUse, got.Queued)
	}
	if s.most.Load() > int64(c.Limit) || got.Peak > c.Limit {
		t.Errorf("%d ran at once (peak %d) with a limit of %d", s.most.Load(), got.Peak, c.Limit)
	}
	refused := int64(got.Refused + got.Limited)
	sum := s.done.Load() + s.gone.Load() + s.out.Load() + s.dropped.Load() + refused
	if sum != workers*rounds || uint64(s.out.Load()) != got.WaitedOut ||
		uint64(s.dropped.Load()) != got.Delayed+got.Evicted {
		t.Errorf("%d calls ended, want %d: ran %d, left %d, waited out %d, dropped %d, refused %d; %+v", sum,
			workers*rounds, s.done.Load(), s.gone.Load(), s.out.Load(), s.dropped.Load(), refused, got)
	}
	if s.done.Load() == 0 || s.gone.Load() == 0 || s.out.Load()+s.dropped.Load() == 0 {
		t.Errorf("a tame storm: ran %d, left %d, %+v", s.done.Load(), s.gone.Load(), got)
	}
	for range c.Limit {
		if !s.b.TryAcquire(s.now(), Place{}) {
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
	p := Place{Class: core.CriticalityAt(r.IntN(4)), Flow: r.IntN(4)}
	if !s.b.TryAcquire(s.now(), p) && !s.wait(r, p) {
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
	s.b.Release(s.now(), p)
}

// wait reports whether the call got a slot in the end.
func (s *storm) wait(r *rand.Rand, p Place) bool {
	cancelled := *s.cancel.Load()
	rung := make(bell, 1)
	t, _ := s.b.Enqueue(s.now(), p, rung)
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
		case Dropped:
			s.dropped.Add(1)
			return false
		}
	}
}

func (s *storm) leave(t *Ticket) bool {
	s.b.Leave(s.now(), t)
	switch s.b.Poll(s.now(), t) {
	case Expired:
		s.out.Add(1)
	case Dropped:
		s.dropped.Add(1)
	default:
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
				if s.b.TryAcquire(s.now(), Place{}) || s.wait(r, Place{}) {
					s.b.Release(s.now(), Place{})
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
