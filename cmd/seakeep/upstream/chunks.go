package upstream

import (
	"bytes"
	"io"
	"net/http"
	"strings"

	"github.com/seakeep/seakeep/cmd/seakeep/wire"
)

const (
	maxChunkLine = 1 << 10 // a size and extensions, which nobody uses
	maxTrailer   = 4 << 10 // of all its fields: net/http takes no more
	// maxWaste bounds what does not count as data: a chunk's line may be a bit
	// longer than its data, and all lines together have so much to spare.
	maxWaste = 16 << 10
)

// chunkState is what comes next.
type chunkState uint8

const (
	chunkSize  chunkState = iota // the line before a chunk
	chunkData                    // a chunk's data
	chunkEnd                     // the line end after it
	inTrailer                    // a field behind the last chunk, or the end
	chunksDone                   // nothing
)

// chunks is how far a body in chunks was read.
type chunks struct {
	state   chunkState
	waste   int
	trailer int // bytes
}

// chunk reads from a body in chunks: at least one byte, and beyond that what is
// here.
func (b *body) chunk(p []byte) (n int, err error) {
	c := b.x.c
	for n < len(p) {
		if b.lines.state == chunkData {
			k, err := b.data(p[n:], n > 0)
			n += k
			if err != nil || k == 0 {
				return n, err
			}
			continue
		}
		ok, err := b.line(c, n == 0)
		if err != nil {
			return n, err
		}
		if !ok {
			return n, nil
		}
		if b.lines.state == chunksDone {
			return n, io.EOF
		}
	}
	return n, nil
}

// data reads from the chunk under way. With here it does not wait.
func (b *body) data(p []byte, here bool) (n int, err error) {
	c := b.x.c
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	switch {
	case c.r < c.w:
		n = copy(p, c.buffered())
		c.r += n
	case here:
		return 0, nil
	case len(p) >= bufferSize:
		n, err = c.Conn.Read(p)
	default:
		if err = c.fill(); err == nil {
			n = copy(p, c.buffered())
			c.r += n
		}
	}
	if err != nil {
		return n, ended(err, true)
	}
	if b.left -= int64(n); b.left == 0 {
		b.lines.state = chunkEnd
	}
	return n, nil
}

// line reads a line between the data. It is not ok if the line is not here and
// nobody waits for it.
func (b *body) line(c *conn, wait bool) (ok bool, err error) {
	limit, bad := maxChunkLine, errChunk
	if b.lines.state == inTrailer {
		limit, bad = maxTrailer-b.lines.trailer, errTrailer
	}
	for from := 0; ; {
		text := c.buffered()
		if i := bytes.IndexByte(text[from:], '\n'); i >= 0 {
			end := from + i
			switch {
			case end == 0 || text[end-1] != '\r':
				return false, errLineEnd
			case end >= limit:
				return false, bad
			}
			c.r += end + 1
			return true, b.took(text[:end-1])
		}
		if len(text) > limit {
			return false, bad
		}
		if !wait {
			return false, nil
		}
		from = len(text)
		if err := c.fill(); err != nil {
			return false, ended(err, true)
		}
	}
}

// took judges a line.
func (b *body) took(line []byte) error {
	l := &b.lines
	switch l.state {
	case chunkSize:
		size, ok := wire.ChunkSize(line)
		if !ok {
			return errChunk
		}
		l.waste = max(0, l.waste+len(line)-16-2*int(min(size, maxWaste)))
		if l.waste > maxWaste {
			return errChunk
		}
		if b.left, l.state = int64(size), chunkData; size == 0 {
			l.state = inTrailer
		}
	case chunkEnd:
		if l.state = chunkSize; len(line) > 0 {
			return errChunk
		}
	case inTrailer:
		if len(line) == 0 {
			l.state = chunksDone
			return nil
		}
		l.trailer += len(line) + len("\r\n")
		return b.field(string(line))
	}
	return nil
}

// field takes a field of the trailer. What would say where the answer ends says
// nothing here, and is left out.
func (b *body) field(line string) error {
	name, value, ok := strings.Cut(line, ":")
	if value = trim(value); !ok || !wire.IsToken(name) || !wire.IsValue(value) {
		return errTrailer
	}
	if name = http.CanonicalHeaderKey(name); isFraming(name) {
		return nil
	}
	r := &b.x.resp
	if r.Trailer == nil {
		r.Trailer = http.Header{}
	}
	r.Trailer[name] = append(r.Trailer[name], value)
	return nil
}

// skip takes out of the buffer what is left of the body, and reports whether
// that was all.
func (b *body) skip() bool {
	c := b.x.c
	for b.lines.state != chunksDone {
		if b.lines.state == chunkData {
			n := min(b.left, int64(c.w-c.r))
			c.r += int(n)
			if b.left -= n; b.left > 0 {
				return false
			}
			b.lines.state = chunkEnd
			continue
		}
		if ok, err := b.line(c, false); !ok || err != nil {
			return false
		}
	}
	return true
}
