package wire

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestBadRequestBehindAGoodOne: the refusal must come after the answer to the
// request before it, although it is known while that one is handled.
func TestBadRequestBehindAGoodOne(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	s := serve(t, limits(), func(w http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-release
		echo(w, r)
	})
	c := s.dial(t)
	_, _ = io.WriteString(c, "GET /good HTTP/1.1\r\nHost: h\r\n\r\nGET /bad HTTP/1.1\r\nHost : h\r\n\r\n")
	<-arrived
	_ = c.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	if n, err := c.Read(make([]byte, 1)); n != 0 || errTimeout(err) == nil {
		t.Fatalf("read %d, %v while the first request is handled", n, err)
	}
	close(release)
	_ = c.SetReadDeadline(time.Now().Add(patience))
	br := bufio.NewReader(c)
	for i, want := range []int{200, 400} {
		resp, err := http.ReadResponse(br, nil)
		if err != nil {
			t.Fatalf("answer %d: %v", i, err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		if resp.StatusCode != want {
			t.Errorf("answer %d is %d, want %d", i, resp.StatusCode, want)
		}
	}
	if _, err := br.ReadByte(); err != io.EOF {
		t.Errorf("after the refusal: %v, want the end", err)
	}
	if n := s.handled.Load(); n != 1 {
		t.Errorf("%d requests were handled, want 1", n)
	}
}

func errTimeout(err error) error {
	if e, ok := err.(net.Error); ok && e.Timeout() {
		return err
	}
	return nil
}

func TestDoubtWithinABodyEndsIt(t *testing.T) {
	const head = "POST /p HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
	for name, body := range map[string]string{
		"bare LF after the size": "5\nhello\r\n0\r\n\r\n",
		"bare LF after the data": "5\r\nhello\n0\r\n\r\n",
		"no size":                "\r\nhello",
		"not a number":           "x\r\nhello",
		"sign":                   "+5\r\nhello\r\n0\r\n\r\n",
		"prefix":                 "0x5\r\nhello\r\n0\r\n\r\n",
		"space":                  "5 \r\nhello\r\n0\r\n\r\n",
		"too long":               "5\r\nhello!\r\n0\r\n\r\n",
		"huge":                   "8000000000000000\r\nhello",
		"control in extension":   "5;\x01\r\nhello\r\n0\r\n\r\n",
		"endless extension":      "5;" + strings.Repeat("x", 2000),
		"folded trailer":         "0\r\nA: b\r\n c\r\n\r\n",
		"bad trailer":            "0\r\nA : b\r\n\r\n",
		"endless trailer":        "0\r\n" + strings.Repeat("A: bcdefgh\r\n", 400) + "\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, limits(), nil)
			got, ended := s.talk(t, head+body+"GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n", 2)
			if len(got) != 1 || got[0].status != 400 || !ended {
				t.Errorf("got %v, ended %v; want one 400 and the end", got, ended)
			}
		})
	}
}

func TestBodyErrorIsTheRefusal(t *testing.T) {
	errs := make(chan error, 1)
	s := serve(t, limits(), func(w http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body)
		errs <- err
	})
	s.talk(t, "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 1)
	var r *Refusal
	if err := <-errs; !errors.As(err, &r) || r.Rule != "chunk" {
		t.Errorf("the body ends with %v", err)
	}
}

func TestF163HeadLimit(t *testing.T) {
	request := func(size int) string {
		const before, after = "GET / HTTP/1.1\r\nHost: h\r\nX: ", "\r\n\r\n"
		return before + strings.Repeat("x", size-len(before)-len(after)) + after
	}
	for _, tc := range []struct {
		name, request string
		status        int
	}{
		{"at the limit", request(16384), 200},
		{"above it", request(16385), 431},
		{"far above it", request(1 << 20), 431},
		{"without an end", strings.TrimSpace(request(20000)), 431},
		{"target", "GET /" + strings.Repeat("x", 20000) + " HTTP/1.1\r\n", 414},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := serve(t, limits(), nil)
			c := s.dial(t)
			go func() { _, _ = io.WriteString(c, tc.request) }()
			resp, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Fatal(err)
			}
			if resp.StatusCode != tc.status {
				t.Errorf("status %d, want %d", resp.StatusCode, tc.status)
			}
		})
	}
}

// TestSlowHeads: the time for a head counts from its first byte, also for the
// second request of a connection, which net/http does not see begin.
func TestSlowHeads(t *testing.T) {
	l := limits()
	l.HeadTime = 50 * time.Millisecond
	s := serve(t, l, nil)
	for name, pieces := range map[string][2]string{
		"after the answer":  {"GET /1 HTTP/1.1\r\nHost: h\r\n\r\n", "GET /2 HT"},
		"before the answer": {"GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HT", ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := s.dial(t)
			_, _ = io.WriteString(c, pieces[0])
			br := bufio.NewReader(c)
			resp, err := http.ReadResponse(br, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_, _ = io.WriteString(c, pieces[1])
			if b, err := br.ReadByte(); err != io.EOF {
				t.Errorf("read %q, %v; want the end long before the idle timeout", b, err)
			}
		})
	}
}

// TestRefusalCanBeRead: the client is still sending when the connection is
// closed, and must be able to read why.
func TestRefusalCanBeRead(t *testing.T) {
	s := serve(t, limits(), nil)
	c := s.dial(t)
	for range 10 {
		_, err := io.WriteString(c, "POST / HTTP/1.1\r\nHost : h\r\nContent-Length: 100000\r\n\r\n"+
			strings.Repeat("x", 10_000))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond) // as a network would have it
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil || resp.StatusCode != 400 {
		t.Errorf("got %v, %v", resp, err)
	}
}

// TestSlowHeadDoesNotDisturb: a head that comes in pieces while the request
// before it is handled must not cancel that one.
func TestSlowHeadDoesNotDisturb(t *testing.T) {
	l := limits()
	l.HeadTime = 10 * time.Millisecond
	release := make(chan struct{})
	s := serve(t, l, func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
			t.Error("the request was cancelled")
		case <-release:
		}
		echo(w, r)
	})
	c := s.dial(t)
	_, _ = io.WriteString(c, "GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HT")
	time.AfterFunc(100*time.Millisecond, func() { // ten times the head's time
		close(release)
		_, _ = io.WriteString(c, "TP/1.1\r\nHost: h\r\n\r\n")
	})
	br := bufio.NewReader(c)
	for _, want := range []string{"GET /1 []", "GET /2 []"} {
		resp, err := http.ReadResponse(br, nil)
		if err != nil {
			t.Fatal(err)
		}
		if body, _ := io.ReadAll(resp.Body); string(body) != want {
			t.Errorf("got %q, want %q", body, want)
		}
	}
}

func TestConnectionsAreBounded(t *testing.T) {
	l := limits()
	l.Conns = 1
	s := serve(t, l, nil)
	first := s.dial(t)
	_, _ = io.WriteString(first, "GET /1 HTTP/1.1\r\nHost: h\r\n\r\n")
	if _, err := first.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	second := s.dial(t)
	_, _ = io.WriteString(second, "GET /2 HTTP/1.1\r\nHost: h\r\n\r\n")
	_ = second.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	if n, err := second.Read(make([]byte, 1)); n != 0 || errTimeout(err) == nil {
		t.Fatalf("read %d, %v; want nothing while the first is open", n, err)
	}
	_ = first.Close()
	_ = second.SetReadDeadline(time.Now().Add(patience))
	if _, err := second.Read(make([]byte, 1)); err != nil {
		t.Errorf("after the first has gone: %v", err)
	}
}

// TestResetIsOne: a connection that is to end with a reset does, also if its client
// has sent more than was read.
func TestResetIsOne(t *testing.T) {
	for _, more := range []string{"", "GET /2 HT"} {
		s := serve(t, limits(), func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "not all of it")
			_ = http.NewResponseController(w).Flush()
			Reset(r)
			panic(http.ErrAbortHandler)
		})
		c := s.dial(t)
		_, _ = io.WriteString(c, "GET / HTTP/1.0\r\n\r\n"+more)
		if all, err := io.ReadAll(c); err == nil {
			t.Errorf("with %q behind it: %q, and an end in good order", more, all)
		}
	}
}

// TestNothingIsReadBehindTheEnd: a request that comes while the end of a connection
// lingers is nobody's: its answer could not be sent.
func TestNothingIsReadBehindTheEnd(t *testing.T) {
	s := serve(t, limits(), nil)
	c := s.dial(t)
	br := bufio.NewReader(c)
	_, _ = io.WriteString(c, "GET /1 HTTP/1.1\r\nHost: h\r\n\r\n")
	resp, err := http.ReadResponse(br, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(c, "GET /2 HTTP/1.1\r\nHost: h\r\n\r\n")
	if rest, err := io.ReadAll(br); err != nil || len(rest) > 0 {
		t.Errorf("%q, %v; want the end", rest, err)
	}
	until(t, func() bool { return s.listener.Open() == 0 })
	if n := s.handled.Load(); n != 1 {
		t.Errorf("%d requests were handled", n)
	}
}
