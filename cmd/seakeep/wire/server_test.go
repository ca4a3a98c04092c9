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
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	s.Server = &http.Server{
		Protocols:                    protocols,
		ConnContext:                  ConnContext,
		DisableGeneralOptionsHandler: true,
		MaxHeaderBytes:               2 * limits.Head,
		IdleTimeout:                  time.Minute,
		ReadHeaderTimeout:            limits.HeadTime,
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
