package proxy

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/interop/grpc_testing"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/internal/certtest"
)

// keeping is a folder with a listener's certificate, and whoever signed it.
type keeping struct {
	t         *testing.T
	folder    string
	authority *certtest.Authority
}

func keep(t *testing.T) *keeping {
	k := &keeping{t, t.TempDir(), certtest.New(t, "servers")}
	k.issue(k.authority)
	return k
}

// issue writes another certificate and its key.
func (k *keeping) issue(by *certtest.Authority) {
	cert, key := by.Issue("server", "127.0.0.1")
	certtest.Write(k.t, k.folder, "cert.pem", cert)
	certtest.Write(k.t, k.folder, "key.pem", key)
}

func (k *keeping) path(name string) string { return filepath.Join(k.folder, name) }

// rung is the listener's section, perhaps with more.
func (k *keeping) rung(more ...string) string {
	return "listen-tls: {" + strings.Join(append([]string{"cert: " + k.path("cert.pem"),
		"key: " + k.path("key.pem")}, more...), ", ") + "}"
}

// client trusts the authority, and speaks HTTP/2 or only HTTP/1.1.
func (k *keeping) client(http2 bool, own ...tls.Certificate) *http.Client {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(!http2)
	protocols.SetHTTP2(http2)
	tr := &http.Transport{Protocols: protocols, TLSClientConfig: &tls.Config{
		RootCAs: k.authority.Pool(), Certificates: own}, DisableKeepAlives: !http2}
	k.t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: patience}
}

func (u *under) over(c *http.Client, header ...string) (*http.Response, string, error) {
	u.t.Helper()
	req, err := http.NewRequest(http.MethodGet, "https://"+u.Addr("dep").String()+"/p", nil)
	if err != nil {
		u.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := c.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp, string(text), err
}

// telling is a dependency that tells what it was told.
func telling(t *testing.T) string {
	return web(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Header.Get("Via")[:2]+r.Header.Get("X-Forwarded-Proto")+" "+
			r.Header.Get("X-Client"))
	})
}

func TestTLSListener(t *testing.T) {
	k := keep(t)
	u := start(t, policy(telling(t), k.rung()))
	for _, two := range []bool{false, true} {
		resp, text, err := u.over(k.client(two))
		want := map[bool]string{false: "1.https ", true: "2 https "}[two]
		if err != nil || text != want || (resp.ProtoMajor == 2) != two {
			t.Errorf("HTTP/2 %v: %q, %v", two, text, err)
		}
	}
	// A stranger's certificate is refused, by the client.
	other := keep(t)
	if _, _, err := u.over(other.client(false)); err == nil {
		t.Error("a client of another authority is content")
	}
	until(t, "the log tells of it", func() bool { return u.log.has("a TLS handshake failed") })
	// Who forgets TLS is told, not left with noise.
	resp, text := u.get("/p")
	if resp.StatusCode != 400 || !strings.Contains(text, "This address speaks TLS") {
		t.Errorf("http to https: %d %q", resp.StatusCode, text)
	}
	if _, err := tls.Dial("tcp", u.Addr("dep").String(), &tls.Config{RootCAs: k.authority.Pool(),
		MaxVersion: tls.VersionTLS11}); err == nil {
		t.Error("TLS 1.1 is spoken")
	}
	if l := u.status().Listeners[0]; l.TLS == nil || l.TLS.Expires.IsZero() || l.TLS.Clients {
		t.Errorf("the status is %+v", l)
	}
	until(t, "no connection is left", func() bool { return u.status().Listeners[0].Connections <= 1 })
}

// The protocol that was agreed on is the one that is spoken: no preface without
// ALPN, and nothing else with it. Doubtful requests are refused here, too.
func TestTLSSpeaksWhatWasAgreed(t *testing.T) {
	k := keep(t)
	u := start(t, policy(telling(t), k.rung()))
	for name, tc := range map[string]struct {
		offer      []string
		send, want string
	}{
		"a preface without ALPN": {nil, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP/1.1 505 "},
		"HTTP/1.1 with h2":       {[]string{"h2"}, "GET / HTTP/1.1\r\nHost: h\r\n\r\n", "HTTP/1.1 400 "},
		"a bare line feed":       {[]string{"http/1.1"}, "GET / HTTP/1.1\nHost: h\r\n\r\n", "HTTP/1.1 400 "},
		"no ALPN":                {nil, "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", "HTTP/1.1 200 "},
	} {
		c, err := tls.Dial("tcp", u.Addr("dep").String(), &tls.Config{RootCAs: k.authority.Pool(),
			NextProtos: tc.offer})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(c, tc.send)
		got, _ := io.ReadAll(c)
		if !strings.HasPrefix(string(got), tc.want) {
			t.Errorf("%s: %.40q, want %q", name, got, tc.want)
		}
		_ = c.Close()
	}
}

// A client must show who it is, and nobody can say it of himself.
func TestTLSClientCertificates(t *testing.T) {
	k, clients := keep(t), certtest.New(t, "clients")
	certtest.Write(t, k.folder, "clients.pem", clients.PEM)
	u := start(t, policy(telling(t), k.rung("client-ca: "+k.path("clients.pem"), "client-name: X-Client")))
	for _, two := range []bool{false, true} {
		good := k.client(two, clients.Pair("checkout", "checkout.internal"))
		if _, text, err := u.over(good, "X-Client", "root"); err != nil || text[2:] != "https checkout.internal" {
			t.Errorf("with a certificate: %q, %v", text, err)
		}
		if _, text, err := u.over(k.client(two, clients.Pair("the name"))); err != nil || text[2:] != "https the name" {
			t.Errorf("with a name only: %q, %v", text, err)
		}
		if _, _, err := u.over(k.client(two)); err == nil {
			t.Error("without a certificate it is let in")
		}
		if _, _, err := u.over(k.client(two, k.authority.Pair("stranger"))); err == nil {
			t.Error("with a stranger's certificate it is let in")
		}
	}
}

// Files that change are used from the next connection on. What cannot be used
// changes nothing.
func TestTLSCertificatesAreReadAgain(t *testing.T) {
	t.Parallel()
	k := keep(t)
	u := start(t, policy(telling(t), k.rung()))
	old := k.client(false)
	if _, _, err := u.over(old); err != nil {
		t.Fatal(err)
	}
	certtest.Write(t, k.folder, "cert.pem", []byte("half a certifi"))
	until(t, "the mistake is told", func() bool {
		_, _, err := u.over(old)
		if err != nil {
			t.Fatalf("a file that cannot be used changes something: %v", err)
		}
		return u.log.has("changed certificates are refused")
	})
	if u.status().Listeners[0].TLS.Problem == "" {
		t.Error("the status does not tell of it")
	}
	k.authority = certtest.New(t, "others")
	k.issue(k.authority)
	until(t, "the new certificate is used", func() bool {
		_, _, err := u.over(k.client(false))
		return err == nil
	})
	if _, _, err := u.over(old); err == nil {
		t.Error("the old one is used as well")
	}
}

// A file that is wrong is a mistake of the policy file, with its place; in a
// reload it changes nothing.
func TestTLSMistakesHaveTheirPlace(t *testing.T) {
	k, other := keep(t), keep(t)
	text := policy(telling(t), "X")
	line := strings.Count(text[:strings.Index(text, "X")], "\n") + 1
	for name, tc := range map[string]struct{ rung, key, problem string }{
		"no file":       {"listen-tls: {cert: /nowhere.pem, key: " + k.path("key.pem") + "}", "cert", "cannot be read"},
		"another's key": {"listen-tls: {cert: " + k.path("cert.pem") + ", key: " + other.path("key.pem") + "}", "key", "is not the key of"},
		"not PEM":       {"listen-tls: {cert: " + k.path("cert.pem") + ", key: " + k.path("cert.pem") + "}", "key", "PEM"},
		"key for cert":  {"listen-tls: {cert: " + k.path("key.pem") + ", key: " + k.path("key.pem") + "}", "cert", "certificate"},
		"no authority":  {k.rung("client-ca: " + k.path("key.pem")), "client-ca", "holds no certificate"},
	} {
		u := start(t, policy("http://127.0.0.1:1", k.rung()))
		u.write(strings.Replace(policy("http://127.0.0.1:1", "X"), "X", tc.rung, 1))
		var bad *config.Error
		if err := u.Reload(); !errors.As(err, &bad) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		column := 4 + strings.Index(tc.rung, tc.key+": ") + len(tc.key+": ") + 1
		if bad.Line != line || bad.Column != column || !strings.HasSuffix(bad.Path, "listen-tls."+tc.key) ||
			!strings.Contains(bad.Problem, tc.problem) || bad.Fix == "" {
			t.Errorf("%s: %v; want it at %d:%d", name, bad, line, column)
		}
		if _, _, err := u.over(k.client(false)); err != nil {
			t.Errorf("%s: what ran does not go on: %v", name, err)
		}
	}
}

// A reload may begin TLS at an address, and end it.
func TestTLSBeginsWithAReload(t *testing.T) {
	k := keep(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	at := func(rungs ...string) string {
		return strings.Replace(policy(telling(t), rungs...), "    listen: 127.0.0.1:0", "    listen: "+address, 1)
	}
	u := start(t, at())
	if resp, _ := u.get("/"); resp.StatusCode != 200 {
		t.Fatalf("without TLS: %d", resp.StatusCode)
	}
	u.write(at(k.rung()))
	if err := u.Reload(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := u.over(k.client(true)); err != nil {
		t.Errorf("with TLS: %v", err)
	}
	u.write(at())
	if err := u.Reload(); err != nil {
		t.Fatal(err)
	}
	if resp, _ := u.get("/"); resp.StatusCode != 200 {
		t.Errorf("without TLS again: %d", resp.StatusCode)
	}
}

func TestGRPCOverTLS(t *testing.T) {
	k := keep(t)
	s := &service{}
	u := start(t, overH2C(grpcServer(t, s), k.rung()))
	c, err := grpc.NewClient("passthrough:///"+u.Addr("dep").String(),
		grpc.WithTransportCredentials(credentials.NewClientTLSFromCert(k.authority.Pool(), "")))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := grpc_testing.NewTestServiceClient(c).UnaryCall(soon(t), &grpc_testing.SimpleRequest{}); err != nil {
		t.Fatal(err)
	}
	if p := s.seen()[0].meta.Get("x-forwarded-proto"); len(p) != 1 || p[0] != "https" {
		t.Errorf("X-Forwarded-Proto is %v", p)
	}
}
