package h2

import (
	"net/http"
	"slices"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/wire"
	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// blockState is what is known of the head, or the trailer, that is being read.
type blockState struct {
	id        uint32
	end       bool // nothing follows it
	size      int  // of its fields, as HTTP/2 counts
	frames    int
	tooLarge  bool
	malformed bool
	regular   bool // a field that is none of the request line's has come
}

// emit takes a field of a head. What cannot be good is not kept, but HPACK must
// see all of it.
func (c *conn) emit(f hpack.HeaderField) {
	b := &c.block
	b.size += int(f.Size())
	switch {
	case b.size > c.s.MaxHead:
		b.tooLarge = true
		c.decoder.SetEmitEnabled(false)
		return
	case f.IsPseudo():
		b.malformed = b.malformed || b.regular
	default:
		b.regular = true
		b.malformed = b.malformed || !goodName(f.Name)
	}
	b.malformed = b.malformed || !wire.IsValue(f.Value)
	c.fields = append(c.fields, f)
}

// goodName reports whether a name is one of HTTP/2: a token without capitals.
func goodName(name string) bool {
	for i := range len(name) {
		if 'A' <= name[i] && name[i] <= 'Z' {
			return false
		}
	}
	return wire.IsToken(name)
}

// beginBlock begins a head or a trailer. mu is held.
func (c *conn) beginBlock(f *http2.HeadersFrame) error {
	c.block = blockState{id: f.StreamID, end: f.StreamEnded()}
	c.decoder.SetEmitEnabled(true)
	return c.fragment(f.HeaderBlockFragment(), f.HeadersEnded())
}

// continueBlock goes on with it. mu is held.
func (c *conn) continueBlock(f *http2.ContinuationFrame) error {
	if c.block.frames++; c.block.frames > maxContinuations {
		return connError{http2.ErrCodeEnhanceYourCalm, "a head has too many frames"}
	}
	return c.fragment(f.HeaderBlockFragment(), f.HeadersEnded())
}

// fragment takes a piece of a head. A head in several is put together here: HPACK
// would keep what holds half a field for as long as the connection lives.
func (c *conn) fragment(b []byte, last bool) error {
	if len(c.raw)+len(b) > 2*c.s.MaxHead {
		return connError{http2.ErrCodeEnhanceYourCalm, "a head is many times too large"}
	}
	if !last {
		if c.block.frames == 0 {
			c.hurryLocked(c.s.headTime())
		}
		c.raw = append(c.raw, b...)
		return nil
	}
	if c.block.frames > 0 {
		b, c.raw = append(c.raw, b...), nil
		c.hurryLocked(0)
	}
	if _, err := c.decoder.Write(b); err == hpack.ErrStringLength {
		return connError{http2.ErrCodeEnhanceYourCalm, "a field is too large"}
	} else if err != nil {
		return connError{http2.ErrCodeCompression, "a head cannot be read"}
	}
	if c.decoder.Close() != nil {
		return connError{http2.ErrCodeCompression, "a head ends within a field"}
	}
	err := c.headEnded()
	c.tidy()
	return err
}

// tidy lets go of what a head has been in.
func (c *conn) tidy() {
	clear(c.fields)
	if c.fields = c.fields[:0]; cap(c.fields) > 256 {
		c.fields = nil // it was a strange one
	}
	if c.block.frames > 0 { // HPACK keeps the last that it was given
		c.decoder.SetEmitEnabled(false)
		_, _ = c.decoder.Write(short)
		_ = c.decoder.Close()
	}
}

// short is a head of one field, which HPACK knows from the start and does not
// remember.
var short = []byte{0x82}

// headEnded goes on with a head or a trailer that is there. mu is held.
func (c *conn) headEnded() error {
	id := c.block.id
	if st := c.streams[id]; st != nil {
		return c.trailer(st)
	}
	switch {
	case id%2 == 0:
		return wrong("a client's stream has an even number")
	case id > c.last && c.leaving:
		return c.calm.charge(1) // GOAWAY says that it is not heard
	case id > c.last:
		return c.open(id)
	case c.past.ours(id):
		return c.calm.charge(1) // the client did not know yet
	case c.past.has(id):
		return connError{http2.ErrCodeStreamClosed, "a head is for a stream that has ended"}
	}
	return wrong("a stream's number is lower than the last one's")
}

// open begins a stream. mu is held.
func (c *conn) open(id uint32) error {
	c.last = id
	switch {
	case len(c.streams) >= maxStreams:
		c.past.add(id, true)
		return c.resetFor(id, http2.ErrCodeRefusedStream)
	case c.s.full(): // for which this client is not to blame
		c.past.add(id, true)
		_ = c.framer.WriteRSTStream(id, http2.ErrCodeRefusedStream)
		return c.reply(0)
	}
	if c.block.tooLarge {
		return c.refuse(id, http.StatusRequestHeaderFieldsTooLarge)
	}
	st := &stream{c: c, id: id, opened: time.Now(), length: -1, send: c.sendFirst,
		recv: streamWindow, remoteEnded: c.block.end}
	r, status := c.request(st)
	switch {
	case c.block.malformed || r == nil && status == 0:
		c.past.add(id, true)
		return c.resetFor(id, http2.ErrCodeProtocol)
	case r == nil:
		return c.refuse(id, status)
	}
	st.r = r
	c.streams[id] = st
	c.clock.used = true
	if c.running < maxStreams {
		c.start(st)
		return nil
	}
	if len(c.queue) >= maxStreams { // most of them were reset
		c.queue = slices.DeleteFunc(c.queue, func(st *stream) bool { return st.gone != nil })
	}
	c.queue = append(c.queue, st)
	return nil
}

// refuse answers a request that no handler sees. mu is held.
func (c *conn) refuse(id uint32, status int) error {
	c.writeFields(id, []hpack.HeaderField{{Name: ":status", Value: statusText(status)},
		{Name: "content-length", Value: "0"}, {Name: "date", Value: c.s.date.now()}}, true)
	c.past.add(id, true)
	switch {
	case !c.block.tooLarge:
		return c.resetFor(id, http2.ErrCodeProtocol)
	case !c.block.end:
		return c.resetFor(id, http2.ErrCodeNo)
	}
	return c.reply(1)
}

// trailer takes what comes behind a request's body. mu is held.
func (c *conn) trailer(st *stream) error {
	switch {
	case st.remoteEnded:
		return c.resetFor(st.id, http2.ErrCodeStreamClosed)
	case !c.block.end, c.block.malformed, len(c.fields) > 0 && c.fields[0].IsPseudo(),
		st.length >= 0 && st.got < st.length:
		return c.resetFor(st.id, http2.ErrCodeProtocol)
	case c.block.tooLarge:
		return c.resetFor(st.id, http2.ErrCodeEnhanceYourCalm)
	}
	for _, f := range c.fields {
		name := wire.FieldName(f.Name)
		if !httpguts.ValidTrailerHeader(name) {
			return c.resetFor(st.id, http2.ErrCodeProtocol)
		}
		if st.trailer == nil {
			st.trailer = http.Header{}
		}
		st.trailer[name] = append(st.trailer[name], f.Value)
	}
	st.remoteEnded = true
	st.readable.wake()
	return nil
}
