package connpool

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep/config"
)

// wires are connections in memory between pools and one server, so that tests
// have a clock of their own.
type wires struct {
	conns  chan net.Conn
	once   sync.Once
	done   chan struct{}
	opened atomic.Int32
	live   atomic.Int32
	delay  time.Duration // of opening one
	fail   atomic.Pointer[error]
	seize  func(net.Conn) net.Conn
}

func newWires() *wires { return &wires{conns: make(chan net.Conn), done: make(chan struct{})} }

func (w *wires) Accept() (net.Conn, error) {
	select {
	case c := <-w.conns:
		return c, nil
	case <-w.done:
		return nil, net.ErrClosed
	}
}

func (w *wires) Close() error {
	w.once.Do(func() { close(w.done) })
	return nil
}

func (w *wires) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

// counted is a connection that is counted while it is open.
type counted struct {
	net.Conn
	once sync.Once
	of   *wires
}

func (c *counted) Close() error {
	c.once.Do(func() { c.of.live.Add(-1) })
	return c.Conn.Close()
}

func (w *wires) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	if err := w.fail.Load(); err != nil && *err != nil {
		return nil, *err
	}
	if w.delay > 0 {
		select {
		case <-time.After(w.delay):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	ours, theirs := buffered()
	select {
	case w.conns <- theirs:
	case <-w.done:
		return nil, errors.New("closed")
	}
	w.opened.Add(1)
	w.live.Add(1)
	conn := net.Conn(&counted{Conn: ours, of: w})
	if w.seize != nil {
		conn = w.seize(conn)
	}
	return conn, nil
}

// pipe is one direction of a connection in memory, with room: unlike those of
// net.Pipe, whoever writes does not wait for a reader.
type pipe struct {
	mu     sync.Mutex
	data   bytes.Buffer
	closed bool
	more   chan struct{}
}

type end struct {
	in, out *pipe
}

func buffered() (a, b net.Conn) {
	x, y := &pipe{more: make(chan struct{}, 1)}, &pipe{more: make(chan struct{}, 1)}
	return &end{in: x, out: y}, &end{in: y, out: x}
}

func (p *pipe) signal() {
	select {
	case p.more <- struct{}{}:
	default:
	}
}

func (e *end) Read(b []byte) (int, error) {
	for {
		e.in.mu.Lock()
		if e.in.data.Len() > 0 {
			n, _ := e.in.data.Read(b)
			if e.in.data.Len() > 0 || e.in.closed {
				e.in.signal()
			}
			e.in.mu.Unlock()
			return n, nil
		}
		closed := e.in.closed
		e.in.mu.Unlock()
		if closed {
			e.in.signal()
			return 0, io.EOF
		}
		<-e.in.more
	}
}

func (e *end) Write(b []byte) (int, error) {
	e.out.mu.Lock()
	defer e.out.mu.Unlock()
	if e.out.closed {
		return 0, net.ErrClosed
	}
	e.out.data.Write(b)
	e.out.signal()
	return len(b), nil
}

func (e *end) Close() error {
	for _, p := range []*pipe{e.in, e.out} {
		p.mu.Lock()
		p.closed = true
		p.mu.Unlock()
		p.signal()
	}
	return nil
}

func (*end) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (*end) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (*end) SetDeadline(time.Time) error      { return nil }
func (*end) SetReadDeadline(time.Time) error  { return nil }
func (*end) SetWriteDeadline(time.Time) error { return nil }

// inBubble runs a test in virtual time with a server in memory.
func inBubble(t *testing.T, s Settings, h http.HandlerFunc, test func(t *testing.T, p *Pool, w *wires)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWires()
		server := &http.Server{Handler: h, Protocols: new(http.Protocols)}
		server.Protocols.SetHTTP1(true)
		server.Protocols.SetUnencryptedHTTP2(true)
		served := make(chan struct{})
		go func() {
			_ = server.Serve(w)
			close(served)
		}()
		p := newPool(t, s, w)
		test(t, p, w)
		p.Keep(nil)
		p.CloseIdleConnections()
		_ = server.Close()
		<-served
		if err := eventuallyZero(&w.live); err != nil {
			t.Error(err)
		}
		time.Sleep(48 * time.Hour) // timers that are left
		p.mu.Lock()
		defer p.mu.Unlock()
		if len(p.lanes) > 0 {
			t.Errorf("%d lanes are left", len(p.lanes))
		}
	})
}

func eventuallyZero(n *atomic.Int32) error {
	for range 100 {
		synctest.Wait()
		if n.Load() == 0 {
			return nil
		}
		time.Sleep(time.Second)
	}
	return errors.New("connections are left open")
}

func newPool(t *testing.T, s Settings, w *wires) *Pool {
	t.Helper()
	s.Connections = s.Connections.Filled(0)
	p, err := New(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := *p.maker.Load()
	m.dial = w.dial
	m.tr = m.transport()
	m.tr.Proxy = nil
	p.maker.Store(&m)
	return p
}

// limits are connections by these numbers.
func limits(c config.Connections) Settings { return Settings{Connections: c} }

func ask(ctx context.Context, p *Pool, method, path string, body io.Reader) (string, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://server"+path, body)
	if err != nil {
		return "", err
	}
	resp, err := p.RoundTrip(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return string(b), err
}

func get(t *testing.T, p *Pool, path string) string {
	t.Helper()
	text, err := ask(t.Context(), p, "GET", path, nil)
	if err != nil {
		t.Errorf("GET %s: %v", path, err)
	}
	return text
}

// state is the only lane's; a lane with nothing left is forgotten.
func state(t *testing.T, p *Pool) Snapshot {
	t.Helper()
	synctest.Wait()
	all := p.Snapshot()
	if len(all) > 1 {
		t.Errorf("%d lanes", len(all))
	}
	return append(all, Snapshot{})[0]
}

var server = &url.URL{Scheme: "http", Host: "server"}

// hello answers after the time that the path says.
func hello(w http.ResponseWriter, r *http.Request) {
	if d, err := time.ParseDuration(r.URL.Path[1:]); err == nil {
		time.Sleep(d)
	}
	_, _ = io.WriteString(w, r.Proto)
}
