package h2

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/h1"
	"github.com/seakeep/seakeep/cmd/seakeep/wire"
	"go.uber.org/goleak"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	patience = 30 * time.Second
	maxHead  = 8 << 10
)

// refuse answers what package wire does not let through.
func refuse(w http.ResponseWriter, _ *http.Request, why *wire.Refusal) {
	w.Header()["Content-Type"] = nil
	w.WriteHeader(why.Status)
}

// server is our server, or net/http's, behind a listener.
type server struct {
	address string
	own     *Server
	others  *http.Server
}

// listen serves a handler. set changes our server before it begins, and net/http
// serves if it is nil.
func listen(t testing.TB, set func(*Server), h http.Handler) *server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	judged := wire.Listen(l, wire.Limits{Head: maxHead, HeadTime: 5 * time.Second, Conns: 1000})
	quiet := log.New(io.Discard, "", 0)
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	s := &server{address: judged.Addr().String(), others: &http.Server{Handler: wire.Handler(h, refuse),
		ConnContext: wire.ConnContext, ErrorLog: quiet, ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout: time.Minute, Protocols: protocols, DisableGeneralOptionsHandler: true,
		MaxHeaderBytes: 2 * maxHead, HTTP2: &http.HTTP2Config{MaxConcurrentStreams: maxStreams,
			MaxReceiveBufferPerStream: streamWindow, MaxReceiveBufferPerConnection: connWindow}}}
	ended := make(chan error, 1)
	if set == nil {
		go func() { ended <- s.others.Serve(judged) }()
		t.Cleanup(func() {
			_ = s.others.Close()
			<-ended
			until(t, "net/http's connections to end", func() bool { // up to a second, if it has given one up
				var stacks [1 << 20]byte
				n := runtime.Stack(stacks[:], true)
				return !bytes.Contains(stacks[:n], []byte("http2serverConn).serve"))
			})
		})
		return s
	}
	s.own = &Server{Handler: s.others.Handler, MaxHead: 2 * maxHead, IdleTime: time.Minute,
		PingAfter: time.Minute, PingTime: time.Minute, ErrorLog: quiet}
	set(s.own)
	front := &h1.Server{Handler: h, Others: s.others, HTTP2: s.own.Serve, IdleTime: time.Minute}
	go func() { ended <- front.Serve(judged) }()
	t.Cleanup(func() {
		_, _ = front.Close(), s.own.Close()
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("Serve returns %v", err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := s.own.Shutdown(ctx); err != nil {
			t.Errorf("connections do not end: %v", err)
		}
	})
	return s
}

func asIs(*Server) {}

// peer is a client that says exactly what a test wants.
type peer struct {
	net.Conn
	*http2.Framer
	t     testing.TB
	block bytes.Buffer
	enc   *hpack.Encoder
}

// dial connects and says settings.
func (s *server) dial(t testing.TB, settings ...http2.Setting) *peer {
	t.Helper()
	c, err := net.Dial("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(patience))
	p := &peer{Conn: c, Framer: http2.NewFramer(c, c), t: t}
	p.enc = newEncoder(p)
	p.ReadMetaHeaders = hpack.NewDecoder(tableSize, nil)
	p.AllowIllegalWrites = true
	_, _ = io.WriteString(c, http2.ClientPreface)
	_ = p.WriteSettings(settings...)
	return p
}

func newEncoder(p *peer) *hpack.Encoder { return hpack.NewEncoder(&p.block) }

// fields encodes names and values in turn.
func (p *peer) fields(fields ...string) []byte {
	p.block.Reset()
	for i := 0; i < len(fields); i += 2 {
		_ = p.enc.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	return p.block.Bytes()
}

// ask sends a head: method, path, and more fields.
func (p *peer) ask(id uint32, end bool, method, path string, more ...string) {
	all := append([]string{":method", method, ":scheme", "http", ":path", path, ":authority", "h"}, more...)
	_ = p.WriteHeaders(http2.HeadersFrameParam{StreamID: id, EndStream: end, EndHeaders: true,
		BlockFragment: p.fields(all...)})
}

// next returns the next frame that is not about settings or windows, or nil if the
// connection has ended.
func (p *peer) next() http2.Frame {
	for {
		f, err := p.ReadFrame()
		if err != nil {
			return nil
		}
		switch f := f.(type) {
		case *http2.SettingsFrame:
			if !f.IsAck() {
				_ = p.WriteSettingsAck()
			}
		case *http2.WindowUpdateFrame:
		default:
			return f
		}
	}
}

// answer is what has come on a stream.
type answer struct {
	interim []string
	status  string
	header  http.Header
	body    string
	trailer http.Header
	end     string // how it ended: "whole", a code of a reset, or of GOAWAY, or "closed"
}

// answer reads on until a stream ends.
func (p *peer) answer(id uint32) (a answer) {
	for {
		f := p.next()
		if f == nil {
			a.end = "closed"
			return a
		}
		if g, ok := f.(*http2.GoAwayFrame); ok && g.ErrCode != http2.ErrCodeNo {
			a.end = "goaway " + g.ErrCode.String()
			return a
		}
		if f.Header().StreamID != id {
			continue
		}
		switch f := f.(type) {
		case *http2.RSTStreamFrame:
			a.end = "reset " + f.ErrCode.String()
			return a
		case *http2.MetaHeadersFrame:
			a.take(f)
		case *http2.DataFrame:
			a.body += string(f.Data())
		}
		if e, ok := f.(interface{ StreamEnded() bool }); ok && e.StreamEnded() {
			a.end = "whole"
			return a
		}
	}
}

func (a *answer) take(f *http2.MetaHeadersFrame) {
	h := http.Header{}
	for _, field := range f.RegularFields() {
		if field.Name != "date" {
			h.Add(field.Name, field.Value)
		}
	}
	switch status := f.PseudoValue("status"); {
	case status == "":
		a.trailer = h
	case status[0] == '1':
		a.interim = append(a.interim, status+" "+h.Get("Link"))
	default:
		a.status, a.header = status, h
	}
}

// goaway reads on until the connection is given up, and returns why.
func (p *peer) goaway() (code http2.ErrCode, said bool) {
	for {
		switch f := p.next().(type) {
		case nil:
			return code, said
		case *http2.GoAwayFrame:
			code, said = f.ErrCode, true
		}
	}
}

// until waits for what happens soon on another goroutine.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for: %s", what)
		}
	}
}
