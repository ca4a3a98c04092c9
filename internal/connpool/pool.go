package connpool

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Pool is the connections to all addresses of one dependency. It is an
// http.RoundTripper, and safe for use by many goroutines.
type Pool struct {
	report func(error)

	mu    sync.Mutex
	maker atomic.Pointer[maker] // written under mu
	lanes map[address]*lane
	warm  []address // where connections are kept ahead

	resting atomic.Bool // no connection is kept until the next request
}

// address is where a lane leads.
type address struct{ scheme, host string }

// New returns a pool without connections. It reads the files of certificates.
// report is told when they were read again, as certs.Open says.
func New(s Settings, report func(error)) (*Pool, error) {
	m, err := newMaker(s, report)
	if err != nil {
		return nil, err
	}
	p := &Pool{report: report, lanes: map[address]*lane{}}
	p.maker.Store(m)
	return p, nil
}

// Use changes the settings. Connections that do not fit them any more finish
// what they have begun. If the certificates cannot be read nothing changes.
func (p *Pool) Use(s Settings) error {
	p.mu.Lock()
	old := p.maker.Load()
	if old.Settings == s {
		p.mu.Unlock()
		return nil
	}
	next := *old
	next.Settings = s
	if alike := old.Settings.alike(&s); !alike || old.Connect != s.Connect {
		made, err := newMaker(s, p.report)
		if err != nil {
			p.mu.Unlock()
			return err
		}
		next = *made
		if next.era = old.era; !alike {
			next.era++
		}
	}
	p.maker.Store(&next)
	all := p.all()
	p.mu.Unlock()
	for _, l := range all {
		l.mu.Lock()
		l.wake.Stop()
		l.tick()
		l.leave()
	}
	return nil
}

// all returns the lanes. The caller holds p.mu.
func (p *Pool) all() []*lane {
	all := make([]*lane, 0, len(p.lanes))
	for _, l := range p.lanes {
		all = append(all, l)
	}
	return all
}

// Keep says to which addresses connections are kept ahead, if the settings want
// that. Others are left to their idle time.
func (p *Pool) Keep(endpoints []*url.URL) {
	p.mu.Lock()
	old := p.warm
	p.warm = nil
	if p.maker.Load().Connections.Warm > 0 {
		for _, u := range endpoints {
			p.warm = append(p.warm, addressOf(u))
		}
	}
	var change []*lane
	for _, a := range append(slices.Clone(p.warm), old...) {
		if l := p.laneTo(a); !slices.Contains(change, l) {
			change = append(change, l)
		}
	}
	warm := slices.Clone(p.warm)
	p.mu.Unlock()
	for _, l := range change {
		l.mu.Lock()
		l.warm = slices.Contains(warm, l.to)
		l.grow()
		l.leave()
	}
}

// laneTo returns the lane to an address. The caller holds p.mu.
func (p *Pool) laneTo(a address) *lane {
	l := p.lanes[a]
	if l == nil {
		l = newLane(p, a)
		p.lanes[a] = l
	}
	return l
}

// lane returns the lane to an address, locked.
func (p *Pool) lane(a address) *lane {
	for {
		p.mu.Lock()
		l := p.laneTo(a)
		p.mu.Unlock()
		l.mu.Lock()
		if !l.gone {
			return l
		}
		l.leave()
	}
}

// forget removes a lane that has nothing left, and reports whether it did. The
// caller holds the lane, which nobody can wait for then.
func (p *Pool) forget(l *lane) bool {
	if !p.mu.TryLock() { // somebody may be about to use it
		return false
	}
	defer p.mu.Unlock()
	if p.lanes[l.to] == l && !slices.Contains(p.warm, l.to) {
		delete(p.lanes, l.to)
		return true
	}
	return false
}

// Transport returns one of net/http that opens connections as the pool does.
// It is a new one, for whoever keeps connections of its own.
func (p *Pool) Transport() *http.Transport { return p.maker.Load().transport() }

// Secure shakes hands on a connection as the pool does. It closes the connection
// if that fails.
func (p *Pool) Secure(ctx context.Context, conn net.Conn, address string) (net.Conn, error) {
	return p.maker.Load().secure(ctx, conn, address)
}

// CertificateProblem says why changed files of certificates are not in use;
// empty: there are none.
func (p *Pool) CertificateProblem() string {
	if m := p.maker.Load(); m.certs != nil {
		return m.certs.Problem()
	}
	return ""
}

// CloseIdleConnections closes connections that are in nobody's use, and those
// that will be before the next request.
func (p *Pool) CloseIdleConnections() {
	p.resting.Store(true)
	p.mu.Lock()
	all := p.all()
	p.mu.Unlock()
	for _, l := range all {
		l.mu.Lock()
		l.dropIdle()
		l.leave()
	}
}

// addressOf returns where requests for a URL go.
func addressOf(u *url.URL) address {
	port := u.Port()
	if port == "" {
		port = "80"
		if u.Scheme == "https" {
			port = "443"
		}
	}
	return address{u.Scheme, net.JoinHostPort(strings.ToLower(u.Hostname()), port)}
}
