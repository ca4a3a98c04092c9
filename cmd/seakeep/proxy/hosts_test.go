package proxy

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

// A page whose name was made to mean this machine is told apart by its name.
func TestHosts(t *testing.T) {
	own, _ := os.Hostname()
	here := &net.TCPAddr{IP: net.IPv6loopback, Port: 9901}
	there := &net.TCPAddr{IP: net.IPv4(10, 0, 0, 7), Port: 9901}
	for _, c := range []struct {
		host  string
		at    net.Addr
		hosts Hosts
		known bool
	}{
		{"127.0.0.1:9901", here, nil, true},
		{"[::1]:9901", here, nil, true},
		{"[::1]", here, nil, true},
		{"10.0.0.7", here, nil, true},
		{"localhost:9901", here, nil, true},
		{"LocalHost.", here, nil, true},
		{"a.localhost:9901", here, nil, true},
		{"", here, nil, true}, // HTTP/1.0, which no browser speaks
		{own + ":9901", here, nil, true},
		{"evil.example:9901", here, nil, false},
		{"evil.example:9901", nil, nil, false},
		{"127.0.0.1.evil.example", here, nil, false},
		{"localhost.evil.example", here, nil, false},
		{"xlocalhost", here, nil, false},
		{"evil.example:9901", there, nil, true}, // its network may call it so
		{"evil.example", &net.UnixAddr{Name: "x"}, nil, true},
		{"Admin.Example:80", here, Hosts{"admin.example"}, true},
		{"admin.example.", here, Hosts{"admin.example."}, true},
		{"evil.example:9901", there, Hosts{"admin.example"}, false},
		{"10.0.0.7:9901", there, Hosts{"admin.example"}, true},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host = c.host
		if c.at != nil {
			r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, c.at))
		}
		if why := c.hosts.Refuse(r); (why == "") != c.known {
			t.Errorf("%q at %v with %q: %q", c.host, c.at, c.hosts, why)
		}
	}
}

func TestHostsGuardTheAdminAddress(t *testing.T) {
	u := startWith(t, policy("http://127.0.0.1:1", withOperation), Options{Hosts: Hosts{"admin.example"}})
	ask := func(method, path, host string) (*http.Response, string) {
		req, err := http.NewRequest(method, u.url("admin", path), strings.NewReader(`{"mode":"force-open"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		return u.send(req)
	}
	for _, c := range []struct {
		method, path, host string
		status             int
	}{
		{"GET", "/v1/status", "evil.example:9901", 421},
		{"GET", "/metrics", "evil.example", 421},
		{"POST", "/v1/dependencies/dep/breaker", "evil.example", 421},
		{"GET", "/livez", "evil.example", 200},
		{"GET", "/readyz", "a-probe", 200},
		{"GET", "/v1/status", "admin.example:9901", 200},
		{"GET", "/v1/status", "localhost", 200},
	} {
		resp, text := ask(c.method, c.path, c.host)
		if resp.StatusCode != c.status {
			t.Errorf("%s %s of %s: %d %s", c.method, c.path, c.host, resp.StatusCode, text)
		}
		if c.status == 421 && !strings.Contains(text, "--admin-host") {
			t.Errorf("%s: %q does not say what to do", c.path, text)
		}
	}
	if _, text := u.admin("GET", "/v1/dependencies/dep", ""); strings.Contains(text, "force-open") {
		t.Error("a foreign name opened the breaker")
	}
	_, text := ask("GET", "/v1/status", strings.Repeat("x", 500)+".example")
	if len(text) > 400 {
		t.Errorf("%d bytes: %s", len(text), text)
	}
}
