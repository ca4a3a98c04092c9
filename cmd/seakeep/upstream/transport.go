package upstream

import (
	"context"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// Options are what a transport works with.
type Options struct {
	// Dial opens a connection within whatever limit it has. It must return what
	// it opens as it is: only a *net.TCPConn can be looked into and spliced.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Fallback sends what the transport does not.
	Fallback http.RoundTripper
	// Proxy returns the proxy that a request goes through, or nil: such
	// requests are the fallback's too. Without it none does.
	Proxy func(*http.Request) (*url.URL, error)
}

// Transport is an http.RoundTripper for plain HTTP/1.1 servers. It is safe for
// use by many goroutines. Make it with New.
type Transport struct {
	options  Options
	settings atomic.Pointer[Settings]

	mu    sync.RWMutex
	hosts map[string]*host
	timer *time.Timer // of the next sweep
	armed atomic.Bool // there will be one

	clock   *time.Timer  // of the next tick; under mu
	ticking atomic.Bool  // there will be one
	ticks   atomic.Int64 // so far
}

// New returns a transport without connections. The error is that of the
// settings.
func New(o Options, s Settings) (*Transport, error) {
	t := &Transport{options: o, hosts: map[string]*host{}}
	return t, t.Use(s)
}

// Use puts other settings to use, for connections that are open as well.
func (t *Transport) Use(s Settings) error {
	if err := s.Validate(); err != nil {
		return err
	}
	t.settings.Store(s.complete())
	return nil
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if !t.ours(req) {
		return t.options.Fallback.RoundTrip(req)
	}
	ctx := req.Context()
	x := &exchange{req: req, ctx: ctx, trace: httptrace.ContextClientTrace(ctx), payload: req.Body}
	h := t.host(req.URL.Host)
	for first := true; ; first = false {
		c, err := h.acquire(x, !first)
		if err != nil {
			x.closePayload()
			return nil, err
		}
		x.c = c
		resp, err := x.run()
		if err == nil {
			return resp, nil
		}
		again := first && x.mayRepeat()
		x.drop()
		if !again {
			return nil, x.because(err)
		}
		if x, err = x.repeat(); err != nil {
			return nil, err
		}
		h.counts.resent.Add(1)
	}
}

// mayRepeat reports whether a request that got no answer may be sent again. It
// was on a connection that the server may just have closed for having been idle.
func (x *exchange) mayRepeat() bool {
	if !x.c.used || x.received || x.ctx.Err() != nil {
		return false
	}
	if !x.wrote && x.up == nil { // nothing has left, nor been read of the body
		return true
	}
	if x.payload != nil && x.req.GetBody == nil {
		return false
	}
	return runsTwice(x.req)
}

// runsTwice reports whether a request does no more when it is run twice, as
// net/http sees it.
func runsTwice(req *http.Request) bool {
	switch req.Method {
	case http.MethodGet, "", http.MethodHead, http.MethodOptions, http.MethodTrace:
		return true
	}
	h := req.Header
	return h["Idempotency-Key"] != nil || h["X-Idempotency-Key"] != nil
}

// repeat returns the exchange for another connection.
func (x *exchange) repeat() (*exchange, error) {
	next := &exchange{req: x.req, ctx: x.ctx, trace: x.trace, payload: x.payload}
	if x.payload == nil || !x.wrote && x.up == nil {
		return next, nil
	}
	x.closePayload()
	body, err := x.req.GetBody()
	next.payload = body
	return next, err
}

// closePayload closes the request's body, if nobody else will.
func (x *exchange) closePayload() {
	if x.payload != nil && x.up == nil {
		_ = x.payload.Close()
	}
}

// drop gives up an exchange that got no answer, and its connection. It waits
// until nobody reads the request's body any more, as net/http does: the caller
// may change the request afterwards.
func (x *exchange) drop() {
	x.c.discard()
	x.c.watch.end()
	x.c.free()
	if x.up != nil {
		<-x.up.done
	}
}

// because says why there is no answer: the context's end and a fault of the
// request's body explain whatever the connection says.
func (x *exchange) because(err error) error {
	x.closePayload()
	switch {
	case x.ctx.Err() != nil:
		return context.Cause(x.ctx)
	case x.up != nil && x.up.fault != nil:
		return x.up.fault
	}
	return err
}

// host returns the pool of a server.
func (t *Transport) host(name string) *host {
	t.mu.RLock()
	h := t.hosts[name]
	t.mu.RUnlock()
	if h != nil {
		return h
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if h = t.hosts[name]; h == nil {
		h = &host{of: t, address: withPort(name)}
		t.hosts[name] = h
	}
	return h
}

// withPort returns a server's address.
func withPort(name string) string {
	if _, port, err := net.SplitHostPort(name); err == nil && port != "" {
		return name
	}
	if len(name) > 1 && name[0] == '[' && name[len(name)-1] == ']' {
		name = name[1 : len(name)-1]
	}
	return net.JoinHostPort(name, "80")
}

// CloseIdleConnections closes what is idle, and stops keeping connections warm
// until the next request.
func (t *Transport) CloseIdleConnections() {
	if c, ok := t.options.Fallback.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
	t.mu.Lock()
	if t.timer != nil {
		t.timer.Stop()
	}
	t.armed.Store(false)
	hosts := make([]*host, 0, len(t.hosts))
	for _, h := range t.hosts {
		hosts = append(hosts, h)
	}
	t.mu.Unlock()
	for _, h := range hosts {
		h.closeIdle()
	}
}
