package h2

import (
	"errors"
	"io"
	"math"
	"time"

	"golang.org/x/net/http2"
)

// maxWindow is the most that a window may be.
const maxWindow = math.MaxInt32

// readFrame reads a frame and does what it says.
func (c *conn) readFrame() error {
	h, err := c.framer.ReadFrameHeader()
	if err != nil {
		return c.readError(h, err)
	}
	return c.handle(h)
}

// readError makes an error of reading one of the connection's, or ends the stream
// that it is for.
func (c *conn) readError(h http2.FrameHeader, err error) error {
	var conn http2.ConnectionError
	var stream http2.StreamError
	switch {
	case errors.Is(err, http2.ErrFrameTooLarge):
		return connError{http2.ErrCodeFrameSize, "a frame is larger than 16 KiB"}
	case err == io.ErrUnexpectedEOF: // or the client has left, and hears nothing
		return connError{http2.ErrCodeFrameSize, "a frame is too short for what it says"}
	case errors.As(err, &conn):
		reason := "a frame is malformed"
		if d := c.framer.ErrorDetail(); d != nil {
			reason = d.Error()
		}
		return connError{http2.ErrCode(conn), reason}
	case !errors.As(err, &stream):
		return err
	case h.Type == http2.FrameHeaders || h.Type == http2.FrameContinuation:
		return wrong("a head is malformed") // and nobody knows what it means for HPACK
	}
	return c.streamError(h, stream.Code)
}

// streamError resets a stream because of a frame.
func (c *conn) streamError(h http2.FrameHeader, code http2.ErrCode) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h.StreamID > c.last || h.StreamID%2 == 0 {
		return wrong("a frame is for a stream that was not opened")
	}
	return c.resetFor(h.StreamID, code)
}

// resetFor resets a stream for what its client has done. mu is held.
func (c *conn) resetFor(id uint32, code http2.ErrCode) error {
	if st := c.streams[id]; st != nil {
		c.reset(st, code)
	} else {
		_ = c.framer.WriteRSTStream(id, code)
	}
	return c.reply(1)
}

// reply counts a frame that the client has made us write. mu is held.
func (c *conn) reply(cost int) error {
	c.replied = true
	if c.replies++; c.replies > maxReplies {
		return errTooMuch
	}
	return c.calm.charge(cost)
}

// handle reads the rest of a frame, and does what it says.
func (c *conn) handle(h http2.FrameHeader) error {
	f, err := c.framer.ReadFrameForHeader(h)
	if err != nil {
		return c.readError(h, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch f := f.(type) {
	case *http2.HeadersFrame:
		return c.beginBlock(f)
	case *http2.ContinuationFrame:
		return c.continueBlock(f)
	case *http2.DataFrame:
		return c.data(f)
	case *http2.SettingsFrame:
		return c.setting(f)
	case *http2.WindowUpdateFrame:
		return c.windowUpdate(f)
	case *http2.RSTStreamFrame:
		return c.resetByClient(f)
	case *http2.PingFrame:
		if f.IsAck() {
			return c.calm.charge(1)
		}
		_ = c.framer.WritePing(true, f.Data)
		return c.reply(1)
	case *http2.PushPromiseFrame:
		return wrong("a client cannot promise")
	}
	// Priorities, a GOAWAY, and what nobody knows change nothing.
	return c.calm.charge(1)
}

// setting does what the client wants. mu is held.
func (c *conn) setting(f *http2.SettingsFrame) error {
	if f.IsAck() {
		if c.settings--; c.settings < 0 {
			return wrong("settings are acknowledged that were not made")
		}
		return nil
	}
	if f.NumSettings() > maxSettings {
		return connError{http2.ErrCodeEnhanceYourCalm, "too many settings"}
	}
	for i := range f.NumSettings() {
		s := f.Setting(i)
		if err := s.Valid(); err != nil {
			return c.readError(f.FrameHeader, err)
		}
		switch s.ID {
		case http2.SettingHeaderTableSize:
			c.encoder.SetMaxDynamicTableSize(s.Val)
		case http2.SettingMaxFrameSize:
			c.maxFrame = int(min(s.Val, maxUnsent))
		case http2.SettingInitialWindowSize:
			if !c.moveWindows(int64(s.Val) - c.sendFirst) {
				return connError{http2.ErrCodeFlowControl, "a window is too large"}
			}
			c.sendFirst = int64(s.Val)
		}
	}
	_ = c.framer.WriteSettingsAck()
	return c.reply(1)
}

// moveWindows moves all streams' windows.
func (c *conn) moveWindows(by int64) bool {
	for _, st := range c.streams {
		if st.send += by; st.send > maxWindow {
			return false
		}
		if by > 0 {
			st.writable.wake()
		}
	}
	return true
}

// windowUpdate lets more be sent. mu is held.
func (c *conn) windowUpdate(f *http2.WindowUpdateFrame) error {
	if f.StreamID == 0 {
		if c.send += int64(f.Increment); c.send > maxWindow {
			return connError{http2.ErrCodeFlowControl, "the window is too large"}
		}
		c.wake(maxStreams)
		return c.calm.charge(1)
	}
	st, err := c.known(f.StreamID)
	if st != nil {
		if st.send += int64(f.Increment); st.send > maxWindow {
			return c.resetFor(st.id, http2.ErrCodeFlowControl)
		}
		st.writable.wake()
	}
	if err != nil {
		return err
	}
	return c.calm.charge(1)
}

// known returns a stream that a frame is for, nil if it has ended, or an error if
// it was never there. mu is held.
func (c *conn) known(id uint32) (*stream, error) {
	if st := c.streams[id]; st != nil {
		return st, nil
	}
	if id > c.last && !c.leaving || id%2 == 0 {
		return nil, wrong("a frame is for a stream that was not opened")
	}
	return nil, nil
}

// resetByClient ends a stream. mu is held.
func (c *conn) resetByClient(f *http2.RSTStreamFrame) error {
	st, err := c.known(f.StreamID)
	if err != nil {
		return err
	}
	if st == nil {
		return c.calm.charge(1)
	}
	c.forget(st, http2.StreamError{StreamID: st.id, Code: f.ErrCode}, false)
	switch {
	case !st.started:
		return c.calm.charge(calmWaits)
	case time.Since(st.opened) < calmHasty:
		return c.calm.charge(1)
	}
	return nil // how many there may be is bounded
}

// data takes a piece of a request's body. mu is held.
func (c *conn) data(f *http2.DataFrame) error {
	size := int64(f.Length)
	if c.recv -= size; c.recv < 0 {
		return connError{http2.ErrCodeFlowControl, "more was sent than the window allows"}
	}
	st, err := c.known(f.StreamID)
	switch {
	case err != nil:
		return err
	case st == nil && (c.past.ours(f.StreamID) || f.StreamID > c.last):
		c.giveBack(size) // it was on its way when the stream was reset
		return c.calm.charge(1)
	case st == nil || st.remoteEnded:
		c.giveBack(size)
		return c.resetFor(f.StreamID, http2.ErrCodeStreamClosed)
	}
	data := f.Data()
	if st.recv -= size; st.recv < 0 {
		c.giveBack(size)
		return c.resetFor(st.id, http2.ErrCodeFlowControl)
	}
	st.got += int64(len(data))
	if st.length >= 0 && (st.got > st.length || f.StreamEnded() && st.got < st.length) {
		c.giveBack(size)
		return c.resetFor(st.id, http2.ErrCodeProtocol)
	}
	st.take(data)
	if padding := size - int64(len(data)); padding > 0 {
		st.giveBack(padding)
	}
	if f.StreamEnded() {
		st.remoteEnded = true
	}
	st.readable.wake()
	if len(data) == 0 && !f.StreamEnded() {
		return c.calm.charge(1)
	}
	return nil
}
