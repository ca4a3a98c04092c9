package seakeep

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep/core"
)

// Producers and consumers that come, wait, give up and are cancelled: no item
// is lost, none comes twice, and every account balances.
func TestQueueUnderLoad(t *testing.T) {
	for _, full := range []QueueFull{Block, Reject, DropOldest, DropLowest} {
		t.Run(full.String(), func(t *testing.T) {
			var dropped, put, took atomic.Int64
			var seen sync.Map
			q := newQueue(t, QueueConfig[int]{Length: 8, Full: full, Order: QueueOrder(full), Wait: time.Millisecond,
				PerFlow: 5, OnDrop: func(int, core.Reason) { dropped.Add(1) }})
			var producers, consumers sync.WaitGroup
			for id := range 8 {
				producers.Go(func() {
					r := rand.New(rand.NewPCG(uint64(id), 1))
					for k := range 300 {
						ctx, cancel := context.WithTimeout(context.Background(), time.Duration(r.IntN(200))*time.Microsecond)
						as := QueuePlace{Class: core.CriticalityAt(r.IntN(4)), Flow: r.IntN(3)}
						if q.PutAs(ctx, id*1000+k, as) == nil {
							put.Add(1)
						}
						cancel()
					}
				})
				consumers.Go(func() {
					for {
						ctx, cancel := context.WithTimeout(context.Background(), 100*time.Microsecond)
						v, err := q.Take(ctx)
						cancel()
						switch {
						case err == nil:
							if _, twice := seen.LoadOrStore(v, true); twice {
								t.Errorf("item %d comes twice", v)
							}
							took.Add(1)
						case err == ErrQueueClosed:
							return
						}
					}
				})
			}
			producers.Wait()
			q.Close()
			consumers.Wait()
			s := q.Snapshot()
			if s.Len+s.Producers+s.Consumers != 0 {
				t.Errorf("afterwards %+v", s)
			}
			drops := s.TimedOut + s.Delayed + s.Evicted
			if int64(s.Put) != put.Load() || int64(s.Taken) != took.Load() || int64(drops) != dropped.Load() ||
				s.Put != s.Taken+drops || s.Put == 0 {
				t.Errorf("put %d, took %d, dropped %d; %+v", put.Load(), took.Load(), dropped.Load(), s)
			}
		})
	}
}

// A queue that nobody closes leaves no goroutine behind: synctest fails if one
// is left when the test ends. There is only a timer while items wait.
func TestQueueNeedsNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, QueueConfig[int]{Length: 5, Wait: time.Hour})
		q.Put(context.Background(), 1)
		q.Take(context.Background())
		q.Put(context.Background(), 2)
	})
}

func BenchmarkQueuePutTake(b *testing.B) {
	q, err := NewQueue(QueueConfig[int]{Length: 100, Wait: time.Second})
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		q.Put(ctx, 1)
		q.Take(ctx)
	}
}
