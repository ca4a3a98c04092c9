package seakeephttp

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/certtest"
)

// secure starts a server over TLS that says which client it sees, over what.
func secure(t *testing.T, ca *certtest.Authority, c *tls.Config, hosts ...string) *httptest.Server {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := "nobody"
		if len(r.TLS.PeerCertificates) > 0 {
			name = r.TLS.PeerCertificates[0].Subject.CommonName
		}
		_, _ = fmt.Fprintf(w, "%s %s", r.Proto, name)
	}))
	s.EnableHTTP2 = true
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	c.Certificates = []tls.Certificate{ca.Pair("server", hosts...)}
	s.TLS = c
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// dialled is a transport of a file with one endpoint, in which "; " ends a line,
// and with connections of its own.
func dialled(t *testing.T, o seakeep.Options, endpoint, text string) *Transport {
	t.Helper()
	set, err := seakeep.NewSet(fileOf(t, file(strings.ReplaceAll(text, "; ", "\n    "), endpoint)), o)
	if err != nil {
		t.Fatal(err)
	}
	tr := transport(t, set, nil)
	t.Cleanup(tr.Close)
	return tr
}

func TestTLS(t *testing.T) {
	noLeak(t)
	dir, ca := t.TempDir(), certtest.New(t, "ca")
	authority := certtest.Write(t, dir, "ca.pem", ca.PEM)
	cert, key := ca.Issue("client")
	files := fmt.Sprintf("ca: %s, cert: %s, key: %s", authority, certtest.Write(t, dir, "c.pem", cert),
		certtest.Write(t, dir, "k.pem", key))
	at := func(c *tls.Config, hosts ...string) string { return secure(t, ca, c, hosts...).URL }
	plain := at(&tls.Config{}, "127.0.0.1")
	mutual := at(&tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: ca.Pool()}, "127.0.0.1")
	named := at(&tls.Config{}, "api.example")
	old := at(&tls.Config{MaxVersion: tls.VersionTLS12}, "127.0.0.1")
	only1 := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Proto)
	}))
	only1.TLS = &tls.Config{Certificates: []tls.Certificate{ca.Pair("server", "127.0.0.1")}}
	only1.Config.ErrorLog = log.New(io.Discard, "", 0)
	only1.StartTLS()
	t.Cleanup(only1.Close)
	for _, c := range []struct {
		what, endpoint, text string
		want                 string // in the answer, or in the error
	}{
		{"an unknown authority", plain, "", "unknown authority"},
		{"its authority", plain, "tls: {ca: " + authority + "}", "HTTP/2.0 nobody"},
		{"HTTP/1.1", plain, "tls: {ca: " + authority + "}; protocol: http1", "HTTP/1.1 nobody"},
		{"nothing but HTTP/2", plain, "tls: {ca: " + authority + "}; protocol: http2", "HTTP/2.0 nobody"},
		{"a server without", only1.URL, "tls: {ca: " + authority + "}; protocol: http2", "does not speak HTTP/2"},
		{"no verification", plain, "tls: {insecure-skip-verify: true}", "HTTP/2.0 nobody"},
		{"a certificate", mutual, "tls: {" + files + "}", "HTTP/2.0 client"},
		{"another name", named, "tls: {ca: " + authority + "}", "not"},
		{"that name", named, "tls: {ca: " + authority + ", server-name: api.example}", "HTTP/2.0 nobody"},
		{"an old version", old, "tls: {ca: " + authority + ", min-version: tls1.3}", "protocol version"},
	} {
		var report seakeep.Report
		tr := dialled(t, seakeep.Options{}, c.endpoint, c.text)
		req := request(t, "POST", "http://test/", strings.NewReader("x"))
		g := send(tr, req.WithContext(seakeep.With(t.Context(), seakeep.Call{Report: &report})))
		if g.err == nil && g.body != c.want || g.err != nil && !strings.Contains(g.err.Error(), c.want) {
			t.Errorf("%s: %+v, want %s", c.what, g, c.want)
		}
		if g.err != nil && report.Attempts[0].Result.Cause != core.Unsent {
			t.Errorf("%s: nothing was sent, %+v", c.what, report.Attempts)
		}
	}
	if g := get(t, dialled(t, seakeep.Options{}, mutual, "tls: {ca: "+authority+"}"), "http://test/"); g.err == nil {
		t.Error("without a certificate where one is needed: answered")
	}
}

// The client's certificate is that of the files, without a restart; files that
// cannot be used are told of and change nothing.
func TestClientCertificateIsReadAgain(t *testing.T) {
	dir, ca := t.TempDir(), certtest.New(t, "ca")
	authority := certtest.Write(t, dir, "ca.pem", ca.PEM)
	cert, key := ca.Issue("first")
	text := fmt.Sprintf("tls: {ca: %s, cert: %s, key: %s}; protocol: http1", authority,
		certtest.Write(t, dir, "c.pem", cert), certtest.Write(t, dir, "k.pem", key))
	s := secure(t, ca, &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: ca.Pool()}, "127.0.0.1")
	var seen recorder
	tr := dialled(t, seakeep.Options{Observer: &seen}, s.URL, text)
	ask := func() string {
		tr.CloseIdleConnections()
		return get(t, tr, "http://test/").body
	}
	if got := ask(); got != "HTTP/1.1 first" {
		t.Fatal(got)
	}
	cert, key = ca.Issue("second, and longer")
	certtest.Write(t, dir, "c.pem", cert)
	told := func(bad bool) func() bool {
		return func() bool {
			ask()
			return seen.count(func(e core.Event) bool {
				return e.Kind == core.CertificatesRead && e.Policy == "test" && (e.Detail != "") == bad
			}) == 1
		}
	}
	eventually(t, "the mistake is told", told(true))
	if got := ask(); got != "HTTP/1.1 first" || !strings.Contains(tr.Snapshot().Certificates, "c.pem") {
		t.Errorf("%s, %q", got, tr.Snapshot().Certificates)
	}
	certtest.Write(t, dir, "k.pem", key)
	eventually(t, "the change is told", told(false))
	if got := ask(); got != "HTTP/1.1 second, and longer" || tr.Snapshot().Certificates != "" {
		t.Errorf("%s, %q", got, tr.Snapshot().Certificates)
	}
}

// A transport with certificates that are not there is not made; a reload with
// such ones changes nothing, and says so.
func TestCertificatesThatAreNotThere(t *testing.T) {
	set := setOf(t, file("tls: {ca: /nonesuch.pem}", "https://127.0.0.1:1"))
	if _, err := NewTransport(set, "test", nil); err == nil || !strings.Contains(err.Error(), "/nonesuch.pem") {
		t.Error(err)
	}
	ca := certtest.New(t, "ca")
	path := certtest.Write(t, t.TempDir(), "ca.pem", ca.PEM)
	s := secure(t, ca, &tls.Config{}, "127.0.0.1")
	var seen recorder
	set, err := seakeep.NewSet(fileOf(t, file("tls: {ca: "+path+"}", s.URL)), seakeep.Options{Observer: &seen})
	if err != nil {
		t.Fatal(err)
	}
	tr := transport(t, set, nil)
	if err := set.Apply(fileOf(t, file("tls: {ca: /nonesuch.pem}", s.URL))); err != nil {
		t.Fatal(err)
	}
	if g := get(t, tr, "http://test/"); g.err != nil {
		t.Error(g.err)
	}
	if seen.count(func(e core.Event) bool { return e.Kind == core.CertificatesRead }) != 1 {
		t.Errorf("%+v", seen.events)
	}
	if err := set.Apply(fileOf(t, file("", s.URL))); err != nil {
		t.Fatal(err)
	}
	var unknown x509.UnknownAuthorityError
	if g := get(t, tr, "http://test/"); !errors.As(g.err, &unknown) {
		t.Errorf("a connection of before was used: %+v", g)
	}
}

// Health checks go by the same certificates and the same protocol.
func TestHealthOverTLS(t *testing.T) {
	ca := certtest.New(t, "ca")
	path := certtest.Write(t, t.TempDir(), "ca.pem", ca.PEM)
	s := secure(t, ca, &tls.Config{}, "127.0.0.1")
	tr := dialled(t, seakeep.Options{}, s.URL, "tls: {ca: "+path+"}; health: {interval: 10ms, timeout: 5s}")
	eventually(t, "it is well", func() bool {
		e := tr.Snapshot().Endpoints
		return len(e) == 1 && e[0].Health != nil && e[0].Health.Verdict.String() == "healthy"
	})
}
