package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
)

// feed is a connection whose reads return what is left in pieces.
type feed struct {
	net.Conn
	left   []byte
	pieces []byte // sizes of the next reads, over and over
	turn   int
}

func (f *feed) Read(p []byte) (int, error) {
	if len(f.left) == 0 {
		return 0, io.EOF
	}
	n := len(f.left)
	if len(f.pieces) > 0 {
		n = 1 + int(f.pieces[f.turn%len(f.pieces)])
		f.turn++
	}
	n = min(n, len(p), len(f.left))
	copy(p, f.left[:n])
	f.left = f.left[n:]
	return n, nil
}

// through returns what passes of stream, and why the rest does not.
func through(stream, pieces []byte, limit int) (passed []byte, r *Refusal) {
	c := newConn(&feed{left: stream, pieces: pieces}, Limits{Head: limit}, func() {})
	var out bytes.Buffer
	buf := make([]byte, 512)
	for {
		n, err := c.Read(buf)
		out.Write(buf[:n])
		if err != nil {
			if c.told {
				return bytes.TrimSuffix(out.Bytes(), []byte(standIn)), c.refusal
			}
			return out.Bytes(), c.refusal
		}
	}
}

// parse reads requests as net/http does and returns where each ended.
func parse(stream []byte) (ends []int, err error) {
	src := bytes.NewReader(stream)
	br := bufio.NewReader(src)
	for {
		r, err := http.ReadRequest(br)
		if err != nil {
			return ends, err
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return ends, err
		}
		ends = append(ends, len(stream)-src.Len()-br.Buffered())
	}
}

// bounds reads requests as the scanner does and returns where each ended.
func bounds(stream []byte, limit int) (ends []int) {
	s := scanner{maxHead: limit}
	at := 0
	for to := 1; to <= len(stream); to++ {
		n, r := s.scan(stream[at:to])
		if at += n; r != nil || s.state == inTunnel {
			return ends
		}
		if n > 0 && s.idle() {
			ends = append(ends, at)
		}
	}
	return ends
}

var seeds = []string{
	"GET / HTTP/1.1\r\nHost: h\r\n\r\n",
	"GET / HTTP/1.0\r\n\r\nGET / HTTP/1.0\r\nHost: h\r\n\r\n",
	"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabcGET /2 HTTP/1.1\r\nHost: h\r\n\r\n",
	"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nA: b\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n",
	"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n00\r\n\r\n",
	"GET / HTTP/1.1\r\nHost: h\r\nUpgrade: x\r\n\r\n\n\n\n",
	"GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n c\r\n\r\n",
	"PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx",
}

// FuzzSameFraming: whatever passes, net/http sees end in the same places, or
// refuses for a reason of its own; and how the bytes were cut into reads makes
// no difference.
func FuzzSameFraming(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(seed), []byte{0, 3, 40})
	}
	f.Fuzz(func(t *testing.T, stream, pieces []byte) {
		const limit = 400
		whole, why := through(stream, nil, limit)
		cut, whyCut := through(stream, pieces, limit)
		if !bytes.Equal(whole, cut) || why != whyCut {
			t.Fatalf("passed %q (%v) in one piece, %q (%v) in pieces", whole, why, cut, whyCut)
		}
		if !bytes.HasPrefix(stream, whole) {
			t.Fatalf("passed %q, which was not sent", whole)
		}
		ours := bounds(stream, limit)
		theirs, err := parse(whole)
		for i, end := range theirs {
			if i >= len(ours) {
				break // after an upgrade we do not look
			}
			if end != ours[i] {
				t.Fatalf("request %d of %q ends at %d for net/http and at %d for us",
					i, whole, end, ours[i])
			}
		}
		if len(theirs) > len(ours) && !upgrades(stream, limit) {
			t.Fatalf("net/http sees %d requests in %q, we see %d", len(theirs), whole, len(ours))
		}
		if len(theirs) < len(ours) && (err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF)) {
			t.Fatalf("net/http misses the end of request %d of %q", len(theirs), whole)
		}
	})
}

func upgrades(stream []byte, limit int) bool {
	s := scanner{maxHead: limit}
	_, _ = s.scan(stream)
	return s.upgrade
}
