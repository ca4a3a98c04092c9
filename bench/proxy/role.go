package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// grpcType marks requests that are shaped like a unary gRPC call.
const grpcType = "application/grpc"

// play runs this process as one of the parties until it is killed. It prints
// its address when it is ready.
func play(role, to string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	both := new(http.Protocols)
	both.SetHTTP1(true)
	both.SetUnencryptedHTTP2(true)
	s := &http.Server{Protocols: both, ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout: 90 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
	switch role {
	case "backend":
		s.Handler = newBackend()
	case "plain":
		s.Handler = plain(to, false)
	case "plain-h2":
		s.Handler = plain(to, true)
	default:
		return fmt.Errorf("there is no role %q", role)
	}
	return s.Serve(l)
}

// backend answers /N with N bytes, and what is shaped like gRPC with a small
// message and a status behind it.
type backend struct {
	mu     sync.Mutex
	bodies map[string][]byte
}

func newBackend() *backend { return &backend{bodies: map[string][]byte{}} }

func (b *backend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Content-Type") == grpcType {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", grpcType)
		_, _ = w.Write(grpcMessage)
		w.Header().Set(http.TrailerPrefix+"Grpc-Status", "0")
		return
	}
	body, err := b.body(r.URL.Path)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}

func (b *backend) body(path string) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if body := b.bodies[path]; body != nil {
		return body, nil
	}
	n, err := strconv.Atoi(strings.TrimPrefix(path, "/"))
	if err != nil || n < 0 || n > 16<<20 || len(b.bodies) > 100 {
		return nil, fmt.Errorf("ask for /N, with N bytes up to 16 MiB, not for %s", path)
	}
	b.bodies[path] = []byte(strings.Repeat("x", n))
	return b.bodies[path], nil
}

// grpcMessage is 100 bytes behind the five that gRPC puts before a message.
var grpcMessage = append([]byte{0, 0, 0, 0, 100}, make([]byte, 100)...)

// plain is what a Go programmer writes by hand: the standard library's reverse
// proxy, with enough idle connections, pooled buffers and no compression.
func plain(to string, h2 bool) http.Handler {
	t := &http.Transport{
		DialContext:         (&net.Dialer{Timeout: time.Second}).DialContext,
		MaxIdleConnsPerHost: 256,
		IdleConnTimeout:     90 * time.Second,
		DisableCompression:  true,
	}
	p := &httputil.ReverseProxy{Transport: t, BufferPool: new(pool),
		ErrorLog: log.New(io.Discard, "", 0)}
	if h2 {
		t.Protocols = new(http.Protocols)
		t.Protocols.SetUnencryptedHTTP2(true)
		p.FlushInterval = -1
	}
	target := &url.URL{Scheme: "http", Host: to}
	p.Rewrite = func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.SetXForwarded()
	}
	return p
}

type pool struct{ p sync.Pool }

func (b *pool) Get() []byte {
	if v, ok := b.p.Get().(*[]byte); ok {
		return *v
	}
	return make([]byte, 32<<10)
}

func (b *pool) Put(v []byte) { b.p.Put(&v) }

// reachable waits until somebody listens at address.
func reachable(ctx context.Context, address string) error {
	for {
		c, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			return c.Close()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("nobody listens at %s: %w", address, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
