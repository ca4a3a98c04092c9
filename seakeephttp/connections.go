package seakeephttp

import (
	"net/url"
	"strings"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/connpool"
)

// AcquireError is the error of an attempt for which no connection was free for
// as long as timeout.acquire lets it wait. Nothing of it was sent.
type AcquireError = connpool.AcquireError

// ErrNotHTTP2 is the error of an attempt whose server does not speak HTTP/2,
// which the policy file asks for.
var ErrNotHTTP2 = connpool.ErrNotHTTP2

// Connections is the state of the connections to one address.
type Connections = connpool.Snapshot

// connectionsOf says how connections to a dependency are kept.
func connectionsOf(d *config.Dependency) connpool.Settings {
	limit := 0
	if b := d.Call.Bulkhead; b != nil {
		limit = b.Limit
	}
	s := connpool.Settings{Connections: d.Connections.Filled(limit), Connect: d.Connect,
		Acquire: d.Acquire, Protocol: d.Protocol, TLS: d.TLS}
	if r := d.Resolve; r != nil && r.Type != config.RecordSRV {
		s.ServerName = strings.TrimSuffix(r.Host, ".") // servers are reached by address
	}
	return s
}

// useConnections brings the transport's own connections up to date with a pool.
// Certificates that cannot be read leave them as they are. The caller holds
// t.mu, or is the only one to know t.
func (t *Transport) useConnections(p *pool) {
	if t.conns == nil {
		return
	}
	if err := t.conns.Use(connectionsOf(p.config)); err != nil {
		t.certificatesRead(err)
	}
	var all []*url.URL
	if p.dir != nil && !t.closed {
		for _, i := range p.order {
			all = append(all, p.dir.at[i].Load().url)
		}
	}
	if plain, ok := t.base.(PlainPool); ok {
		all = plain.Use(p.config, all)
	}
	if p.dir != nil && !t.closed {
		t.conns.Keep(all)
	}
}

// certificatesRead reports that the files of certificates were read again: they
// are in use, or err says why not.
func (t *Transport) certificatesRead(err error) {
	p := t.pool.Load()
	if p == nil {
		return
	}
	e := core.Event{At: seakeep.Now(), Kind: core.CertificatesRead, Policy: t.name}
	if err != nil {
		e.Detail = err.Error()
	}
	p.whole.Policy.Adapter().Plan().Emit(e)
}
