package wire

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const patience = 5 * time.Second

// server is an http.Server behind a Listener on a real socket.
type server struct {
	*http.Server
	listener *Listener
	handled  atomic.Int32 // requests that reached the handler
}

// serve starts a server that answers with what it read: method, target, body.
func serve(t *testing.T, limits Limits, handler http.HandlerFunc) *server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{listener: Listen(l, limits)}
	if handler == nil {
		handler = echo
	}
	refuse := func(w http.ResponseWriter, _ *http.Request, r *Refusal) {
		http.Error(w, r.Rule, r.Status)
	}
	s.Server = &http.Server{
		ConnContext:                  ConnContext,
		DisableGeneralOptionsHandler: true,
		MaxHeaderBytes:               limits.Head,
		IdleTimeout:                  time.Minute,
		Handler: Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s.handled.Add(1)
			handler(w, r)
		}), refuse),
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(s.listener)
	}()
	t.Cleanup(func() {
		_ = s.Server.Close()
		<-done
	})
	return s
}

func echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.Header().Set("Connection", "close")
		http.Error(w, "body: "+err.Error(), http.StatusBadRequest)
		return
	}
	fmt.Fprintf(w, "%s %s [%s]", r.Method, r.RequestURI, body)
}

func limits() Limits { return Limits{Head: 16384, Conns: 100} }

func (s *server) dial(t *testing.T) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", s.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	_ = c.SetDeadline(time.Now().Add(patience))
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// answer is one answer as a client reads it.
type answer struct {
	status int
	body   string
	closed bool
}

// talk sends text and reads answers until the connection ends, or as many as
// asked.
func (s *server) talk(t *testing.T, text string, answers int) (got []answer, ended bool) {
	t.Helper()
	c := s.dial(t)
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	br := bufio.NewReader(c)
	for range answers {
		resp, err := http.ReadResponse(br, nil)
		if err != nil {
			return got, true
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatalf("the answer's body: %v", err)
		}
		got = append(got, answer{resp.StatusCode, string(body), resp.Close})
	}
	if len(got) > 0 && got[len(got)-1].closed {
		_, err := br.ReadByte()
		return got, err == io.EOF
	}
	return got, false
}

func crlf(lines ...string) string { return strings.Join(lines, "\r\n") + "\r\n" }

func TestF155DoubtfulRequestsAreRefused(t *testing.T) {
	post := func(lines ...string) string {
		return crlf(append([]string{"POST /p HTTP/1.1", "Host: h"}, lines...)...) + "\r\nhello"
	}
	coding := func(te string) string { return post("Content-Length: 5", "Transfer-Encoding: "+te) }
	alone := func(te string) string { return post("Transfer-Encoding: " + te) }
	for name, tc := range map[string]struct {
		request string
		status  int
		rule    string
	}{
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
		"no version":               {"GET /p\r\nHost: h\r\n\r\n", 400, "request-line"},
		"empty line first":         {"\r\nGET /p HTTP/1.1\r\nHost: h\r\n\r\n", 400, "request-line"},
		"space first":              {" GET /p HTTP/1.1\r\nHost: h\r\n\r\n", 400, "request-line"},
		"TLS":                      {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400, "request-line"},
		"HTTP/2":                   {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, "version"},
		"the stand-in":             {standIn, 505, "version"},
		"two hosts":                {"GET /p HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n", 400, "host"},
		"no host":                  {"GET /p HTTP/1.1\r\n\r\n", 400, "host"},
	} {
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

func TestF155EqualLengthsAreOne(t *testing.T) {
	s := serve(t, limits(), nil)
	got, _ := s.talk(t, "POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nContent-Length:  5 \r\n\r\nhello", 1)
	if len(got) != 1 || got[0].body != "POST /p [hello]" {
		t.Errorf("got %v", got)
	}
}

func TestRequestsPassUnchanged(t *testing.T) {
	s := serve(t, limits(), nil)
	requests := crlf("GET /a HTTP/1.1", "Host: h", "") +
		crlf("POST /b HTTP/1.1", "Host: h", "content-length: 3", "") + "b\n\x00" +
		crlf("POST /c?x=%20 HTTP/1.1", "Host: h", "Transfer-Encoding: Chunked", "",
			"3;ext=\"v\"", "abc", "00A", "0123456789", "0", "X-Sum: 1", "") +
		crlf("OPTIONS * HTTP/1.1", "Host: h", "X-Empty:", "X-Latin: \xe9\t!", "") +
		crlf("GET http://h/abs HTTP/1.1", "Host: h", "Connection: close", "")
	want := []string{"GET /a []", "POST /b [b\n\x00]", "POST /c?x=%20 [abc0123456789]",
		"OPTIONS * []", "GET http://h/abs []"}
	got, ended := s.talk(t, requests, len(want))
	if len(got) != len(want) || !ended {
		t.Fatalf("got %d answers, ended %v: %v", len(got), ended, got)
	}
	for i := range want {
		if got[i].status != 200 || got[i].body != want[i] {
			t.Errorf("answer %d is %v, want %q", i, got[i], want[i])
		}
	}
}
