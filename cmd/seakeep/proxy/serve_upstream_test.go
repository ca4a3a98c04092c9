package proxy

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/seakeep/seakeep/internal/certtest"
)

// A program behind the door with a certificate of an authority of its own, which
// wants one of us: both as the file has it, and by default it is verified.
func TestServeUpstreamTLS(t *testing.T) {
	ca, folder := certtest.New(t, "our authority"), t.TempDir()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.TLS.PeerCertificates[0].Subject.CommonName)
	}))
	s.TLS = &tls.Config{Certificates: []tls.Certificate{ca.Pair("program", "program.internal")},
		ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: ca.Pool()}
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	cert, key := ca.Issue("the door")
	certFile, keyFile := certtest.Write(t, folder, "client.pem", cert), certtest.Write(t, folder, "key.pem", key)
	caFile := certtest.Write(t, folder, "ca.pem", ca.PEM)
	upstreamTLS := fmt.Sprintf("upstream-tls: {ca: %s, server-name: program.internal", caFile)
	u := start(t, door(s.URL, "concurrency: {}"))
	for _, c := range []struct {
		settings, want string
		status         int
	}{
		{"", "tls_certificate_error", 502},
		{upstreamTLS + "}", "", 502},
		{upstreamTLS + fmt.Sprintf(", cert: %s, key: %s}", certFile, keyFile), "the door", 200},
	} {
		u.write(door(s.URL, c.settings+"\nconcurrency: {}"))
		if err := u.Reload(); err != nil {
			t.Fatal(err)
		}
		resp, body := u.knock("GET", "/", "")
		if resp.StatusCode != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s: %s, %s", c.settings, resp.Status, body)
		}
	}
}

// A runaway answer of the program is cut, and its connections are kept as the
// file says, also after a reload.
func TestServeUpstreamLimits(t *testing.T) {
	var seen sync.Map
	up := program(t, func(w http.ResponseWriter, r *http.Request) {
		seen.Store(r.RemoteAddr, true)
		_, _ = io.WriteString(w, strings.Repeat("x", 2000))
	})
	connections := func() (n int) {
		seen.Range(func(any, any) bool { n++; return true })
		return n
	}
	u := start(t, door(up, "response: {body: 1KiB}\nconcurrency: {}"))
	if resp, body := u.knock("GET", "/", ""); resp.StatusCode != 502 ||
		!strings.Contains(body, "http_response_body_size") {
		t.Errorf("%s, %s", resp.Status, body)
	}
	u.write(door(up, "response: {body: 1MiB}\nconnections: {idle-time: 1ms}\nconcurrency: {}"))
	if err := u.Reload(); err != nil {
		t.Fatal(err)
	}
	until(t, "a connection that was idle is not used again", func() bool {
		if resp, body := u.knock("GET", "/", ""); resp.StatusCode != 200 || len(body) != 2000 {
			t.Errorf("%s, %d bytes", resp.Status, len(body))
		}
		return connections() >= 3
	})
}

// Connections that were kept ahead go with the settings that wanted them.
func TestServeUpstreamIsLeftWhole(t *testing.T) {
	var mu sync.Mutex
	open := map[net.Conn]bool{}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Config.ConnState = func(c net.Conn, state http.ConnState) {
		mu.Lock()
		defer mu.Unlock()
		if open[c] = true; state == http.StateClosed {
			delete(open, c)
		}
	}
	s.StartTLS()
	t.Cleanup(s.Close)
	count := func(want int) func() bool {
		return func() bool {
			mu.Lock()
			defer mu.Unlock()
			return len(open) == want
		}
	}
	const verified = "upstream-tls: {insecure-skip-verify: true}\nconcurrency: {}\n"
	u := start(t, door(s.URL, verified+"connections: {warm: 3}"))
	until(t, "three connections are open", count(3))
	u.write(door(s.URL, verified+"connections: {warm: 1}"))
	if err := u.Reload(); err != nil {
		t.Fatal(err)
	}
	until(t, "one is", count(1))
	u.write(policy("http://127.0.0.1:1", "timeout: {request: 1s}"))
	if err := u.Reload(); err != nil {
		t.Fatal(err)
	}
	until(t, "none is", count(0))
}
