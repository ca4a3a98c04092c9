package h2

import (
	"net/http"
	"runtime/debug"
	"time"

	"golang.org/x/net/http2"
)

// stream is one request and its answer. What is in it is behind the lock of its
// connection, if nothing else is said.
type stream struct {
	c      *conn
	id     uint32
	opened time.Time
	r      *http.Request
	cancel func()
	reads  body // the body, as the handler reads it

	gone        error // it was reset, or its connection has ended
	started     bool  // its handler was
	remoteEnded bool  // the client has sent all of it
	send, recv  int64 // windows
	owed        int64 // of recv, to be given back

	body    []byte // what has come of it and was not read: body[from:]
	from    int
	length  int64 // of it, as its head says; -1: not said
	got     int64
	trailer http.Header
	expects bool // the client waits to be told to go on
	handled bool // nobody may read it any more

	readUntil, writeUntil time.Time
	readable, writable    waiter
	waits                 bool // it is among those that c wakes
	turn                  bool // it was woken as one of them, and has not written yet
}

// start has a stream's handler run. mu is held.
func (c *conn) start(st *stream) {
	st.started = true
	c.running++
	c.s.running.Add(1)
	c.done.Add(1)
	c.s.workers.run(st)
}

// handle runs the handler.
func (st *stream) handle() {
	c := st.c
	defer c.done.Done()
	w := newResponse(st)
	whole := st.serve(w)
	st.cancel()
	c.mu.Lock()
	st.handled = true
	st.readable.wake()
	c.mu.Unlock()
	w.finish(whole)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running--
	c.s.running.Add(-1)
	for len(c.queue) > 0 && c.running < maxStreams {
		next := c.queue[0]
		c.queue = c.queue[1:]
		if next.gone == nil {
			c.start(next)
		}
	}
	c.flush()
}

// serve calls the handler. It reports whether it has ended as it should.
func (st *stream) serve(w *response) (whole bool) {
	defer func() {
		v := recover()
		if whole = v == nil; !whole && v != http.ErrAbortHandler {
			st.c.s.logf("panic serving %s: %v\n%s", st.c.remote, v, debug.Stack())
		}
	}()
	st.c.s.Handler.ServeHTTP(w, st.r)
	return true
}

// reset ends a stream, and says so. mu is held.
func (c *conn) reset(st *stream, code http2.ErrCode) {
	_ = c.framer.WriteRSTStream(st.id, code)
	c.forget(st, http2.StreamError{StreamID: st.id, Code: code}, true)
}

// forget ends a stream. Its handler, and who reads or writes for it, is told. mu
// is held.
func (c *conn) forget(st *stream, err error, ours bool) {
	if c.streams[st.id] != st {
		return
	}
	delete(c.streams, st.id)
	c.past.add(st.id, ours)
	if st.gone == nil && err != nil {
		st.gone = err
		st.cancel()
	}
	c.giveBack(int64(len(st.body) - st.from))
	st.body, st.from = nil, 0
	st.readable.wake()
	st.writable.wake()
	if c.leaving && len(c.streams) == 0 && !c.over {
		c.over = true
		c.pump()
	}
}

// endLocal ends the answer's side. mu is held.
func (c *conn) endLocal(st *stream) {
	c.calm.answered()
	if st.remoteEnded {
		c.forget(st, nil, false)
		return
	}
	_ = c.framer.WriteRSTStream(st.id, http2.ErrCodeNo) // nobody wants the rest
	c.forget(st, nil, true)
}

// take keeps a piece of the body.
func (st *stream) take(data []byte) {
	if len(data) == 0 {
		return
	}
	if st.handled {
		st.c.giveBack(int64(len(data)))
		return
	}
	if st.from > 0 && st.from >= len(st.body)/2 {
		st.body = st.body[:copy(st.body, st.body[st.from:])]
		st.from = 0
	}
	st.body = append(st.body, data...)
}

// giveBack lets the client send more on the stream, and on the connection.
func (st *stream) giveBack(n int64) {
	c := st.c
	if st.owed += n; st.owed >= streamWindow/4 && !st.remoteEnded && c.streams[st.id] == st {
		_ = c.framer.WriteWindowUpdate(st.id, uint32(st.owed))
		st.recv += st.owed
		st.owed = 0
		c.pump()
	}
	c.giveBack(n)
}

// giveBack lets the client send more. mu is held.
func (c *conn) giveBack(n int64) {
	if c.owed += n; c.owed >= connWindow/4 && !c.over {
		_ = c.framer.WriteWindowUpdate(0, uint32(c.owed))
		c.recv += c.owed
		c.owed = 0
		c.pump()
	}
}
