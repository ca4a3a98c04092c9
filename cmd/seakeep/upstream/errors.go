package upstream

import (
	"errors"
	"io"
	"strconv"
)

// Kind is what has kept an answer from being whole.
type Kind uint8

// Why there is no answer, or not all of it.
const (
	// Lost is a connection that ended before anything of an answer came.
	Lost Kind = iota
	// Incomplete is one that ended within the answer.
	Incomplete
	// Malformed is an answer that is none, or could be read in two ways.
	Malformed
	// HeadTooLarge is an answer whose head is longer than MaxHead.
	HeadTooLarge
	// BadCoding is an answer with a Transfer-Encoding other than chunked.
	BadCoding
)

// String returns a word for it.
func (k Kind) String() string {
	words := [...]string{"lost", "incomplete", "malformed", "head too large", "bad coding"}
	if int(k) < len(words) {
		return words[k]
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

// Error is why there is no answer, or not all of it. It unwraps to what the
// connection ended with: io.EOF or io.ErrUnexpectedEOF if the other side closed
// it. Errors of opening a connection, of the request's body and of its context
// are returned as they are; a wait for a connection that was too long is a
// *seakeephttp.AcquireError.
type Error struct {
	Kind   Kind
	Detail string // in words, without the server's name
	Err    error  // below; or nil
}

// Error returns the detail.
func (e *Error) Error() string {
	if e.Err == nil || e.Err == io.EOF || e.Err == io.ErrUnexpectedEOF {
		return e.Detail
	}
	return e.Detail + ": " + e.Err.Error()
}

// Unwrap returns the error below.
func (e *Error) Unwrap() error { return e.Err }

func malformed(detail string) *Error { return &Error{Kind: Malformed, Detail: detail} }

// The ways in which an answer is malformed.
var (
	errNotHTTP    = malformed("malformed answer: it does not begin with HTTP/1.x and a status")
	errLineEnd    = malformed("malformed answer: a line does not end in CR LF")
	errField      = malformed("malformed answer: a field has no colon, a name or value that is none, or is folded")
	errTwoLengths = malformed("malformed answer: two Content-Lengths differ")
	errLength     = malformed("malformed answer: Content-Length is not a plain number")
	errTwoFrames  = malformed("malformed answer: both Content-Length and Transfer-Encoding are given")
	errOldCoding  = malformed("malformed answer: HTTP/1.0 with a Transfer-Encoding")
	errChunk      = malformed("malformed answer: a chunk")
	errTrailer    = malformed("malformed answer: its trailer, or one that is too long")
	errManyInterm = malformed("malformed answer: more than " + strconv.Itoa(maxInterim) + " interim answers")
	errCoding     = &Error{Kind: BadCoding, Detail: "unsupported transfer encoding in the answer"}
	errNotKept    = errors.New("the connection cannot be used again")
)

func headTooLarge(limit int) *Error {
	// seakeephttp knows it by the words that net/http has for it.
	return &Error{Kind: HeadTooLarge,
		Detail: "server response headers exceeded " + strconv.Itoa(limit) + " bytes"}
}

// ended is what the end of a connection means. within is whether it came within
// an answer.
func ended(err error, within bool) error {
	if within {
		e := &Error{Kind: Incomplete, Detail: "the connection ended within the answer", Err: err}
		if err == io.EOF {
			e.Err = io.ErrUnexpectedEOF
		}
		return e
	}
	return &Error{Kind: Lost, Detail: "the server closed the connection without an answer", Err: err}
}
