package wire

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// peer2 is a client of HTTP/2 that says exactly what a test wants.
type peer2 struct {
	net.Conn
	*http2.Framer
	t     *testing.T
	block bytes.Buffer
	enc   *hpack.Encoder
}

func dial2(t *testing.T, c net.Conn) *peer2 {
	t.Helper()
	p := &peer2{Conn: c, Framer: http2.NewFramer(c, c), t: t}
	p.enc = hpack.NewEncoder(&p.block)
	p.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	return p
}

func (p *peer2) greet() {
	p.t.Helper()
	if _, err := io.WriteString(p.Conn, http2.ClientPreface); err != nil {
		p.t.Fatal(err)
	}
	if err := p.WriteSettings(); err != nil {
		p.t.Fatal(err)
	}
}

// ask sends a request without a body, from names and values in turn.
func (p *peer2) ask(stream uint32, fields ...string) {
	p.t.Helper()
	p.block.Reset()
	for i := 0; i < len(fields); i += 2 {
		_ = p.enc.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	err := p.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, EndStream: true,
		EndHeaders: true, BlockFragment: p.block.Bytes()})
	if err != nil {
		p.t.Fatal(err)
	}
}

// answer returns the status of the next answer, and its body; or "reset".
func (p *peer2) answer() (status, body string) {
	p.t.Helper()
	for {
		f, err := p.ReadFrame()
		if err != nil {
			return err.Error(), ""
		}
		switch f := f.(type) {
		case *http2.MetaHeadersFrame:
			if status = f.PseudoValue("status"); f.StreamEnded() {
				return status, body
			}
		case *http2.DataFrame:
			if body += string(f.Data()); f.StreamEnded() {
				return status, strings.TrimSpace(body)
			}
		case *http2.RSTStreamFrame:
			return "reset", ""
		case *http2.GoAwayFrame:
			return "goaway", ""
		}
	}
}

// The preface may come in any pieces, and what follows it with it.
func TestHTTP2PriorKnowledge(t *testing.T) {
	for _, pieces := range []int{1, 5, 14, 23, 24, 1000} {
		s := serve(t, limits(), nil)
		c := s.dial(t)
		p := dial2(t, c)
		var first bytes.Buffer
		first.WriteString(http2.ClientPreface)
		p.Framer = http2.NewFramer(&first, c)
		p.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
		_ = p.WriteSettings()
		p.ask(1, ":method", "GET", ":scheme", "http", ":path", "/p", ":authority", "h")
		for b := first.Bytes(); len(b) > 0; {
			n := min(pieces, len(b))
			if _, err := c.Write(b[:n]); err != nil {
				t.Fatal(err)
			}
			b = b[n:]
		}
		if status, body := p.answer(); status != "200" || body != "GET /p []" {
			t.Errorf("in pieces of %d: %s %q", pieces, status, body)
		}
	}
}

// What HTTP/2 can carry and HTTP/1.1 would read as a second request.
func TestF155DoubtfulRequestsOfHTTP2(t *testing.T) {
	base := []string{":method", "GET", ":scheme", "http", ":path", "/p", ":authority", "h"}
	with := func(more ...string) []string { return append(append([]string{}, base...), more...) }
	instead := func(i int, value string) []string {
		f := with()
		f[i] = value
		return f
	}
	for name, tc := range map[string]struct {
		fields       []string
		status, rule string
	}{
		"good":                  {base, "200", "GET /p []"},
		"space in the method":   {instead(1, "GET /x HTTP/1.1"), "400", "method"},
		"space in the path":     {instead(5, "/p HTTP/1.1"), "400", "target"},
		"no path":               {instead(5, "p"), "reset", ""},
		"percent without digit": {instead(5, "/%zz"), "reset", ""},
		"address in the path":   {instead(5, "mailto:a"), "400", "target"},
		"user in the authority": {instead(7, "u@h"), "reset", ""},
		"space in the host":     {instead(7, "h x"), "400", "host-name"},
		"line end in a value":   {with("a", "b\r\nc: d"), "reset", ""},
		"line end in the path":  {instead(5, "/p\r\nA: b"), "reset", ""},
		"capitals in a name":    {with("Aa", "b"), "reset", ""},
		"space in a name":       {with("a b", "c"), "reset", ""},
		"connection":            {with("connection", "close"), "400", ""},
		"transfer-encoding":     {with("transfer-encoding", "chunked"), "400", ""},
		"upgrade":               {with("upgrade", "websocket"), "400", ""},
		"te":                    {with("te", "gzip"), "400", ""},
		"te trailers":           {with("te", "trailers"), "200", "GET /p []"},
		"two hosts":             {with("host", "h", "host", "h"), "400", "host"},
		"another host":          {with("host", "g"), "400", "host"},
		"the same host":         {with("host", "h"), "200", "GET /p []"},
		"two lengths":           {with("content-length", "0", "content-length", "00"), "400", "two-lengths"},
		"odd length":            {with("content-length", "+0"), "400", "content-length"},
		"odd expectation":       {with("expect", "wonders"), "417", "expectation"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, limits(), nil)
			p := dial2(t, s.dial(t))
			p.greet()
			p.ask(1, tc.fields...)
			status, body := p.answer()
			if status != tc.status || tc.rule != "" && body != tc.rule {
				t.Errorf("got %s %q, want %s %q", status, body, tc.status, tc.rule)
			}
			if n := s.handled.Load(); (n > 0) != (tc.status == "200") {
				t.Errorf("the handler saw %d requests", n)
			}
		})
	}
}

// F163, by HTTP/2's rule of size: names, values, and 32 for each field. Of a head
// that is many times too large net/http does not even read the end.
func TestF163HeadSizeOfHTTP2(t *testing.T) {
	room := limits().Head - len(":method"+"GET"+":scheme"+"http"+":path"+"/p"+":authority"+"h"+"a") - 5*32
	for more, want := range map[int]string{0: "200", 1: "431", 5000: "431", 100_000: "goaway"} {
		s := serve(t, limits(), nil)
		p := dial2(t, s.dial(t))
		p.greet()
		p.block.Reset()
		for _, f := range []string{":method GET", ":scheme http", ":path /p", ":authority h",
			"a " + strings.Repeat("x", room+more)} {
			name, value, _ := strings.Cut(f, " ")
			_ = p.enc.WriteField(hpack.HeaderField{Name: name, Value: value})
		}
		block := p.block.Bytes()
		n := min(len(block), 16000)
		_ = p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, EndStream: true,
			EndHeaders: n == len(block), BlockFragment: block[:n]})
		for block = block[n:]; len(block) > 0; block = block[n:] {
			n = min(len(block), 16000)
			_ = p.WriteContinuation(1, n == len(block), block[:n])
		}
		if status, _ := p.answer(); status != want {
			t.Errorf("%d bytes above the limit: %s, want %s", more, status, want)
		}
		if n := s.handled.Load(); (n > 0) != (want == "200") {
			t.Errorf("%d above: the handler saw %d requests", more, n)
		}
	}
}

// Half a preface does not hold a connection for longer than a head may take.
func TestHTTP2HalfAPreface(t *testing.T) {
	l := limits()
	l.HeadTime = 50 * time.Millisecond
	s := serve(t, l, nil)
	c := s.dial(t)
	_, _ = io.WriteString(c, http2.ClientPreface[:20])
	if _, err := io.ReadAll(c); err != nil {
		t.Errorf("the connection did not end: %v", err)
	}
	until(t, func() bool { return s.listener.Open() == 0 })
}

// until waits for what happens soon on another goroutine.
func until(t *testing.T, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain")
		}
	}
}
