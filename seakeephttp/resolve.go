package seakeephttp

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
)

const (
	// again is how soon a name is asked for again that has no answer yet.
	again = time.Second
	// spread is how much the time between two questions varies, so that the
	// processes of a fleet do not ask together.
	spread = 0.1
)

// found is an answer of DNS.
type found struct {
	by     config.Resolve
	places []place
	at     time.Time
}

// Resolved is what DNS has said of a dependency's endpoints.
type Resolved struct {
	Name     string
	At       time.Time // of the latest answer in use; zero: there was none yet
	Failures int       // questions in a row since then without a usable answer
	Err      error     // of the latest of those
}

// resolving asks for a transport's endpoints until it is stopped.
type resolving struct {
	t     *Transport
	by    Resolver
	stop  context.CancelFunc
	done  chan struct{}
	wake  chan struct{} // another name is to be asked for
	first chan struct{} // closed when the first question has an answer, or none
	once  sync.Once     // closes first
	known atomic.Bool   // there was a usable answer

	mu       sync.Mutex
	failures int
	err      error
}

// startResolving sees to it that DNS is asked. The caller holds t.mu, or is the
// only one to know t.
func (t *Transport) startResolving() {
	if r := t.resolving.Load(); r != nil {
		select {
		case r.wake <- struct{}{}:
		default:
		}
		return
	}
	if t.closed {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	r := &resolving{t: t, by: t.family.resolver, stop: stop, done: make(chan struct{}),
		wake: make(chan struct{}, 1), first: make(chan struct{})}
	t.resolving.Store(r)
	go r.run(ctx)
}

// stopResolving ends it. The caller holds t.mu, which a goroutine that is about
// to end may wait for, so nobody waits for it here.
func (t *Transport) stopResolving() *resolving {
	r := t.resolving.Swap(nil)
	if r != nil {
		r.stop()
	}
	return r
}

// Close stops what the transport does on its own: asking DNS for endpoints, and
// endpoints for their health, and keeping connections to them ahead; idle
// connections are closed. The transports of its second provider and of the
// dependencies that its fallbacks ask are closed with it. Requests still work,
// with the endpoints known so far.
func (t *Transport) Close() {
	t.family.mu.Lock()
	all := []*Transport{t}
	for _, s := range t.family.siblings {
		if s != t {
			all = append(all, s)
		}
	}
	t.family.mu.Unlock()
	for _, s := range all {
		s.mu.Lock()
		s.closed = true
		r := s.stopResolving()
		s.mu.Unlock()
		if r != nil {
			<-r.done
		}
		if p := s.pool.Load(); p.dir != nil {
			p.dir.care.close()
		}
		if s.conns != nil {
			s.conns.Keep(nil)
			s.conns.CloseIdleConnections()
		}
	}
}

func (r *resolving) run(ctx context.Context) {
	defer close(r.done)
	for ctx.Err() == nil {
		wait := again
		if cfg := r.t.current().config.Resolve; cfg != nil {
			if r.ask(ctx, cfg); r.known.Load() {
				wait = cfg.Every
			}
			r.once.Do(func() { close(r.first) })
		}
		wait += time.Duration(float64(wait) * spread * (2*rand.Float64() - 1))
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-r.wake:
		}
		timer.Stop()
	}
}

// ask asks once and puts the answer to use. An answer that is empty, or an
// error, changes nothing: that nobody can say where a service is does not mean
// that it has gone.
func (r *resolving) ask(ctx context.Context, cfg *config.Resolve) {
	asked, cancel := context.WithTimeout(ctx, cfg.Timeout)
	defer cancel()
	places, err := lookUp(asked, r.by, cfg)
	if ctx.Err() != nil {
		return
	}
	if err == nil && len(places) == 0 {
		err = errEmpty
	}
	r.mu.Lock()
	r.err = err
	if r.failures++; err == nil {
		r.failures = 0
	}
	r.mu.Unlock()
	if err != nil {
		r.t.emit(core.Event{Kind: core.ResolveFailed, Key: cfg.Host, Detail: err.Error()})
		return
	}
	r.t.use(&found{by: *cfg, places: places, at: time.Now()})
	r.known.Store(true)
}

var errEmpty = errors.New("the answer is empty")

// use puts an answer of DNS to use.
func (t *Transport) use(f *found) {
	t.mu.Lock()
	before, same := t.found, false
	if before != nil && before.by == f.by {
		same = slices.EqualFunc(before.places, f.places, func(a, b place) bool {
			return a.name == b.name && a.peer == b.peer
		})
	}
	t.found = f
	p := t.pool.Load()
	if cfg := p.config.Resolve; cfg != nil && *cfg == f.by && t.set.File() == p.file &&
		(!same || len(p.order) < len(f.places)) {
		if next := t.newPool(p); next != nil {
			t.store(next)
		}
	}
	t.mu.Unlock()
	if !same {
		came, went := f.since(before)
		t.emit(core.Event{Kind: core.EndpointsFound, Key: f.by.Host,
			Detail: fmt.Sprintf("%d came, %d went", came, went)})
	}
}

// since counts how many endpoints an answer has that the one before had not, and
// the other way round.
func (f *found) since(before *found) (came, went int) {
	names := map[string]bool{}
	if before != nil {
		for _, p := range before.places {
			names[p.name] = true
		}
	}
	for _, p := range f.places {
		if !names[p.name] {
			came++
		}
		delete(names, p.name)
	}
	return came, len(names)
}

// emit tells the policy's observer.
func (t *Transport) emit(e core.Event) {
	e.At = seakeep.Now()
	t.pool.Load().whole.Policy.Adapter().Plan().Emit(e)
}

// awaitResolved waits until DNS has been asked for the first time, as long as the
// attempt may. It reports whether there may be endpoints now that somebody who
// looked before did not see.
func (t *Transport) awaitResolved(ctx context.Context) bool {
	r := t.resolving.Load()
	if r == nil {
		return false
	}
	select {
	case <-r.first:
		return true
	case <-r.done:
	case <-ctx.Done():
	}
	return false
}

// resolved is what Snapshot says of DNS.
func (t *Transport) resolved() *Resolved {
	t.mu.Lock()
	f := t.found
	t.mu.Unlock()
	cfg := t.pool.Load().config.Resolve
	if cfg == nil {
		return nil
	}
	s := &Resolved{Name: cfg.Host}
	if f != nil {
		s.At = f.at
	}
	if r := t.resolving.Load(); r != nil {
		r.mu.Lock()
		s.Failures, s.Err = r.failures, r.err
		r.mu.Unlock()
	}
	return s
}

// noEndpoint is ErrNoEndpoint, and why DNS has none if that is the reason.
func (t *Transport) noEndpoint() error {
	if r := t.resolved(); r != nil && r.At.IsZero() && r.Err != nil {
		return fmt.Errorf("%w: %w", ErrNoEndpoint, r.Err)
	}
	return ErrNoEndpoint
}
