package proxy

import (
	"strings"
	"testing"
)

func TestF155DoubtfulRequestsReachNobody(t *testing.T) {
	b := scripted(t, always("HTTP/1.1 200 OK", "Content-Length: 2", "", "ok"))
	u := start(t, policy(b.url()))
	coding := func(te string) []string {
		return []string{"Content-Length: 5", "Transfer-Encoding: " + te}
	}
	for name, fields := range map[string][]string{
		"chunked":       coding("chunked"),
		"comma":         coding("chunked,"),
		"then gzip":     coding("chunked, gzip"),
		"gzip first":    coding("gzip, chunked"),
		"xchunked":      coding("xchunked"),
		"vertical tab":  coding("chunked\x0b"),
		"identity":      coding("identity"),
		"two codings":   {"Transfer-Encoding: chunked", "Transfer-Encoding: chunked"},
		"two lengths":   {"Content-Length: 5", "Content-Length: 6"},
		"plus":          {"Content-Length: +5"},
		"two numbers":   {"Content-Length: 5 5"},
		"hexadecimal":   {"Content-Length: 0x5"},
		"bare LF":       {"Content-Length: 5\nX: y"},
		"space":         {"Content-Length : 5"},
		"folded length": {"Content-Length:", " 5"},
	} {
		t.Run(name, func(t *testing.T) {
			c := u.dial()
			c.send("POST / HTTP/1.1", "Host: h", strings.Join(fields, "\r\n"), "", "hello")
			resp, body, err := c.answer("POST")
			if err != nil || resp.StatusCode != 400 || !resp.Close {
				t.Errorf("got %v %q, %v; want 400 and the end of the connection", resp, body, err)
			}
			status := resp.Header.Get("Proxy-Status")
			if !strings.HasPrefix(status, "seakeep; error=http_request_error; status-code=400; details=") {
				t.Errorf("Proxy-Status is %q", status)
			}
			if rest := c.rest(); rest != "" {
				t.Errorf("after the answer: %q", rest)
			}
		})
	}
	if n := b.bytes.Load(); n != 0 {
		t.Errorf("the dependency got %d bytes", n)
	}
}

func TestF155EqualLengthsAreForwardedAsOne(t *testing.T) {
	seen := make(chan []string, 1)
	b := recording(t, seen)
	u := start(t, policy(b.url()))
	c := u.dial()
	c.send("POST / HTTP/1.1", "Host: h", "Content-Length: 5", "Content-Length: 5", "", "hello")
	if resp, _, _ := c.answer("POST"); resp.StatusCode != 200 {
		t.Fatalf("status %d", resp.StatusCode)
	}
	n := 0
	for _, line := range <-seen {
		if strings.HasPrefix(strings.ToLower(line), "content-length:") {
			n++
		}
	}
	if n != 1 {
		t.Errorf("the dependency got %d lengths, want 1", n)
	}
}

func TestF163RequestHeadTooLarge(t *testing.T) {
	b := scripted(t, always("HTTP/1.1 200 OK", "Content-Length: 2", "", "ok"))
	u := startWith(t, policy(b.url()), Options{MaxHead: 16384})
	head := func(size int) string {
		const before, after = "GET / HTTP/1.1\r\nHost: h\r\nCookie: ", "\r\n\r\n"
		return before + strings.Repeat("x", size-len(before)-len(after)) + after
	}
	c := u.dial()
	c.send(head(16385))
	if resp, _, _ := c.answer("GET"); resp.StatusCode != 431 {
		t.Errorf("above the limit: status %d", resp.StatusCode)
	}
	if n := b.bytes.Load(); n != 0 {
		t.Errorf("the dependency got %d bytes", n)
	}
	c = u.dial()
	c.send(head(16384))
	if resp, _, _ := c.answer("GET"); resp.StatusCode != 200 {
		t.Errorf("at the limit: status %d", resp.StatusCode)
	}
}

func TestF163AnswerHeadTooLarge(t *testing.T) {
	b := scripted(t, always("HTTP/1.1 200 OK", "X: "+strings.Repeat("x", 100_000),
		"Content-Length: 0", "", ""))
	u := start(t, policy(b.url(), "retry: {attempts: 3, backoff: {base: 1ms}, budget: none}"))
	resp, body := u.get("/")
	if resp.StatusCode != 502 || !strings.Contains(resp.Header.Get("Proxy-Status"),
		"error=http_response_header_section_size") || !strings.Contains(body, `"attempts":1`) {
		t.Errorf("got %d %q %s", resp.StatusCode, resp.Header.Get("Proxy-Status"), body)
	}
}

func TestConnectIsRefused(t *testing.T) {
	b := scripted(t, always("HTTP/1.1 200 OK", "Content-Length: 0", "", ""))
	u := start(t, policy(b.url()))
	c := u.dial()
	c.send("CONNECT example.com:443 HTTP/1.1", "Host: example.com:443", "", "")
	if resp, _, _ := c.answer("CONNECT"); resp.StatusCode != 501 {
		t.Errorf("status %d", resp.StatusCode)
	}
	if n := b.bytes.Load(); n != 0 {
		t.Errorf("the dependency got %d bytes", n)
	}
}

func TestRequestTargets(t *testing.T) {
	seen := make(chan []string, 1)
	b := recording(t, seen)
	u := start(t, policy(b.url()))
	for _, tc := range []struct{ request, line, host string }{
		{"GET http://other.example/abs?q=1 HTTP/1.1", "GET /abs?q=1 HTTP/1.1", "Host: other.example"},
		{"OPTIONS * HTTP/1.1", "OPTIONS * HTTP/1.1", "Host: h"},
		{"GET //double/a%2Fb HTTP/1.1", "GET //double/a%2Fb HTTP/1.1", "Host: h"},
		{"GET /?a;b&c=%zz HTTP/1.1", "GET /?a;b&c=%zz HTTP/1.1", "Host: h"},
		{"QUERY /x HTTP/1.1", "QUERY /x HTTP/1.1", "Host: h"},
	} {
		c := u.dial()
		c.send(tc.request, "Host: h", "", "")
		if resp, _, _ := c.answer("GET"); resp.StatusCode != 200 {
			t.Errorf("%s: status %d", tc.request, resp.StatusCode)
			continue
		}
		if got := <-seen; got[0] != tc.line || got[1] != tc.host {
			t.Errorf("%s: forwarded %q", tc.request, got)
		}
	}
}
