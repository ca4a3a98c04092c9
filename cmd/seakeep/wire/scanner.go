package wire

import "bytes"

// state is what the next byte belongs to.
type state uint8

const (
	inHead      state = iota // a request's head, from its first line to the empty one
	inBody                   // a body of known length
	inChunkSize              // the line before a chunk's data
	inChunk                  // a chunk's data
	inChunkEnd               // the line end after it
	inTrailer                // a line of the trailer, or the empty one
	inTunnel                 // nobody knows what, or HTTP/2
)

const (
	maxChunkLine = 1 << 10 // a size of 16 digits and extensions, which nobody uses
	maxTrailer   = 4 << 10 // net/http takes no more
)

// scanner follows the framing of the requests on one connection.
type scanner struct {
	maxHead int
	state   state
	left    uint64 // bytes of the body or the chunk that are still to come
	line    int    // inHead: where the line under way begins in the head
	seen    int    // how much of the head, or of the line, is known
	trailer int    // bytes of the trailer so far
	upgrade bool   // a request has asked for an upgrade
	known   bool   // whether it is HTTP/2 or not
	must2   bool   // it must be
	head    head
}

// scan reads on. b begins with the first byte that was not passed before, and
// may repeat what was seen but not passed. It returns how much of b may pass:
// whole heads, and bodies as far as they go.
func (s *scanner) scan(b []byte) (pass int, r *Refusal) {
	if !s.known && len(b) > 0 {
		begun, whole := prefaced(b)
		switch {
		case whole:
			s.known, s.state = true, inTunnel
		case begun:
			return 0, nil
		case s.must2:
			return 0, badPreface
		default:
			s.known = true
		}
	}
	for r == nil && pass < len(b) {
		switch s.state {
		case inTunnel:
			return len(b), nil
		case inBody, inChunk:
			n := min(s.left, uint64(len(b)-pass))
			pass += int(n)
			if s.left -= n; s.left == 0 {
				s.dataEnded()
			}
		default:
			n, whole, bad := s.lines(b[pass:])
			if pass += n; !whole {
				return pass, bad
			}
			r = bad
		}
	}
	return pass, r
}

// dataEnded goes on behind the last byte of a body or a chunk.
func (s *scanner) dataEnded() {
	if s.state == inChunk {
		s.state = inChunkEnd
		return
	}
	s.requestEnded()
}

func (s *scanner) requestEnded() {
	s.state = inHead
	if s.head.upgrade {
		s.state = inTunnel
	}
	s.head = head{}
}

// idle reports whether no request of HTTP/1.1 is under way.
func (s *scanner) idle() bool { return s.state == inHead && s.seen == 0 }

// lines reads lines from b, where the head or the line under way begins, until
// something may pass: pass bytes. It reports whole as false if b ends before.
func (s *scanner) lines(b []byte) (pass int, whole bool, r *Refusal) {
	if s.state == inHead && chars[b[0]]&tokenChar == 0 {
		return 0, false, badRequestLine // whose end may never come, such as TLS
	}
	for {
		i := bytes.IndexByte(b[s.seen:], '\n')
		if i < 0 {
			s.seen = len(b)
			return 0, false, s.tooLong()
		}
		s.seen += i + 1
		if r := s.tooLong(); r != nil {
			return 0, false, r
		}
		line := b[s.line : s.seen-1]
		if len(line) == 0 || line[len(line)-1] != '\r' {
			return 0, false, badLineEnd
		}
		ended, r := s.take(line[:len(line)-1])
		if r != nil {
			return 0, false, r
		}
		if s.line = s.seen; ended {
			pass, s.line, s.seen = s.seen, 0, 0
			return pass, true, nil
		}
	}
}

// tooLong judges the bytes seen of what is under way.
func (s *scanner) tooLong() *Refusal {
	switch s.state {
	case inHead:
		if s.seen > s.maxHead {
			if s.line == 0 {
				return targetTooLong
			}
			return headTooLarge
		}
	case inTrailer:
		if s.trailer+s.seen > maxTrailer {
			return badTrailer
		}
	default:
		if s.seen > maxChunkLine {
			return badChunk
		}
	}
	return nil
}

// take judges one line and reports whether what is under way ends with it.
func (s *scanner) take(line []byte) (ended bool, r *Refusal) {
	switch s.state {
	case inHead:
		switch {
		case s.line == 0:
			return false, s.head.first(line)
		case len(line) > 0:
			return false, s.head.field(line)
		}
		return true, s.headEnded()
	case inChunkSize:
		size, r := chunkSize(line)
		if s.left, s.state = size, inChunk; size == 0 {
			s.state, s.trailer = inTrailer, 0
		}
		return true, r
	case inChunkEnd:
		if s.state = inChunkSize; len(line) > 0 {
			return true, badChunk
		}
		return true, nil
	}
	if s.trailer += s.seen; len(line) == 0 { // the trailer's end
		s.requestEnded()
		return true, nil
	}
	_, _, r = splitField(line)
	return true, r
}

func (s *scanner) headEnded() *Refusal {
	if r := s.head.judge(); r != nil {
		return r
	}
	s.upgrade = s.upgrade || s.head.upgrade
	switch {
	case s.head.chunked:
		s.state = inChunkSize
	case s.head.length > 0:
		s.state, s.left = inBody, s.head.length
	default:
		s.requestEnded()
	}
	return nil
}

// chunkSize reads the line before a chunk: up to sixteen hexadecimal digits,
// and perhaps extensions after a semicolon.
func chunkSize(line []byte) (size uint64, r *Refusal) {
	digits := len(line)
	if i := bytes.IndexByte(line, ';'); i >= 0 {
		if digits = i; !allValue(line[i:]) {
			return 0, badChunk
		}
	}
	if digits == 0 || digits > 15 { // sixteen digits would pass the range of int64
		return 0, badChunk
	}
	for _, c := range line[:digits] {
		d := hexDigits[c]
		if d == noDigit {
			return 0, badChunk
		}
		size = size<<4 | uint64(d)
	}
	return size, nil
}
