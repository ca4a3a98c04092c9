package connpool

import (
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
