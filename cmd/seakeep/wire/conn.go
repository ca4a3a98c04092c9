package wire

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Conn is a connection from a client whose requests are judged as they are
// read. Like any net.Conn it may be read by one goroutine at a time.
type Conn struct {
	net.Conn
	scanner  scanner
	held     []byte // read from the socket and not yet passed on
	ready    int    // how much of held may pass
	refusal  *Refusal
	told     bool // the stand-in for a bad head was passed
	headTime time.Duration
	hurried  bool    // the head under way has its deadline
	closed   func()  // called once
	secure   *secure // nil: no TLS

	// speaks is set from the client's first byte to its end: it may be about to
	// send what nobody will read. A connection that is closed at such a moment is
	// reset, and the reset may overtake the answer (RFC 9112, section 9.6).
	speaks atomic.Bool
	// reset is set if the client is to see a reset.
	reset atomic.Bool
	// upgrade is set once a request asks for an upgrade.
	upgrade atomic.Bool
	once    sync.Once
	reading sync.Mutex  // held by who reads
	ended   atomic.Bool // it was closed: whoever reads for the server has nothing more to read

	mu       sync.Mutex // for deadline, and for setting it
	deadline time.Time  // for reading, as the server set it
}

// standIn takes the place of a bad head. Its version tells it from whatever a
// client may send.
const (
	standIn      = "GET / HTTP/1.9\r\nHost: refused.invalid\r\nConnection: close\r\n\r\n"
	standInMinor = 9
)

// errEnded is what is read after a bad head, if somebody reads on.
var errEnded = errors.New("the connection ends with a refused request")

// Read reads what may pass.
func (c *Conn) Read(p []byte) (int, error) {
	c.reading.Lock()
	defer c.reading.Unlock()
	if c.ended.Load() {
		return 0, net.ErrClosed
	}
	if c.secure != nil && !c.scanner.known {
		if err := c.begin(); err != nil {
			return 0, err
		}
	}
	for {
		if c.ready > 0 {
			return c.pass(p), nil
		}
		if c.refusal != nil {
			if err := c.refuse(); err != nil {
				return 0, err
			}
			continue
		}
		if len(c.held) == 0 {
			n, err := c.readInto(p)
			if n > 0 || err != nil || len(p) == 0 {
				return n, err
			}
			continue
		}
		if err := c.readMore(); err != nil {
			return 0, err
		}
	}
}

// begin makes the handshake. The client has named its protocol there: with
// HTTP/2 nothing else may follow, and without it no preface.
func (c *Conn) begin() error {
	if err := c.secure.shake(); err != nil {
		return err
	}
	c.scanner.must2 = c.secure.state.NegotiatedProtocol == "h2"
	c.scanner.known = !c.scanner.must2
	return nil
}

// readInto reads without a copy of its own: what may pass is in p already, and
// what may not yet moves to held.
func (c *Conn) readInto(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.heard(n, err); c.ended.Load() {
		return 0, net.ErrClosed
	}
	pass := c.judge(p[:n])
	if pass < n && c.refusal == nil {
		c.held = append(make([]byte, 0, 1<<10), p[pass:n]...)
	}
	if pass == 0 && c.refusal != nil {
		return 0, nil // Read goes on with the refusal
	}
	if pass > 0 {
		return pass, nil // an error comes again with the next read
	}
	return 0, err
}

// readMore reads more of a head that has begun.
func (c *Conn) readMore() error {
	if len(c.held) == cap(c.held) {
		c.held = append(c.held, 0)[:len(c.held)]
	}
	c.hurry()
	n, err := c.Conn.Read(c.held[len(c.held):cap(c.held)])
	if c.heard(n, err); n == 0 {
		return err
	}
	if c.ended.Load() {
		return net.ErrClosed
	}
	c.held = c.held[:len(c.held)+n]
	if c.ready = c.judge(c.held); c.ready > 0 {
		c.hurried = false
	}
	return nil
}

// heard takes note of whether the client may say more. A deadline is not its end.
func (c *Conn) heard(n int, err error) {
	speaks := c.speaks.Load()
	switch {
	case err == nil && n > 0 && !speaks:
		c.speaks.Store(true)
	case err != nil && speaks && !errors.Is(err, os.ErrDeadlineExceeded):
		c.speaks.Store(false)
	}
}

// judge scans what is not yet passed.
func (c *Conn) judge(b []byte) (pass int) {
	pass, c.refusal = c.scanner.scan(b)
	if c.scanner.upgrade {
		c.upgrade.Store(true)
	}
	return pass
}

// pass hands out what is ready.
func (c *Conn) pass(p []byte) int {
	n := copy(p, c.held[:c.ready])
	c.ready -= n
	if c.held = c.held[n:]; len(c.held) == 0 {
		c.held, c.hurried = nil, false
	}
	return n
}

// refuse readies the stand-in for a bad head, or ends a body.
func (c *Conn) refuse() error {
	if c.scanner.state != inHead {
		return c.refusal
	}
	if c.told {
		return errEnded
	}
	c.told, c.held, c.ready = true, []byte(standIn), len(standIn)
	return nil
}

// hurry gives the rest of a head its time, if the server waits for one. The
// server itself cannot: it does not see a head before it is whole. While it
// waits it has set a deadline; without one this is its watch for the client's
// leaving, with a request under way that must not be cut off.
func (c *Conn) hurry() {
	if c.headTime <= 0 || c.hurried {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if !c.deadline.After(now) || c.ended.Load() {
		return
	}
	c.hurried = true
	if limit := now.Add(c.headTime); limit.Before(c.deadline) {
		c.deadline = limit
		_ = c.Conn.SetReadDeadline(limit) // fails only if the next read does too
	}
}

// SetReadDeadline sets the deadline for reading.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.setDeadline(t, c.Conn.SetReadDeadline) }

// SetDeadline sets both deadlines.
func (c *Conn) SetDeadline(t time.Time) error { return c.setDeadline(t, c.Conn.SetDeadline) }

func (c *Conn) setDeadline(t time.Time, set func(time.Time) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended.Load() {
		return net.ErrClosed
	}
	c.deadline = t
	return set(t)
}

// SetWriteDeadline sets the deadline for writing.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended.Load() { // who still writes has the time of the end
		return net.ErrClosed
	}
	return c.Conn.SetWriteDeadline(t)
}

// ReadFrom writes what is read from r. From one plain TCP connection to another
// the kernel moves it.
func (c *Conn) ReadFrom(r io.Reader) (int64, error) {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		return tcp.ReadFrom(r)
	}
	return io.Copy(struct{ io.Writer }{c.Conn}, r)
}

// CloseWrite tells the client that nothing more will come.
func (c *Conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

const (
	lingerTime  = 500 * time.Millisecond // many round trips
	lingerBytes = 8 << 20                // more than is on its way, in the sockets of both
)

// Close closes the connection. Unless the client has ended, its last bytes are
// read and dropped in the background for a moment, so that it can read the answer.
func (c *Conn) Close() error {
	err := net.ErrClosed
	c.once.Do(func() {
		lingers := c.speaks.Load() && !c.reset.Load()
		if lingers {
			c.hush()
		}
		if lingers || c.secure != nil { // the end of TLS may have to wait
			err = nil
			go c.end(lingers)
			return
		}
		err = c.Conn.Close()
		c.closed()
	})
	return err
}

// hush ends whatever is read for the server: what comes from now on must not be
// taken for a request.
func (c *Conn) hush() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended.Store(true)
	_ = c.Conn.SetReadDeadline(time.Unix(1, 0))
}

// end closes the connection, and reads for a moment before if it lingers. Who
// still writes has as long: the end that TLS says waits for that.
func (c *Conn) end(lingers bool) {
	if lingers {
		_ = c.Conn.SetWriteDeadline(time.Now().Add(lingerTime))
		lingers = c.CloseWrite() == nil
	}
	if lingers {
		c.reading.Lock() // until nobody reads for the server any more
		_ = c.Conn.SetDeadline(time.Now().Add(lingerTime))
		_, _ = io.CopyN(io.Discard, c.Conn, lingerBytes)
		c.reading.Unlock()
	}
	_ = c.Conn.Close()
	c.closed()
}
