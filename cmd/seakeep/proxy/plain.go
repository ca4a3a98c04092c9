package proxy

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/cmd/seakeep/upstream"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/seakeephttp"
)

// plainPool sends what goes to endpoints of plain HTTP/1.1 over connections of
// our own, and leaves everything else to net/http.
type plainPool struct {
	of   *upstream.Transport
	base http.RoundTripper
	now  atomic.Pointer[config.Dependency] // what the file in use says
}

// transport returns a dependency's transport, with a pool for plain HTTP/1.1
// unless the options say otherwise.
func (p *Proxy) transport(set *seakeep.Set, name string) (*seakeephttp.Transport, error) {
	var o seakeephttp.TransportOptions
	if !p.options.Standard {
		o.Plain = func(base http.RoundTripper) seakeephttp.PlainPool { return newPlainPool(base) }
	}
	return seakeephttp.NewTransportWith(set, name, o)
}

func newPlainPool(base http.RoundTripper) *plainPool {
	p := &plainPool{base: base}
	p.now.Store(&config.Dependency{})
	t, err := upstream.New(upstream.Options{Dial: p.dial, Fallback: base,
		Proxy: http.ProxyFromEnvironment}, plainSettings(p.now.Load()))
	if err != nil {
		panic("proxy: " + err.Error()) // defaults are good
	}
	p.of = t
	return p
}

const (
	// maxConnect bounds opening a connection where the file does not.
	maxConnect = 30 * time.Second
	// probeEvery is TCP's own question whether anybody is there.
	probeEvery = 30 * time.Second
)

// dial opens a connection within the limit that the policy file has now.
func (p *plainPool) dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{Timeout: cmp.Or(p.now.Load().Connect, maxConnect), KeepAlive: probeEvery}
	return d.DialContext(ctx, network, address)
}

// plainSettings is what the file says of connections.
func plainSettings(d *config.Dependency) upstream.Settings {
	limit := 0
	if b := d.Call.Bulkhead; b != nil {
		limit = b.Limit
	}
	c := d.Connections.Filled(limit)
	return upstream.Settings{MaxConns: c.Max, Acquire: d.Acquire, MaxIdle: c.Idle, Warm: c.Warm,
		IdleTime: c.IdleTime, Lifetime: c.Lifetime, Jitter: c.Jitter}
}

// RoundTrip implements http.RoundTripper.
func (p *plainPool) RoundTrip(req *http.Request) (*http.Response, error) {
	if !speaksHTTP1(p.now.Load()) {
		return p.base.RoundTrip(req)
	}
	return p.of.RoundTrip(req)
}

func speaksHTTP1(d *config.Dependency) bool {
	return d.Protocol == config.AnyProtocol || d.Protocol == config.HTTP1
}

// Use implements seakeephttp.PlainPool.
func (p *plainPool) Use(d *config.Dependency, endpoints []*url.URL) (others []*url.URL) {
	if p.now.Swap(d) != d {
		if err := p.of.Use(plainSettings(d)); err != nil {
			panic("proxy: " + err.Error()) // the file was checked
		}
	}
	var own []string
	for _, u := range endpoints {
		if speaksHTTP1(d) && u.Scheme == "http" {
			own = append(own, u.Host)
		} else {
			others = append(others, u)
		}
	}
	p.of.Keep(own)
	return others
}

// CloseIdleConnections closes connections that are idle, net/http's as well.
func (p *plainPool) CloseIdleConnections() { p.of.CloseIdleConnections() }

// Snapshot implements seakeephttp.PlainPool.
func (p *plainPool) Snapshot() []seakeephttp.Connections { return p.of.Snapshot() }
