package dashboard

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"time"

	corewindow "github.com/seakeep/seakeep/core/window"
)

// frameFormat is the first byte of a frame that is written down.
const frameFormat = 1

// encode writes a frame down. Of a dependency that was not called a few bytes
// remain: numbers that are zero are not there.
func (f *frame) encode() []byte {
	b := []byte{frameFormat}
	b = binary.AppendVarint(b, f.from.UnixMilli())
	b = binary.AppendVarint(b, f.to.UnixMilli())
	b = binary.AppendUvarint(b, uint64(len(f.names)))
	for _, name := range f.names {
		b = binary.AppendUvarint(b, uint64(len(name)))
		b = append(b, name...)
		b = f.of[name].encode(b)
	}
	return b
}

func (s *sample) encode(b []byte) []byte {
	there := uint64(0)
	for i, n := range s.n {
		if n > 0 {
			there |= 1 << i
		}
	}
	b = binary.AppendUvarint(b, there)
	for i := range bits.Len64(there) {
		if s.n[i] > 0 {
			b = binary.AppendUvarint(b, s.n[i])
		}
	}
	return appendBins(appendBins(b, s.took), s.left)
}

func appendBins(b []byte, all []bin) []byte {
	b = binary.AppendUvarint(b, uint64(len(all)))
	last := 0
	for _, one := range all {
		b = binary.AppendUvarint(b, uint64(one.at-last))
		b = binary.AppendUvarint(b, one.n)
		last = one.at
	}
	return b
}

var errFrame = errors.New("is no frame of history")

// decoder reads numbers from a text that may be cut off or wrong.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) number() uint64 {
	n, size := binary.Uvarint(d.b)
	if size <= 0 {
		d.bad = true
		return 0
	}
	d.b = d.b[size:]
	return n
}

func (d *decoder) time() time.Time {
	n, size := binary.Varint(d.b)
	if size <= 0 {
		d.bad = true
		return time.Time{}
	}
	d.b = d.b[size:]
	return time.UnixMilli(n)
}

func (d *decoder) text() string {
	n := d.number()
	if d.bad || n > uint64(len(d.b)) {
		d.bad = true
		return ""
	}
	s := string(d.b[:n])
	d.b = d.b[n:]
	return s
}

func (d *decoder) bins() (all []bin) {
	at := 0
	for range min(d.number(), corewindow.Bins) {
		step, n := d.number(), d.number()
		if d.bad || step >= corewindow.Bins || at+int(step) >= corewindow.Bins {
			d.bad = true
			return nil
		}
		at += int(step)
		all = append(all, bin{at, n})
	}
	return all
}

func decodeFrame(b []byte) (*frame, error) {
	if len(b) == 0 || b[0] != frameFormat {
		return nil, errFrame
	}
	d := decoder{b: b[1:]}
	f := &frame{from: d.time(), to: d.time(), of: map[string]*sample{}}
	for range min(d.number(), 2*maxMeters) {
		name, s := d.text(), &sample{}
		there := d.number()
		for i := range 64 {
			if there&(1<<i) == 0 {
				continue
			}
			if n := d.number(); i < int(fields) {
				s.n[i] = n
			}
		}
		s.took, s.left = d.bins(), d.bins()
		if d.bad {
			return nil, errFrame
		}
		f.names, f.of[name] = append(f.names, name), s
	}
	if d.bad {
		return nil, errFrame
	}
	return f, nil
}
