package wire

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Limits bound what clients may do.
type Limits struct {
	// Head is the most bytes that a request's head may have, from its first
	// line to the empty one. It must be above zero.
	Head int
	// HeadTime is how long a head may take from its first byte to its last.
	// Zero leaves that to the server, which sees only the first head of a
	// connection begin.
	HeadTime time.Duration
	// TLS returns what the next connection's TLS is like. It may be nil, and
	// return nil: there is none. The handshake is made with the first read, and
	// takes up to HeadTime, or 10s.
	TLS func() *tls.Config
	// Failed is told of handshakes that came to nothing. It may be nil.
	Failed func(remote net.Addr, err error)
	// Conns is how many connections may be open at once. The next one waits
	// to be accepted. It must be above zero.
	Conns int
}

// Listener accepts Conns.
type Listener struct {
	net.Listener
	limits Limits
	slots  chan struct{}
	open   atomic.Int64
	done   chan struct{}
	once   sync.Once
}

// Listen returns a listener whose connections are judged.
func Listen(l net.Listener, limits Limits) *Listener {
	return &Listener{Listener: l, limits: limits, done: make(chan struct{}),
		slots: make(chan struct{}, limits.Conns)}
}

// Accept waits for room and for a connection.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.done:
		return nil, net.ErrClosed
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	l.open.Add(1)
	return newConn(conn, l.limits, func() {
		l.open.Add(-1)
		<-l.slots
	}), nil
}

// Close stops accepting.
func (l *Listener) Close() error {
	l.once.Do(func() { close(l.done) })
	return l.Listener.Close()
}

// Open returns how many connections are open.
func (l *Listener) Open() int { return int(l.open.Load()) }

func newConn(conn net.Conn, limits Limits, closed func()) *Conn {
	c := &Conn{Conn: conn, headTime: limits.HeadTime, closed: closed,
		scanner: scanner{maxHead: limits.Head}}
	if limits.TLS == nil {
		return c
	}
	if settings := limits.TLS(); settings != nil {
		c.secure = newSecure(conn, settings, limits)
		c.Conn = c.secure.conn
	}
	return c
}

type connKey struct{}

// ConnContext is for http.Server, so that Handler finds the connection.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// Refuser answers a request that was refused. The request is not the client's,
// only its address is.
type Refuser func(w http.ResponseWriter, r *http.Request, why *Refusal)

// Handler passes requests on to next, but answers those that were refused with
// refuse. The server must have ConnContext, and set its option
// DisableGeneralOptionsHandler. For HTTP/2 its Protocols must have that without
// encryption, also where there is TLS: it does not see what is beneath a Conn. Its
// MaxHeaderBytes should be twice the Limits' Head, so that most heads that are too
// large for HTTP/2 are answered and do not end their connection.
func Handler(next http.Handler, refuse Refuser) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, ok := r.Context().Value(connKey{}).(*Conn)
		if ok {
			r.TLS = conn.TLS()
		}
		switch {
		case ok && r.ProtoMinor == standInMinor:
			refuse(w, r, conn.refusal)
			return
		case ok && r.ProtoMajor == 2:
			if why := judge2(r, conn.scanner.maxHead); why != nil {
				refuse(w, r, why)
				return
			}
		case ok && conn.upgrade.Load():
			// What follows was not judged, so it must never be taken for a
			// request. A successful upgrade does not use this header.
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// Doubt returns why the body of a request was ended, or nil. It must not be
// called while the body is read. net/http has an error of its own for a trailer
// that does not come.
func Doubt(r *http.Request) *Refusal {
	if conn, ok := r.Context().Value(connKey{}).(*Conn); ok && r.ProtoMajor == 1 {
		return conn.refusal
	}
	return nil
}

// Reset has a request's connection end with a reset once it is closed, so that
// the end is not taken for that of an answer.
func Reset(r *http.Request) {
	conn, ok := r.Context().Value(connKey{}).(*Conn)
	if !ok || r.ProtoMajor != 1 {
		return
	}
	conn.reset.Store(true)
	below := conn.Conn
	if conn.secure != nil {
		below = conn.secure.conn.NetConn()
	}
	if tcp, ok := below.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	if conn.secure != nil { // or TLS would say that the end is meant
		_ = below.Close()
	}
}

// Upgrade returns the protocol that a request asks for in place of HTTP, or
// "". HTTP/2 does not count: whoever asks for it goes on in HTTP/1.1 when the
// request is ignored, as it is here.
func Upgrade(h http.Header) string {
	for _, value := range h["Upgrade"] {
		if value != "" && !is([]byte(value), "h2c") {
			return value
		}
	}
	return ""
}
