package h2

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// FuzzFrames: whatever follows the preface, the connection ends when the client
// has, with all its handlers, and soon.
func FuzzFrames(f *testing.F) {
	for _, e := range exchanges {
		var b bytes.Buffer
		p := &peer{Framer: http2.NewFramer(&b, nil)}
		p.AllowIllegalWrites = true
		p.enc = newEncoder(p)
		_ = p.WriteSettings()
		e.send(p)
		if b.Len() < 4<<10 {
			f.Add(b.Bytes())
		}
	}
	s := listen(f, func(s *Server) { s.WriteTime = time.Second }, http.HandlerFunc(told))
	f.Fuzz(func(t *testing.T, sent []byte) {
		c, err := net.Dial("tcp", s.address)
		if err != nil {
			t.Skip(err)
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(patience))
		go func() {
			_, _ = io.WriteString(c, http2.ClientPreface)
			_, _ = c.Write(sent)
			_ = c.(*net.TCPConn).CloseWrite()
		}()
		r := http2.NewFramer(nil, c)
		for {
			if _, err = r.ReadFrame(); err != nil {
				break
			}
		}
		if e, ok := err.(net.Error); ok && e.Timeout() {
			t.Fatalf("the connection does not end: %q", sent)
		}
	})
}
