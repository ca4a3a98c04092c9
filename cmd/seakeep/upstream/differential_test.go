package upstream

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// row is one raw answer, to a request of a method, GET if it is empty.
type row struct {
	name, method, answer string
	// differs says why this package and net/http do not do the same; ours is
	// then what this one does.
	differs, ours string
}

const (
	h200         = "HTTP/1.1 200 OK\r\n"
	of5          = "Content-Length: 5\r\n"
	inTE         = "Transfer-Encoding: chunked\r\n"
	strictFields = "what a field is, both sides must agree on: whoever mends it may mend it differently"
)

var rows = []row{
	{name: "sized", answer: h200 + of5 + "\r\nhello"},
	{name: "empty", answer: h200 + "Content-Length: 0\r\n\r\n"},
	{name: "no reason", answer: "HTTP/1.1 200\r\n" + of5 + "\r\nhello"},
	{name: "empty reason", answer: "HTTP/1.1 200 \r\n" + of5 + "\r\nhello"},
	{name: "long reason", answer: "HTTP/1.1 200 All is well\r\n" + of5 + "\r\nhello"},
	{name: "status 599", answer: "HTTP/1.1 599 Odd\r\n" + of5 + "\r\nhello"},
	{name: "status 999", answer: "HTTP/1.1 999 Odder\r\n" + of5 + "\r\nhello"},
	{name: "205 with a body", answer: "HTTP/1.1 205 Reset\r\n" + of5 + "\r\nhello"},
	{name: "until close", answer: h200 + "\r\nhello"},
	{name: "until close, empty", answer: h200 + "\r\n"},
	{name: "close and sized", answer: h200 + "Connection: close\r\n" + of5 + "\r\nhello",
		differs: "net/http drops the field with what else it names, which is not to be passed on",
		ours:    `200 OK length 5 {Connection:["close"] Content-Length:["5"]} "hello" close`},
	{name: "HTTP/1.0", answer: "HTTP/1.0 200 OK\r\n\r\nhello"},
	{name: "HTTP/1.0 sized", answer: "HTTP/1.0 200 OK\r\n" + of5 + "\r\nhello"},
	{name: "HTTP/1.0 kept", answer: "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n" + of5 + "\r\nhello"},
	{name: "chunked", answer: h200 + inTE + "\r\n5\r\nhello\r\n0\r\n\r\n"},
	{name: "chunks", answer: h200 + inTE + "\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"},
	{name: "chunks, no data", answer: h200 + inTE + "\r\n0\r\n\r\n"},
	{name: "chunk extension", answer: h200 + inTE + "\r\n5;a=b\r\nhello\r\n0;c\r\n\r\n"},
	{name: "chunk in capitals", answer: h200 + inTE + "\r\nA\r\nhellohello\r\n0\r\n\r\n"},
	{name: "chunk with zeros before", answer: h200 + inTE + "\r\n0005\r\nhello\r\n000\r\n\r\n"},
	{name: "Chunked in capitals", answer: h200 + "Transfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"},
	{name: "trailer", answer: h200 + inTE + "Trailer: X-A, x-b\r\n\r\n5\r\nhello\r\n0\r\nX-A: 1\r\nX-B: 2\r\n\r\n"},
	{name: "trailer not announced", answer: h200 + inTE + "\r\n5\r\nhello\r\n0\r\nX-A: 1\r\n\r\n"},
	{name: "trailer that does not come", answer: h200 + inTE + "Trailer: X-A\r\n\r\n5\r\nhello\r\n0\r\n\r\n"},
	{name: "trailer announces a length", answer: h200 + inTE + "Trailer: Content-Length\r\n\r\n0\r\n\r\n"},
	{name: "HEAD", method: "HEAD", answer: h200 + "Content-Length: 1234\r\n\r\n"},
	{name: "HEAD, no length", method: "HEAD", answer: h200 + "\r\n"},
	{name: "HEAD, chunked", method: "HEAD", answer: h200 + inTE + "\r\n"},
	{name: "204", answer: "HTTP/1.1 204 No Content\r\n\r\n"},
	{name: "204 with coding", answer: "HTTP/1.1 204 No Content\r\nContent-Encoding: gzip\r\n\r\n"},
	{name: "304", answer: "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n"},
	{name: "304 with length", answer: "HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n"},
	{name: "304 chunked", answer: "HTTP/1.1 304 Not Modified\r\n" + inTE + "\r\n"},
	{name: "103 before", answer: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + h200 + of5 + "\r\nhello"},
	{name: "100 before", answer: "HTTP/1.1 100 Continue\r\n\r\n" + h200 + of5 + "\r\nhello"},
	{name: "equal lengths", answer: h200 + of5 + of5 + "\r\nhello"},
	{name: "two lengths", answer: h200 + of5 + "Content-Length: 6\r\n\r\nhello!"},
	{name: "length with plus", answer: h200 + "Content-Length: +5\r\n\r\nhello"},
	{name: "negative length", answer: h200 + "Content-Length: -5\r\n\r\nhello"},
	{name: "length list", answer: h200 + "Content-Length: 5, 5\r\n\r\nhello"},
	{name: "hexadecimal length", answer: h200 + "Content-Length: 0x5\r\n\r\nhello"},
	{name: "huge length", answer: h200 + "Content-Length: 99999999999999999999\r\n\r\nhello"},
	{name: "coding list", answer: h200 + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"},
	{name: "coding identity", answer: h200 + "Transfer-Encoding: identity\r\n\r\nhello"},
	{name: "two codings", answer: h200 + inTE + inTE + "\r\n0\r\n\r\n"},
	{name: "values in order", answer: h200 + "Set-Cookie: a\r\nSet-Cookie: b\r\n" + of5 + "\r\nhello"},
	{name: "blanks around", answer: h200 + "X-A: \t a b \t\r\nX-B:\r\n" + of5 + "\r\nhello"},
	{name: "names in small", answer: h200 + "x-odd-name: 1\r\ncontent-length: 5\r\n\r\nhello"},
	{name: "Latin-1", answer: h200 + "X-A: caf\xe9\r\n" + of5 + "\r\nhello"},
	{name: "control character", answer: h200 + "X-A: a\x01b\r\n" + of5 + "\r\nhello"},
	{name: "NUL", answer: h200 + "X-A: a\x00b\r\n" + of5 + "\r\nhello"},
	{name: "no colon", answer: h200 + "X-A\r\n" + of5 + "\r\nhello"},
	{name: "no name", answer: h200 + ": a\r\n" + of5 + "\r\nhello"},
	{name: "space before the colon", answer: h200 + "X-A : a\r\n" + of5 + "\r\nhello",
		differs: strictFields, ours: "error malformed"},
	{name: "folded", answer: h200 + "X-A: a\r\n b\r\n" + of5 + "\r\nhello",
		differs: strictFields, ours: "error malformed"},
	{name: "bare line feeds", answer: "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello",
		differs: "a bare line feed is no line end to everybody", ours: "error malformed"},
	{name: "bare line feed in the trailer", answer: h200 + inTE + "\r\n0\r\nX-A: 1\n\r\n"},
	{name: "both framings", answer: h200 + of5 + inTE + "\r\n5\r\nhello\r\n0\r\n\r\n",
		differs: "who drops one of two framings may not be the next one to read", ours: "error malformed"},
	{name: "HTTP/1.0 chunked", answer: "HTTP/1.0 200 OK\r\n" + inTE + "\r\n5\r\nhello\r\n0\r\n\r\n",
		differs: "HTTP/1.0 has no codings, so nobody can say what this is", ours: "error malformed"},
	{name: "HTTP/2.0", answer: "HTTP/2.0 200 OK\r\n" + of5 + "\r\nhello",
		differs: "HTTP/2 does not look like this", ours: "error malformed"},
	{name: "HTTP/1.7", answer: "HTTP/1.7 200 OK\r\n" + of5 + "\r\nhello",
		differs: "there is no such version", ours: "error malformed"},
	{name: "not HTTP", answer: "220 mail.example ESMTP\r\n\r\n"},
	{name: "status of two digits", answer: "HTTP/1.1 20 OK\r\n\r\n"},
	{name: "status of four digits", answer: "HTTP/1.1 2000 OK\r\n\r\n"},
	{name: "status 099", answer: "HTTP/1.1 099 OK\r\n" + of5 + "\r\nhello",
		differs: "no status is below 100", ours: "error malformed"},
	{name: "switched without being asked", answer: "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n"},
	{name: "closed at once", answer: ""},
	{name: "closed within the head", answer: h200 + "X-A: a"},
	{name: "closed within the body", answer: h200 + of5 + "\r\nhel"},
	{name: "closed within a chunk", answer: h200 + inTE + "\r\n5\r\nhel"},
	{name: "closed before the last chunk", answer: h200 + inTE + "\r\n5\r\nhello\r\n"},
	{name: "closed before the trailer's end", answer: h200 + inTE + "\r\n5\r\nhello\r\n0\r\n"},
	{name: "chunk without a size", answer: h200 + inTE + "\r\n\r\nhello\r\n0\r\n\r\n"},
	{name: "chunk with a sign", answer: h200 + inTE + "\r\n+5\r\nhello\r\n0\r\n\r\n"},
	{name: "chunk too long", answer: h200 + inTE + "\r\n10000000000000000\r\nhello\r\n0\r\n\r\n"},
	{name: "chunk longer than it says", answer: h200 + inTE + "\r\n4\r\nhello\r\n0\r\n\r\n"},
	{name: "head too large", answer: h200 + "X-A: " + strings.Repeat("a", 100_000) + "\r\n\r\n"},
	{name: "much behind", answer: h200 + of5 + "\r\nhello" + h200 + of5 + "\r\nagain"},
}

// TestDifferential: this package and net/http read answers in the same way, but
// for what is listed, with the reason.
func TestDifferential(t *testing.T) {
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			own, theirs := outcome(t, pool(t, Settings{}), r), outcome(t, standard(t), r)
			switch {
			case r.differs == "" && own != theirs:
				t.Errorf("here %s\nnet/http %s", own, theirs)
			case r.differs != "" && own == theirs:
				t.Errorf("both %s: take the exception off the list", own)
			case r.differs != "" && own != r.ours:
				t.Errorf("here %s\nwant %s", own, r.ours)
			}
		})
	}
}

// outcome is what a client gets, in words: all that a proxy passes on.
func outcome(t *testing.T, rt http.RoundTripper, r row) string {
	s := serve(t, func(c net.Conn, br *bufio.Reader, _ int) {
		if _, _, ok := request(br); ok {
			_, _ = io.WriteString(c, r.answer)
			_ = c.(*net.TCPConn).CloseWrite()
			_, _ = io.Copy(io.Discard, br)
		}
	})
	method := r.method
	if method == "" {
		method = "GET"
	}
	resp, err := rt.RoundTrip(newRequest(t, method, s.url()+"/path?q=1", nil))
	if err != nil {
		return "error " + kindOf(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	b := new(strings.Builder)
	b.WriteString(strings.TrimSpace(resp.Status))
	if resp.ContentLength != 0 {
		fmt.Fprintf(b, " length %d", resp.ContentLength)
	}
	if len(resp.TransferEncoding) > 0 {
		b.WriteString(" " + strings.Join(resp.TransferEncoding, "+"))
	}
	fields(b, " ", resp.Header)
	if len(text) > 0 {
		fmt.Fprintf(b, " %q", text)
	}
	if err != nil {
		return b.String() + " cut: " + kindOf(err)
	}
	fields(b, " trailer ", resp.Trailer)
	if resp.Close {
		b.WriteString(" close")
	}
	return b.String()
}

func fields(b *strings.Builder, before string, h http.Header) {
	if len(h) == 0 {
		return
	}
	b.WriteString(before + "{")
	for i, name := range slices.Sorted(maps.Keys(h)) {
		if i > 0 {
			b.WriteString(" ")
		}
		fmt.Fprintf(b, "%s:%q", name, h[name])
	}
	b.WriteString("}")
}

// kindOf puts net/http's errors and ours into the same few words.
func kindOf(err error) string {
	text := err.Error()
	var own *Error
	switch {
	case strings.Contains(text, "headers exceeded"):
		return "head too large"
	case errors.As(err, &own) && own.Kind == Lost:
		return "ended"
	case errors.As(err, &own) && own.Kind == Incomplete:
		return "ended"
	case errors.As(err, &own):
		return "malformed"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		strings.Contains(text, "unexpected EOF"):
		return "ended"
	}
	return "malformed"
}
