package h2

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/seakeep/seakeep/cmd/seakeep/wire"
	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/http2/hpack"
)

func (d *draft) add(name, value string) {
	d.fields = append(d.fields, hpack.HeaderField{Name: name, Value: value})
}

// head drafts a head, in the order of the names. What must not be said in HTTP/2,
// or cannot be, is left out, and what is said behind the body.
func (d *draft) head(status int, h http.Header, late []string) {
	d.add(":status", statusText(status))
	d.names = d.names[:0]
	for name := range h {
		if !strings.HasPrefix(name, http.TrailerPrefix) && !slices.Contains(late, name) {
			d.names = append(d.names, name)
		}
	}
	slices.Sort(d.names)
	for _, name := range d.names {
		if lower := wire.LowerName(name); !ofHop(lower) && (status >= 200 || lower != "content-length") {
			d.all(lower, h[name])
		}
	}
}

// all drafts a field's values.
func (d *draft) all(lower string, values []string) {
	if !wire.IsToken(lower) {
		return
	}
	for _, value := range values {
		if wire.IsValue(value) {
			d.add(lower, value)
		}
	}
}

// announce reads which names are for the trailer.
func (w *response) announce() {
	for _, list := range w.header["Trailer"] {
		for name := range strings.SplitSeq(list, ",") {
			w.late = append(w.late, http.CanonicalHeaderKey(strings.TrimSpace(name)))
		}
	}
}

// trailer is the fields that were announced, and those that were not and are
// marked; nil if there are none.
func (w *response) trailer() []hpack.HeaderField {
	var t draft
	for _, name := range w.late {
		t.late(name, w.header[name])
	}
	for name, values := range w.header {
		if rest, marked := strings.CutPrefix(name, http.TrailerPrefix); marked {
			t.late(http.CanonicalHeaderKey(rest), values)
		}
	}
	return t.fields
}

func (d *draft) late(name string, values []string) {
	if lower := wire.LowerName(name); httpguts.ValidTrailerHeader(name) && !ofHop(lower) {
		d.all(lower, values)
	}
}

// closes reports whether a handler wants the connection to end.
func closes(values []string) bool {
	return len(values) > 0 && httpguts.HeaderValuesContainsToken(values, "close")
}

// statusText is a status as it is written.
func statusText(status int) string {
	if status == http.StatusOK {
		return "200"
	}
	return strconv.Itoa(status)
}
