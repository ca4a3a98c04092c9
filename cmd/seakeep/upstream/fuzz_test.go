package upstream

import (
	"bufio"
	"bytes"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// told is a connection that has said all that it will.
type told struct {
	net.Conn
	r     io.Reader
	piece int
}

func (c *told) Read(p []byte) (int, error) {
	if c.piece > 0 && len(p) > c.piece {
		p = p[:c.piece]
	}
	return c.r.Read(p)
}
func (c *told) Write(p []byte) (int, error)      { return len(p), nil }
func (c *told) Close() error                     { return nil }
func (c *told) SetDeadline(time.Time) error      { return nil }
func (c *told) SetReadDeadline(time.Time) error  { return nil }
func (c *told) SetWriteDeadline(time.Time) error { return nil }

// readOne reads an answer from text, which comes in pieces of so many bytes.
func readOne(t testing.TB, method string, text []byte, piece int) (*http.Response, []byte, error) {
	p, err := New(Options{}, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	h := p.host("x")
	h.open++
	req, _ := http.NewRequest(method, "http://x/", nil)
	x := &exchange{req: req, ctx: t.Context()}
	x.c = newConn(&told{r: bytes.NewReader(text), piece: piece}, h)
	x.c.watch.begin(x.ctx, time.Now(), 0)
	resp, err := x.answer()
	if err != nil {
		return nil, nil, err
	}
	body, err := io.ReadAll(struct{ io.Reader }{resp.Body})
	_ = resp.Body.Close()
	p.CloseIdleConnections()
	return resp, body, err
}

// FuzzAnswer: whatever is accepted here net/http reads in the same way, however
// it comes in pieces. What only net/http accepts is of no interest: less is safer.
func FuzzAnswer(f *testing.F) {
	for _, r := range rows {
		f.Add(strings.Replace(r.answer, strings.Repeat("a", 1000), "a", 1), r.method == "HEAD", uint8(3))
	}
	f.Fuzz(func(t *testing.T, answer string, isHead bool, piece uint8) {
		method := "GET"
		if isHead {
			method = "HEAD"
		}
		resp, body, err := readOne(t, method, []byte(answer), int(piece))
		again, bodyAgain, errAgain := readOne(t, method, []byte(answer), 0)
		if (err == nil) != (errAgain == nil) || !bytes.Equal(body, bodyAgain) || (resp == nil) != (again == nil) {
			t.Fatalf("in pieces %q, %v; whole %q, %v", body, err, bodyAgain, errAgain)
		}
		if err != nil || resp.StatusCode == 101 {
			return
		}
		br := bufio.NewReader(strings.NewReader(answer))
		var want *http.Response
		for {
			want, err = http.ReadResponse(br, &http.Request{Method: method})
			if err != nil {
				t.Fatalf("net/http says %v, here %d %q", err, resp.StatusCode, body)
			}
			if want.StatusCode >= 200 {
				break
			}
		}
		wantBody, err := io.ReadAll(want.Body)
		if err != nil || !bytes.Equal(body, wantBody) || want.StatusCode != resp.StatusCode ||
			want.ContentLength != resp.ContentLength {
			t.Fatalf("net/http %d, %d, %q, %v; here %d, %d, %q", want.StatusCode, want.ContentLength, wantBody, err,
				resp.StatusCode, resp.ContentLength, body)
		}
		delete(want.Header, "Connection")
		delete(resp.Header, "Connection")
		if !maps.EqualFunc(want.Header, resp.Header, slices.Equal) {
			t.Fatalf("net/http %q, here %q", want.Header, resp.Header)
		}
	})
}
