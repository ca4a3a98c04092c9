package h1

import (
	"iter"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

func appendStatus(b []byte, status int) []byte {
	if status == http.StatusOK {
		return append(b, "HTTP/1.1 200 OK\r\n"...)
	}
	b = strconv.AppendInt(append(b, "HTTP/1.1 "...), int64(status), 10)
	text := http.StatusText(status)
	if text == "" {
		text = "status code " + strconv.Itoa(status)
	}
	return append(append(append(b, ' '), text...), "\r\n"...)
}

// appendFields writes the fields in the order of their names, as net/http does.
// Names that only mean something behind the body are left out.
func (w *response) appendFields(b []byte, h http.Header) []byte {
	var few [16]string
	names := few[:0]
	for name := range h {
		if name != "Transfer-Encoding" && !strings.HasPrefix(name, http.TrailerPrefix) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if !goodName(name) {
			continue
		}
		for _, value := range h[name] {
			b = append(append(append(b, name...), ": "...), value...)
			b = clean(b, len(b)-len(value))
			b = append(b, "\r\n"...)
		}
	}
	return b
}

// clean sees to it that a value cannot end its line.
func clean(b []byte, from int) []byte {
	for i := from; i < len(b); i++ {
		if b[i] == '\r' || b[i] == '\n' {
			b[i] = ' '
		}
	}
	return b
}

// goodName reports whether a name can be written. A handler that makes one up
// must not be able to write something else.
func goodName(name string) bool {
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c == ':' || c >= 0x7f {
			return false
		}
	}
	return name != ""
}

// headOnly is the header without what is announced for the trailer.
func (w *response) headOnly() http.Header {
	if w.header["Trailer"] == nil {
		return w.header
	}
	h := maps.Clone(w.header)
	for name := range announced(w.header) {
		delete(h, name)
	}
	return h
}

// announced yields the names that Trailer lists.
func announced(h http.Header) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, list := range h["Trailer"] {
			for name := range strings.SplitSeq(list, ",") {
				if !yield(http.CanonicalHeaderKey(strings.TrimSpace(name))) {
					return
				}
			}
		}
	}
}

func hasToken(list, word string) bool {
	for token := range strings.SplitSeq(list, ",") {
		if strings.EqualFold(strings.TrimSpace(token), word) {
			return true
		}
	}
	return false
}

// date is the field of that name, made once a second.
type date struct {
	second int64
	text   []byte
}

func (d *date) append(b []byte) []byte {
	now := time.Now()
	if s := now.Unix(); s != d.second {
		d.second = s
		d.text = now.UTC().AppendFormat(append(d.text[:0], "Date: "...), http.TimeFormat)
		d.text = append(d.text, "\r\n"...)
	}
	return append(b, d.text...)
}
