package connpool

import (
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// began is what moments are counted from.
var began = time.Now()

// watchKey is under which a context has the watched connection to be.
type watchKey struct{}

// watched is a connection of which is known when something last arrived.
type watched struct {
	net.Conn
	heard atomic.Int64 // after began
}

// Read implements io.Reader.
func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	if n > 0 {
		w.heard.Store(int64(time.Since(began)))
	}
	return n, err
}

// conn is a connection of a lane. What follows the client is the lane's.
type conn struct {
	*http.ClientConn
	lane    *lane
	socket  *watched
	multi   bool          // HTTP/2: it takes many at once
	out     atomic.Int32  // HTTP/2: requests that have it and have not ended
	settled atomic.Bool   // HTTP/2: it has answered, so that the server's limit is known
	era     int           // of the maker
	until   time.Time     // it takes no new requests after; zero: for ever
	idle    time.Time     // since when it is in nobody's use; zero: it is
	used    atomic.Bool   // it has had a request
	listed  bool          // in lane.free
	inLane  bool          // in lane.all
	changed bool          // in lane.news; under lane.newsMu
	doubt   time.Duration // after began: when it was last heard and then in doubt; 0: it is not
	doubted time.Time     // since when
}

// silent reports whether it is in doubt and has said nothing since.
func (c *conn) silent() bool {
	if c.doubt != 0 && c.socket.heard.Load() > int64(c.doubt) {
		c.doubt = 0
	}
	return c.doubt != 0
}

// over reports whether it takes no new requests any more.
func (c *conn) over(now time.Time, era int) bool {
	return c.era != era || !c.until.IsZero() && !now.Before(c.until)
}

// load is how many requests are on it.
func (c *conn) load() int {
	if n := int(c.out.Load()); c.multi && n > 0 {
		return n
	}
	return c.InFlight()
}

// room reports whether it can take one more. Until its server has said how many
// it takes at once that is as many as the one before took.
func (c *conn) room() bool {
	free := c.Available()
	if !c.multi || free == 0 {
		return free > 0
	}
	most := free + c.InFlight()
	if known := c.lane.streams; known > 0 && !c.settled.Load() {
		most = min(most, known)
	}
	return int(c.out.Load()) < most
}

// reserve takes a place on it, and reports whether there was one. Those of
// HTTP/2 are counted here: net/http counts its reservations against the server's
// limit even while they wait for it, so that more of them than a limit that
// comes later wait for each other for ever.
func (c *conn) reserve() bool {
	if !c.multi {
		return c.Reserve() == nil
	}
	ok := c.room()
	if ok {
		c.out.Add(1)
	}
	return ok
}

// release gives a place back that was not used.
func (c *conn) release() {
	if !c.multi {
		c.Release()
		return
	}
	c.out.Add(-1)
}

// done says that a request has ended.
func (c *conn) done() {
	if c.multi {
		c.out.Add(-1)
		c.lane.told(c)
	}
}

// stream is the body of an answer over HTTP/2, at whose end the request ends.
type stream struct {
	io.ReadCloser
	c    *conn
	over atomic.Bool
}

// Read implements io.Reader.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	if err != nil {
		s.end()
	}
	return n, err
}

// Close implements io.Closer.
func (s *stream) Close() error {
	err := s.ReadCloser.Close()
	s.end()
	return err
}

func (s *stream) end() {
	if !s.over.Swap(true) {
		s.c.done()
	}
}
