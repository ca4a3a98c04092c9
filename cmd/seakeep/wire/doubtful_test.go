package wire

import (
	"strings"
	"testing"
)

// doubtful is a request that must be refused.
type doubtful struct {
	request string
	status  int
	rule    string
}

func post(lines ...string) string {
	return crlf(append([]string{"POST /p HTTP/1.1", "Host: h"}, lines...)...) + "\r\nhello"
}

func coding(te string) string { return post("Content-Length: 5", "Transfer-Encoding: "+te) }

func alone(te string) string { return post("Transfer-Encoding: " + te) }

var doubtfuls = map[string]doubtful{
	"length and chunked":       {coding("chunked"), 400, "length-and-coding"},
	"coding before length":     {post("Transfer-Encoding: chunked", "Content-Length: 5"), 400, "length-and-coding"},
	"length and chunked,":      {coding("chunked,"), 400, "transfer-coding"},
	"length and chunked, gzip": {coding("chunked, gzip"), 400, "transfer-coding"},
	"length and gzip, chunked": {coding("gzip, chunked"), 400, "transfer-coding"},
	"length and xchunked":      {coding("xchunked"), 400, "transfer-coding"},
	"length and vertical tab":  {coding("chunked\x0b"), 400, "control-character"},
	"length and identity":      {coding("identity"), 400, "transfer-coding"},
	"gzip alone":               {alone("gzip, chunked"), 400, "transfer-coding"},
	"empty coding":             {alone(""), 400, "transfer-coding"},
	"quoted coding":            {alone(`"chunked"`), 400, "transfer-coding"},
	"two codings":              {post("Transfer-Encoding: chunked", "transfer-encoding: chunked"), 400, "transfer-coding"},
	"coding in HTTP/1.0":       {"POST /p HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, "transfer-coding"},
	"two lengths":              {post("Content-Length: 5", "Content-Length: 6"), 400, "two-lengths"},
	"leading zero":             {post("Content-Length: 5", "Content-Length: 05"), 400, "two-lengths"},
	"list of lengths":          {post("Content-Length: 5, 5"), 400, "content-length"},
	"plus":                     {post("Content-Length: +5"), 400, "content-length"},
	"two numbers":              {post("Content-Length: 5 5"), 400, "content-length"},
	"hexadecimal":              {post("Content-Length: 0x5"), 400, "content-length"},
	"negative":                 {post("Content-Length: -1"), 400, "content-length"},
	"empty length":             {post("Content-Length:"), 400, "content-length"},
	"huge length":              {post("Content-Length: 9223372036854775808"), 400, "content-length"},
	"bare LF":                  {"POST /p HTTP/1.1\r\nHost: h\nContent-Length: 5\r\n\r\nhello", 400, "line-end"},
	"bare LF first":            {"GET /p HTTP/1.1\nHost: h\r\n\r\n", 400, "line-end"},
	"bare LF at the end":       {"GET /p HTTP/1.1\r\nHost: h\r\n\n", 400, "line-end"},
	"bare CR":                  {"GET /p HTTP/1.1\r\nHost: h\rX: y\r\n\r\n", 400, "control-character"},
	"space before colon":       {post("Content-Length : 5"), 400, "field-name"},
	"tab before colon":         {post("Content-Length\t: 5"), 400, "field-name"},
	"no colon":                 {post("Content-Length"), 400, "field-name"},
	"no name":                  {post(": 5"), 400, "field-name"},
	"folded":                   {post("X: a", " b", "Content-Length: 5"), 400, "folded-field"},
	"NUL in a value":           {post("X: a\x00b"), 400, "control-character"},
	"NUL in a name":            {post("X\x00: b"), 400, "field-name"},
	"NUL in the target":        {"GET /\x00 HTTP/1.1\r\nHost: h\r\n\r\n", 400, "request-line"},
	"two spaces":               {"GET  /p HTTP/1.1\r\nHost: h\r\n\r\n", 400, "request-line"},
	"space in the target":      {"GET /a b HTTP/1.1\r\nHost: h\r\n\r\n", 400, "request-line"},
	"rootless target":          {"GET http:foo HTTP/1.1\r\nHost: h\r\n\r\n", 400, "target"},
	"other scheme":             {"GET mailto:a HTTP/1.1\r\nHost: h\r\n\r\n", 400, "target"},
	"no slash":                 {"GET foo HTTP/1.1\r\nHost: h\r\n\r\n", 400, "target"},
	"address without a host":   {"GET http:///p HTTP/1.1\r\nHost: h\r\n\r\n", 400, "target"},
	"star for GET":             {"GET * HTTP/1.1\r\nHost: h\r\n\r\n", 400, "target"},
	"percent without digits":   {"GET /a%2fb%z HTTP/1.1\r\nHost: h\r\n\r\n", 400, "target"},
	"percent at the end":       {"GET /a%2 HTTP/1.1\r\nHost: h\r\n\r\n", 400, "target"},
	"space in Host":            {"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400, "host-name"},
	"user and path in Host":    {"GET / HTTP/1.1\r\nHost: u@h/p\r\n\r\n", 400, "host-name"},
	"unknown expectation":      {post("Expect: wonders", "Content-Length: 5"), 417, "expectation"},
	"no version":               {"GET /p\r\nHost: h\r\n\r\n", 400, "request-line"},
	"empty line first":         {"\r\nGET /p HTTP/1.1\r\nHost: h\r\n\r\n", 400, "request-line"},
	"space first":              {" GET /p HTTP/1.1\r\nHost: h\r\n\r\n", 400, "request-line"},
	"TLS":                      {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400, "request-line"},
	"HTTP/2, nearly":           {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\r", 505, "version"},
	"HTTP/2, later": {"GET /p HTTP/1.0\r\nConnection: keep-alive\r\nExpect: x\r\n\r\n" +
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 417, "expectation"},
	"the stand-in": {standIn, 505, "version"},
	"two hosts":    {"GET /p HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n", 400, "host"},
	"no host":      {"GET /p HTTP/1.1\r\n\r\n", 400, "host"},
}

func TestF155DoubtfulRequestsAreRefused(t *testing.T) {
	for name, tc := range doubtfuls {
		t.Run(name, func(t *testing.T) {
			s := serve(t, limits(), nil)
			got, ended := s.talk(t, tc.request, 1)
			if len(got) != 1 || !ended {
				t.Fatalf("got %v, ended %v; want one answer and the end", got, ended)
			}
			if got[0].status != tc.status || strings.TrimSpace(got[0].body) != tc.rule {
				t.Errorf("got %d %q, want %d %q", got[0].status, got[0].body, tc.status, tc.rule)
			}
			if n := s.handled.Load(); n != 0 {
				t.Errorf("the handler saw %d requests", n)
			}
		})
	}
}
