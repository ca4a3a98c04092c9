package seakeephttp

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/seakeep/seakeep/config"
)

const (
	// healthAgent is how checks call themselves, so that logs can leave them out.
	healthAgent = "seakeep-health"
	// healthBody is how much of an answer is read, so that its connection can be
	// used again. A health check that has more to say costs its connection.
	healthBody = 64 << 10
	// healthHeaders bounds the headers of an answer.
	healthHeaders = 64 << 10
	// healthIdle is how long a connection is kept at least.
	healthIdle = 90 * time.Second
	// maxHandshake bounds a TLS handshake where the base is somebody else's.
	maxHandshake = 10 * time.Second
)

// newAsker returns what asks as the file says. It has connections of its own,
// one to each endpoint, so that a check neither waits behind requests nor takes
// a place of theirs.
func newAsker(t *Transport, cfg *config.Health) asker {
	if cfg.Kind == config.TCPCheck {
		return &tcpAsker{port: cfg.Port}
	}
	var tr *http.Transport
	if t.conns != nil {
		tr = t.conns.Transport()
	} else if base, ok := t.base.(*http.Transport); ok {
		tr = base.Clone() // as requests go: certificates, proxies, names
	} else {
		tr = &http.Transport{Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: maxHandshake}
	}
	tr.MaxConnsPerHost, tr.MaxIdleConnsPerHost = 1, 1
	tr.IdleConnTimeout = max(healthIdle, 2*cfg.Every.Up)
	tr.DisableCompression, tr.MaxResponseHeaderBytes = true, healthHeaders
	// A connection of HTTP/2 outlives a check without an answer, and one that has
	// gone dead without a word must not be asked for ever.
	tr.HTTP2 = &http.HTTP2Config{SendPingTimeout: cfg.Every.Up + cfg.Timeout, PingTimeout: cfg.Timeout}
	a := &httpAsker{client: tr, cfg: *cfg}
	a.own.dial = tr.DialContext
	if a.own.dial == nil {
		a.own.dial = (&net.Dialer{}).DialContext
	}
	tr.DialContext = a.own.open
	if t.conns != nil {
		tr.DialTLSContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := a.own.open(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return t.conns.Secure(ctx, conn, address)
		}
	}
	if cfg.Kind == config.GRPCCheck {
		p := new(http.Protocols)
		p.SetHTTP2(true)
		p.SetUnencryptedHTTP2(true)
		tr.Protocols = p
		return &grpcAsker{a}
	}
	return a
}

// httpAsker gets a path. Redirects are answers like any other.
type httpAsker struct {
	client *http.Transport
	cfg    config.Health
	own    connections
}

func (a *httpAsker) ask(ctx context.Context, to *endpoint) error {
	req, err := a.request(ctx, to, http.MethodGet, a.cfg.Path)
	if err != nil {
		return err
	}
	resp, err := a.client.RoundTrip(req)
	if err != nil {
		return healthError(ctx, err)
	}
	_, err = io.CopyN(io.Discard, resp.Body, healthBody)
	_ = resp.Body.Close()
	if err != nil && err != io.EOF {
		return healthError(ctx, err)
	}
	if !slices.Contains(a.cfg.Expect, resp.StatusCode) {
		return statusError(resp.StatusCode)
	}
	return nil
}

func (a *httpAsker) close() {
	a.client.CloseIdleConnections()
	a.own.close()
}

// connections are those of an asker, so that they end with it: net/http keeps
// those of HTTP/2 that the other side has not answered on.
type connections struct {
	dial func(ctx context.Context, network, address string) (net.Conn, error)

	mu     sync.Mutex
	all    map[*connection]struct{}
	closed bool
}

type connection struct {
	net.Conn
	of *connections
}

func (s *connections) open(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := s.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c := &connection{conn, s}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = conn.Close()
		return nil, net.ErrClosed
	}
	if s.all == nil {
		s.all = map[*connection]struct{}{}
	}
	s.all[c] = struct{}{}
	return c, nil
}

// Close implements net.Conn.
func (c *connection) Close() error {
	c.of.mu.Lock()
	delete(c.of.all, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

func (s *connections) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for c := range s.all {
		_ = c.Conn.Close()
	}
	s.all = nil
}

// request makes one for an endpoint. The host that is named is the check's own,
// or the one that requests name there.
func (a *httpAsker) request(ctx context.Context, to *endpoint, method, path string) (*http.Request, error) {
	u := url.URL{Scheme: to.url.Scheme, Host: at(to.url, a.cfg.Port)}
	req, err := http.NewRequestWithContext(ctx, method, u.String()+path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", healthAgent)
	if req.Host = a.cfg.Host; req.Host == "" {
		req.Host = to.host
	}
	return req, nil
}

// at returns where to ask: the address of an endpoint, or another port there.
func at(u *url.URL, port int) string {
	if port == 0 {
		return u.Host
	}
	return net.JoinHostPort(u.Hostname(), strconv.Itoa(port))
}

// healthError says that time was up in words that do not change.
func healthError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("no answer in time: %w", ctx.Err())
	}
	return err
}

// tcpAsker opens a connection and closes it.
type tcpAsker struct{ port int }

func (a *tcpAsker) ask(ctx context.Context, to *endpoint) error {
	address := at(to.url, a.port)
	if a.port == 0 && to.url.Port() == "" {
		address = net.JoinHostPort(to.url.Hostname(), portOf(to.url.Scheme))
	}
	conn, err := (&net.Dialer{KeepAlive: -1 * time.Second}).DialContext(ctx, "tcp", address)
	if err != nil {
		return healthError(ctx, err)
	}
	return conn.Close()
}

func (a *tcpAsker) close() {}

func portOf(scheme string) string {
	if scheme == "https" {
		return "443"
	}
	return "80"
}
