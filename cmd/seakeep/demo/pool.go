package demo

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

var errPoolFull = errors.New("all workers are busy and the queue is full")

// pool is checkout's workers and the queue before them. Waiting is short on
// purpose: a queue that holds more than a user's patience serves everybody too
// late.
type pool struct {
	size, queue int

	mu      sync.Mutex
	state   poolState
	waiting []chan struct{} // closed when a worker is free for it
	since   time.Time       // when busy changed
	worked  time.Duration   // until then, by all workers together
}

// poolState is a pool at one moment.
type poolState struct {
	busy, maxBusy, waiting int
	refused                uint64
}

func newPool(size, queue int) *pool { return &pool{size: size, queue: queue} }

// take waits for a worker, first come, first served. If it returns nil, give
// must follow.
func (p *pool) take(ctx context.Context) error {
	p.mu.Lock()
	if p.state.busy < p.size {
		p.settle()
		p.state.busy++
		p.state.maxBusy = max(p.state.maxBusy, p.state.busy)
		p.mu.Unlock()
		return nil
	}
	if len(p.waiting) >= p.queue {
		p.state.refused++
		p.mu.Unlock()
		return errPoolFull
	}
	turn := make(chan struct{})
	p.waiting = append(p.waiting, turn)
	p.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		p.leave(turn)
		return ctx.Err()
	}
}

// leave ends the wait of one whose user has left. Its worker may have come in
// the same moment and then goes to the next.
func (p *pool) leave(turn chan struct{}) {
	p.mu.Lock()
	i := slices.Index(p.waiting, turn)
	if i >= 0 {
		p.waiting = slices.Delete(p.waiting, i, i+1)
	}
	p.mu.Unlock()
	if i < 0 {
		p.give()
	}
}

// give hands the worker to the first in the queue, or sets it free.
func (p *pool) give() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiting) == 0 {
		p.settle()
		p.state.busy--
		if p.state.busy < 0 {
			panic("demo: a worker was given back twice")
		}
		return
	}
	close(p.waiting[0])
	p.waiting = slices.Delete(p.waiting, 0, 1)
}

// settle adds up what was worked until now. The caller holds the lock.
func (p *pool) settle() {
	now := time.Now()
	p.worked += time.Duration(p.state.busy) * now.Sub(p.since)
	p.since = now
}

// time returns for how long workers have worked, all together.
func (p *pool) time() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.settle()
	return p.worked
}

func (p *pool) snapshot() poolState {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.state
	s.waiting = len(p.waiting)
	return s
}
