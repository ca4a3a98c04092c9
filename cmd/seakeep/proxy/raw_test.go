package proxy

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// raw is a connection on which every byte is the test's own.
type raw struct {
	net.Conn
	t  *testing.T
	br *bufio.Reader
}

func (u *under) dial() *raw {
	u.t.Helper()
	c, err := net.Dial("tcp", u.Addr("dep").String())
	if err != nil {
		u.t.Fatal(err)
	}
	u.t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(patience))
	return &raw{c, u.t, bufio.NewReader(c)}
}

func (r *raw) send(lines ...string) {
	r.t.Helper()
	if _, err := io.WriteString(r, strings.Join(lines, "\r\n")); err != nil {
		r.t.Fatal(err)
	}
}

// answer reads one answer, to a request of that method.
func (r *raw) answer(method string) (*http.Response, string, error) {
	r.t.Helper()
	resp, err := http.ReadResponse(r.br, &http.Request{Method: method})
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp, string(body), err
}

// rest reads what is left until the connection ends.
func (r *raw) rest() string {
	r.t.Helper()
	text, err := io.ReadAll(r.br)
	if e, ok := err.(net.Error); ok && e.Timeout() {
		r.t.Fatalf("the connection does not end; so far %q", text)
	}
	return string(text)
}
