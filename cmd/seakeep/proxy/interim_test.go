package proxy

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"testing"
)

func TestF152InterimAnswers(t *testing.T) {
	b := scripted(t, always(
		"HTTP/1.1 103 Early Hints", "Link: a", "Connection: X-N", "X-N: 1", "",
		"HTTP/1.1 103 Early Hints", "Link: b", "",
		"HTTP/1.1 200 OK", "X: 1", "Content-Length: 2", "", "ok"))
	far := start(t, policy(b.url()))
	near := start(t, policy("http://"+far.Addr("dep").String()))
	for name, u := range map[string]*under{"one": far, "two in a row": near} {
		t.Run(name, func(t *testing.T) {
			var hints []string
			req, _ := http.NewRequest("GET", u.url("dep", "/"), nil)
			req = req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
				Got1xxResponse: func(code int, h textproto.MIMEHeader) error {
					if code != 103 || h.Get("X-N") != "" || h.Get("Via") != "" {
						t.Errorf("interim answer %d with %v", code, h)
					}
					hints = append(hints, h.Get("Link"))
					return nil
				},
			}))
			resp, body := u.send(req)
			if strings.Join(hints, " ") != "a b" {
				t.Errorf("interim answers %q, want a and b", hints)
			}
			if resp.StatusCode != 200 || body != "ok" || resp.Header.Get("X") != "1" ||
				resp.Header.Get("Link") != "" {
				t.Errorf("the answer is %d %q with %v", resp.StatusCode, body, resp.Header)
			}
		})
	}
}

func TestF152InterimAnswersBeforeARetry(t *testing.T) {
	turn := 0
	b := scripted(t, func(c net.Conn, br *bufio.Reader) {
		for {
			if _, err := http.ReadRequest(br); err != nil {
				return
			}
			if turn++; turn == 1 {
				_, _ = io.WriteString(c, "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"+
					"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n")
				continue
			}
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		}
	})
	u := start(t, policy(b.url(), "retry: {attempts: 2, backoff: {base: 1ms}, budget: none}"))
	c := u.dial()
	c.send("GET / HTTP/1.1", "Host: h", "", "")
	if resp, _, _ := c.answer("GET"); resp.StatusCode != 103 {
		t.Errorf("first comes %d", resp.StatusCode)
	}
	if resp, body, _ := c.answer("GET"); resp.StatusCode != 200 || body != "ok" {
		t.Errorf("then comes %d %q", resp.StatusCode, body)
	}
}

func TestInterimAnswersAreNotForHTTP10(t *testing.T) {
	b := scripted(t, always("HTTP/1.1 103 Early Hints", "Link: a", "",
		"HTTP/1.1 200 OK", "Content-Length: 2", "", "ok"))
	u := start(t, policy(b.url()))
	c := u.dial()
	c.send("GET / HTTP/1.0", "", "")
	if resp, body, _ := c.answer("GET"); resp.StatusCode != 200 || body != "ok" {
		t.Errorf("got %d %q", resp.StatusCode, body)
	}
}

func TestEndlessInterimAnswers(t *testing.T) {
	b := scripted(t, func(c net.Conn, br *bufio.Reader) {
		if _, err := http.ReadRequest(br); err != nil {
			return
		}
		for {
			if _, err := io.WriteString(c, "HTTP/1.1 102 Processing\r\n\r\n"); err != nil {
				return
			}
		}
	})
	u := start(t, policy(b.url()))
	resp, body := u.get("/")
	if resp.StatusCode != 502 || !strings.Contains(body, "interim") {
		t.Errorf("got %d %s", resp.StatusCode, body)
	}
}

func TestF153RefusedBeforeTheBodyIsAskedFor(t *testing.T) {
	b := scripted(t, always("HTTP/1.1 200 OK", "Content-Length: 0", "", ""))
	u := start(t, policy(b.url(), breakerOf5, "retry: {attempts: 3}"))
	u.open()
	c := u.dial()
	c.send("POST / HTTP/1.1", "Host: h", "Content-Length: 10", "Expect: 100-continue", "", "")
	resp, _, _ := c.answer("POST")
	if resp.StatusCode != 503 || !resp.Close {
		t.Errorf("got %d, close %v; want 503 and the end", resp.StatusCode, resp.Close)
	}
	if rest := c.rest(); rest != "" {
		t.Errorf("after the answer: %q", rest)
	}
	if n := b.bytes.Load(); n != 0 {
		t.Errorf("the dependency got %d bytes", n)
	}
}

func TestF153BodyIsAskedFor(t *testing.T) {
	got := make(chan string, 1)
	backend := web(t, func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- string(body)
	})
	silent := scripted(t, func(c net.Conn, br *bufio.Reader) { // never says 100
		r, err := http.ReadRequest(br)
		if err != nil {
			return
		}
		body, _ := io.ReadAll(r.Body)
		got <- string(body)
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
	})
	for name, endpoint := range map[string]string{"willing": backend, "silent": silent.url()} {
		t.Run(name, func(t *testing.T) {
			u := start(t, policy(endpoint, breakerOf5, "retry: {attempts: 3}"))
			c := u.dial()
			c.send("POST / HTTP/1.1", "Host: h", "Content-Length: 10", "Expect: 100-continue", "", "")
			if resp, _, _ := c.answer("POST"); resp.StatusCode != 100 {
				t.Fatalf("got %d, want 100", resp.StatusCode)
			}
			c.send("0123456789")
			if body := <-got; body != "0123456789" {
				t.Errorf("the dependency got %q", body)
			}
			if resp, _, _ := c.answer("POST"); resp.StatusCode != 200 {
				t.Errorf("got %d", resp.StatusCode)
			}
		})
	}
}

// TestF153FinalAnswerInsteadOf100: the dependency does not want the body.
func TestF153FinalAnswerInsteadOf100(t *testing.T) {
	b := scripted(t, func(c net.Conn, br *bufio.Reader) {
		if _, err := http.ReadRequest(br); err != nil {
			return
		}
		_, _ = io.WriteString(c, "HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
	})
	u := start(t, policy(b.url()))
	c := u.dial()
	c.send("POST / HTTP/1.1", "Host: h", "Content-Length: 10", "Expect: 100-continue", "", "")
	resp, _, _ := c.answer("POST")
	if resp.StatusCode != 413 || !resp.Close {
		t.Errorf("got %d, close %v; want 413 and the end", resp.StatusCode, resp.Close)
	}
	if rest := c.rest(); rest != "" {
		t.Errorf("after the answer: %q", rest)
	}
}
