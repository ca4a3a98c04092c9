package h2

import (
	"io"
	"net/http"
	"sync/atomic"
	"testing"

	"golang.org/x/net/http2"
)

// flood sends something until the connection ends, and returns what was said then.
func flood(p *peer, send func(i uint32) error) (http2.ErrCode, bool) {
	pinged(p) // its settings are acknowledged
	go func() {
		for i := uint32(0); i < 1<<20; i++ {
			if send(i) != nil {
				return
			}
		}
	}()
	return p.goaway()
}

// Whoever sends many frames that ask for nothing is told to be calm, whether or not
// he has a stream.
func TestFloods(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	s := listen(t, asIs, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	var bomb []byte // it says all that it needs, each time
	for name, send := range map[string]func(p *peer, i uint32) error{
		"pings":       func(p *peer, _ uint32) error { return p.WritePing(false, [8]byte{}) },
		"ping acks":   func(p *peer, _ uint32) error { return p.WritePing(true, [8]byte{}) },
		"settings":    func(p *peer, _ uint32) error { return p.WriteSettings() },
		"windows":     func(p *peer, _ uint32) error { return p.WriteWindowUpdate(1, 1) },
		"the window":  func(p *peer, _ uint32) error { return p.WriteWindowUpdate(0, 1) },
		"empty data":  func(p *peer, _ uint32) error { return p.WriteData(1, false, nil) },
		"only padded": func(p *peer, _ uint32) error { return p.WriteDataPadded(1, false, nil, []byte{0}) },
		"priorities":  func(p *peer, _ uint32) error { return p.WritePriority(1, http2.PriorityParam{Weight: 1}) },
		"unknown":     func(p *peer, _ uint32) error { return p.WriteRawFrame(0x99, 0, 0, nil) },
		"late resets": func(p *peer, _ uint32) error { return p.WriteRSTStream(1, http2.ErrCodeCancel) },
		"malformed": func(p *peer, i uint32) error {
			return p.WriteHeaders(http2.HeadersFrameParam{StreamID: 3 + 2*i, EndStream: true, EndHeaders: true,
				BlockFragment: []byte{0x82}})
		},
		"large heads": func(p *peer, i uint32) error {
			if i == 0 {
				fresh := &peer{t: t}
				fresh.enc = newEncoder(fresh)
				bomb = fresh.bomb()
			}
			return p.WriteHeaders(http2.HeadersFrameParam{StreamID: 3 + 2*i, EndStream: true, EndHeaders: true,
				BlockFragment: bomb})
		},
		"continuations": func(p *peer, i uint32) error {
			if i == 0 {
				return p.WriteHeaders(http2.HeadersFrameParam{StreamID: 3})
			}
			return p.WriteContinuation(3, false, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := s.dial(t)
			p.ask(1, false, "POST", "/")
			code, said := flood(p, func(i uint32) error { return send(p, i) })
			if !said || code != http2.ErrCodeEnhanceYourCalm {
				t.Errorf("GOAWAY %v, %v", code, said)
			}
		})
	}
}

// bomb is a head of thousands of fields that are short to say, because HPACK knows
// them.
func (p *peer) bomb() []byte {
	b := p.fields(":method", "GET", ":scheme", "http", ":path", "/", ":authority", "h", "a", "xxxxxxxx")
	for range 2000 {
		b = append(b, 0xbe)
	}
	return b
}

// Heads that are large because of what HPACK knows are refused like others.
func TestBomb(t *testing.T) {
	var handled atomic.Int32
	s := listen(t, asIs, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { handled.Add(1) }))
	p := s.dial(t)
	_ = p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, EndStream: true, EndHeaders: true,
		BlockFragment: p.bomb()})
	if a := p.answer(1); a.status != "431" {
		t.Errorf("%+v", a)
	}
	p.ask(3, true, "GET", "/") // HPACK has not lost its place
	if a := p.answer(3); a.status != "200" || handled.Load() != 1 {
		t.Errorf("then %+v; %d were handled", a, handled.Load())
	}
}

// Rapid reset: handlers that do not end at once keep others from beginning, and
// whoever goes on is told to be calm.
func TestRapidReset(t *testing.T) {
	var now, most atomic.Int64
	release := make(chan struct{})
	s := listen(t, asIs, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		if n := now.Add(1); n > most.Load() {
			most.Store(n)
		}
		defer now.Add(-1)
		<-release
	}))
	p := s.dial(t)
	code, said := flood(p, func(i uint32) error {
		p.ask(2*i+1, true, "GET", "/")
		return p.WriteRSTStream(2*i+1, http2.ErrCodeCancel)
	})
	if !said || code != http2.ErrCodeEnhanceYourCalm {
		t.Errorf("GOAWAY %v, %v", code, said)
	}
	if most.Load() > maxStreams {
		t.Errorf("%d handlers at once", most.Load())
	}
	close(release)
	until(t, "handlers to end", func() bool { return now.Load() == 0 })
}

// A client that gives up many requests and asks again is served when the handlers
// of the first have ended.
func TestManyAreGivenUp(t *testing.T) {
	var handled atomic.Int32
	release := make(chan struct{})
	s := listen(t, asIs, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if handled.Add(1) <= maxStreams {
			<-release
			return
		}
		_, _ = io.WriteString(w, r.URL.Path)
	}))
	p := s.dial(t)
	id := uint32(1)
	for range maxStreams {
		p.ask(id, true, "GET", "/")
		id += 2
	}
	until(t, "handlers to begin", func() bool { return handled.Load() == maxStreams })
	p.ask(id, true, "GET", "/") // one too many
	if a := p.answer(id); a.end != "reset REFUSED_STREAM" {
		t.Errorf("one too many ends with %q", a.end)
	}
	for i := range uint32(maxStreams) {
		_ = p.WriteRSTStream(2*i+1, http2.ErrCodeCancel)
	}
	first := id + 2
	for i := range uint32(maxStreams) {
		p.ask(first+2*i, true, "GET", "/again")
	}
	_ = p.WriteRSTStream(first, http2.ErrCodeCancel) // also while it waits
	c := s.only(t)
	c.looks(t, "what was sent", func() bool { return c.last == first+2*(maxStreams-1) && len(c.streams) == maxStreams-1 })
	close(release)
	got := 0
	for got < maxStreams-1 {
		f := p.next()
		if f == nil {
			break
		}
		if d, ok := f.(*http2.DataFrame); ok && d.StreamEnded() {
			got++
		}
	}
	if got != maxStreams-1 || handled.Load() != 2*maxStreams-1 {
		t.Errorf("%d answers, %d handled", got, handled.Load())
	}
}

// The client is not charged for what its requests explain.
func TestCalmForWork(t *testing.T) {
	s := listen(t, asIs, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "x")
	}))
	p := s.dial(t)
	for i := range uint32(3000) {
		id := 2*i + 1
		p.ask(id, false, "POST", "/")
		_ = p.WriteData(id, true, []byte("a"))
		_ = p.WriteWindowUpdate(0, 1)
		_ = p.WritePing(false, [8]byte{})
		if a := p.answer(id); a.end != "whole" {
			t.Fatalf("request %d: %+v", i, a)
		}
	}
}
