package seakeephttp

import (
	"errors"
	"net/url"
	"sync/atomic"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/balance"
	"github.com/seakeep/seakeep/core/health"
	"github.com/seakeep/seakeep/core/outlier"
)

// ErrNoEndpoint is the error of an attempt that had nowhere to go: no endpoint
// is known, or all are marked and the file has switched panic off.
var ErrNoEndpoint = errors.New("seakeephttp: no endpoint may be used")

// endpoint is one place that requests are sent to. It never changes.
type endpoint struct {
	url  *url.URL
	name string
	host string // what requests are addressed to there; empty: as url has it
}

// directory is the endpoints of a transport by their index in the balancer. It
// lives as long as the transport, so that an endpoint that stays keeps what is
// known of it, whatever else changes.
type directory struct {
	balancer *balance.Balancer
	at       [64]atomic.Pointer[endpoint]
	care     care // takes bad ones out
}

// pool is what one policy file, and the latest answer of DNS, say of the
// transport's dependency. It never changes; another file makes another pool.
type pool struct {
	of     *Transport
	file   *config.File
	config *config.Dependency
	whole  seakeep.Target // what requests of no operation are under
	dir    *directory     // nil: the requests' own addresses are used
	order  []int          // of the endpoints, as they are listed

	tenants *tenants // nil: every request may go to every endpoint
}

// place is an endpoint that there should be.
type place struct {
	endpoint
	peer balance.Peer
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
			t.store(next)
			return next
		}
	}
	return p // the dependency is gone: it goes on as it was
}

// newPool reads the dependency's endpoints from the file in use. What is known
// of an endpoint that old has as well is kept. It returns nil if the file has
// no such dependency. The caller holds t.mu, or is the only one to know t.
func (t *Transport) newPool(old *pool) *pool {
	file := t.set.File()
	d := file.Dependency(t.name)
	policy, err := t.set.Policy(t.name)
	if d == nil || err != nil {
		return nil
	}
	p := &pool{of: t, file: file, config: d}
	p.whole = seakeep.Target{Policy: policy, Settings: &d.Settings}
	if len(d.Endpoints) == 0 && d.Resolve == nil {
		return p
	}
	if old != nil && old.dir != nil {
		p.dir = old.dir
		_ = p.dir.balancer.Reconfigure(seakeep.Now(), d.Balance) // the file was checked
	}
	p.settle(t.wanted(p, old))
	p.tenants = newTenants(p)
	return p
}

// store puts a pool to use. Whoever calls it holds t.mu, or is the only one to
// know t.
func (t *Transport) store(p *pool) {
	old := t.pool.Swap(p)
	t.useConnections(p)
	if old != nil && old.dir != nil && old.dir != p.dir {
		go old.dir.care.close() // it waits for checks
	}
	switch r := p.config.Resolve; {
	case r == nil:
		t.stopResolving()
	case old == nil || old.config.Resolve == nil || *old.config.Resolve != *r:
		t.startResolving()
	}
	if p.dir != nil {
		p.dir.care.use(p)
	}
}

// wanted returns the endpoints that there should be: those of the file, or those
// that DNS has found. Before it has, what there was before stays.
func (t *Transport) wanted(p, old *pool) (all []place) {
	if p.config.Resolve != nil {
		if t.found != nil && t.found.by == *p.config.Resolve {
			return t.found.places
		}
		if old != nil && old.dir != nil {
			return old.places()
		}
		return nil
	}
	for i, u := range p.config.Endpoints {
		peer := balance.Peer{}
		if i < len(p.config.Peers) {
			peer = p.config.Peers[i]
		}
		all = append(all, place{endpoint{url: u, name: u.String()}, peer})
	}
	return all
}

// places returns the endpoints as they are.
func (p *pool) places() (all []place) {
	state := p.dir.balancer.Snapshot(seakeep.Now())
	for _, i := range p.order {
		e := p.dir.at[i].Load()
		all = append(all, place{*e, state[i].Peer})
	}
	return all
}

// settle brings the directory to what is wanted: who is new comes in, who stays
// is left alone, and who is not wanted any more is drained.
func (p *pool) settle(wanted []place) {
	if p.dir == nil {
		p.begin(wanted)
		return
	}
	now := seakeep.Now()
	state := p.dir.balancer.Snapshot(now)
	leaving := map[string]int{}
	for i := range state {
		if e := p.dir.at[i].Load(); e != nil && state[i].State&(balance.Gone|balance.Draining) == 0 {
			leaving[e.name] = i
		}
	}
	var late []*place
	for k := range wanted {
		w := &wanted[k]
		i, there := leaving[w.name]
		if !there {
			if !p.join(now, w) {
				late = append(late, w)
			}
			continue
		}
		delete(leaving, w.name)
		p.dir.balancer.Change(i, w.peer)
		if p.dir.at[i].Load().host != w.host {
			p.dir.at[i].Store(&w.endpoint)
		}
		p.order = append(p.order, i)
	}
	for i := range state {
		if e := p.dir.at[i].Load(); e != nil {
			if at, goes := leaving[e.name]; goes && at == i {
				p.dir.balancer.Remove(i)
			}
		}
	}
	for _, w := range late { // in the places that became free just now
		p.join(now, w)
	}
}

// join brings an endpoint in. It reports false if all 64 places are taken; some
// by those that drain, so that the next answer of DNS may find room.
func (p *pool) join(now core.Instant, w *place) bool {
	i, ok := p.dir.balancer.Add(now, w.peer, balance.Draining)
	if ok {
		p.dir.at[i].Store(&w.endpoint)
		p.dir.balancer.Mark(now, i, balance.Draining, false)
		p.order = append(p.order, i)
	}
	return ok
}

// begin makes the directory.
func (p *pool) begin(wanted []place) {
	wanted = wanted[:min(len(wanted), len(directory{}.at))]
	peers := make([]balance.Peer, len(wanted))
	for i := range wanted {
		peers[i] = wanted[i].peer
	}
	b, err := balance.New(p.config.Balance, peers)
	if err != nil {
		panic("seakeephttp: " + err.Error()) // the file was checked
	}
	p.dir = &directory{balancer: b}
	for i := range wanted {
		p.dir.at[i].Store(&wanted[i].endpoint)
		p.order = append(p.order, i)
	}
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// Panics reports whether so few endpoints are up that all are used.
func (t *Transport) Panics() bool {
	p := t.current()
	return p.dir != nil && p.dir.balancer.Panics()
}

// Snapshot is a transport's state at one moment.
type Snapshot struct {
	Dependency string     // as in the policy file
	Endpoints  []Endpoint // as they are listed, then those that drain
	Panic      bool       // so few endpoints are up that all are used
	Resolved   *Resolved  // nil: the endpoints are not from DNS
	Buffered   int64      // bytes of request bodies kept for another attempt

	// Connections are those to each address, if the transport keeps its own.
	Connections []Connections
	// Certificates says why changed files of certificates are not in use; empty:
	// there are none.
	Certificates string
}

// Endpoint is the state of one endpoint.
type Endpoint struct {
	URL string
	balance.Endpoint
	Outlier *outlier.Endpoint // nil: outliers are not looked for
	Health  *health.Endpoint  // nil: it is not checked
}

// Snapshot reads the state of the endpoints.
func (t *Transport) Snapshot() Snapshot {
	p := t.current()
	s := Snapshot{Dependency: t.name, Buffered: t.family.kept.used.Load()}
	if t.conns != nil {
		s.Connections, s.Certificates = t.conns.Snapshot(), t.conns.CertificateProblem()
		if plain, ok := t.base.(PlainPool); ok {
			s.Connections = append(plain.Snapshot(), s.Connections...)
		}
	}
	if p.dir == nil {
		return s
	}
	s.Panic = p.dir.balancer.Panics()
	s.Resolved = t.resolved()
	now := seakeep.Now()
	state := p.dir.balancer.Snapshot(now)
	outliers, checked := p.dir.care.snapshot(now)
	listed := uint64(0)
	add := func(i int) {
		if e := p.dir.at[i].Load(); e != nil && listed>>i&1 == 0 && state[i].State != balance.Gone {
			listed |= 1 << i
			s.Endpoints = append(s.Endpoints, Endpoint{URL: e.name, Endpoint: state[i],
				Outlier: known(outliers, i), Health: known(checked, i)})
		}
	}
	for _, i := range p.order {
		add(i)
	}
	for i := range state {
		add(i)
	}
	return s
}
