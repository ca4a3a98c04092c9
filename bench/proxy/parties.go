package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ladder is a policy file with every rung of the client's side, with settings
// such as a careful owner writes. Only the fallback's cache is left out: it
// stores answers, which is another kind of work.
const ladder = `version: 1
service: bench
dependencies:
  backend:
    listen: %s
    endpoints: [http://%s]%s
    measured: {rate: 10000/s, p50: 1ms, p99: 20ms, p999: 50ms}
    timeout: {connect: 1s, acquire: 100ms, request: 2s, total: 5s, reserve: 5ms}
    retry:
      attempts: 3
      backoff: {base: 25ms, cap: 1s, jitter: full}
      budget: {ratio: 10%%, floor: 3/s}
    breaker:
      window: 10s
      calls: 20
      failures: 50%%
      slow: {over: 1s, share: 50%%}
      open: {for: 5s, jitter: 20%%}
      trials: 3
    bulkhead: {limit: 256}
    throttle: {k: 2, window: 30s, cap: 90%%}
    hedge: {after: p99, budget: 5%%}
    outlier: {consecutive: 5, base: 30s, max-ejected: 50%%}
    health: {path: /10, interval: 5s}
    fallback:
      - static: {status: 200, body: '{}'}
`

const bare = `version: 1
service: bench
dependencies:
  backend:
    listen: %s
    endpoints: [http://%s]%s
`

// party is a proxy that is measured.
type party struct {
	name string
	// start runs it in front of backend. With h2 it speaks HTTP/2 to it.
	start func(s *stage, h2 bool) (*process, error)
	// h2 says how far it goes in HTTP/2: in front, and also behind.
	h2In, h2Both bool
	command      string // that must be there; "": always
}

// plainName is the party that all ratios are against.
const plainName = "plain"

// Ours are these.
const (
	onName  = "seakeep"
	offName = "seakeep, ladder off"
)

func parties() []party {
	return []party{
		{name: plainName, h2In: true, h2Both: true, start: startPlain},
		{name: onName, h2In: true, h2Both: true, start: startSeakeep(ladder)},
		{name: offName, h2In: true, h2Both: true, start: startSeakeep(bare)},
		{name: "HAProxy", h2In: true, h2Both: true, command: "haproxy", start: startHAProxy},
		{name: "nginx", h2In: true, h2Both: true, command: "nginx", start: startNginx},
		{name: "Caddy", h2In: true, h2Both: true, command: "caddy", start: startCaddy},
	}
}

func (p party) installed() bool {
	if p.command == "" {
		return true
	}
	_, err := lookFor(p.command)
	return err == nil
}

// lookFor also finds what is only for the administrator.
func lookFor(command string) (string, error) {
	if path, err := exec.LookPath(command); err == nil {
		return path, nil
	}
	return exec.LookPath("/usr/sbin/" + command)
}

// stage is the backend, and where files for the proxies go.
type stage struct {
	dir     string
	self    string // this program
	seakeep string // the one that is measured
	backend *process
}

func startPlain(s *stage, h2 bool) (*process, error) {
	role := "plain"
	if h2 {
		role = "plain-h2"
	}
	return spawn(plainName, at{}, exec.Command(s.self, "-role", role, "-to", s.backend.address))
}

func startSeakeep(policy string) func(*stage, bool) (*process, error) {
	return func(s *stage, h2 bool) (*process, error) {
		address, protocol := free().address, ""
		if h2 {
			protocol = "\n    protocol: h2c"
		}
		text := fmt.Sprintf(policy, address, s.backend.address, protocol)
		file, err := s.file("seakeep.yaml", text)
		if err != nil {
			return nil, err
		}
		name := onName
		if policy == bare {
			name = offName
		}
		return spawn(name, at{address: address}, exec.Command(s.seakeep, "proxy", "-c", file))
	}
}

func startHAProxy(s *stage, h2 bool) (*process, error) {
	where, proto := free(), ""
	if h2 {
		proto = " proto h2"
	}
	file, err := s.file("haproxy.cfg", fmt.Sprintf(`global
    maxconn 4000
    nbthread 2
defaults
    mode http
    timeout connect 1s
    timeout client 90s
    timeout server 5s
frontend in
    bind %s
    default_backend out
frontend in2
    bind %s proto h2
    default_backend out
backend out
    http-reuse always
    option forwardfor
    server b %s%s
`, where.address, where.h2, s.backend.address, proto))
	if err != nil {
		return nil, err
	}
	path, _ := lookFor("haproxy")
	return spawn("HAProxy", where, exec.Command(path, "-db", "-q", "-f", file))
}

func startNginx(s *stage, h2 bool) (*process, error) {
	where, pass := free(), "proxy_pass http://b"
	if h2 {
		pass = "grpc_pass grpc://b"
	}
	file, err := s.file("nginx.conf", fmt.Sprintf(`daemon off;
pid %s/nginx.pid;
worker_processes 2;
error_log stderr crit;
events { worker_connections 4000; }
http {
  access_log off;
  client_body_temp_path %[1]s/t1; proxy_temp_path %[1]s/t2; fastcgi_temp_path %[1]s/t3;
  uwsgi_temp_path %[1]s/t4; scgi_temp_path %[1]s/t5;
  keepalive_requests 1000000000; keepalive_timeout 90s;
  upstream b { server %s; keepalive 256; keepalive_requests 1000000000; }
  server {
    listen %s;
    listen %s http2;
    location / { %s; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; }
  }
}
`, s.dir, s.backend.address, where.address, where.h2, pass))
	if err != nil {
		return nil, err
	}
	path, _ := lookFor("nginx")
	return spawn("nginx", where, exec.Command(path, "-c", file, "-p", s.dir, "-e", "stderr"))
}

func startCaddy(s *stage, h2 bool) (*process, error) {
	address, versions := free().address, "1.1"
	if h2 {
		versions = "h2c"
	}
	_, port, _ := strings.Cut(address, ":")
	file, err := s.file("Caddyfile", fmt.Sprintf(`{
	admin off
	auto_https off
	servers {
		protocols h1 h2c
	}
	log {
		level ERROR
	}
}
http://:%s {
	bind 127.0.0.1
	reverse_proxy %s {
		transport http {
			versions %s
			compression off
			keepalive_idle_conns_per_host 256
		}
	}
}
`, port, s.backend.address, versions))
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("caddy", "run", "--config", file, "--adapter", "caddyfile")
	cmd.Env = append(os.Environ(), "HOME="+s.dir)
	return spawn("Caddy", at{address: address}, cmd)
}

func (s *stage) file(name, text string) (string, error) {
	f, err := os.CreateTemp(s.dir, "*-"+name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	_, err = f.WriteString(text)
	return f.Name(), err
}

// build makes the program that is measured out of the tree that we are in.
func build(dir string) (string, error) {
	path := filepath.Join(dir, "seakeep")
	out, err := exec.Command("go", "build", "-o", path,
		"github.com/seakeep/seakeep/cmd/seakeep").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
}
