package h2

import (
	"strings"

	"golang.org/x/net/http2"
)

// exchange is one that goes through both servers. send asks on stream 1.
type exchange struct {
	name string
	send func(p *peer)
}

func asks(method, path string, more ...string) func(*peer) {
	return func(p *peer) { p.ask(1, true, method, path, more...) }
}

// posts sends a body in pieces, of which "." is an empty one, and then its end.
func posts(path string, pieces []string, more ...string) func(*peer) {
	return func(p *peer) {
		p.ask(1, false, "POST", path, more...)
		for i, piece := range pieces {
			_ = p.WriteData(1, i == len(pieces)-1, []byte(strings.Trim(piece, ".")))
		}
	}
}

// raw sends a head of any fields.
func raw(fields ...string) func(*peer) {
	return func(p *peer) {
		_ = p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, EndStream: true, EndHeaders: true,
			BlockFragment: p.fields(fields...)})
	}
}

var exchanges = []exchange{
	{"get", asks("GET", "/a/b?q=1")},
	{"query without text", asks("GET", "/a?")},
	{"escaped path", asks("GET", "/a%2fb%20c")},
	{"two slashes", asks("GET", "//x/y")},
	{"strange method", asks("FROB", "/a")},
	{"options of all", asks("OPTIONS", "*")},
	{"fields", asks("GET", "/a", "a", "1", "a", "2", "x-long-name", strings.Repeat("v", 2000), "user-agent", "u")},
	{"cookies", asks("GET", "/a", "cookie", "a=1", "cookie", "b=2")},
	{"head", asks("HEAD", "/a")},
	{"head of a large one", asks("HEAD", "/sized")},
	{"te", asks("GET", "/a", "te", "trailers")},
	{"nothing", asks("GET", "/nothing")},
	{"same", asks("GET", "/same")},
	{"hints", asks("GET", "/hints")},
	{"panic", asks("GET", "/panic")},
	{"twice", asks("GET", "/twice")},
	{"odd", asks("GET", "/odd")},
	{"large head", asks("GET", "/large-head")},
	{"empty", asks("GET", "/empty")},
	{"large", asks("GET", "/large")},
	{"sized", asks("GET", "/sized")},
	{"too much", asks("GET", "/too-much")},
	{"flushed", asks("GET", "/flushed")},
	{"flushed only", asks("GET", "/flushed-only")},
	{"trailer", asks("GET", "/trailer")},
	{"only a trailer", asks("GET", "/only-trailer")},
	{"abort", asks("GET", "/abort")},
	{"hijack", asks("GET", "/hijack")},
	{"body", posts("/a", []string{"abc", "def"})},
	{"body of stated length", posts("/a", []string{"abc", "def"}, "content-length", "6")},
	{"body with empty frames", posts("/a", []string{"a", ".", ".", "b", "."})},
	{"body that is too long", posts("/a", []string{"abcdef"}, "content-length", "5")},
	{"body that is too short", posts("/unknown", []string{"abcd"}, "content-length", "5")},
	{"unread body", posts("/unread", []string{"abc"})},
	{"request trailer", func(p *peer) {
		p.ask(1, false, "POST", "/a", "trailer", "x-sum")
		_ = p.WriteData(1, false, []byte("abc"))
		_ = p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, EndStream: true, EndHeaders: true,
			BlockFragment: p.fields("x-sum", "3", "x-other", "4")})
	}},
	{"trailer that does not end", func(p *peer) {
		p.ask(1, false, "POST", "/a")
		_ = p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, EndHeaders: true,
			BlockFragment: p.fields("x-sum", "3")})
	}},
	{"trailer with a pseudo field", func(p *peer) {
		p.ask(1, false, "POST", "/a")
		_ = p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, EndStream: true, EndHeaders: true,
			BlockFragment: p.fields(":path", "/b")})
	}},
	{"padded", func(p *peer) {
		block := p.fields(":method", "POST", ":scheme", "http", ":path", "/a", ":authority", "h")
		_ = p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, EndHeaders: true, PadLength: 100, BlockFragment: block,
			Priority: http2.PriorityParam{StreamDep: 5, Weight: 3, Exclusive: true}})
		_ = p.WriteDataPadded(1, true, []byte("abc"), make([]byte, 200))
	}},
	{"continued", func(p *peer) {
		block := p.fields(":method", "GET", ":scheme", "http", ":path", "/a", ":authority", "h", "a", "bcdefghi")
		_ = p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, EndStream: true, BlockFragment: block[:3]})
		for rest := block[3:]; len(rest) > 0; rest = rest[1:] {
			_ = p.WriteContinuation(1, len(rest) == 1, rest[:1])
		}
	}},
	{"connect", raw(":method", "CONNECT", ":authority", "h:1")},
	{"connect with a path", raw(":method", "CONNECT", ":authority", "h:1", ":path", "/")},
	{"no authority", raw(":method", "GET", ":scheme", "http", ":path", "/a", "host", "g")},
	{"no method", raw(":scheme", "http", ":path", "/a")},
	{"no path", raw(":method", "GET", ":scheme", "http", ":path", "")},
	{"no scheme", raw(":method", "GET", ":path", "/a")},
	{"another scheme", raw(":method", "GET", ":scheme", "ftp", ":path", "/a")},
	{"two paths", raw(":method", "GET", ":scheme", "http", ":path", "/a", ":path", "/b")},
	{"a path too late", raw(":method", "GET", ":scheme", "http", "a", "b", ":path", "/a")},
	{"unknown pseudo field", raw(":method", "GET", ":scheme", "http", ":path", "/a", ":more", "b")},
	{"status", raw(":method", "GET", ":scheme", "http", ":path", "/a", ":status", "200")},
	{"capitals", asks("GET", "/a", "Aa", "b")},
	{"space in a name", asks("GET", "/a", "a b", "c")},
	{"control in a value", asks("GET", "/a", "a", "b\x01c")},
	{"line end in a value", asks("GET", "/a", "a", "b\r\nc: d")},
	{"space in the method", asks("GET /x HTTP/1.1", "/a")},
	{"space in the path", asks("GET", "/a HTTP/1.1")},
	{"percent without digit", asks("GET", "/%zz")},
	{"user in the authority", raw(":method", "GET", ":scheme", "http", ":path", "/a", ":authority", "u@h")},
	{"two hosts", asks("GET", "/a", "host", "h", "host", "g")},
	{"odd length", asks("GET", "/a", "content-length", "+0")},
	{"odd expectation", asks("GET", "/a", "expect", "wonders")},
	{"head that is too large", asks("GET", "/a", "a", strings.Repeat("x", maxHead))},
	{"data on stream 0", func(p *peer) { _ = p.WriteData(0, true, []byte("a")) }},
	{"data before a head", func(p *peer) { _ = p.WriteData(1, true, []byte("a")) }},
	{"even stream", func(p *peer) { p.ask(2, true, "GET", "/a") }},
	{"reset before a head", func(p *peer) { _ = p.WriteRSTStream(1, http2.ErrCodeCancel) }},
	{"window before a head", func(p *peer) { _ = p.WriteWindowUpdate(1, 1) }},
	{"no window for the connection", func(p *peer) { _ = p.WriteWindowUpdate(0, 0) }},
	{"too much window for the connection", func(p *peer) { _ = p.WriteWindowUpdate(0, 1<<31-1) }},
	{"promise", func(p *peer) {
		_ = p.WritePushPromise(http2.PushPromiseParam{StreamID: 1, PromiseID: 2, EndHeaders: true,
			BlockFragment: p.fields("a", "b")})
	}},
	{"frame that is too large", func(p *peer) { _ = p.WriteRawFrame(http2.FramePing, 0, 0, make([]byte, 2<<20)) }},
	{"short ping", func(p *peer) { _ = p.WriteRawFrame(http2.FramePing, 0, 0, make([]byte, 7)) }},
	{"odd settings", func(p *peer) { _ = p.WriteRawFrame(http2.FrameSettings, 0, 0, make([]byte, 7)) }},
	{"bad push setting", func(p *peer) { _ = p.WriteSettings(http2.Setting{ID: http2.SettingEnablePush, Val: 2}) }},
	{"bad frame size", func(p *peer) { _ = p.WriteSettings(http2.Setting{ID: http2.SettingMaxFrameSize, Val: 2}) }},
	{"bad window", func(p *peer) { _ = p.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 31}) }},
	{"HPACK that is none", func(p *peer) {
		_ = p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, EndStream: true, EndHeaders: true,
			BlockFragment: []byte{0xff, 0xff, 0xff, 0xff, 0xff}})
	}},
	{"unknown frame", func(p *peer) {
		_ = p.WriteRawFrame(0x77, 0x3, 0, []byte("what"))
		p.ask(1, true, "GET", "/a")
	}},
	{"unknown setting", func(p *peer) {
		_ = p.WriteSettings(http2.Setting{ID: 0x99, Val: 1})
		p.ask(1, true, "GET", "/a")
	}},
	{"priority", func(p *peer) {
		_ = p.WritePriority(7, http2.PriorityParam{StreamDep: 3})
		p.ask(1, true, "GET", "/a")
	}},
	{"something within a head", func(p *peer) {
		_ = p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, EndStream: true, BlockFragment: p.fields(":method", "GET")})
		_ = p.WritePing(false, [8]byte{})
	}},
}
