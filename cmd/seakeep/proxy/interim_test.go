package proxy

import (
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
