package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/h1"
	"github.com/seakeep/seakeep/cmd/seakeep/h2"
	"github.com/seakeep/seakeep/cmd/seakeep/wire"
	"github.com/seakeep/seakeep/seakeephttp"
)

const (
	// headTime is how long a client may take to send a request's head. Ten
	// seconds is ages on a network that works, and short enough that slow
	// clients cannot hold all connections.
	headTime = 10 * time.Second
	// idleTime is how long an idle connection is kept. It is longer than the
	// 60s of most clients, so that it is them who close: a server that closes
	// first may do so just when a request arrives.
	idleTime = 90 * time.Second
)

// requestsPerConn is how many requests of HTTP/2 there may be on all connections of
// a listener together, for each connection that there may be: without a limit of
// all a client could have 250 times as many as in HTTP/1.1. One connection may have
// all that it may have in any case.
const (
	requestsPerConn = 4
	requestsAtLeast = 250
)

const (
	pingAfter = 30 * time.Second // a silent end of HTTP/2 is asked whether it is there
	pingTime  = 15 * time.Second // ... and may take so long to say so
)

// http2 bounds what one connection of HTTP/2 may cost where net/http serves it, as
// package h2 does for its own. So many streams at once are more than a connection
// of any client here has use for, and no more of its requests are under way than
// that, also if it resets them. The windows hold what a client sends before the
// dependency takes it: 4 MiB for all streams of a connection would be a lot for
// 10,000 connections.
func (p *Proxy) http2() *http.HTTP2Config {
	return &http.HTTP2Config{
		MaxConcurrentStreams:          250,
		MaxReadFrameSize:              64 << 10,
		MaxReceiveBufferPerConnection: 1 << 20,
		MaxReceiveBufferPerStream:     256 << 10,
		SendPingTimeout:               pingAfter,
		PingTimeout:                   pingTime,
	}
}

// protocols are those that a listener's server speaks. Over TLS they are the
// same to it: see wire.Handler.
func protocols() *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(true)
	p.SetUnencryptedHTTP2(true)
	return p
}

// route is where a listener's requests go.
type route struct {
	name      string
	mark      string    // what Via says of this hop; see exchange.via
	via       [3]string // by the version in which the request came: 1.0, 1.1, 2
	transport *seakeephttp.Transport
	gate      *seakeephttp.Gate // nil: a dependency's
}

// frontKind is what a listener is for.
type frontKind uint8

const (
	dependencyFront frontKind = iota // a dependency is offered there
	serveFront                       // our own callers come in there
	adminFront                       // the proxy offers its own state there
)

// serveName is what the listener for our own callers is called.
const serveName = "serve"

// front is one listener and its connections.
type front struct {
	address  string // as in the file
	kind     frontKind
	listener *wire.Listener
	server   *http.Server              // of the admin address, and of what own leaves to it
	own      *h1.Server                // nil: server has all
	own2     *h2.Server                // nil, too, then
	route    atomic.Pointer[route]     // nil for the admin address
	tls      atomic.Pointer[listenTLS] // nil: there is none
	active   atomic.Int64              // requests under way, tunnels among them
	tunnels  tunnels
	once     sync.Once
	served   chan struct{} // closed when the server has stopped accepting
	failed   chan<- error
}

// open begins to listen at address.
func (p *Proxy) open(address string, kind frontKind) (*front, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	f := &front{address: address, kind: kind, served: make(chan struct{}), failed: p.failed}
	f.listener = wire.Listen(l, wire.Limits{Head: p.options.MaxHead, HeadTime: headTime,
		Conns: p.options.MaxConns, Failed: p.unshaken,
		TLS: func() *tls.Config { return f.tls.Load().config() }})
	var handler http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.exchange(f, w, r)
	})
	if kind == adminFront {
		handler = p.adminHandler()
	}
	f.server = &http.Server{
		Handler:           wire.Handler(handler, p.refuse),
		ConnContext:       wire.ConnContext,
		ReadHeaderTimeout: headTime,
		IdleTimeout:       idleTime,
		Protocols:         protocols(),
		HTTP2:             p.http2(),
		MaxHeaderBytes:    2 * p.options.MaxHead, // package wire has the limit itself
		ErrorLog:          slog.NewLogLogger(p.log.Handler(), slog.LevelWarn),
		// OPTIONS * is for the dependency to answer.
		DisableGeneralOptionsHandler: true,
	}
	if kind != adminFront && !p.options.Standard {
		f.own2 = &h2.Server{Handler: f.server.Handler, MaxHead: f.server.MaxHeaderBytes,
			HeadTime: headTime, IdleTime: idleTime, WriteTime: p.options.stallTime,
			PingAfter: pingAfter, PingTime: pingTime, ErrorLog: f.server.ErrorLog,
			MaxRequests: max(requestsAtLeast, requestsPerConn*p.options.MaxConns)}
		f.own = &h1.Server{Handler: handler, Others: f.server, HTTP2: f.own2.Serve,
			IdleTime: idleTime, ErrorLog: f.server.ErrorLog}
	}
	if kind == adminFront {
		// Its answers are small and its requests have no reason to wait.
		f.server.ReadTimeout, f.server.WriteTimeout = headTime, headTime
	}
	return f, nil
}

// name returns the dependency that is offered here, or "admin".
func (f *front) name() string {
	if r := f.route.Load(); r != nil {
		return r.name
	}
	return "admin"
}

// start begins to accept.
func (f *front) start() {
	f.once.Do(func() {
		go func() {
			defer close(f.served)
			if err := f.accept(); err != http.ErrServerClosed {
				select {
				case f.failed <- err:
				default:
				}
			}
		}()
	})
}

// accept serves connections until it is told to end.
func (f *front) accept() error {
	if f.own != nil {
		return f.own.Serve(f.listener)
	}
	return f.server.Serve(f.listener)
}

// drain stops accepting and waits until what is under way has ended, or ctx
// has. It returns how many requests were cut off.
func (f *front) drain(ctx context.Context) (cut int64) {
	f.once.Do(func() { close(f.served) }) // it was never started
	shutdown, end := f.server.Shutdown, f.server.Close
	if f.own != nil {
		shutdown, end = f.shutdownOwn, f.closeOwn
	}
	err := shutdown(ctx)
	_ = f.listener.Close() // a server that never served does not know it
	f.tunnels.wait(ctx)
	if cut = f.active.Load(); err != nil || cut > 0 {
		_ = end()
		f.tunnels.close()
	}
	<-f.served
	return cut
}

// shutdownOwn shuts both of our servers down at once: no connection may hear of it
// late.
func (f *front) shutdownOwn(ctx context.Context) error {
	ended := make(chan error, 1)
	go func() { ended <- f.own2.Shutdown(ctx) }()
	return errors.Join(f.own.Shutdown(ctx), <-ended)
}

func (f *front) closeOwn() error { return errors.Join(f.own.Close(), f.own2.Close()) }

// tunnels are connections that were upgraded. The server has forgotten them.
type tunnels struct {
	mu     sync.Mutex
	open   map[io.Closer]struct{}
	closed bool
	none   chan struct{} // closed when the last one ends; nil: nobody waits
}

// add registers a tunnel and reports false if it is too late for that.
func (t *tunnels) add(c io.Closer) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return false
	}
	if t.open == nil {
		t.open = map[io.Closer]struct{}{}
	}
	t.open[c] = struct{}{}
	return true
}

func (t *tunnels) remove(c io.Closer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, c)
	if len(t.open) == 0 && t.none != nil {
		close(t.none)
		t.none = nil
	}
}

func (t *tunnels) len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.open)
}

// wait waits until no tunnel is open.
func (t *tunnels) wait(ctx context.Context) {
	t.mu.Lock()
	if len(t.open) == 0 {
		t.mu.Unlock()
		return
	}
	if t.none == nil {
		t.none = make(chan struct{})
	}
	none := t.none
	t.mu.Unlock()
	select {
	case <-none:
	case <-ctx.Done():
	}
}

// close ends every tunnel.
func (t *tunnels) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	for c := range t.open {
		_ = c.Close()
	}
}
