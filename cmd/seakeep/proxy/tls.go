package proxy

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/internal/certs"
	"github.com/seakeep/seakeep/internal/connpool"
)

// suites are those of TLS 1.2 that HTTP/2 allows: authenticated encryption and
// keys that are forgotten. TLS 1.3 has no others.
var suites = []uint16{
	tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
	tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
	tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
}

// soonExpired is how long before its end a certificate is warned of: whoever
// renews them by hand needs days.
const soonExpired = 7 * 24 * time.Hour

// listenTLS is how a listener speaks TLS.
type listenTLS struct {
	cfg   *config.ListenTLS
	store *certs.Store
	log   *slog.Logger

	mu   sync.Mutex
	from *certs.Loaded
	made *tls.Config // of from
}

// newTLS reads the files. What is wrong with one is a mistake of the policy
// file's, with its place.
func (p *Proxy) newTLS(c *config.ListenTLS, name string) (*listenTLS, error) {
	t := &listenTLS{cfg: c, log: p.log.With("for", name)}
	var err error
	files := certs.Files{CA: c.ClientCA, Cert: c.Cert, Key: c.Key}
	if t.store, err = certs.Open(files, t.reloaded); err != nil {
		key, problem, fix := files.Mistake(err)
		if key == "ca" {
			key = "client-ca"
		}
		return nil, config.Errors{c.Fault(key, problem, fix)}
	}
	t.config()
	return t, nil
}

// reloaded tells of files that have changed.
func (t *listenTLS) reloaded(err error) {
	if err != nil {
		t.log.Error("changed certificates are refused; those in use stay", "error", err)
		return
	}
	t.log.Info("certificates read again", "cert", t.cfg.Cert)
}

// config returns what the next connection's TLS is like.
func (t *listenTLS) config() *tls.Config {
	if t == nil {
		return nil
	}
	loaded := t.store.Get()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.from == loaded {
		return t.made
	}
	t.from = loaded
	t.made = &tls.Config{MinVersion: t.cfg.MinVersion, CipherSuites: suites,
		Certificates: []tls.Certificate{*loaded.Certificate}, NextProtos: []string{"h2", "http/1.1"}}
	if loaded.Roots != nil {
		t.made.ClientCAs, t.made.ClientAuth = loaded.Roots, tls.RequireAndVerifyClientCert
	}
	t.warn(loaded.Certificate.Leaf)
	return t.made
}

// warn tells of a certificate that clients will refuse, or soon would.
func (t *listenTLS) warn(c *x509.Certificate) {
	if c == nil {
		return
	}
	switch now := time.Now(); {
	case now.After(c.NotAfter):
		t.log.Warn("the certificate has expired", "cert", t.cfg.Cert, "at", c.NotAfter)
	case now.Before(c.NotBefore):
		t.log.Warn("the certificate is not valid yet", "cert", t.cfg.Cert, "from", c.NotBefore)
	case now.Add(soonExpired).After(c.NotAfter):
		t.log.Warn("the certificate expires soon", "cert", t.cfg.Cert, "at", c.NotAfter)
	}
}

// same reports whether the listener speaks TLS as c says, already.
func (t *listenTLS) same(c *config.ListenTLS) bool {
	if t == nil || c == nil {
		return t == nil && c == nil
	}
	o := t.cfg
	return o.Cert == c.Cert && o.Key == c.Key && o.ClientCA == c.ClientCA &&
		o.ClientName == c.ClientName && o.MinVersion == c.MinVersion
}

// secure prepares the TLS of listeners, by their keys. What is in use already
// stays, with what it knows of its clients.
func (p *Proxy) secure(all []wanted) (map[string]*listenTLS, error) {
	next := map[string]*listenTLS{}
	var errs config.Errors
	for _, w := range all {
		var now *listenTLS
		if f := p.fronts[w.key()]; f != nil {
			now = f.tls.Load()
		}
		if now.same(w.tls) {
			next[w.key()] = now
			continue
		}
		if w.tls == nil {
			continue
		}
		t, err := p.newTLS(w.tls, w.name)
		if bad, ok := err.(config.Errors); ok {
			errs = append(errs, bad...)
		}
		next[w.key()] = t
	}
	if len(errs) > 0 {
		return nil, errs
	}
	return next, nil
}

// readable looks whether the certificates can be read by which dependencies are
// known. Where nothing has changed what was read stays. The mistakes come behind
// those of listeners.
func (p *Proxy) readable(file *config.File, before error) error {
	var errs config.Errors
	if before != nil && !errors.As(before, &errs) {
		return before
	}
	look := func(now, next *config.TLS) {
		if next == nil || now != nil && now != next && now.Settings() == next.Settings() {
			return
		}
		var bad config.Errors
		if errors.As(connpool.Readable(next), &bad) {
			errs = append(errs, bad...)
		}
	}
	old := p.set.File()
	if s := file.Serve; s != nil {
		var now *config.TLS
		if old.Serve != nil {
			now = old.Serve.UpstreamTLS
		}
		look(now, s.UpstreamTLS)
	}
	for _, d := range file.Dependencies {
		var now *config.TLS
		if same := old.Dependency(d.Name); same != nil {
			now = same.TLS
		}
		look(now, d.TLS)
	}
	if len(errs) > 0 {
		return errs
	}
	return nil
}

// unshaken logs a handshake that came to nothing.
func (p *Proxy) unshaken(remote net.Addr, err error) {
	p.local.Info("a TLS handshake failed", "client", remote.String(), "error", err.Error())
}

// identify says in the request who its client is, by its certificate, if the file
// wants that. Nobody can say it of himself.
func (x *exchange) identify() {
	t := x.front.tls.Load()
	if t == nil || t.cfg.ClientName == "" {
		return
	}
	name := http.CanonicalHeaderKey(t.cfg.ClientName)
	delete(x.r.Header, name)
	if s := x.r.TLS; s != nil && len(s.VerifiedChains) > 0 {
		if who := nameOf(s.PeerCertificates[0]); who != "" {
			x.r.Header[name] = []string{who}
		}
	}
}

// nameOf is who a certificate is for, or "".
func nameOf(c *x509.Certificate) string {
	name := c.Subject.CommonName
	switch {
	case len(c.URIs) > 0:
		name = c.URIs[0].String()
	case len(c.DNSNames) > 0:
		name = c.DNSNames[0]
	}
	for _, b := range []byte(name) {
		if b < ' ' || b > '~' { // no header can say it
			return ""
		}
	}
	return strings.TrimSpace(name)
}

// tlsView is a listener's TLS.
type tlsView struct {
	Expires time.Time `json:"expires"`
	Clients bool      `json:"client_certificates"`
	Problem string    `json:"problem,omitempty"`
}

func (t *listenTLS) view() *tlsView {
	if t == nil {
		return nil
	}
	v := &tlsView{Clients: t.cfg.ClientCA != "", Problem: t.store.Problem()}
	if c := t.store.Get().Certificate.Leaf; c != nil {
		v.Expires = c.NotAfter
	}
	return v
}

// String tells the log how a listener is reached.
func (t *listenTLS) String() string {
	if t == nil {
		return "off"
	}
	return fmt.Sprintf("%s and later", tls.VersionName(t.cfg.MinVersion))
}
