package overload

import (
	"context"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
	"github.com/seakeep/seakeep/core"
)

// Machine is what the program can do.
type Machine struct {
	Workers int           // 1 to 1000
	Floor   time.Duration // of the time a request takes; the rest is exponential
	Mean    time.Duration // of it, the floor included; equal to the floor: always the same
}

// Capacity returns how many requests a second it can do.
func (m Machine) Capacity() float64 { return float64(m.Workers) / m.Mean.Seconds() }

// app is the program that may need protection: workers, and one queue before
// them without a bound, first come, first served. It does what most programs
// do: it goes on with the work for users who have left.
//
// So nobody ever leaves the queue, and when a request will be done can be told
// when it comes. That is what app does, instead of keeping a goroutine for each
// worker: a machine that wakes a goroutine late would take away capacity.
type app struct {
	machine Machine

	mu   sync.Mutex
	rng  *rand.Rand
	free []core.Instant // when each worker will be
}

// newApp returns a program whose workers are all free from now on.
func newApp(now core.Instant, m Machine, seed uint64) *app {
	return &app{machine: m, rng: rand.New(rand.NewPCG(seed, 1)),
		free: slices.Repeat([]core.Instant{now}, m.Workers)}
}

// book gives a request its place in the queue and returns when it will be done.
func (a *app) book(now core.Instant) core.Instant {
	a.mu.Lock()
	defer a.mu.Unlock()
	first := a.first()
	takes := a.machine.Floor
	if rest := a.machine.Mean - a.machine.Floor; rest > 0 {
		takes += time.Duration(a.rng.ExpFloat64() * float64(rest))
	}
	a.free[first] = max(now, a.free[first]).Add(takes)
	return a.free[first]
}

// first returns the worker that will be free first.
func (a *app) first() int { return slices.Index(a.free, slices.Min(a.free)) }

// wait returns how long a request that comes now would wait for a worker.
func (a *app) wait(now core.Instant) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return max(a.free[a.first()].Sub(now), 0)
}

// ServeHTTP implements http.Handler. Whoever leaves is not told the answer; the
// work for it has been booked and stays so.
func (a *app) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := seakeep.Now()
	if done := a.book(now); live.Pause(r.Context(), done.Sub(now)) {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = w.Write([]byte("done\n"))
	}
}

// place is where the program can be called.
type place struct {
	url  string
	door http.RoundTripper
	stop func()
}

// opener puts a program somewhere, behind a guard.
type opener func(a *app, g guard) (*place, error)

// onSockets puts it on the loopback interface, at a port of its own.
func onSockets(a *app, g guard) (*place, error) {
	server, err := live.Serve(a)
	if err != nil {
		return nil, err
	}
	address, stop, err := g.start(server.URL)
	if err != nil {
		server.Stop()
		return nil, err
	}
	door := live.Door()
	return &place{url: address, door: door, stop: func() {
		door.CloseIdleConnections()
		stop()
		server.Stop()
	}}, nil
}

// warm makes some requests that nobody counts, so that the first users do not
// wait for a program that has never run.
func (p *place) warm(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { ask(ctx, p, &guest{}, 0) })
	}
	wg.Wait()
}
