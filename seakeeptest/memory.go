package seakeeptest

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
)

// memory is a listener whose connections are pipes in memory. They wait on
// channels and not on the operating system, which is what lets fake time pass.
type memory struct {
	calls  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newMemory() *memory {
	return &memory{calls: make(chan net.Conn), closed: make(chan struct{})}
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
func (m *memory) Addr() net.Addr { return address{} }

// dial opens a connection to the listener. When it is closed nobody listens.
func (m *memory) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := pipe()
	select {
	case m.calls <- theirs:
		return ours, nil
	case <-m.closed:
		return nil, &net.OpError{Op: "dial", Net: network, Addr: address{},
			Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

const network = "memory"

type address struct{}

// Network implements net.Addr.
func (address) Network() string { return network }

// String implements net.Addr.
func (address) String() string { return "memory.test:80" }

// conn is one end of a pipe. It can be reset, as a TCP connection can.
type conn struct {
	net.Conn
	abrupt atomic.Bool // this end resets the connection when it closes
	other  *conn
}

func pipe() (a, b *conn) {
	x, y := net.Pipe()
	a, b = &conn{Conn: x}, &conn{Conn: y}
	a.other, b.other = b, a
	return a, b
}

// SetLinger makes Close a reset, as that of net.TCPConn does with 0.
func (c *conn) SetLinger(sec int) error {
	c.abrupt.Store(sec == 0)
	return nil
}

// Read implements net.Conn.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	return n, c.mend("read", err)
}

// Write implements net.Conn.
func (c *conn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	return n, c.mend("write", err)
}

// mend turns what a pipe says of its other end into what a socket would.
func (c *conn) mend(op string, err error) error {
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) {
		return err
	}
	call := syscall.ECONNRESET
	switch {
	case c.other.abrupt.Load():
	case op == "read" || errors.Is(err, net.ErrClosed):
		return err
	default:
		call = syscall.EPIPE
	}
	return &net.OpError{Op: op, Net: network, Addr: address{}, Err: os.NewSyscallError(op, call)}
}

// LocalAddr implements net.Conn.
func (c *conn) LocalAddr() net.Addr { return address{} }

// RemoteAddr implements net.Conn.
func (c *conn) RemoteAddr() net.Addr { return address{} }
