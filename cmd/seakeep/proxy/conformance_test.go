package proxy

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/cmd/seakeep/wire"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/deadline"
	"github.com/seakeep/seakeep/internal/conformance"
	"github.com/seakeep/seakeep/seakeephttp"
)

// The proxy turns the scripts into the same decisions as the library and the
// simulator.
func TestConformance(t *testing.T) {
	for _, s := range conformance.Scripts(t, "../../../internal/conformance/testdata") {
		t.Run(filepath.Base(s.Name), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				events, start := playScript(t, s)
				conformance.Same(t, conformance.Instants(conformance.Log(events, start)),
					conformance.Instants(s.Want))
			})
		})
	}
}

// playScript runs a script through a proxy in fake time: all of it but the
// sockets, whose place pipes take.
func playScript(t *testing.T, s *conformance.Script) ([]core.Event, core.Instant) {
	d := &conformance.Diary{}
	p, l := inMemory(t, s, d)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- p.Run(ctx) }()
	client := &http.Transport{DialContext: l.dial}
	start := seakeep.Now()
	s.Play(func(n int) {
		req, err := http.NewRequest(http.MethodGet, "http://proxy.test"+conformance.Path(n), nil)
		if err != nil {
			t.Error(err)
			return
		}
		if s.Deadline > 0 {
			req.Header.Set(deadline.Header, deadline.EncodeMillis(s.Deadline))
		}
		resp, err := client.RoundTrip(req)
		if err != nil {
			t.Errorf("call %d: %v", n, err)
			return
		}
		defer resp.Body.Close()
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Errorf("call %d: %v", n, err)
		}
	})
	client.CloseIdleConnections()
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	return d.Events(), start
}

// inMemory returns a proxy for a script's policy, whose clients come through
// the listener and whose dependency is in memory too.
func inMemory(t *testing.T, s *conformance.Script, o core.Observer) (*Proxy, *memory) {
	t.Helper()
	b := s.Backend(t)
	name := s.Policy.Dependencies[0].Name
	text := []byte(s.Text)
	for key, value := range map[string]string{"listen": "127.0.0.1:0", "endpoints": "[" + b.URL() + "]"} {
		var err error
		if text, err = config.Set(text, "dependencies."+name+"."+key, value); err != nil {
			t.Fatal(err)
		}
	}
	file, err := config.Parse(s.Name, text)
	if err != nil {
		t.Fatal(err)
	}
	p := newProxy(Options{Log: slog.New(slog.DiscardHandler)})
	if p.set, err = seakeep.NewSet(file, seakeep.Options{Observer: o, Draw: conformance.Half}); err != nil {
		t.Fatal(err)
	}
	p.transports[name], err = seakeephttp.NewTransport(p.set, name, b.Transport())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.arrange(file, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	l := &memory{calls: make(chan net.Conn), closed: make(chan struct{})}
	for _, f := range p.fronts {
		_ = f.listener.Close()
		f.listener = wire.Listen(l, wire.Limits{Head: p.options.MaxHead, HeadTime: headTime,
			Conns: p.options.MaxConns})
	}
	return p, l
}

// memory is a listener whose connections are pipes: to wait for one does not
// keep fake time from passing.
type memory struct {
	calls  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (m *memory) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case m.calls <- theirs:
		return ours, nil
	case <-m.closed:
		return nil, net.ErrClosed
	}
}

// Accept implements net.Listener.
func (m *memory) Accept() (net.Conn, error) {
	select {
	case c := <-m.calls:
		return c, nil
	case <-m.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (m *memory) Close() error {
	m.once.Do(func() { close(m.closed) })
	return nil
}

// Addr implements net.Listener.
func (m *memory) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// A script that a proxy does not follow must not pass for one that it does.
func TestConformanceCatches(t *testing.T) {
	const text = "version: 1\nservice: caller\ndependencies:\n  server:\n    timeout: {request: 100ms}\n" +
		"---\n0ms never\n---\n0s call-started\n0s attempt-started\n%s attempt-ended timeout by timeout %s\n" +
		"%s call-ended timeout %s\n"
	for took, follows := range map[time.Duration]bool{100 * time.Millisecond: true, 99 * time.Millisecond: false} {
		synctest.Test(t, func(t *testing.T) {
			s, err := conformance.Parse("x.txt", strings.ReplaceAll(text, "%s", took.String()))
			if err != nil {
				t.Fatal(err)
			}
			events, start := playScript(t, s)
			got := strings.Join(conformance.Log(events, start), "\n")
			if same := got == strings.Join(s.Want, "\n"); same != follows {
				t.Errorf("want the decisions of %v: %v, got\n%s", took, follows, got)
			}
		})
	}
}
