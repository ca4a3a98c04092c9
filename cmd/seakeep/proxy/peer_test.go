package proxy

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// peer is an end of a connection of HTTP/2 that says exactly what a test wants.
type peer struct {
	*http2.Framer
	t     *testing.T
	block bytes.Buffer
	enc   *hpack.Encoder
}

// newPeer is the server's end: it has read the preface.
func newPeer(t *testing.T, c net.Conn, br *bufio.Reader) *peer {
	p := framed(t, c, br)
	_, _ = io.ReadFull(br, make([]byte, len(http2.ClientPreface)))
	_ = p.WriteSettings()
	return p
}

func framed(t *testing.T, c net.Conn, r io.Reader) *peer {
	p := &peer{Framer: http2.NewFramer(c, r), t: t}
	p.enc = hpack.NewEncoder(&p.block)
	p.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	return p
}

// dialPeer is the client's end of a connection to a listener of the proxy.
func (u *under) dialPeer(name string) (*peer, net.Conn) {
	u.t.Helper()
	c, err := net.Dial("tcp", u.Addr(name).String())
	if err != nil {
		u.t.Fatal(err)
	}
	u.t.Cleanup(func() { _ = c.Close() })
	p := framed(u.t, c, bufio.NewReader(c))
	_, _ = io.WriteString(c, http2.ClientPreface)
	_ = p.WriteSettings()
	return p, c
}

// request reads on until a request's head is there, and returns its stream.
func (p *peer) request() uint32 {
	for {
		f, err := p.ReadFrame()
		if err != nil {
			return 1
		}
		if h, ok := f.(*http2.MetaHeadersFrame); ok {
			return h.StreamID
		}
	}
}

// head sends a head, from names and values in turn.
func (p *peer) head(stream uint32, end bool, fields ...string) {
	p.block.Reset()
	for i := 0; i < len(fields); i += 2 {
		_ = p.enc.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	_ = p.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, EndStream: end, EndHeaders: true,
		BlockFragment: p.block.Bytes()})
}
