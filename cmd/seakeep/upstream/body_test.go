package upstream

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"testing"
	"time"
)

// TestClose: a body that is closed early costs its connection unless the rest has
// come already.
func TestClose(t *testing.T) {
	for name, tc := range map[string]struct {
		answer string
		kept   bool
	}{
		"short":          {okAnswer, true},
		"rest is here":   {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX: y\r\n\r\n", true},
		"rest is not":    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n", false},
		"long":           {"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nhello", false},
		"until the end":  {"HTTP/1.1 200 OK\r\n\r\nhello", false},
		"malformed rest": {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\nx\r\n\r\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, always(tc.answer))
			p := pool(t, Settings{})
			resp, err := p.RoundTrip(newRequest(t, "GET", s.url(), nil))
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := resp.Body.Close(); err != nil {
					t.Error(err)
				}
			}
			if _, err := resp.Body.Read(make([]byte, 1)); err != http.ErrBodyReadAfterClose {
				t.Errorf("read after the close: %v", err)
			}
			want := map[bool]int{true: 1}[tc.kept]
			if v := state(p); v.Open != want || v.Idle != want {
				t.Errorf("%+v", v)
			}
		})
	}
}

// TestCloseWhileReading: whoever reads is let go.
func TestCloseWhileReading(t *testing.T) {
	s := serve(t, always("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"))
	p := pool(t, Settings{})
	resp, err := p.RoundTrip(newRequest(t, "GET", s.url(), nil))
	if err != nil {
		t.Fatal(err)
	}
	end := make(chan error, 1)
	go func() {
		_, err := resp.Body.Read(make([]byte, 10))
		end <- err
	}()
	b := resp.Body.(*body)
	until(t, "the read", func() bool { b.mu.Lock(); defer b.mu.Unlock(); return b.reading })
	_ = resp.Body.Close()
	if err := <-end; err != http.ErrBodyReadAfterClose {
		t.Errorf("the read ends with %v", err)
	}
	until(t, "no connection", func() bool { return state(p).Open == 0 })
}

// TestContextEnds, wherever the exchange is.
func TestContextEnds(t *testing.T) {
	for name, answer := range map[string]string{
		"before the answer": "",
		"within the head":   "HTTP/1.1 200 OK\r\n",
		"within the body":   "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nhello",
		"within a chunk":    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n100\r\nhello",
		"without a length":  "HTTP/1.1 200 OK\r\n\r\nhello",
	} {
		for _, late := range []bool{false, true} { // than the first tick
			t.Run(fmt.Sprint(name, late), func(t *testing.T) {
				s := serve(t, always(answer))
				p := pool(t, Settings{})
				limit := time.Millisecond
				if late {
					limit = 3 * tick
				}
				began := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				defer cancel()
				resp, err := p.RoundTrip(newRequest(t, "GET", s.url(), nil).WithContext(ctx))
				if err == nil {
					_, err = io.ReadAll(resp.Body)
					_ = resp.Body.Close()
				}
				if !errors.Is(err, context.DeadlineExceeded) { // perhaps of opening the connection
					t.Errorf("the error is %v", err)
				}
				if took := time.Since(began); took < limit || took > limit+time.Second {
					t.Errorf("after %v", took)
				}
				if v := state(p); v.Open != 0 {
					t.Errorf("%+v", v)
				}
			})
		}
	}
}

// TestCancelled: it is noticed also while nothing comes.
func TestCancelled(t *testing.T) {
	s := serve(t, always(""))
	p := pool(t, Settings{})
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(2*tick, func() { cancel(errors.New("enough")) })
	_, err := p.RoundTrip(newRequest(t, "GET", s.url(), nil).WithContext(ctx))
	if err == nil || err.Error() != "enough" {
		t.Errorf("the error is %v", err)
	}
}

// TestSlowAnswerIsWhole: pieces that come later than the first tick, with a
// context that is moved on meanwhile, as an attempt's is when its answer begins.
func TestSlowAnswerIsWhole(t *testing.T) {
	s := serve(t, func(c net.Conn, br *bufio.Reader, _ int) {
		if _, _, ok := request(br); !ok {
			return
		}
		for _, part := range []string{"HTTP/1.1 200", " OK\r\nContent-Le", "ngth: 6\r\n", "\r\nabc", "def"} {
			time.Sleep(2 * tick)
			_, _ = io.WriteString(c, part)
		}
		_, _ = io.Copy(io.Discard, br)
	})
	p := pool(t, Settings{})
	if _, text := get(t, p, s.url()); text != "abcdef" {
		t.Errorf("got %q", text)
	}
	if v := state(p); v.Idle != 1 {
		t.Errorf("%+v", v)
	}
}

func TestInterimAnswers(t *testing.T) {
	answer := strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 2) + okAnswer
	s := serve(t, always(answer))
	many := serve(t, always(strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", maxInterim+1)+okAnswer))
	p := pool(t, Settings{})
	var links []string
	refuse := false
	trace := &httptrace.ClientTrace{Got1xxResponse: func(code int, h textproto.MIMEHeader) error {
		links = append(links, fmt.Sprint(code, h.Get("Link")))
		if refuse {
			return errors.New("no more")
		}
		return nil
	}}
	req := newRequest(t, "GET", s.url(), nil)
	req = req.WithContext(httptrace.WithClientTrace(req.Context(), trace))
	if _, text := send(t, p, req); text != "ok" || fmt.Sprint(links) != "[103</a> 103</a>]" {
		t.Errorf("got %q and %q", text, links)
	}
	refuse = true
	if _, err := p.RoundTrip(req); err == nil || err.Error() != "no more" {
		t.Errorf("the error is %v", err)
	}
	if _, err := p.RoundTrip(newRequest(t, "GET", many.url(), nil)); err != errManyInterm {
		t.Errorf("the error is %v", err)
	}
	if v := state(p); v.Open != 0 {
		t.Errorf("%+v", v)
	}
}

// TestHeadLimit: the limit is exact, and a head without an end costs no more.
func TestHeadLimit(t *testing.T) {
	head := func(size int) string {
		const around = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: \r\n\r\n"
		return "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: " + strings.Repeat("x", size-len(around)) + "\r\n\r\n"
	}
	for size, want := range map[int]bool{16384: true, 16385: false, 100000: false} {
		s := serve(t, always(head(size)))
		resp, err := pool(t, Settings{MaxHead: 16384}).RoundTrip(newRequest(t, "GET", s.url(), nil))
		var own *Error
		switch {
		case want && (err != nil || len(resp.Header.Get("X")) < 16000):
			t.Errorf("%d bytes: %v", size, err)
		case !want && (!errors.As(err, &own) || own.Kind != HeadTooLarge):
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// TestChunkWaste: extensions and tiny chunks are bounded.
func TestChunkWaste(t *testing.T) {
	chunk := "1;" + strings.Repeat("x", 900) + "\r\na\r\n"
	s := serve(t, always("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"+strings.Repeat(chunk, 30)+"0\r\n\r\n"))
	resp, err := pool(t, Settings{}).RoundTrip(newRequest(t, "GET", s.url(), nil))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if err != errChunk || len(text) > 20 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	s = serve(t, always("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"+strings.Repeat("1\r\na\r\n", 50_000)+"0\r\n\r\n"))
	if _, text := get(t, pool(t, Settings{}), s.url()); len(text) != 50_000 {
		t.Errorf("tiny chunks: %d bytes", len(text))
	}
}

// TestBodies: every way of reading a body gives the same bytes.
func TestBodies(t *testing.T) {
	text := make([]byte, 200_000)
	for i := range text {
		text[i] = byte(i * i >> 7)
	}
	chunked := new(bytes.Buffer)
	for rest, n := text, 1; len(rest) > 0; n = n*3 + 1 {
		n = min(n, len(rest))
		fmt.Fprintf(chunked, "%x\r\n%s\r\n", n, rest[:n])
		if rest = rest[n:]; n > 50_000 {
			n = 0
		}
	}
	chunked.WriteString("0\r\n\r\n")
	for name, answer := range map[string]string{
		"sized":       fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(text), text),
		"chunked":     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked.String(),
		"until close": "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + string(text),
	} {
		s := serve(t, func(c net.Conn, br *bufio.Reader, _ int) {
			for {
				if _, _, ok := request(br); !ok {
					return
				}
				_, _ = io.WriteString(c, answer)
				if name == "until close" {
					return
				}
			}
		})
		p := pool(t, Settings{})
		for _, size := range []int{1, 7, 100, 4096, 5000, 1 << 20} {
			resp, err := p.RoundTrip(newRequest(t, "GET", s.url(), nil))
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if _, err = io.CopyBuffer(&got, struct{ io.Reader }{resp.Body}, make([]byte, size)); err != nil ||
				!bytes.Equal(got.Bytes(), text) {
				t.Errorf("%s by %d: %d bytes, %v", name, size, got.Len(), err)
			}
		}
		resp, err := p.RoundTrip(newRequest(t, "GET", s.url(), nil))
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if n, err := resp.Body.(io.WriterTo).WriteTo(struct{ io.Writer }{&got}); err != nil || n != int64(len(text)) ||
			!bytes.Equal(got.Bytes(), text) {
			t.Errorf("%s by WriteTo: %d bytes, %v", name, n, err)
		}
		if v := state(p); name != "until close" && (v.Opened != 1 || v.Idle != 1) {
			t.Errorf("%s: %+v", name, v)
		}
	}
}
