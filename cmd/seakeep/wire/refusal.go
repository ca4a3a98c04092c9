package wire

import "net/http"

// Refusal says why a request was not let through. It is an error: a request's
// body ends with it if the doubt is in the body. Refusals are shared and must
// not be changed.
type Refusal struct {
	Status int    // for the answer
	Rule   string // a fixed word, for Proxy-Status and logs
	Detail string // what is wrong, in a sentence without its full stop
}

// Error returns the detail.
func (r *Refusal) Error() string { return "the request is refused: " + r.Detail }

func bad(rule, detail string) *Refusal { return &Refusal{http.StatusBadRequest, rule, detail} }

var (
	badRequestLine = bad("request-line",
		"the request line is not a method, a target and a version with one space between them")
	badMethod  = bad("method", "the method holds a character that is not allowed")
	badPreface = bad("preface", "HTTP/2 was agreed on, and something else has come")
	badTarget  = bad("target", "the target is neither a path nor an http address, "+
		"has a fragment, or a percent sign in it begins no code")
	badVersion = &Refusal{http.StatusHTTPVersionNotSupported, "version",
		"the version is neither HTTP/1.0 nor HTTP/1.1"}
	badLineEnd = bad("line-end", "a line does not end in CR LF")
	badName    = bad("field-name", "a field's name holds a character that is not allowed, "+
		"or a space stands before its colon")
	folded      = bad("folded-field", "a field is continued on a second line")
	badValue    = bad("control-character", "a field's value holds a control character")
	bothLengths = bad("length-and-coding", "both Content-Length and Transfer-Encoding are given")
	badCoding   = bad("transfer-coding", "Transfer-Encoding is not exactly one \"chunked\"")
	badLength   = bad("content-length", "Content-Length is not a plain number")
	twoLengths  = bad("two-lengths", "two Content-Lengths differ")
	badHost     = bad("host", "a request has exactly one Host")
	badHostName = bad("host-name", "Host is no name or address with or without a port")
	badChunk    = bad("chunk", "a chunk of the body is malformed")
	badTrailer  = bad("trailer", "the trailer is malformed, too long, or would say where the body ends")
	badExpect   = &Refusal{http.StatusExpectationFailed, "expectation",
		"nothing but 100-continue can be expected"}
	targetTooLong = &Refusal{http.StatusRequestURITooLong, "target-too-long",
		"the request line is longer than the head may be"}
	headTooLarge = &Refusal{http.StatusRequestHeaderFieldsTooLarge, "head-too-large",
		"the head is longer than is allowed"}
)
