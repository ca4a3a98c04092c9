package connpool

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// AcquireError is the error of a request for which no connection was free for
// as long as it may wait for one. Nothing of it was sent.
type AcquireError struct {
	Address string
	Max     int           // connections that there may be
	Wait    time.Duration // the limit that has passed
}

// Error implements error.
func (e *AcquireError) Error() string {
	return fmt.Sprintf("all %d connections to %s were in use for %v", e.Max, e.Address, e.Wait)
}

// Timeout implements net.Error.
func (e *AcquireError) Timeout() bool { return true }

// Temporary implements net.Error.
func (e *AcquireError) Temporary() bool { return true }

// unsent is the error of a request that was certainly not processed.
type unsent struct{ error }

func (u *unsent) Unwrap() error { return u.error }

// NeverSent reports whether the request of an error was certainly not processed,
// so that sending it again is safe whatever it does.
func NeverSent(err error) bool {
	var u *unsent
	var a *AcquireError
	var h *HandshakeError
	return errors.As(err, &u) || errors.As(err, &a) || errors.As(err, &h) || notProcessed(err)
}

// streamError is an error of a stream of HTTP/2: net/http fills any struct of
// this shape.
type streamError struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

// Error implements error.
func (streamError) Error() string { return "" }

// Codes of HTTP/2 (RFC 9113, section 7).
const (
	refusedStream   = 0x7
	enhanceYourCalm = 0xb
)

// StreamCode returns the code with which a stream of HTTP/2 was reset.
func StreamCode(err error) (code uint32, ok bool) {
	var s streamError
	ok = errors.As(err, &s)
	return s.Code, ok
}

// Refused reports whether a stream was reset as not processed.
func Refused(err error) bool {
	code, ok := StreamCode(err)
	return ok && code == refusedStream
}

// Calm reports whether the other side asks for less.
func Calm(err error) bool {
	code, ok := StreamCode(err)
	return ok && code == enhanceYourCalm
}

// notSent are what net/http says of requests that were not processed, where it
// has no error values. A text begins with one of these: some of net/http's quote
// what the other side has sent, which may say anything.
var notSent = []string{
	"http2: Transport received Server's graceful shutdown GOAWAY",
	"http2: Transport received GOAWAY from server ErrCode", // said of streams after the last one only
	"http2: client conn not usable",
	"http2: client conn could not be established",
}

// notProcessed reports whether the error says that the other side has not
// processed the request.
func notProcessed(err error) bool {
	if err == nil {
		return false
	}
	if Refused(err) {
		return true
	}
	for e := err; e != nil; e = errors.Unwrap(e) {
		text := e.Error()
		if fmt.Sprintf("%T", e) == "http.nothingWrittenError" ||
			slices.ContainsFunc(notSent, func(s string) bool { return strings.HasPrefix(text, s) }) {
			return true
		}
	}
	return false
}

// stale reports whether a connection was closed before an answer had begun, as
// happens to one that was idle for too long.
func stale(err error) bool {
	return strings.Contains(err.Error(), "http: server closed idle connection") ||
		fmt.Sprintf("%T", err) == "http.transportReadFromServerError"
}
