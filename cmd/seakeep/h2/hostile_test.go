package h2

import (
	"encoding/binary"
	"io"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/http2"
)

// hostile is what a client may send that it must not, or seldom does, and how it
// ends: for stream 1 if nothing else is said. The rules are those of RFC 9113.
type hostile struct {
	name string
	send func(p *peer)
	end  string // as answer has it, with its status before; "-": only a ping is answered
}

// frame sends a frame of any kind.
func frame(kind http2.FrameType, flags http2.Flags, id uint32, payload string) func(*peer) {
	return func(p *peer) { _ = p.WriteRawFrame(kind, flags, id, []byte(payload)) }
}

// after sends something behind a request that has not ended, or has.
func after(ended bool, send ...func(*peer)) func(*peer) {
	return func(p *peer) {
		p.ask(1, ended, "POST", "/wait")
		for _, s := range send {
			s(p)
		}
	}
}

// head sends a head that ends its request.
func head(fields ...string) func(*peer) { return raw(fields...) }

// get is a head with fields behind it.
func get(more ...string) func(*peer) {
	return raw(append([]string{":method", "GET", ":scheme", "http", ":path", "/", ":authority", "h"}, more...)...)
}

// block sends a head block as it is.
func block(b ...byte) func(*peer) {
	return func(p *peer) {
		_ = p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, EndStream: true, EndHeaders: true, BlockFragment: b})
	}
}

func number(n uint32) string { return string(binary.BigEndian.AppendUint32(nil, n)) }

const (
	endHeaders = http2.FlagHeadersEndHeaders
	padded     = http2.FlagDataPadded
)

var hostiles = []hostile{
	// frames
	{"DATA on stream 0", frame(http2.FrameData, 0, 0, "x"), "goaway PROTOCOL_ERROR"},
	{"DATA on an idle stream", frame(http2.FrameData, 0, 3, "x"), "goaway PROTOCOL_ERROR"},
	{"DATA with more padding than frame", after(false, frame(http2.FrameData, padded, 1, "\x05abc")),
		"goaway PROTOCOL_ERROR"},
	{"DATA that is all padding", func(p *peer) {
		p.ask(1, false, "POST", "/")
		_ = p.WriteDataPadded(1, true, nil, make([]byte, 255))
	}, "200 whole"},
	{"DATA padded without a length", after(false, frame(http2.FrameData, padded, 1, "")), "goaway FRAME_SIZE_ERROR"},
	{"DATA behind the end", after(true, frame(http2.FrameData, 0, 1, "x")), "reset STREAM_CLOSED"},
	{"DATA on a stream of the server's", frame(http2.FrameData, 0, 2, "x"), "goaway PROTOCOL_ERROR"},
	{"HEADERS on stream 0", frame(http2.FrameHeaders, endHeaders, 0, "\x82"), "goaway PROTOCOL_ERROR"},
	{"HEADERS with more padding than frame", frame(http2.FrameHeaders, padded|endHeaders, 1, "\x05\x82"),
		"goaway PROTOCOL_ERROR"},
	{"HEADERS with half a priority", frame(http2.FrameHeaders, http2.FlagHeadersPriority|endHeaders, 1, "\x00\x00"),
		"goaway FRAME_SIZE_ERROR"},
	{"HEADERS behind the end", after(true, get()), "reset STREAM_CLOSED"},
	{"HEADERS for the second time", after(false, get()), "reset PROTOCOL_ERROR"},
	{"a lower stream", func(p *peer) {
		p.ask(5, true, "GET", "/")
		p.ask(3, true, "GET", "/")
	}, "goaway PROTOCOL_ERROR"},
	{"PRIORITY of four bytes", frame(http2.FramePriority, 0, 1, "\x00\x00\x00\x00"), "goaway FRAME_SIZE_ERROR"},
	{"PRIORITY on stream 0", frame(http2.FramePriority, 0, 0, "\x00\x00\x00\x00\x00"), "goaway PROTOCOL_ERROR"},
	{"PRIORITY on an idle stream", frame(http2.FramePriority, 0, 9, "\x00\x00\x00\x00\x00"), "-"},
	{"RST_STREAM of three bytes", after(false, frame(http2.FrameRSTStream, 0, 1, "\x00\x00\x00")),
		"goaway FRAME_SIZE_ERROR"},
	{"RST_STREAM on stream 0", frame(http2.FrameRSTStream, 0, 0, number(8)), "goaway PROTOCOL_ERROR"},
	{"RST_STREAM on an idle stream", frame(http2.FrameRSTStream, 0, 1, number(8)), "goaway PROTOCOL_ERROR"},
	{"RST_STREAM behind the end", after(true, frame(http2.FrameRSTStream, 0, 1, number(8))), "-"},
	{"RST_STREAM twice", after(true, frame(http2.FrameRSTStream, 0, 1, number(8)),
		frame(http2.FrameRSTStream, 0, 1, number(8))), "-"},
	{"SETTINGS on a stream", frame(http2.FrameSettings, 0, 1, ""), "goaway PROTOCOL_ERROR"},
	{"SETTINGS of seven bytes", frame(http2.FrameSettings, 0, 0, "1234567"), "goaway FRAME_SIZE_ERROR"},
	{"SETTINGS that acknowledge something", frame(http2.FrameSettings, http2.FlagSettingsAck, 0, "\x00\x01\x00\x00\x00\x00"),
		"goaway FRAME_SIZE_ERROR"},
	{"SETTINGS acknowledged twice", func(p *peer) {
		_, _ = p.WriteSettingsAck(), p.WriteSettingsAck()
	}, "goaway PROTOCOL_ERROR"},
	{"push that is neither on nor off", frame(http2.FrameSettings, 0, 0, "\x00\x02"+number(2)), "goaway PROTOCOL_ERROR"},
	{"a window above 2^31-1", frame(http2.FrameSettings, 0, 0, "\x00\x04"+number(1<<31)), "goaway FLOW_CONTROL_ERROR"},
	{"frames below 16 KiB", frame(http2.FrameSettings, 0, 0, "\x00\x05"+number(16383)), "goaway PROTOCOL_ERROR"},
	{"frames above 16 MiB", frame(http2.FrameSettings, 0, 0, "\x00\x05"+number(1<<24)), "goaway PROTOCOL_ERROR"},
	{"no table", frame(http2.FrameSettings, 0, 0, "\x00\x01"+number(0)), "-"},
	{"a large table", frame(http2.FrameSettings, 0, 0, "\x00\x01"+number(1<<32-1)), "-"},
	{"PING of nine bytes", frame(http2.FramePing, 0, 0, "123456789"), "goaway FRAME_SIZE_ERROR"},
	{"PING on a stream", frame(http2.FramePing, 0, 1, "12345678"), "goaway PROTOCOL_ERROR"},
	{"GOAWAY on a stream", frame(http2.FrameGoAway, 0, 1, "12345678"), "goaway PROTOCOL_ERROR"},
	{"GOAWAY of seven bytes", frame(http2.FrameGoAway, 0, 0, "1234567"), "goaway FRAME_SIZE_ERROR"},
	{"GOAWAY, and a request behind it", func(p *peer) {
		_ = p.WriteGoAway(0, http2.ErrCodeNo, []byte("bye"))
		p.ask(1, true, "GET", "/")
	}, "200 whole"},
	{"WINDOW_UPDATE of three bytes", frame(http2.FrameWindowUpdate, 0, 0, "\x00\x00\x01"), "goaway FRAME_SIZE_ERROR"},
	{"WINDOW_UPDATE of nothing", after(false, frame(http2.FrameWindowUpdate, 0, 1, number(0))), "reset PROTOCOL_ERROR"},
	{"WINDOW_UPDATE of nothing, for all", frame(http2.FrameWindowUpdate, 0, 0, number(0)), "goaway PROTOCOL_ERROR"},
	{"a window that becomes too large", after(false, frame(http2.FrameWindowUpdate, 0, 1, number(1<<31-1))),
		"reset FLOW_CONTROL_ERROR"},
	{"a window that becomes too large, for all", frame(http2.FrameWindowUpdate, 0, 0, number(1<<31-1)),
		"goaway FLOW_CONTROL_ERROR"},
	{"a window that settings make too large", after(false, frame(http2.FrameWindowUpdate, 0, 1, number(1)),
		frame(http2.FrameSettings, 0, 0, "\x00\x04"+number(1<<31-1))), "goaway FLOW_CONTROL_ERROR"},
	{"WINDOW_UPDATE on an idle stream", frame(http2.FrameWindowUpdate, 0, 7, number(1)), "goaway PROTOCOL_ERROR"},
	{"WINDOW_UPDATE on a stream of the server's", frame(http2.FrameWindowUpdate, 0, 2, number(1)), "goaway PROTOCOL_ERROR"},
	{"PUSH_PROMISE", frame(http2.FramePushPromise, endHeaders, 1, number(2)), "goaway PROTOCOL_ERROR"},
	{"CONTINUATION of nothing", frame(http2.FrameContinuation, endHeaders, 1, "\x82"), "goaway PROTOCOL_ERROR"},
	{"CONTINUATION on another stream", func(p *peer) {
		_ = p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, EndStream: true})
		_ = p.WriteContinuation(3, true, p.fields(":method", "GET"))
	}, "goaway PROTOCOL_ERROR"},
	{"CONTINUATION behind the end of a head", after(false, frame(http2.FrameContinuation, endHeaders, 1, "")),
		"goaway PROTOCOL_ERROR"},
	{"a frame of 16 KiB and a byte", frame(0x77, 0, 0, strings.Repeat("x", frameSize+1)), "goaway FRAME_SIZE_ERROR"},
	{"a frame of 16 KiB that nobody knows", frame(0x77, 0xff, 0, strings.Repeat("x", frameSize)), "-"},
	{"flags that nobody knows", frame(http2.FramePing, 0xfe, 0, "12345678"), "-"},
	// HPACK (RFC 7541)
	{"an entry that there is not", block(0xbe), "goaway COMPRESSION_ERROR"},
	{"entry 0", block(0x80), "goaway COMPRESSION_ERROR"},
	{"a table above 4 KiB", block(0x3f, 0xe2, 0x1f, 0x82), "goaway COMPRESSION_ERROR"},
	{"a table's size behind a field", block(0x40, 1, 'a', 1, 'b', 0x20), "goaway COMPRESSION_ERROR"},
	{"a number without an end", block(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
		"goaway COMPRESSION_ERROR"},
	{"a string that is cut off", block(0x82, 0x40, 0x05, 'a'), "goaway COMPRESSION_ERROR"},
	{"a Huffman code that is none", block(0x82, 0x40, 0x01, 'a', 0x84, 0xff, 0xff, 0xff, 0xff), "goaway COMPRESSION_ERROR"},
	{"a field that is too large to say", block(append([]byte{0x40, 0x7f, 0xff, 0xff, 0x7f}, make([]byte, 100)...)...),
		"goaway ENHANCE_YOUR_CALM"},
	// requests
	{"an empty head", block(), "reset PROTOCOL_ERROR"},
	{"two authorities, the first empty", head(":method", "GET", ":scheme", "http", ":path", "/", ":authority", "",
		":authority", "h"), "reset PROTOCOL_ERROR"},
	{"two authorities", head(":method", "GET", ":scheme", "http", ":path", "/", ":authority", "h", ":authority", "h"),
		"reset PROTOCOL_ERROR"},
	{"two methods", head(":method", "GET", ":method", "GET", ":scheme", "http", ":path", "/"), "reset PROTOCOL_ERROR"},
	{"CONNECT with a protocol", head(":method", "CONNECT", ":protocol", "websocket", ":scheme", "http", ":path", "/",
		":authority", "h"), "reset PROTOCOL_ERROR"},
	{"another host", get("host", "g"), "400 whole"},
	{"the same host", get("host", "H"), "200 whole"},
	{"a host with a user", head(":method", "GET", ":scheme", "http", ":path", "/", "host", "u@h"), "reset PROTOCOL_ERROR"},
	{"a host with a space", head(":method", "GET", ":scheme", "http", ":path", "/", "host", "h h"), "400 whole"},
	{"no host at all", head(":method", "GET", ":scheme", "http", ":path", "/"), "200 whole"},
	{"a path without a slash", head(":method", "GET", ":scheme", "http", ":path", "a", ":authority", "h"), "reset PROTOCOL_ERROR"},
	{"a path that is an address", head(":method", "GET", ":scheme", "http", ":path", "http://h/", ":authority", "h"), "400 whole"},
	{"a path with a fragment", head(":method", "GET", ":scheme", "http", ":path", "/a#b", ":authority", "h"), "400 whole"},
	{"a query with a space", head(":method", "GET", ":scheme", "http", ":path", "/a?b c", ":authority", "h"), "400 whole"},
	{"a path with a line end", head(":method", "GET", ":scheme", "http", ":path", "/a\r\nb: c", ":authority", "h"),
		"reset PROTOCOL_ERROR"},
	{"a path with a NUL", head(":method", "GET", ":scheme", "http", ":path", "/a\x00", ":authority", "h"), "reset PROTOCOL_ERROR"},
	{"a star for GET", head(":method", "GET", ":scheme", "http", ":path", "*", ":authority", "h"), "400 whole"},
	{"a method with a line end", head(":method", "GET\n", ":scheme", "http", ":path", "/", ":authority", "h"),
		"reset PROTOCOL_ERROR"},
	{"a name with a colon", get("a:b", "c"), "reset PROTOCOL_ERROR"},
	{"a name that is empty", get("", "c"), "reset PROTOCOL_ERROR"},
	{"a name with a line end", get("a\r\nb", "c"), "reset PROTOCOL_ERROR"},
	{"a name above 7 bits", get("a\xe9", "c"), "reset PROTOCOL_ERROR"},
	{"a name in capitals", get("A", "c"), "reset PROTOCOL_ERROR"},
	{"a value with CR", get("a", "b\rc"), "reset PROTOCOL_ERROR"},
	{"a value with LF", get("a", "b\nc"), "reset PROTOCOL_ERROR"},
	{"a value with NUL", get("a", "b\x00c"), "reset PROTOCOL_ERROR"},
	{"a value with DEL", get("a", "b\x7fc"), "reset PROTOCOL_ERROR"},
	{"connection", get("connection", "close"), "400 whole"},
	{"keep-alive", get("keep-alive", "1"), "400 whole"},
	{"proxy-connection", get("proxy-connection", "close"), "400 whole"},
	{"transfer-encoding", get("transfer-encoding", "chunked"), "400 whole"},
	{"upgrade", get("upgrade", "websocket"), "400 whole"},
	{"te", get("te", "gzip"), "400 whole"},
	{"a length of a body that does not come", get("content-length", "5"), "reset PROTOCOL_ERROR"},
	{"no length of a body that does not come", get("content-length", "0"), "200 whole"},
	{"two lengths", get("content-length", "0", "content-length", "1"), "400 whole"},
	{"a length twice, of a body that does not come", get("content-length", "5", "content-length", "5"),
		"reset PROTOCOL_ERROR"},
	{"a length twice, of a body that is longer", posts("/wait", []string{"abcdef"}, "content-length", "5",
		"content-length", "5"), "reset PROTOCOL_ERROR"},
	{"a length with a sign", get("content-length", "+0"), "400 whole"},
	{"a length of 2^63", get("content-length", "9223372036854775808"), "400 whole"},
	{"a body that is longer than its length", posts("/wait", []string{"abc", "def"}, "content-length", "5"), "reset PROTOCOL_ERROR"},
	{"a body that is shorter", posts("/wait", []string{"abc", "d"}, "content-length", "5"), "reset PROTOCOL_ERROR"},
	{"a trailer behind a body that is shorter", func(p *peer) {
		p.ask(1, false, "POST", "/wait", "content-length", "5")
		_ = p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, EndStream: true, EndHeaders: true,
			BlockFragment: p.fields("x", "y")})
	}, "reset PROTOCOL_ERROR"},
	{"a trailer with transfer-encoding", after(false, func(p *peer) {
		_ = p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, EndStream: true, EndHeaders: true,
			BlockFragment: p.fields("transfer-encoding", "chunked")})
	}), "reset PROTOCOL_ERROR"},
	{"a trailer with a length", after(false, func(p *peer) {
		_ = p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, EndStream: true, EndHeaders: true,
			BlockFragment: p.fields("content-length", "0")})
	}), "reset PROTOCOL_ERROR"},
	{"a trailer with a late pseudo field", after(false, func(p *peer) {
		_ = p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, EndStream: true, EndHeaders: true,
			BlockFragment: p.fields("x", "y", ":path", "/")})
	}), "reset PROTOCOL_ERROR"},
}

// TestHostile: what is wrong with a frame ends the connection, what is wrong with a
// request ends its stream, and then the next request is answered.
func TestHostile(t *testing.T) {
	s := listen(t, asIs, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/wait" {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}
	}))
	for _, h := range hostiles {
		t.Run(h.name, func(t *testing.T) {
			p := s.dial(t)
			h.send(p)
			if h.end != "-" {
				a := p.answer(1)
				if got := strings.TrimSpace(a.status + " " + a.end); got != h.end {
					t.Fatalf("%q, want %q", got, h.end)
				}
			}
			if strings.HasPrefix(h.end, "goaway") {
				if _, err := io.Copy(io.Discard, p.Conn); err != nil {
					t.Errorf("the connection ends with %v", err)
				}
				return
			}
			p.ask(101, true, "GET", "/")
			if a := p.answer(101); a.status != "200" || a.end != "whole" {
				t.Errorf("the next request: %+v", a)
			}
		})
	}
}
