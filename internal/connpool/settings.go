package connpool

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/internal/certs"
)

const (
	// maxAnswerHeaders bounds an answer's headers. Whatever is larger is a
	// fault over there, and net/http's own 10 MiB for each of many calls is
	// enough to take a program down.
	maxAnswerHeaders = 64 << 10
	// maxConnect bounds opening a connection where the file does not.
	maxConnect = 30 * time.Second
	// maxHandshake bounds a TLS handshake where the file has no limit for new
	// connections.
	maxHandshake = 10 * time.Second
	// maxExpect is how long a request with Expect waits before its body is sent.
	maxExpect = time.Second
	// probeEvery is TCP's own question whether anybody is there.
	probeEvery = 30 * time.Second
)

// Settings are by what connections are kept.
type Settings struct {
	Connections config.Connections // filled
	Connect     time.Duration      // for a TCP connection and for a TLS handshake each; 0: 30s and 10s
	Acquire     time.Duration      // for a connection while all are in use; 0: as long as the call may take
	Protocol    config.Protocol
	TLS         *config.TLS
	ServerName  string // the name of servers that are reached by address; empty: the address
}

// alike reports whether connections made by either can be used for both.
func (s *Settings) alike(o *Settings) bool {
	if s.Protocol != o.Protocol || s.ServerName != o.ServerName || (s.TLS == nil) != (o.TLS == nil) ||
		s.Connections.Ping != o.Connections.Ping ||
		s.Connections.PingTimeout != o.Connections.PingTimeout {
		return false
	}
	return s.TLS == nil || s.TLS.Settings() == o.TLS.Settings()
}

// maker opens connections. It never changes.
type maker struct {
	Settings
	dial  func(ctx context.Context, network, address string) (net.Conn, error)
	certs *certs.Store
	era   int // rises when connections made before are not to be used any more
	tr    *http.Transport
}

// newMaker reads the certificates. report hears when they are read again.
func newMaker(s Settings, report func(error)) (*maker, error) {
	m := &maker{Settings: s}
	d := net.Dialer{Timeout: s.Connect, KeepAlive: probeEvery}
	m.dial = d.DialContext
	if t := s.TLS; t != nil && (t.CA != "" || t.Cert != "") {
		var err error
		if m.certs, err = openCerts(t, report); err != nil {
			return nil, err
		}
	}
	m.tr = m.transport()
	return m, nil
}

// openCerts reads the files of certificates. What is wrong with one is a mistake of
// the policy file, with its place.
func openCerts(t *config.TLS, report func(error)) (*certs.Store, error) {
	files := certs.Files{CA: t.CA, Cert: t.Cert, Key: t.Key}
	store, err := certs.Open(files, report)
	if err == nil {
		return store, nil
	}
	if e := t.Fault(files.Mistake(err)); e != nil {
		return nil, config.Errors{e}
	}
	return nil, err
}

// Readable looks whether the files of certificates can be read, with the errors that
// a pool with these settings would have.
func Readable(t *config.TLS) error {
	_, err := openCerts(t, nil)
	return err
}

// transport returns one of net/http that has these settings, and no idle limit
// of its own: its connections are kept by whoever opens them.
func (m *maker) transport() *http.Transport {
	var p http.Protocols
	p.SetHTTP1(m.Protocol == config.AnyProtocol || m.Protocol == config.HTTP1)
	p.SetHTTP2(m.Protocol != config.HTTP1)
	p.SetUnencryptedHTTP2(m.Protocol == config.H2C)
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            m.open,
		DialTLSContext:         m.openTLS,
		TLSClientConfig:        m.tls(""), // through a proxy
		TLSHandshakeTimeout:    m.handshake(),
		ExpectContinueTimeout:  maxExpect,
		MaxResponseHeaderBytes: maxAnswerHeaders,
		DisableCompression:     true,
		Protocols:              &p,
		HTTP2: &http.HTTP2Config{
			SendPingTimeout: m.Connections.Ping,
			PingTimeout:     m.Connections.PingTimeout,
			// Whether there is another connection is the lane's to say.
			StrictMaxConcurrentRequests: true,
		},
	}
}

func (m *maker) handshake() time.Duration {
	if m.Connect > 0 {
		return m.Connect
	}
	return maxHandshake
}

// tls returns by what servers of one address are known, as the files have it
// now.
func (m *maker) tls(host string) *tls.Config {
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: host}
	if m.ServerName != "" {
		c.ServerName = m.ServerName
	}
	if t := m.TLS; t != nil {
		c.MinVersion = t.MinVersion
		c.InsecureSkipVerify = t.Insecure // the file says so, and is warned of it
		if t.ServerName != "" {
			c.ServerName = t.ServerName
		}
	}
	if m.certs != nil {
		loaded := m.certs.Get()
		c.RootCAs = loaded.Roots
		if loaded.Certificate != nil {
			c.Certificates = []tls.Certificate{*loaded.Certificate}
		}
	}
	switch m.Protocol {
	case config.HTTP1:
		c.NextProtos = []string{"http/1.1"}
	case config.AnyProtocol:
		c.NextProtos = []string{"h2", "http/1.1"}
	default:
		c.NextProtos = []string{"h2"}
	}
	return c
}

// open opens a TCP connection, and watches it if whoever asks wants to know.
func (m *maker) open(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := m.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	if w, ok := ctx.Value(watchKey{}).(*watched); ok {
		w.Conn = conn
		w.heard.Store(int64(time.Since(began)))
		return w, nil
	}
	return conn, nil
}

// ErrNotHTTP2 is the error of a server that does not speak HTTP/2 where the
// policy file says http2.
var ErrNotHTTP2 = errors.New("seakeephttp: the server does not speak HTTP/2")

// openTLS opens a connection over TLS.
func (m *maker) openTLS(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := m.open(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return m.secure(ctx, conn, address)
}

// secure shakes hands on a connection, which it closes if that fails.
func (m *maker) secure(ctx context.Context, conn net.Conn, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	ctx, cancel := context.WithTimeout(ctx, m.handshake())
	defer cancel()
	c := tls.Client(conn, m.tls(host))
	err = c.HandshakeContext(ctx)
	if m.Protocol == config.HTTP2 {
		if err == nil && c.ConnectionState().NegotiatedProtocol != "h2" {
			err = ErrNotHTTP2
		} else if err != nil && strings.Contains(err.Error(), "no application protocol") {
			err = fmt.Errorf("%w: %w", ErrNotHTTP2, err)
		}
	}
	if err != nil {
		_ = conn.Close()
		return nil, &HandshakeError{Address: address, Err: err}
	}
	return c, nil
}

// HandshakeError is the error of a TLS connection that did not come about, so
// that nothing of a request was sent.
type HandshakeError struct {
	Address string
	Err     error
}

// Error implements error.
func (e *HandshakeError) Error() string {
	if errors.Is(e.Err, context.DeadlineExceeded) {
		return "TLS handshake with " + e.Address + ": no answer in time"
	}
	return "TLS handshake with " + e.Address + ": " + e.Err.Error()
}

// Unwrap returns what went wrong.
func (e *HandshakeError) Unwrap() error { return e.Err }

// multiplexes reports whether connections are HTTP/2 in any case.
func (m *maker) multiplexes(scheme string) bool {
	return m.Protocol == config.H2C && scheme == "http" || m.Protocol == config.HTTP2 && scheme == "https"
}

// watches reports whether connections may be of HTTP/2, and so are listened to.
func (m *maker) watches(scheme string) bool {
	return m.multiplexes(scheme) || scheme == "https" && m.Protocol == config.AnyProtocol
}
