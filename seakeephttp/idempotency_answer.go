package seakeephttp

import (
	"encoding/binary"
	"maps"
	"net/http"
	"slices"
)

// replayedHeader marks answers that were given before.
const replayedHeader = "Idempotency-Replayed"

// KeyedAnswer is an answer that is kept for the repetitions of a keyed write.
type KeyedAnswer struct {
	Status  int
	Header  http.Header // without fields of the connection, and without lengths
	Trailer http.Header
	Body    []byte
}

// replay sends the answer again, to a request with this method. It sets fields
// and takes none away that were set before.
func (a *KeyedAnswer) replay(w http.ResponseWriter, method string) {
	h := w.Header()
	maps.Copy(h, a.Header)
	prefixed(h, a.Trailer)
	h.Set(replayedHeader, "true")
	if len(a.Trailer) == 0 {
		setLength(h, method, a.Status, len(a.Body))
	}
	w.WriteHeader(a.Status)
	if hasBody(a.Status) && len(a.Body) > 0 {
		_, _ = w.Write(a.Body)
	}
	maps.Copy(h, a.Trailer)
}

// The form in which answers are stored: a version, then numbers as varints and
// texts with their length before them. It must stay readable, because stores
// outlive the program that wrote them.
const answerVersion = 1

func (a *KeyedAnswer) encode() []byte {
	out := make([]byte, 0, 256+len(a.Body))
	out = append(out, answerVersion)
	out = binary.AppendUvarint(out, uint64(a.Status))
	for _, h := range []http.Header{a.Header, a.Trailer} {
		out = binary.AppendUvarint(out, uint64(len(h)))
		for _, name := range slices.Sorted(maps.Keys(h)) {
			out = appendText(out, name)
			out = binary.AppendUvarint(out, uint64(len(h[name])))
			for _, value := range h[name] {
				out = appendText(out, value)
			}
		}
	}
	return append(out, a.Body...)
}

func appendText(out []byte, text string) []byte {
	return append(binary.AppendUvarint(out, uint64(len(text))), text...)
}

// decodeAnswer is the inverse of encode. It reports false for what encode has
// not written.
func decodeAnswer(in []byte) (*KeyedAnswer, bool) {
	if len(in) == 0 || in[0] != answerVersion {
		return nil, false
	}
	d := decoder{in: in[1:], ok: true}
	a := &KeyedAnswer{Status: int(d.number(999))}
	for _, h := range []*http.Header{&a.Header, &a.Trailer} {
		*h = http.Header{}
		for range d.number(len(d.in)) {
			name := d.text()
			var values []string
			for range d.number(len(d.in)) {
				values = append(values, d.text())
			}
			(*h)[name] = values
		}
	}
	a.Body = d.in
	return a, d.ok && a.Status >= 200
}

// decoder reads from in what is there; once something is wrong, ok is false and
// everything else is empty.
type decoder struct {
	in []byte
	ok bool
}

// number reads one of at most most. Each of so many things takes a byte at
// least, so that a wrong number cannot make us allocate much.
func (d *decoder) number(most int) int {
	n, size := binary.Uvarint(d.in)
	if size <= 0 || n > uint64(most) {
		d.in, d.ok = nil, false
		return 0
	}
	d.in = d.in[size:]
	return int(n)
}

func (d *decoder) text() string {
	n := d.number(len(d.in))
	if n > len(d.in) {
		d.in, d.ok = nil, false
		return ""
	}
	text := string(d.in[:n])
	d.in = d.in[n:]
	return text
}
