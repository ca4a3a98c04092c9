package h2

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// A reset, and the end of the connection, end the request's context and its body.
func TestClientLeaves(t *testing.T) {
	for _, how := range []string{"reset", "close", "error"} {
		came, ended := make(chan struct{}, 1), make(chan error, 2)
		s := listen(t, asIs, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			came <- struct{}{}
			_, err := io.ReadAll(r.Body)
			ended <- err
			<-r.Context().Done()
			_, err = w.Write(make([]byte, 2*outSize))
			ended <- err
		}))
		p := s.dial(t)
		p.ask(1, false, "POST", "/")
		<-came
		switch how {
		case "reset":
			_ = p.WriteRSTStream(1, http2.ErrCodeCancel)
		case "close":
			_ = p.Close()
		case "error":
			_ = p.WriteData(0, false, nil)
		}
		for range 2 {
			if err := <-ended; err == nil {
				t.Errorf("%s: nothing is said to the handler", how)
			}
		}
	}
}

// Shutdown says GOAWAY, lets what is under way end, and hears nothing new.
func TestShutdown(t *testing.T) {
	came, release := make(chan struct{}, 1), make(chan struct{})
	s := listen(t, asIs, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		came <- struct{}{}
		<-release
		_, _ = io.WriteString(w, "done")
	}))
	waits, busy := s.dial(t), s.dial(t)
	if _, ok := pinged(waits); !ok {
		t.Fatal("no answer to a ping")
	}
	busy.ask(1, true, "GET", "/")
	<-came
	ended := make(chan error, 1)
	go func() { ended <- s.own.Shutdown(context.Background()) }()
	if code, said := waits.goaway(); !said || code != http2.ErrCodeNo {
		t.Errorf("who waits hears %v, %v", code, said)
	}
	_ = waits.Close()
	if g, ok := busy.next().(*http2.GoAwayFrame); !ok || g.LastStreamID != 1 {
		t.Fatalf("who is served hears %v", g)
	}
	busy.ask(3, false, "POST", "/") // it crossed
	_ = busy.WriteData(3, true, []byte("abc"))
	if _, ok := pinged(busy); !ok {
		t.Error("no answer to a ping")
	}
	select {
	case err := <-ended:
		t.Fatalf("Shutdown has not waited: %v", err)
	default:
	}
	close(release)
	if a := busy.answer(1); a.body != "done" || a.end != "whole" {
		t.Errorf("%+v", a)
	}
	if f := busy.next(); f != nil {
		t.Errorf("then %v", f)
	}
	_ = busy.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	late := s.dial(t) // h1 still listens here
	if _, err := io.ReadAll(late.Conn); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("a new connection is kept")
	}
}

// pinged pings and waits for the answer.
func pinged(p *peer) (http2.Frame, bool) {
	_ = p.WritePing(false, [8]byte{7})
	for f := p.next(); f != nil; f = p.next() {
		if g, ok := f.(*http2.PingFrame); ok && g.IsAck() && g.Data[0] == 7 {
			return f, true
		}
	}
	return nil, false
}

// Shutdown does not wait longer than it may.
func TestShutdownIsCut(t *testing.T) {
	came := make(chan struct{})
	s := listen(t, asIs, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(came)
		<-r.Context().Done()
	}))
	p := s.dial(t)
	p.ask(1, true, "GET", "/")
	<-came
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if err := s.own.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Shutdown returns %v", err)
	}
}

// An answer with Connection: close ends the connection behind what is under way.
func TestConnectionClose(t *testing.T) {
	s := listen(t, asIs, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		_, _ = io.WriteString(w, "last")
	}))
	p := s.dial(t)
	p.ask(1, true, "GET", "/")
	away := false
	body := ""
	for f := p.next(); f != nil; f = p.next() {
		switch f := f.(type) {
		case *http2.GoAwayFrame:
			away = f.ErrCode == http2.ErrCodeNo
		case *http2.DataFrame:
			body += string(f.Data())
		case *http2.MetaHeadersFrame:
			for _, field := range f.RegularFields() {
				if field.Name == "connection" {
					t.Error("the field was sent")
				}
			}
		}
	}
	if !away || body != "last" {
		t.Errorf("GOAWAY %v, body %q", away, body)
	}
}

// A connection that has no stream for long ends, and one that has does not.
func TestIdleTime(t *testing.T) {
	release := make(chan struct{})
	s := listen(t, func(s *Server) { s.IdleTime = 100 * time.Millisecond },
		http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	idle, busy := s.dial(t), s.dial(t)
	busy.ask(1, true, "GET", "/")
	if code, said := idle.goaway(); !said || code != http2.ErrCodeNo {
		t.Errorf("GOAWAY %v, %v", code, said)
	}
	time.Sleep(200 * time.Millisecond)
	close(release)
	if a := busy.answer(1); a.status != "200" {
		t.Errorf("%+v", a)
	}
}

// A connection that is silent is asked whether it is there, and ends if it is not.
func TestPing(t *testing.T) {
	s := listen(t, func(s *Server) { s.PingAfter, s.PingTime = 40*time.Millisecond, 40*time.Millisecond },
		http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	p := s.dial(t)
	p.ask(1, true, "GET", "/")
	asked := 0
	for f := p.next(); f != nil; f = p.next() {
		if g, ok := f.(*http2.PingFrame); ok && !g.IsAck() {
			if asked++; asked <= 3 {
				_ = p.WritePing(true, g.Data)
			}
		}
	}
	if asked != 4 {
		t.Errorf("asked %d times", asked)
	}
}

// What comes late for a stream that we have ended is no mistake of the client's.
func TestLateFrames(t *testing.T) {
	s := listen(t, asIs, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	p := s.dial(t)
	p.ask(1, false, "POST", "/")
	if a := p.answer(1); a.status != "200" {
		t.Fatalf("%+v", a)
	}
	_ = p.WriteData(1, false, []byte("more"))
	_ = p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, EndStream: true, EndHeaders: true,
		BlockFragment: p.fields("x-sum", "1")})
	p.ask(3, true, "GET", "/")
	if a := p.answer(3); a.status != "200" {
		t.Errorf("%+v", a)
	}
	_ = p.WriteHeaders(http2.HeadersFrameParam{StreamID: 3, EndStream: true, EndHeaders: true,
		BlockFragment: p.fields("x-sum", "1")})
	if code, _ := p.goaway(); code != http2.ErrCodeStreamClosed {
		t.Errorf("a head for a stream that the client has ended: %v", code)
	}
}

// Whoever still uses an answer or a body when the handler has ended hears so.
func TestTooLate(t *testing.T) {
	late := make(chan func() error, 1)
	s := listen(t, asIs, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		late <- func() error {
			_, werr := w.Write([]byte("late"))
			_, rerr := r.Body.Read(make([]byte, 1))
			w.WriteHeader(500)
			_ = http.NewResponseController(w).Flush()
			if werr == nil || rerr == nil {
				return errors.New("nothing is said")
			}
			return nil
		}
	}))
	p := s.dial(t)
	p.ask(1, false, "POST", "/")
	if a := p.answer(1); a.body != "" {
		t.Errorf("%+v", a)
	}
	if err := (<-late)(); err != nil {
		t.Error(err)
	}
}

// Handlers' goroutines are used again, and those that are too many end.
func TestWorkers(t *testing.T) {
	var ws workers
	for range 2 * maxFree {
		if w := (&worker{next: make(chan *stream, 1)}); !ws.wait(w) {
			break
		}
	}
	if len(ws.free) != maxFree {
		t.Errorf("%d are free", len(ws.free))
	}
	oldest := ws.free[0]
	oldest.since = oldest.since.Add(-2 * freeTime)
	ws.free = ws.free[:maxFree-1]
	if !ws.wait(&worker{next: make(chan *stream, 1)}) || ws.free[0] == oldest {
		t.Error("the oldest is still there")
	}
	if next, open := <-oldest.next; next != nil || open {
		t.Error("the oldest was not ended")
	}
}
