package upstream

import (
	"errors"
	"fmt"
	"io"
	"net/http/httptrace"
	"strconv"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/wire"
)

// throughTime is how long the end of an answer waits for the end of its request,
// which the server has read by then: only the goroutine that has sent it may not
// have got around to saying so.
const throughTime = 10 * time.Millisecond

// upload sends a request's body while the answer is awaited.
type upload struct {
	x       *exchange
	body    io.Reader
	framing framing
	done    chan struct{} // closed at the end; then the rest may be read
	sent    bool          // to its end
	fault   error         // of the body
}

// run sends the body. A server that does not want it may close the connection,
// and have answered before, so an error of writing is left to who reads.
func (u *upload) run() {
	err := u.send()
	u.sent = err == nil
	_ = u.x.payload.Close()
	if u.fault != nil {
		_ = u.x.c.Conn.Close() // there will be no answer to wait for
	}
	if t := u.x.trace; t != nil && t.WroteRequest != nil {
		t.WroteRequest(httptrace.WroteRequestInfo{Err: err})
	}
	close(u.done)
}

// through reports whether the request was sent to its end.
func (u *upload) through() bool {
	select {
	case <-u.done:
		return u.sent
	default:
	}
	limit := time.NewTimer(throughTime)
	defer limit.Stop()
	select {
	case <-u.done:
		return u.sent
	case <-limit.C:
		return false
	}
}

func (u *upload) send() error {
	if t := u.x.trace; t != nil && t.WroteHeaders != nil {
		t.WroteHeaders()
	}
	w := u.x.c.Conn
	if whole, ok := u.body.(Whole); ok {
		text := whole.Whole()
		if int64(len(text)) != u.framing.size && u.framing.size >= 0 {
			u.fault = wrongLength(u.framing.size, int64(len(text)))
			return u.fault
		}
		if u.framing.size >= 0 {
			_, err := w.Write(text)
			return err
		}
	}
	if u.framing.size < 0 {
		return u.chunks(w)
	}
	return u.sized(w)
}

func wrongLength(want, got int64) error {
	return fmt.Errorf("the request's body has %d bytes and its Content-Length is %d", got, want)
}

// sized sends a body of known length. One that is shorter or longer has a fault.
func (u *upload) sized(w io.Writer) error {
	buf := copies.Get().(*[copySize]byte)
	defer copies.Put(buf)
	for left := u.framing.size; ; {
		n, err := u.body.Read(buf[:])
		if int64(n) > left {
			u.fault = fmt.Errorf("the request's body is longer than its Content-Length, which is %d",
				u.framing.size)
			return u.fault
		}
		if n > 0 {
			if _, err := w.Write(buf[:n]); err != nil {
				return err
			}
		}
		left -= int64(n)
		switch {
		case err == io.EOF && left > 0:
			u.fault = wrongLength(u.framing.size, u.framing.size-left)
			return u.fault
		case err == io.EOF:
			return nil
		case err != nil:
			u.fault = err
			return err
		}
	}
}

const (
	sizeRoom = 10 // for a chunk's size and its line end, before the data
	endRoom  = 2  // after it
)

// chunks sends a body in chunks: each is what was read at once.
func (u *upload) chunks(w io.Writer) error {
	buf := copies.Get().(*[copySize]byte)
	defer copies.Put(buf)
	for {
		n, err := u.body.Read(buf[sizeRoom : copySize-endRoom])
		if n > 0 {
			end := sizeRoom + n
			copy(buf[end:], "\r\n")
			size := strconv.AppendUint(make([]byte, 0, sizeRoom), uint64(n), 16)
			size = append(size, "\r\n"...)
			from := sizeRoom - len(size)
			copy(buf[from:], size)
			if _, err := w.Write(buf[from : end+endRoom]); err != nil {
				return err
			}
		}
		switch {
		case err == io.EOF:
			return u.end(w)
		case err != nil:
			u.fault = err
			return err
		}
	}
}

var errRequestTrailer = errors.New("a field of the request's trailer is malformed")

// end sends the last chunk and the trailer.
func (u *upload) end(w io.Writer) error {
	b := append(make([]byte, 0, 64), "0\r\n"...)
	if u.framing.trailer {
		for name, values := range u.x.req.Trailer {
			for _, value := range values {
				if !wire.IsToken(name) || !wire.IsValue(value) || isFraming(name) {
					u.fault = errRequestTrailer
					return u.fault
				}
				b = appendField(b, name, value)
			}
		}
	}
	_, err := w.Write(append(b, "\r\n"...))
	return err
}
