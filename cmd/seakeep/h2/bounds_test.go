package h2

import (
	"bytes"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// Rapid reset against handlers that end at once: there is no queue then, and each
// has begun what a proxy begins.
func TestRapidResetOfQuickHandlers(t *testing.T) {
	var handled atomic.Int32
	s := listen(t, asIs, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		handled.Add(1)
		<-r.Context().Done()
	}))
	p := s.dial(t)
	code, said := flood(p, func(i uint32) error {
		p.ask(2*i+1, true, "GET", "/")
		return p.WriteRSTStream(2*i+1, http2.ErrCodeCancel)
	})
	if !said || code != http2.ErrCodeEnhanceYourCalm {
		t.Errorf("GOAWAY %v, %v", code, said)
	}
	if n := handled.Load(); n > 2*calmFirst {
		t.Errorf("%d handlers have run", n)
	}
}

// A client that gives up on what takes long may do that as often as it likes.
func TestGivingUpIsNoFlood(t *testing.T) {
	came := make(chan struct{}, maxStreams)
	s := listen(t, asIs, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		came <- struct{}{}
		<-r.Context().Done()
	}))
	p := s.dial(t)
	const each = 200
	for round := range uint32(calmFirst/each + 5) {
		for i := range uint32(each) {
			p.ask(2*(each*round+i)+1, true, "GET", "/")
		}
		for range each {
			<-came
		}
		<-time.After(calmHasty)
		for i := range uint32(each) {
			_ = p.WriteRSTStream(2*(each*round+i)+1, http2.ErrCodeCancel)
		}
	}
	if _, ok := pinged(p); !ok {
		t.Error("the connection has ended")
	}
}

// A head that does not come to its end has its time, whatever else is under way.
func TestSlowHead(t *testing.T) {
	s := listen(t, func(s *Server) { s.HeadTime = 100 * time.Millisecond }, http.HandlerFunc(
		func(_ http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/wait" {
				<-r.Context().Done()
			}
		}))
	p := s.dial(t)
	p.ask(1, true, "GET", "/wait")
	block := append([]byte(nil), p.fields(":method", "GET", ":scheme", "http", ":path", "/", ":authority", "h")...)
	_ = p.WriteHeaders(http2.HeadersFrameParam{StreamID: 3, EndStream: true, BlockFragment: block[:3]})
	_ = p.WriteContinuation(3, true, block[3:])
	if a := p.answer(3); a.status != "200" {
		t.Errorf("a head in two frames: %+v", a)
	}
	<-time.After(2 * s.own.HeadTime) // which is not counted any more
	began := time.Now()
	_ = p.WriteHeaders(http2.HeadersFrameParam{StreamID: 5, EndStream: true, BlockFragment: block[:3]})
	for end := false; !end; end = p.next() == nil {
	}
	if d := time.Since(began); d < s.own.HeadTime/2 || d > patience/4 {
		t.Errorf("the connection ends after %v", d)
	}
}

// heldBy is how many bytes n connections hold each, when what they do is done.
func heldBy(t *testing.T, n int, do func()) int {
	t.Helper()
	heap := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := heap()
	for range n {
		do()
	}
	return (heap() - before) / n
}

// What a large head needs is not kept for as long as its connection lives, in one
// field or in many frames.
func TestLargeHeadsAreNotKept(t *testing.T) {
	const size = 100 << 10
	s := listen(t, func(s *Server) { s.MaxHead = 2 * size }, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	value := strings.Repeat("x", size)
	plain := heldBy(t, 40, func() {
		p := s.dial(t)
		p.ask(1, true, "GET", "/")
		p.answer(1)
	})
	large := heldBy(t, 40, func() {
		p := s.dial(t)
		b := append([]byte(nil), p.fields(":method", "GET", ":scheme", "http", ":path", "/", ":authority", "h", "a", value)...)
		_ = p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, EndStream: true, BlockFragment: b[:frameSize]})
		for b = b[frameSize:]; len(b) > 0; {
			n := min(len(b), frameSize)
			_ = p.WriteContinuation(1, n == len(b), b[:n])
			b = b[n:]
		}
		if a := p.answer(1); a.status == "" {
			t.Fatalf("%+v", a)
		}
		p.enc, p.block = nil, bytes.Buffer{}
	})
	t.Logf("%d bytes each, and %d with a large head, the clients' among them", plain, large)
	if large > plain+2*frameSize+(8<<10) {
		t.Errorf("%d bytes each, and %d with a large head", plain, large)
	}
}

// What a large answer needs is not kept either.
func TestLargeAnswersAreNotKept(t *testing.T) {
	s := listen(t, asIs, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := 10
		if r.URL.Path == "/large" {
			n = 60_000
		}
		_, _ = w.Write(make([]byte, n))
	}))
	each := func(path string) int {
		return heldBy(t, 40, func() {
			p := s.dial(t, http2.Setting{ID: http2.SettingMaxFrameSize, Val: 1 << 20})
			p.ask(1, true, "GET", path)
			if a := p.answer(1); a.end != "whole" {
				t.Fatalf("%+v", a)
			}
			p.Framer = nil // it keeps room for a frame
		})
	}
	small, large := each("/small"), each("/large")
	if t.Logf("%d bytes each, and %d with a large answer", small, large); large > small+(8<<10) {
		t.Error("more is kept")
	}
}

// All connections together have no more requests under way than the server lets
// them. Who is refused may ask again.
func TestRequestsOfAllAreBounded(t *testing.T) {
	const most = 5
	var here atomic.Int32
	release := make(chan struct{})
	s := listen(t, func(s *Server) { s.MaxRequests = most }, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		here.Add(1)
		<-release
	}))
	a, b := s.dial(t), s.dial(t)
	for i := range uint32(most) {
		[]*peer{a, b}[i%2].ask(2*i+1, true, "GET", "/")
	}
	until(t, "all to be there", func() bool { return here.Load() == most })
	for _, p := range []*peer{a, b} {
		p.ask(101, true, "GET", "/")
		if a := p.answer(101); a.end != "reset REFUSED_STREAM" {
			t.Errorf("one too many ends with %+v", a)
		}
	}
	for i := range uint32(calmFirst + 100) { // as often as it likes
		a.ask(103+2*i, true, "GET", "/")
		if a.answer(103+2*i).end != "reset REFUSED_STREAM" {
			t.Fatalf("refused %d times, and then not", i)
		}
	}
	close(release)
	until(t, "them to end", func() bool { return s.own.running.Load() == 0 })
	a.ask(9001, true, "GET", "/")
	if a := a.answer(9001); a.status != "200" {
		t.Errorf("then %+v", a)
	}
}

// A client that asks for much and reads nothing costs what is bounded: a buffer of
// the connection and one of each handler.
func TestUnreadAnswersAreBounded(t *testing.T) {
	var here atomic.Int32
	s := listen(t, asIs, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		here.Add(1)
		var piece [4 << 10]byte
		for r.Context().Err() == nil {
			if _, err := w.Write(piece[:]); err != nil {
				return
			}
		}
	}))
	p := s.dial(t, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1<<31 - 1},
		http2.Setting{ID: http2.SettingMaxFrameSize, Val: 1<<24 - 1})
	_ = p.WriteWindowUpdate(0, 1<<31-1-65535)
	c := s.only(t)
	held := heldBy(t, 1, func() {
		for i := range uint32(maxStreams) {
			p.ask(2*i+1, true, "GET", "/")
		}
		until(t, "all to be there", func() bool { return here.Load() == maxStreams })
		c.looks(t, "all to wait", func() bool { return len(c.waiting) == maxStreams })
	})
	t.Logf("%d KiB", held>>10)
	if held > maxStreams*(16<<10) {
		t.Errorf("%d KiB", held>>10)
	}
}
