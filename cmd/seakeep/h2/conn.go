package h2

import (
	"bufio"
	"context"
	"errors"
	"io"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/wire"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// conn is one connection. Its reader is the goroutine that serves it.
type conn struct {
	s      *Server
	nc     *wire.Conn
	ctx    context.Context // of all its requests
	remote string
	framer *http2.Framer // the reader reads with it; under mu it writes

	in      *bufio.Reader // the reader's, and so is what follows
	decoder *hpack.Decoder
	fields  []hpack.HeaderField // of the head that is being read
	block   blockState
	raw     []byte        // of a head in several frames, so far
	replied bool          // frames wait to be sent until the reader has nothing to do
	reads   atomic.Uint32 // how often something came; also the clock's

	mu      sync.Mutex // for what follows
	streams map[uint32]*stream
	queue   []*stream // that wait for handlers of streams that were reset
	last    uint32    // the highest stream of the client
	past    past
	running int // handlers
	done    sync.WaitGroup
	calm    calm

	send, recv int64 // windows
	owed       int64 // of recv, to be given back
	sendFirst  int64 // with which streams begin
	maxFrame   int   // that the client takes
	settings   int   // of ours that the client has not acknowledged

	encoder *hpack.Encoder
	encoded []byte // what it has encoded
	out     *buffer
	replies int       // frames in out that answer the client's
	waiting []*stream // for the window, or for out to be sent
	writing bool      // somebody sends
	pumping bool      // a goroutine is about to
	until   time.Time // the deadline for sending
	leaving bool      // GOAWAY was said
	over    bool      // nothing more will be said
	shut    bool      // ... and the client has been told
	ended   bool

	clock clock
}

func newConn(s *Server, nc *wire.Conn) *conn {
	c := &conn{s: s, nc: nc, ctx: wire.ConnContext(context.Background(), nc),
		streams: map[uint32]*stream{}, send: 65535, recv: connWindow, sendFirst: 65535,
		maxFrame: frameSize, settings: 1, calm: calm{since: time.Now()}}
	c.in = bufio.NewReaderSize(reader{c}, readSize)
	c.framer = http2.NewFramer(outWriter{c}, c.in)
	c.framer.SetReuseFrames()
	c.framer.SetMaxReadFrameSize(frameSize)
	c.decoder = hpack.NewDecoder(tableSize, c.emit)
	c.decoder.SetMaxStringLength(s.MaxHead)
	c.encoder = hpack.NewEncoder(blockWriter{c})
	return c
}

// errors that end a connection.
type connError struct {
	code   http2.ErrCode
	reason string // for the client
}

// Error implements error.
func (e connError) Error() string { return "h2: " + e.reason + " (" + e.code.String() + ")" }

func wrong(reason string) error { return connError{http2.ErrCodeProtocol, reason} }

var (
	errTooMuch = connError{http2.ErrCodeEnhanceYourCalm, "too many frames that ask for nothing"}
	errGone    = errors.New("h2: the connection has ended")
)

// serve reads until the connection ends.
func (c *conn) serve() {
	defer c.end()
	c.hurry(c.s.headTime())
	var begin [len(http2.ClientPreface)]byte
	if _, err := io.ReadFull(c.in, begin[:]); err != nil || string(begin[:]) != http2.ClientPreface {
		return
	}
	err := c.readFirst()
	for err == nil {
		err = c.readFrame()
	}
	var why connError
	if errors.As(err, &why) {
		c.fail(why)
		_ = c.nc.SetReadDeadline(time.Now().Add(lastTime))
		_, _ = io.Copy(io.Discard, c.in) // a client that is cut off might not see why
	}
}

// greet says what the client must know.
func (c *conn) greet() {
	c.remote = c.nc.RemoteAddr().String()
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.framer.WriteSettings(
		http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: maxStreams},
		http2.Setting{ID: http2.SettingInitialWindowSize, Val: streamWindow},
		http2.Setting{ID: http2.SettingMaxHeaderListSize, Val: uint32(c.s.MaxHead)})
	_ = c.framer.WriteWindowUpdate(0, connWindow-65535)
	c.pump()
	c.clock.start(c)
}

// readFirst reads the client's settings, with which it must begin.
func (c *conn) readFirst() error {
	h, err := c.framer.ReadFrameHeader()
	if err != nil {
		return c.readError(h, err)
	}
	if h.Type != http2.FrameSettings || h.Flags.Has(http2.FlagSettingsAck) {
		return wrong("the first frame is not SETTINGS")
	}
	if err = c.handle(h); err == nil {
		c.hurry(0)
	}
	return err
}

// hurry gives what is being read its time; zero: it may take any. The end of the
// connection has its own.
func (c *conn) hurry(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hurryLocked(d)
}

// hurryLocked is hurry with mu held.
func (c *conn) hurryLocked(d time.Duration) {
	until := time.Time{}
	if d > 0 {
		until = time.Now().Add(d)
	}
	if !c.shut {
		_ = c.nc.SetReadDeadline(until) // fails only if the next read does too
	}
}

// end ends what is left when nothing can be read any more. A mistake in what reads
// costs this connection, and not the process.
func (c *conn) end() {
	if v := recover(); v != nil {
		c.s.logf("panic reading from %s: %v\n%s", c.remote, v, debug.Stack())
	}
	c.mu.Lock()
	c.abandon(errGone)
	c.ended = true
	c.clock.stop()
	c.mu.Unlock()
	_ = c.nc.Close()
	c.done.Wait()
	c.s.remove(c)
}

// abandon ends all streams, with what their handlers are told. mu is held.
func (c *conn) abandon(err error) {
	for _, st := range c.streams {
		c.forget(st, err, true)
	}
	c.queue = nil
}

// fail says why the connection ends. Streams end with it.
func (c *conn) fail(why connError) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.framer.WriteGoAway(c.last, why.code, []byte(why.reason))
	c.leaving, c.over = true, true
	c.abandon(errGone)
	c.pump()
}

// leave takes no more streams, and ends the connection behind the last one. mu is
// held.
func (c *conn) leave() {
	if c.leaving || c.ended {
		return
	}
	c.leaving = true
	_ = c.framer.WriteGoAway(c.last, http2.ErrCodeNo, nil)
	c.over = len(c.streams) == 0
	c.pump()
}

// reader is where the connection is read from.
type reader struct{ c *conn }

// Read reads what there is, and before that has sent what is there to be sent.
func (r reader) Read(p []byte) (int, error) {
	c := r.c
	if c.replied {
		c.replied = false
		c.mu.Lock()
		c.pump()
		c.mu.Unlock()
	}
	n, err := c.nc.Read(p)
	c.reads.Add(1)
	return n, err
}
