package seakeephttp

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/internal/connpool"
)

const (
	// defaultReplay is how large a body Wrap keeps for another attempt.
	defaultReplay = 64 << 10
	// maxKept bounds all kept request bodies together: a thousand of the
	// default size.
	maxKept = 64 << 20
)

// Transport sends requests to one dependency, through its policy. It is safe
// for use by many goroutines. Make it with NewTransport or Wrap.
type Transport struct {
	name   string
	set    *seakeep.Set // nil: made by Wrap
	family *family
	base   http.RoundTripper
	conns  *connpool.Pool // base, if it is the transport's own

	mu        sync.Mutex // held while the pool is replaced
	pool      atomic.Pointer[pool]
	resolving atomic.Pointer[resolving] // nil: the endpoints are not from DNS
	found     *found                    // the latest answer of DNS; under mu
	closed    bool                      // under mu
	untied    atomic.Int32              // copies in a row that were tied and not called off
}

// family is what a transport shares with those of the dependencies that its
// fallbacks ask, and of its second provider.
type family struct {
	base     http.RoundTripper                      // nil: each has its own
	plain    func(base http.RoundTripper) PlainPool // nil: none
	resolver Resolver
	kept     quota          // request bodies
	draw     func() float64 // of a balancer; nil: by chance

	mu       sync.Mutex
	siblings map[string]*Transport
}

// draws returns a random number in [0, 1).
func (f *family) draws() float64 {
	if f.draw != nil {
		return f.draw()
	}
	return rand.Float64()
}

// NewTransport protects requests to one dependency of a policy file. If the
// dependency has endpoints, a request's scheme and host are replaced by those
// of the endpoint that is chosen for it; otherwise they are used as they are.
//
// base sends the requests. If it is nil the transport has a connection pool of
// its own, by the dependency's connections, protocol, tls and timeout. That pool
// does not ask for compression, so that bodies and their lengths arrive as they
// were sent.
func NewTransport(set *seakeep.Set, dependency string, base http.RoundTripper) (*Transport, error) {
	return NewTransportWith(set, dependency, TransportOptions{Base: base})
}

// TransportOptions are what a transport works with.
type TransportOptions struct {
	// Base sends the requests, as NewTransport has it.
	Base http.RoundTripper
	// Resolver finds the endpoints of dependencies that the policy file knows
	// by name only. nil is net.DefaultResolver. Go's resolver does not tell how
	// long an answer holds, so the file says how often it is asked.
	Resolver Resolver
	// Plain, if it is set and Base is not, makes another pool for plain HTTP/1.1,
	// which leaves to base what it does not send. It is called once for the
	// dependency and for each that its fallbacks ask; then comes PlainPool.Use.
	Plain func(base http.RoundTripper) PlainPool
}

// NewTransportWith is NewTransport with more to choose. A transport whose
// endpoints are from DNS asks for them in the background until it is closed;
// requests that come before the first question is answered wait for that, within
// their limits.
func NewTransportWith(set *seakeep.Set, dependency string, o TransportOptions) (*Transport, error) {
	f := &family{base: o.Base, plain: o.Plain, resolver: o.Resolver, kept: quota{max: maxKept},
		siblings: map[string]*Transport{}}
	if f.resolver == nil {
		f.resolver = net.DefaultResolver
	}
	return f.member(set, dependency)
}

// Wrap protects requests by one policy without a file. A nil base is
// http.DefaultTransport.
func Wrap(p *seakeep.Policy, base http.RoundTripper) *Transport {
	if base == nil {
		base = http.DefaultTransport
	}
	t := &Transport{name: p.Name(), base: base, family: &family{kept: quota{max: maxKept}}}
	t.pool.Store(&pool{of: t, whole: seakeep.Target{Policy: p}})
	return t
}

// member returns the transport of a dependency, which is made when it is first
// asked for.
func (f *family) member(set *seakeep.Set, name string) (*Transport, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if t := f.siblings[name]; t != nil {
		return t, nil
	}
	t := &Transport{name: name, set: set, family: f, base: f.base}
	p := t.newPool(nil)
	if p == nil {
		_, err := set.Policy(name)
		return nil, err
	}
	if t.base == nil {
		conns, err := connpool.New(connectionsOf(p.config), t.certificatesRead)
		if err != nil {
			return nil, fmt.Errorf("seakeephttp: %s: %w", name, err)
		}
		t.base, t.conns = conns, conns
		if f.plain != nil {
			t.base = f.plain(conns)
		}
	}
	t.store(p)
	f.siblings[name] = t
	return t, nil
}

var errNoURL = errors.New("seakeephttp: the request has no URL")

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL == nil {
		closeBody(req)
		return nil, errNoURL
	}
	turn, second := t.turn(req)
	if second != nil {
		return divert(second, req)
	}
	x := newExchange(t, req)
	if x.adapter.Traced() {
		return x.followed(&turn)
	}
	var end seakeep.Ending
	return x.pass(&turn, &end)
}

// pass carries the request through the ladder. end is how that ended.
func (x *exchange) pass(turn *seakeep.Turn, end *seakeep.Ending) (*http.Response, error) {
	if x.caching != nil {
		if resp := x.fresh(); resp != nil {
			closeBody(x.req)
			x.answered, end.Verdict = true, call.Succeeded
			return resp, nil
		}
	}
	returned := false
	defer func() {
		if !returned { // the base transport has panicked
			x.endBody()
			x.release()
			x.left()
		}
	}()
	ask := x.request()
	*end = x.run(x.req.Context(), ask)
	returned = true
	resp, err := x.finish(end, ask.Deadline)
	turn.Ended(end)
	return resp, err
}

// errNothing is the error of a base transport that returns neither an answer
// nor an error.
var errNothing = errors.New("seakeephttp: the base transport returned nothing")

// roundTrip asks the base transport and mends what it may leave out.
func roundTrip(base http.RoundTripper, req *http.Request) (*http.Response, error) {
	resp, err := base.RoundTrip(req)
	switch {
	case err != nil:
		return nil, err
	case resp == nil:
		return nil, errNothing
	case resp.Body == nil:
		resp.Body = http.NoBody
	}
	return resp, nil
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
}

// CloseIdleConnections closes connections that are idle, also those of the
// dependencies that fallbacks have asked, and of the second provider.
func (t *Transport) CloseIdleConnections() {
	type closer interface{ CloseIdleConnections() }
	if c, ok := t.base.(closer); ok {
		c.CloseIdleConnections()
	}
	t.family.mu.Lock()
	defer t.family.mu.Unlock()
	for _, s := range t.family.siblings {
		if c, ok := s.base.(closer); ok && s != t {
			c.CloseIdleConnections()
		}
	}
}

// statusError stands for an answer that is not there any more.
type statusError int

// Error implements error.
func (s statusError) Error() string {
	return fmt.Sprintf("answered %d %s", int(s), http.StatusText(int(s)))
}
