package upstream

import (
	"net/http"
	"net/textproto"
	"strings"
)

// codings is what answers in chunks have for a coding. It is shared.
var codings = []string{"chunked"}

// begin makes the answer from its head.
func (x *exchange) begin(h *head) (*http.Response, error) {
	r := &x.resp
	r.Status, r.StatusCode = h.line, h.status
	r.Proto, r.ProtoMajor, r.ProtoMinor = "HTTP/1.1", 1, 1
	if h.old {
		r.Proto, r.ProtoMinor = "HTTP/1.0", 0
	}
	r.Header, r.Request = h.fields, x.req
	r.Close = ends(h)
	if h.chunked {
		r.TransferEncoding = codings
		if err := announce(r); err != nil {
			return nil, err
		}
	}
	frame := bodyFrame(x.req.Method, h)
	switch frame {
	case noBody:
		r.ContentLength = 0
		if x.req.Method == http.MethodHead {
			r.ContentLength = h.length
		}
	case sized:
		r.ContentLength = h.length
	case inChunks:
		r.ContentLength = -1
	case untilClose:
		r.ContentLength, r.Close = -1, true
	}
	x.last = r.Close || closes(x.req)
	x.body.begin(x, frame, h.length)
	return r, nil
}

// ends reports whether the connection ends with the answer.
func ends(h *head) bool {
	values := h.fields["Connection"]
	if hasToken(values, "close") {
		return true
	}
	return h.old && !hasToken(values, "keep-alive")
}

// frame is how an answer's body is delimited.
type frame uint8

const (
	noBody frame = iota
	sized
	inChunks
	untilClose
)

// bodyFrame says where an answer ends (RFC 9112, section 6.3).
func bodyFrame(method string, h *head) frame {
	switch {
	case method == http.MethodHead, h.status < 200, h.status == http.StatusNoContent,
		h.status == http.StatusNotModified:
		return noBody
	case h.chunked:
		return inChunks
	case h.length > 0:
		return sized
	case h.length == 0:
		return noBody
	}
	return untilClose
}

// announce takes the names of the fields in the trailer out of the head, so that
// whoever passes the answer on can name them before.
func announce(r *http.Response) error {
	values := r.Header["Trailer"]
	if values == nil {
		return nil
	}
	delete(r.Header, "Trailer")
	for _, value := range values {
		for name := range strings.SplitSeq(value, ",") {
			name = http.CanonicalHeaderKey(textproto.TrimString(name))
			if name == "" {
				continue
			}
			if isFraming(name) {
				return errTrailer
			}
			if r.Trailer == nil {
				r.Trailer = http.Header{}
			}
			r.Trailer[name] = nil
		}
	}
	return nil
}

// isFraming reports whether a field says where a message ends, which a trailer
// cannot.
func isFraming(name string) bool {
	return name == "Transfer-Encoding" || name == "Content-Length" || name == "Trailer"
}
