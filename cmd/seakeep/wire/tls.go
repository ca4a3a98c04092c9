package wire

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"time"
)

// defaultHandshake bounds a handshake where Limits have no HeadTime: no network
// that works needs as long.
const defaultHandshake = 10 * time.Second

// secure is a connection's TLS.
type secure struct {
	conn  *tls.Conn
	limit time.Duration
	done  bool
	err   error
	tell  func(remote net.Addr, err error)
	state tls.ConnectionState
}

// shake makes the handshake, with the first read: that is on the goroutine of
// the connection, so that a slow client is in nobody's way.
func (s *secure) shake() error {
	if s.done {
		return s.err
	}
	s.done = true
	ctx, cancel := context.WithTimeout(context.Background(), s.limit)
	defer cancel()
	if err := s.conn.HandshakeContext(ctx); err != nil {
		s.err = io.EOF // nothing that can be read has come, and nothing may be answered
		s.plain(err)
		if s.tell != nil {
			s.tell(s.conn.RemoteAddr(), err)
		}
		return s.err
	}
	s.state = s.conn.ConnectionState()
	return nil
}

// plain tells a client that has forgotten TLS.
func (s *secure) plain(err error) {
	var record tls.RecordHeaderError
	if !errors.As(err, &record) || record.Conn == nil {
		return
	}
	switch string(record.RecordHeader[:]) {
	case "GET /", "HEAD ", "POST ", "PUT /", "OPTIO", "DELET", "PATCH", "PRI *":
		_ = record.Conn.SetWriteDeadline(time.Now().Add(time.Second))
		_, _ = io.WriteString(record.Conn, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n"+
			"Content-Type: text/plain; charset=utf-8\r\n\r\nThis address speaks TLS: ask for https.\n")
	}
}

// newSecure begins TLS on a connection.
func newSecure(conn net.Conn, c *tls.Config, limits Limits) *secure {
	return &secure{conn: tls.Server(conn, c), tell: limits.Failed,
		limit: cmp.Or(limits.HeadTime, defaultHandshake)}
}

// TLS returns what is known of the connection's TLS; nil: it has none. It is
// there once something was read.
//
// The method is not called ConnectionState because net/http would then take the
// connection for one that can only be HTTP/2 by its own TLS.
func (c *Conn) TLS() *tls.ConnectionState {
	if c.secure == nil {
		return nil
	}
	return &c.secure.state
}
