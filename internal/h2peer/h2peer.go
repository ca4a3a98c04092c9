// Package h2peer is the server's end of a connection of HTTP/2 for tests: frame
// by frame, so that it can do what no server of a library does on purpose. It
// knows no HPACK beyond what an answer with a status needs, and keeps no window:
// what it writes in all must stay below 64 KiB.
package h2peer

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
)

// Types of frames (RFC 9113, section 6).
const (
	Data         = 0x0
	Headers      = 0x1
	Reset        = 0x3
	Settings     = 0x4
	Ping         = 0x6
	GoAway       = 0x7
	WindowUpdate = 0x8
)

// Flags of frames.
const (
	EndStream  = 0x1
	Ack        = 0x1
	EndHeaders = 0x4
)

// Error codes (RFC 9113, section 7).
const (
	NoError       = 0x0
	Internal      = 0x2
	RefusedStream = 0x7
	Cancel        = 0x8
	Calm          = 0xb
)

// Frame is one frame as it came.
type Frame struct {
	Type, Flags byte
	Stream      uint32
	Payload     []byte
}

// Peer is the server's end of one connection.
type Peer struct {
	net.Conn
	// Deaf makes it answer neither pings nor settings from now on.
	Deaf bool

	in *bufio.Reader
	mu sync.Mutex // of writing
}

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// Accept begins as a server: it reads the client's preface and says its
// settings, of which there is one if streams is above 0: how many streams there
// may be at once.
func Accept(conn net.Conn, streams uint32) (*Peer, error) {
	p := &Peer{Conn: conn, in: bufio.NewReader(conn)}
	begin := make([]byte, len(preface))
	if _, err := io.ReadFull(p.in, begin); err != nil {
		return nil, err
	}
	if string(begin) != preface {
		return nil, errors.New("h2peer: no preface of HTTP/2")
	}
	var settings []byte
	if streams > 0 {
		settings = binary.BigEndian.AppendUint32([]byte{0, 3}, streams)
	}
	return p, p.Write(Frame{Type: Settings, Payload: settings})
}

// Write writes a frame.
func (p *Peer) Write(f Frame) error {
	head := binary.BigEndian.AppendUint32(nil, uint32(len(f.Payload)))[1:]
	head = append(head, f.Type, f.Flags)
	head = binary.BigEndian.AppendUint32(head, f.Stream)
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := p.Conn.Write(append(head, f.Payload...))
	return err
}

// Read reads the next frame that has to do with a stream. It answers settings
// and pings by itself, and opens the windows again for what it reads.
func (p *Peer) Read() (Frame, error) {
	for {
		var head [9]byte
		if _, err := io.ReadFull(p.in, head[:]); err != nil {
			return Frame{}, err
		}
		f := Frame{Type: head[3], Flags: head[4], Stream: binary.BigEndian.Uint32(head[5:]) &^ (1 << 31)}
		f.Payload = make([]byte, int(head[0])<<16|int(head[1])<<8|int(head[2]))
		if _, err := io.ReadFull(p.in, f.Payload); err != nil {
			return Frame{}, err
		}
		switch {
		case (f.Type == Settings || f.Type == Ping) && f.Flags&Ack == 0:
			if p.Deaf {
				continue
			}
			answer := Frame{Type: f.Type, Flags: Ack}
			if f.Type == Ping {
				answer.Payload = f.Payload
			}
			if err := p.Write(answer); err != nil {
				return Frame{}, err
			}
		case f.Type == Data && len(f.Payload) > 0:
			more := binary.BigEndian.AppendUint32(nil, uint32(len(f.Payload)))
			_ = p.Write(Frame{Type: WindowUpdate, Payload: more})
			return f, nil
		case f.Stream != 0:
			return f, nil
		}
	}
}

// Request reads frames until a request has ended, and returns its stream and
// its body. Other streams' frames in between are passed over.
func (p *Peer) Request() (stream uint32, body []byte, err error) {
	bodies := map[uint32][]byte{}
	for {
		f, err := p.Read()
		if err != nil {
			return 0, nil, err
		}
		if f.Type == Data {
			bodies[f.Stream] = append(bodies[f.Stream], f.Payload...)
		}
		if (f.Type == Data || f.Type == Headers) && f.Flags&EndStream != 0 {
			return f.Stream, bodies[f.Stream], nil
		}
	}
}

// Begin writes the headers of an answer: 200, and end says whether that is all.
func (p *Peer) Begin(stream uint32, end bool) error {
	f := Frame{Type: Headers, Flags: EndHeaders, Stream: stream, Payload: []byte{0x88}}
	if end {
		f.Flags |= EndStream
	}
	return p.Write(f)
}

// Send writes a part of an answer's body.
func (p *Peer) Send(stream uint32, data string, end bool) error {
	f := Frame{Type: Data, Stream: stream, Payload: []byte(data)}
	if end {
		f.Flags = EndStream
	}
	return p.Write(f)
}

// Answer writes a whole answer.
func (p *Peer) Answer(stream uint32, body string) error {
	if err := p.Begin(stream, false); err != nil {
		return err
	}
	return p.Send(stream, body, true)
}

// Reset ends a stream with an error.
func (p *Peer) Reset(stream, code uint32) error {
	return p.Write(Frame{Type: Reset, Stream: stream, Payload: binary.BigEndian.AppendUint32(nil, code)})
}

// GoAway says that no stream after last is or will be processed.
func (p *Peer) GoAway(last, code uint32) error {
	payload := binary.BigEndian.AppendUint32(nil, last)
	return p.Write(Frame{Type: GoAway, Payload: binary.BigEndian.AppendUint32(payload, code)})
}
