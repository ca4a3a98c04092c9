package balance

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/seakeep/seakeep/core"
)

// Balancer shares attempts among endpoints, known by their index. It is safe
// for use by many goroutines. Make it with New.
//
// Each Pick whose answer is ok is followed by one Report, and if that says that
// the answer's body is open, by one Done.
type Balancer struct {
	mu     sync.Mutex
	latest core.Instant
	m      machine
}

// New returns a balancer for endpoints 0 to len(peers)-1, at most 64, which are
// all thought to be up and warm.
func New(c Config, peers []Peer) (*Balancer, error) {
	errs := []error{c.Validate()}
	for _, p := range peers {
		errs = append(errs, p.Validate())
	}
	if len(peers) > maxEndpoints {
		errs = append(errs, bad("peers", "are %d; give at most %d", len(peers), maxEndpoints))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return &Balancer{latest: math.MinInt64, m: newMachine(c.Filled(), peers)}, nil
}

// Pick chooses the endpoint of the next attempt. ok is false if there is none
// that may be chosen.
func (b *Balancer) Pick(now core.Instant, c Choice) (i int, ok bool) {
	b.lock(now)
	i, ok = b.m.pick(b.latest, c)
	b.mu.Unlock()
	return i, ok
}

// Elsewhere reports whether a Pick would choose an endpoint that was not tried.
func (b *Balancer) Elsewhere(now core.Instant, c Choice) bool {
	b.lock(now)
	defer b.mu.Unlock()
	return b.m.elsewhere(b.latest, c)
}

// Report says how an attempt at endpoint i went, when it has ended. An attempt
// that its caller gave up is reported as Cancelled when it has. Report panics
// if nothing is in flight there.
func (b *Balancer) Report(now core.Instant, i int, s Sample) {
	b.lock(now)
	ok := b.m.has(i) && b.m.peers[i].waiting > 0
	if ok {
		b.m.report(b.latest, i, s)
	}
	b.mu.Unlock()
	if !ok {
		panic(fmt.Sprintf("balance: Report of endpoint %d without a Pick", i))
	}
}

// Done says that an answer's body at endpoint i has ended, whose Report said
// that it was open. It panics if there is none.
func (b *Balancer) Done(i int) {
	b.mu.Lock()
	ok := b.m.has(i) && b.m.peers[i].open > 0
	if ok {
		b.m.done(i)
	}
	b.mu.Unlock()
	if !ok {
		panic(fmt.Sprintf("balance: Done of endpoint %d without an open answer", i))
	}
}

// Mark sets marks of an endpoint, or takes them away, and leaves all others. It
// reports whether the balancer is in panic after it: too few are up, and all
// are used. Mark panics if there is no endpoint i.
func (b *Balancer) Mark(now core.Instant, i int, s State, on bool) (panics bool) {
	b.lock(now)
	ok := b.m.has(i)
	if ok {
		b.m.mark(b.latest, i, s, on)
	}
	panics = b.m.panics()
	b.mu.Unlock()
	if !ok {
		panic(fmt.Sprintf("balance: Mark of endpoint %d, which is not there", i))
	}
	return panics
}

// Add brings a new endpoint in, with the first index that is free and with
// marks: who first has to prepare something for the index adds it as Draining,
// and takes the mark back. It starts slowly. ok is false if all 64 are taken;
// those that drain are too, until nothing is in flight there.
func (b *Balancer) Add(now core.Instant, p Peer, s State) (i int, ok bool) {
	b.lock(now)
	i, ok = b.m.add(b.latest, p, s)
	b.mu.Unlock()
	return i, ok
}

// Remove drains endpoint i and forgets it as soon as nothing is in flight
// there, when its index may be given to another. It does nothing if there is no
// endpoint i.
func (b *Balancer) Remove(i int) {
	b.mu.Lock()
	if b.m.has(i) {
		b.m.remove(i)
	}
	b.mu.Unlock()
}

// Change gives endpoint i another weight or zone. It does nothing if there is
// no endpoint i.
func (b *Balancer) Change(i int, p Peer) {
	b.mu.Lock()
	if b.m.has(i) {
		b.m.change(i, p)
	}
	b.mu.Unlock()
}

// Reconfigure changes how endpoints are chosen from now on; what is known of
// them stays. It changes nothing if c is not valid.
func (b *Balancer) Reconfigure(now core.Instant, c Config) error {
	if err := c.Validate(); err != nil {
		return err
	}
	b.lock(now)
	b.m.configure(c.Filled())
	b.mu.Unlock()
	return nil
}

// Panics reports whether so few endpoints are up that all are used.
func (b *Balancer) Panics() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.m.panics()
}

// Snapshot returns the state of all endpoints, by their index.
func (b *Balancer) Snapshot(now core.Instant) []Endpoint {
	b.lock(now)
	defer b.mu.Unlock()
	out := make([]Endpoint, len(b.m.peers))
	for i := range out {
		out[i] = b.m.endpoint(b.latest, i)
	}
	return out
}

// lock locks and keeps the latest now, so that the machine never sees time go
// back although goroutines read the clock before they queue for the lock.
func (b *Balancer) lock(now core.Instant) {
	b.mu.Lock()
	if now > b.latest {
		b.latest = now
	}
}
