package proxy

import (
	"compress/gzip"
	"io"
	"strings"
	"testing"
)

func TestF156AnswersWithoutABody(t *testing.T) {
	for name, tc := range map[string]struct {
		method, answer string
		check          map[string]string
	}{
		"304": {"GET", "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n",
			map[string]string{"Transfer-Encoding": "", "Content-Length": "", "Etag": `"a"`}},
		"HEAD": {"HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n",
			map[string]string{"Content-Length": "1234"}},
		"HEAD, no length": {"HEAD", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
			map[string]string{"Content-Length": ""}},
		"204 and gzip": {"GET", "HTTP/1.1 204 No Content\r\nContent-Encoding: gzip\r\n\r\n",
			map[string]string{"Content-Encoding": "gzip", "Content-Length": "", "Transfer-Encoding": ""}},
		"HEAD and gzip": {"HEAD", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 9\r\n\r\n",
			map[string]string{"Content-Encoding": "gzip", "Content-Length": "9"}},
		"empty": {"GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
			map[string]string{"Content-Length": "0"}},
	} {
		t.Run(name, func(t *testing.T) {
			u := start(t, policy(scripted(t, always(tc.answer)).url()))
			c := u.dial()
			for range 2 { // the second shows that the first has ended
				c.send(tc.method+" / HTTP/1.1", "Host: h", "", "")
				resp, body, err := c.answer(tc.method)
				if err != nil || body != "" || len(resp.TransferEncoding) > 0 {
					t.Fatalf("got body %q, coding %v, %v", body, resp.TransferEncoding, err)
				}
				for name, want := range tc.check {
					if got := resp.Header.Get(name); got != want {
						t.Errorf("%s is %q, want %q", name, got, want)
					}
				}
				if !strings.HasPrefix(tc.answer, resp.Proto+" "+resp.Status[:3]) {
					t.Errorf("status %s", resp.Status)
				}
			}
		})
	}
}

func zipped(text string) string {
	var b strings.Builder
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, text)
	_ = z.Close()
	return b.String()
}

func TestF157UntouchedBodiesKeepEverything(t *testing.T) {
	body := zipped(strings.Repeat("abc", 500))
	u := start(t, policy(scripted(t, always("HTTP/1.1 200 OK", "Content-Encoding: gzip",
		`ETag: "x"`, "Content-Length: "+itoa(len(body)), "", body)).url()))
	resp, got := u.get("/")
	if got != body || resp.ContentLength != int64(len(body)) ||
		resp.Header.Get("Content-Encoding") != "gzip" || resp.Header.Get("ETag") != `"x"` {
		t.Errorf("%d bytes with %v, want the %d that were sent", len(got), resp.Header, len(body))
	}
}

func TestF157ReplacedBodiesKeepNothing(t *testing.T) {
	body := zipped(strings.Repeat("abc", 500))
	u := start(t, policy(scripted(t, always("HTTP/1.1 500 No", "Content-Encoding: gzip",
		`ETag: "x"`, "Content-MD5: x", "Content-Length: "+itoa(len(body)), "", body)).url(),
		"fallback: [{static: {status: 200, body: hi}}]"))
	resp, got := u.get("/")
	if resp.StatusCode != 200 || got != "hi" || resp.ContentLength != 2 {
		t.Errorf("got %d %q of length %d", resp.StatusCode, got, resp.ContentLength)
	}
	for _, name := range []string{"Content-Encoding", "Etag", "Content-Md5"} {
		if resp.Header[name] != nil {
			t.Errorf("%s is %q", name, resp.Header[name])
		}
	}
	if got := resp.Header.Get("X-Seakeep-Fallback"); got != "static" {
		t.Errorf("X-Seakeep-Fallback is %q", got)
	}
	if got := resp.Header.Get("Proxy-Status"); !strings.Contains(got, "fallback=static") {
		t.Errorf("Proxy-Status is %q", got)
	}
}
