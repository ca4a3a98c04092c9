package proxy

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// backend is a dependency that says exactly what a test wants.
type backend struct {
	net.Listener
	t     *testing.T
	bytes atomic.Int64 // received
	conns atomic.Int64
	wg    sync.WaitGroup
	mu    sync.Mutex
	open  map[net.Conn]struct{}
}

// scripted starts a dependency whose connections are handled by script.
func scripted(t *testing.T, script func(c net.Conn, br *bufio.Reader)) *backend {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &backend{Listener: l, t: t, open: map[net.Conn]struct{}{}}
	b.wg.Go(func() { b.accept(script) })
	t.Cleanup(b.stop)
	return b
}

func (b *backend) accept(script func(net.Conn, *bufio.Reader)) {
	for {
		c, err := b.Accept()
		if err != nil {
			return
		}
		b.conns.Add(1)
		b.mu.Lock()
		b.open[c] = struct{}{}
		b.mu.Unlock()
		b.wg.Go(func() {
			defer c.Close()
			script(c, bufio.NewReader(io.TeeReader(c, counter{&b.bytes})))
		})
	}
}

type counter struct{ n *atomic.Int64 }

func (c counter) Write(p []byte) (int, error) {
	c.n.Add(int64(len(p)))
	return len(p), nil
}

func (b *backend) stop() {
	_ = b.Close()
	b.mu.Lock()
	for c := range b.open {
		_ = c.Close()
	}
	b.mu.Unlock()
	b.wg.Wait()
}

func (b *backend) url() string { return "http://" + b.Addr().String() }

// always answers every request on a connection with the same bytes.
func always(lines ...string) func(net.Conn, *bufio.Reader) {
	text := strings.Join(lines, "\r\n")
	return func(c net.Conn, br *bufio.Reader) {
		for {
			r, err := http.ReadRequest(br)
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, r.Body)
			if _, err := io.WriteString(c, text); err != nil {
				return
			}
		}
	}
}

// web starts a dependency from a handler.
func web(t *testing.T, h http.HandlerFunc) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: h}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(l)
	}()
	t.Cleanup(func() {
		_ = s.Close()
		<-done
	})
	return fmt.Sprintf("http://%s", l.Addr())
}

// recording is a dependency that tells the lines of each request's head as
// they came, and answers 200. It reads no bodies.
func recording(t *testing.T, seen chan<- []string) *backend {
	return scripted(t, func(c net.Conn, br *bufio.Reader) {
		var head []string
		for {
			line, err := br.ReadString('\n')
			if err != nil {
				return
			}
			if line = strings.TrimSuffix(line, "\r\n"); line != "" {
				head = append(head, line)
				continue
			}
			seen <- head
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
			_ = c.(*net.TCPConn).CloseWrite()
			_, _ = io.Copy(io.Discard, br)
			return
		}
	})
}

// field returns a field's values in a head of recording.
func field(head []string, name string) (values []string) {
	for _, line := range head[1:] {
		n, value, _ := strings.Cut(line, ": ")
		if strings.EqualFold(n, name) {
			values = append(values, value)
		}
	}
	return values
}
