package seakeephttp

import (
	"net/url"
	"sync/atomic"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/balance"
)

// endpoint is one place that requests are sent to.
type endpoint struct {
	url      *url.URL
	name     string
	inFlight atomic.Int64
}

// pool is what one policy file says of the transport's dependency. It never
// changes; another file makes another pool.
type pool struct {
	of        *Transport
	file      *config.File
	config    *config.Dependency
	whole     seakeep.Target // what requests of no operation are under
	endpoints []*endpoint
	balancer  *balance.Balancer // nil: the requests' own addresses are used
	all       uint64            // a bit for each endpoint
}

// pool returns the pool of the file in use.
func (t *Transport) current() *pool {
	p := t.pool.Load()
	if t.set == nil || t.set.File() == p.file {
		return p
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if p = t.pool.Load(); t.set.File() != p.file {
		if next := t.newPool(p); next != nil {
			t.pool.Store(next)
			return next
		}
	}
	return p // the dependency is gone: it goes on as it was
}

// newPool reads the dependency's endpoints from the file in use. An endpoint
// that old has as well keeps its count of requests, and if the list is the same
// all is kept that is known of them. It returns nil if the file has no such
// dependency.
func (t *Transport) newPool(old *pool) *pool {
	file := t.set.File()
	d := file.Dependency(t.name)
	policy, err := t.set.Policy(t.name)
	if d == nil || err != nil {
		return nil
	}
	p := &pool{of: t, file: file, config: d}
	p.whole = seakeep.Target{Policy: policy, Settings: &d.Settings}
	same := old != nil && len(old.endpoints) == len(d.Endpoints)
	for i, u := range d.Endpoints {
		e := old.find(u.String())
		if e == nil {
			e = &endpoint{url: u, name: u.String()}
		}
		same = same && old.endpoints[i] == e
		p.endpoints = append(p.endpoints, e)
		p.all |= 1 << i
	}
	switch {
	case same:
		p.balancer = old.balancer
	case len(p.endpoints) > 0:
		p.balancer = balance.New(len(p.endpoints))
	}
	return p
}

func (p *pool) find(name string) *endpoint {
	if p == nil {
		return nil
	}
	for _, e := range p.endpoints {
		if e.name == name {
			return e
		}
	}
	return nil
}

// Snapshot is a transport's state at one moment.
type Snapshot struct {
	Dependency string     // as in the policy file
	Endpoints  []Endpoint // in the order of the file
	Buffered   int64      // bytes of request bodies kept for another attempt
}

// Endpoint is the state of one endpoint.
type Endpoint struct {
	URL      string
	InFlight int64 // requests sent whose answer is not complete
	balance.Endpoint
}

// Snapshot reads the state of the endpoints.
func (t *Transport) Snapshot() Snapshot {
	p := t.current()
	s := Snapshot{Dependency: t.name, Buffered: t.family.kept.used.Load()}
	if p.balancer == nil {
		return s
	}
	for i, e := range p.balancer.Snapshot(seakeep.Now()) {
		s.Endpoints = append(s.Endpoints, Endpoint{URL: p.endpoints[i].name,
			InFlight: p.endpoints[i].inFlight.Load(), Endpoint: e})
	}
	return s
}
