package h2

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// What a client lets be sent is sent, and no more: of the stream's window, and of
// the connection's.
func TestSendsWhatTheWindowsAllow(t *testing.T) {
	s := listen(t, asIs, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(bytes.Repeat([]byte("x"), 100_000))
	}))
	p := s.dial(t, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 10})
	p.ask(1, true, "GET", "/")
	got := 0
	read := func(want int) {
		t.Helper()
		for got < want {
			f := p.next()
			if f == nil {
				t.Fatalf("the connection ends at %d", got)
			}
			if d, ok := f.(*http2.DataFrame); ok {
				got += len(d.Data())
			}
		}
		_ = p.WritePing(false, [8]byte{1}) // what comes before its answer was sent before
		for f := p.next(); f != nil; f = p.next() {
			if d, ok := f.(*http2.DataFrame); ok {
				got += len(d.Data())
			}
			if g, ok := f.(*http2.PingFrame); ok && g.IsAck() {
				break
			}
		}
		if got != want {
			t.Fatalf("%d bytes came, want %d", got, want)
		}
	}
	read(10)
	_ = p.WriteWindowUpdate(1, 5)
	read(15)
	_ = p.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 30})
	read(35)
	_ = p.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}) // below what was sent
	_ = p.WriteWindowUpdate(1, 30)
	read(35)
	_ = p.WriteWindowUpdate(1, 100_000)
	read(65_535)
	_ = p.WriteWindowUpdate(0, 100_000)
	if a := p.answer(1); got+len(a.body) != 100_000 || a.end != "whole" {
		t.Errorf("%d bytes in the end, %s", got+len(a.body), a.end)
	}
}

// A client that sends more than it may loses the stream, or the connection.
func TestSentMoreThanTheWindow(t *testing.T) {
	release := make(chan struct{})
	s := listen(t, asIs, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer close(release)
	p := s.dial(t)
	_ = p.SetDeadline(time.Now().Add(patience))
	send := func(id uint32, size int) {
		p.ask(id, false, "POST", "/")
		for ; size > 0; size -= frameSize {
			_ = p.WriteData(id, false, make([]byte, min(size, frameSize)))
		}
	}
	send(1, streamWindow+1)
	if a := p.answer(1); a.end != "reset FLOW_CONTROL_ERROR" {
		t.Errorf("the stream ends with %q", a.end)
	}
	for id := uint32(3); id < 11; id += 2 {
		send(id, streamWindow)
	}
	send(11, frameSize)
	if code, said := p.goaway(); !said || code != http2.ErrCodeFlowControl {
		t.Errorf("GOAWAY %v, %v", code, said)
	}
}

// Large bodies go both ways at once on many streams, over a connection that has
// less room than they need.
func TestManyLargeBodies(t *testing.T) {
	s := listen(t, asIs, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
	}))
	client := goClient(t)
	body := bytes.Repeat([]byte("0123456789abcdef"), 64<<10)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			resp, err := client.Post("http://"+s.address, "", bytes.NewReader(body))
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			if got, err := io.ReadAll(resp.Body); err != nil || !bytes.Equal(got, body) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		})
	}
	all.Wait()
}

// goClient is net/http's client.
func goClient(t testing.TB) *http.Client {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	tr := &http.Transport{Protocols: protocols, DisableCompression: true}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: 3 * patience}
}

// Bodies that no handler reads do not use up the connection's window.
func TestUnreadBodiesGiveTheirWindowBack(t *testing.T) {
	s := listen(t, asIs, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	client := goClient(t)
	for i := range 20 {
		resp, err := client.Post("http://"+s.address, "", bytes.NewReader(make([]byte, 200_000)))
		if err != nil {
			t.Fatalf("request %d: %v", i, err)
		}
		resp.Body.Close()
	}
}

// A client that gives no window holds a handler no longer than its deadline, and
// an answer that is ready no longer than the server's.
func TestStalledReader(t *testing.T) {
	for name, size := range map[string]int{"handler": 100_000, "ready": 1000} {
		t.Run(name, func(t *testing.T) {
			failed := make(chan error, 1)
			s := listen(t, func(s *Server) { s.WriteTime = 100 * time.Millisecond },
				http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					if name == "handler" {
						_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(50 * time.Millisecond))
					}
					_, err := w.Write(make([]byte, size))
					failed <- err
				}))
			p := s.dial(t, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 10})
			p.ask(1, true, "GET", "/")
			if a := p.answer(1); a.end != "reset INTERNAL_ERROR" || len(a.body) != 10 {
				t.Errorf("%d bytes, %s", len(a.body), a.end)
			}
			if err := <-failed; (name == "handler") != errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("the handler is told %v", err)
			}
			p.ask(3, true, "GET", "/")
			if a := p.answer(3); a.status != "200" {
				t.Errorf("then %+v", a)
			}
		})
	}
}

// A client that does not even read its socket loses the connection.
func TestStalledSocket(t *testing.T) {
	var under atomic.Int32
	s := listen(t, func(s *Server) { s.WriteTime = 100 * time.Millisecond },
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			under.Add(1)
			defer under.Add(-1)
			for range 1000 {
				if _, err := w.Write(make([]byte, 64<<10)); err != nil {
					return
				}
			}
		}))
	p := s.dial(t, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1<<31 - 1})
	_ = p.WriteWindowUpdate(0, 1<<31-1-65535)
	for id := uint32(1); id < 40; id += 2 {
		p.ask(id, true, "GET", "/")
	}
	until(t, "handlers to begin", func() bool { return under.Load() > 0 })
	until(t, "handlers to end", func() bool { return under.Load() == 0 })
}

// Deadlines for reading end a read that waits, also if they are set meanwhile, and
// can be moved.
func TestReadDeadline(t *testing.T) {
	s := listen(t, asIs, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rc := http.NewResponseController(w)
		buf := make([]byte, 10)
		for i := range 2 {
			if i == 0 {
				_ = rc.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
			} else {
				time.AfterFunc(20*time.Millisecond, func() { _ = rc.SetReadDeadline(time.Unix(1, 0)) })
			}
			if _, err := r.Body.Read(buf); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%d: read %v", i, err)
			}
			_ = rc.SetReadDeadline(time.Time{})
		}
		_ = rc.Flush()
		n, err := r.Body.Read(buf)
		fmt.Fprintf(w, "%s %v", buf[:n], err)
	}))
	p := s.dial(t)
	p.ask(1, false, "POST", "/")
	for f := p.next(); f != nil; f = p.next() {
		if _, ok := f.(*http2.MetaHeadersFrame); ok {
			break
		}
	}
	_ = p.WriteData(1, true, []byte("late"))
	if a := p.answer(1); a.body != "late <nil>" {
		t.Errorf("%+v", a)
	}
}

// 100 Continue is sent when the body is wanted, once, and not behind the answer.
func TestContinue(t *testing.T) {
	s := listen(t, asIs, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/late" {
			_ = http.NewResponseController(w).Flush()
		}
		if r.URL.Path != "/refused" {
			_, _ = io.Copy(w, r.Body)
		}
		w.Header().Set(http.TrailerPrefix+"Saw", r.Header.Get("Expect"))
	}))
	for path, want := range map[string]string{"/": "[100 ]", "/refused": "[]", "/late": "[]"} {
		p := s.dial(t)
		p.ask(1, false, "POST", path, "expect", "100-continue")
		if path != "/refused" {
			var first answer
			for len(first.interim) == 0 && first.status == "" {
				if h, ok := p.next().(*http2.MetaHeadersFrame); ok {
					first.take(h)
				}
			}
			if fmt.Sprint(first.interim) != want {
				t.Errorf("%s: %+v comes first", path, first)
			}
			_ = p.WriteData(1, true, []byte("abc"))
		}
		a := p.answer(1)
		if len(a.interim) > 0 || a.trailer.Get("Saw") != "100-continue" || a.end != "whole" ||
			(path != "/refused") != strings.Contains(a.body, "abc") {
			t.Errorf("%s: %+v", path, a)
		}
	}
}
