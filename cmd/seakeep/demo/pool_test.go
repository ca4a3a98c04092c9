package demo

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// hold takes a worker for a time and then notes who had it.
func hold(ctx context.Context, p *pool, served chan<- int, id int) {
	if p.take(ctx) == nil {
		time.Sleep(time.Second)
		served <- id
		p.give()
	}
}

func TestPoolServesInOrderAndRefusesBeyondItsQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(2, 3)
		served := make(chan int, 10)
		for id := range 7 { // two workers, three in the queue, two too many
			go hold(t.Context(), p, served, id)
			synctest.Wait()
		}
		if s := p.snapshot(); s != (poolState{busy: 2, maxBusy: 2, waiting: 3, refused: 2}) {
			t.Errorf("with seven who came: %+v", s)
		}
		if err := p.take(t.Context()); err != errPoolFull {
			t.Errorf("a full pool says %v", err)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		close(served)
		var order []int
		for id := range served {
			order = append(order, id)
		}
		slices.Sort(order[:2]) // each pair ends in the same instant
		slices.Sort(order[2:4])
		if !slices.Equal(order, []int{0, 1, 2, 3, 4}) {
			t.Errorf("served %v", order)
		}
		if s := p.snapshot(); s != (poolState{maxBusy: 2, refused: 3}) {
			t.Errorf("afterwards: %+v", s)
		}
	})
}

func TestPoolForgetsWhoLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(1, 2)
		if err := p.take(t.Context()); err != nil {
			t.Fatal(err)
		}
		leaves, leave := context.WithCancel(t.Context())
		got := make(chan error, 2)
		go func() { got <- p.take(leaves) }()
		synctest.Wait()
		go func() { got <- p.take(t.Context()) }()
		synctest.Wait()
		leave()
		if err := <-got; err != context.Canceled {
			t.Errorf("who left got %v", err)
		}
		p.give() // to the one behind, not to the one who left
		if err := <-got; err != nil {
			t.Errorf("who stayed got %v", err)
		}
		p.give()
		if s := p.snapshot(); s != (poolState{maxBusy: 1}) {
			t.Errorf("afterwards: %+v", s)
		}
	})
}

// A worker may come in the instant in which its user leaves. Whichever of the
// two take sees, the worker is not lost.
func TestPoolLosesNoWorkerToOneWhoLeaves(t *testing.T) {
	for range 1000 {
		p := newPool(1, 1)
		if err := p.take(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, leave := context.WithCancel(t.Context())
		got := make(chan error, 1)
		go func() { got <- p.take(ctx) }()
		for p.snapshot().waiting == 0 {
			time.Sleep(time.Microsecond)
		}
		go leave()
		p.give()
		if <-got == nil {
			p.give()
		}
		if s := p.snapshot(); s.busy != 0 || s.waiting != 0 {
			t.Fatalf("a worker is lost: %+v", s)
		}
	}
}

func TestPoolPanicsAtASecondGive(t *testing.T) {
	p := newPool(1, 0)
	_ = p.take(t.Context())
	p.give()
	defer func() {
		if recover() == nil {
			t.Error("a worker can be given back twice")
		}
	}()
	p.give()
}
