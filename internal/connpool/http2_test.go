package connpool

import (
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/internal/h2peer"
)

// withPeers runs a test in virtual time with a server of HTTP/2 that is written
// frame by frame: a function for each connection, the last for all further ones.
func withPeers(t *testing.T, c config.Connections, peers []func(*h2peer.Peer),
	test func(t *testing.T, p *Pool, w *wires)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWires()
		var all sync.WaitGroup
		all.Go(func() {
			for i := 0; ; i++ {
				conn, err := w.Accept()
				if err != nil {
					return
				}
				serve := peers[min(i, len(peers)-1)]
				all.Go(func() {
					defer conn.Close()
					if peer, err := h2peer.Accept(conn, 0); err == nil {
						serve(peer)
					}
				})
			}
		})
		p := newPool(t, Settings{Protocol: config.H2C, Connections: c}, w)
		test(t, p, w)
		p.CloseIdleConnections()
		_ = w.Close()
		if err := eventuallyZero(&w.live); err != nil {
			t.Error(err)
		}
		all.Wait()
	})
}

// echoes answers each request with its body.
func echoes(p *h2peer.Peer) {
	for {
		stream, body, err := p.Request()
		if err != nil {
			return
		}
		_ = p.Answer(stream, "echo "+string(body))
	}
}

// F160: the server goes away with stream 1 as the last that it processes; 3 and
// 5 are POSTs that it has not, and go out whole on another connection.
func TestF160GoAway(t *testing.T) {
	var processed atomic.Int32
	first := func(p *h2peer.Peer) {
		for range 3 {
			if _, _, err := p.Request(); err != nil {
				return
			}
		}
		_ = p.GoAway(1, h2peer.NoError)
		time.Sleep(time.Second)
		processed.Add(1)
		_ = p.Answer(1, "the first")
		_, _, _ = p.Request()
	}
	second := func(p *h2peer.Peer) {
		for {
			stream, body, err := p.Request()
			if err != nil {
				return
			}
			processed.Add(1)
			_ = p.Answer(stream, string(body))
		}
	}
	withPeers(t, config.Connections{}, []func(*h2peer.Peer){first, second},
		func(t *testing.T, p *Pool, w *wires) {
			var all sync.WaitGroup
			for i, want := range []string{"the first", strings.Repeat("b", 100), strings.Repeat("c", 100)} {
				all.Go(func() {
					time.Sleep(time.Duration(i) * time.Millisecond)
					got, err := ask(t.Context(), p, "POST", "/", strings.NewReader(want))
					if err != nil || got != want {
						t.Errorf("%q, %v; want %q", got, err, want)
					}
				})
			}
			all.Wait()
			if s := state(t, p); processed.Load() != 3 || s.Resent != 2 || s.Opened != 2 {
				t.Errorf("%d processed, %+v", processed.Load(), s)
			}
		})
}

// A stream up to the last one that dies with the connection may have run.
func TestF160BelowTheLastStreamIsNotSentAgain(t *testing.T) {
	first := func(p *h2peer.Peer) {
		stream, _, _ := p.Request()
		_ = p.GoAway(stream, h2peer.NoError)
	}
	withPeers(t, config.Connections{}, []func(*h2peer.Peer){first, echoes},
		func(t *testing.T, p *Pool, w *wires) {
			_, err := ask(t.Context(), p, "POST", "/", strings.NewReader("x"))
			if err == nil || NeverSent(err) || w.opened.Load() != 1 {
				t.Errorf("%v; %d connections", err, w.opened.Load())
			}
		})
}

// A server that goes away while nothing is under way, and does not hang up: the
// next request has another connection, and the first does not count any more.
func TestGoAwayWhileIdle(t *testing.T) {
	goes := func(p *h2peer.Peer) {
		stream, body, _ := p.Request()
		_ = p.Answer(stream, string(body))
		_ = p.GoAway(stream, h2peer.NoError)
		_, _, _ = p.Request()
	}
	withPeers(t, config.Connections{Max: 1}, []func(*h2peer.Peer){goes, echoes},
		func(t *testing.T, p *Pool, w *wires) {
			get(t, p, "/")
			time.Sleep(time.Second)
			get(t, p, "/")
			if s := state(t, p); s.Open != 1 || w.opened.Load() != 2 {
				t.Errorf("%+v, %d opened", s, w.opened.Load())
			}
		})
}

// Without a way to have the body again the request is not sent again, and the
// error says that it did not run.
func TestNotProcessedAndNotReplayable(t *testing.T) {
	first := func(p *h2peer.Peer) {
		_, _, _ = p.Request()
		_ = p.GoAway(0, h2peer.NoError)
		_, _, _ = p.Request()
	}
	withPeers(t, config.Connections{}, []func(*h2peer.Peer){first, echoes},
		func(t *testing.T, p *Pool, w *wires) {
			_, err := ask(t.Context(), p, "POST", "/", io.MultiReader(strings.NewReader("x")))
			if err == nil || !NeverSent(err) || w.opened.Load() != 1 {
				t.Errorf("%v; %d connections", err, w.opened.Load())
			}
		})
}

// F067: a server that refuses every stream is asked a bounded number of times.
func TestF067RefusedStreams(t *testing.T) {
	var asked atomic.Int32
	refuses := func(p *h2peer.Peer) {
		for {
			stream, _, err := p.Request()
			if err != nil {
				return
			}
			asked.Add(1)
			_ = p.Reset(stream, h2peer.RefusedStream)
		}
	}
	withPeers(t, config.Connections{}, []func(*h2peer.Peer){refuses}, func(t *testing.T, p *Pool, w *wires) {
		_, err := ask(t.Context(), p, "POST", "/", strings.NewReader("x"))
		if !Refused(err) || !NeverSent(err) || asked.Load() != 1+mostResends {
			t.Errorf("%v after %d", err, asked.Load())
		}
		if s := state(t, p); s.Resent != mostResends {
			t.Errorf("%+v", s)
		}
	})
}

// A stream that is refused once goes through.
func TestRefusedOnce(t *testing.T) {
	var asked atomic.Int32
	once := func(p *h2peer.Peer) {
		for {
			stream, body, err := p.Request()
			if err != nil {
				return
			}
			if asked.Add(1) == 1 {
				_ = p.Reset(stream, h2peer.RefusedStream)
			} else {
				_ = p.Answer(stream, string(body))
			}
		}
	}
	withPeers(t, config.Connections{}, []func(*h2peer.Peer){once}, func(t *testing.T, p *Pool, w *wires) {
		if got, err := ask(t.Context(), p, "POST", "/", strings.NewReader("whole")); got != "whole" || err != nil {
			t.Error(got, err)
		}
	})
}

// Any other reset may have run, and one in the middle is a broken answer.
func TestResetStreams(t *testing.T) {
	for _, code := range []uint32{h2peer.Internal, h2peer.Cancel, h2peer.Calm} {
		resets := func(p *h2peer.Peer) {
			for {
				stream, _, err := p.Request()
				if err != nil {
					return
				}
				_ = p.Reset(stream, code)
			}
		}
		withPeers(t, config.Connections{}, []func(*h2peer.Peer){resets}, func(t *testing.T, p *Pool, w *wires) {
			_, err := ask(t.Context(), p, "GET", "/", nil)
			if got, ok := StreamCode(err); !ok || got != code || NeverSent(err) {
				t.Errorf("code %d: %v", code, err)
			}
		})
	}
	middle := func(p *h2peer.Peer) {
		stream, _, _ := p.Request()
		_ = p.Begin(stream, false)
		_ = p.Send(stream, "half", false)
		_ = p.Reset(stream, h2peer.Internal)
		_, _, _ = p.Request()
	}
	withPeers(t, config.Connections{}, []func(*h2peer.Peer){middle}, func(t *testing.T, p *Pool, w *wires) {
		got, err := ask(t.Context(), p, "GET", "/", nil)
		if code, _ := StreamCode(err); got != "half" || code != h2peer.Internal {
			t.Errorf("%q, %v", got, err)
		}
		if s := state(t, p); s.Open != 1 || s.InFlight != 0 {
			t.Errorf("the connection is still good: %+v", s)
		}
	})
}

// The server's limit of streams holds: those above it get another connection.
func TestStreamLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWires()
		server := &http.Server{Handler: http.HandlerFunc(hello), Protocols: new(http.Protocols),
			HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 10}}
		server.Protocols.SetUnencryptedHTTP2(true)
		var all sync.WaitGroup
		all.Go(func() { _ = server.Serve(net.Listener(w)) })
		p := newPool(t, Settings{Protocol: config.H2C}, w)
		get(t, p, "/")
		var calls sync.WaitGroup
		for range 35 {
			calls.Go(func() { get(t, p, "/1s") })
		}
		calls.Wait()
		if s := state(t, p); s.Opened < 4 || s.Opened > 5 || s.InFlight != 0 {
			t.Errorf("%+v", s)
		}
		p.CloseIdleConnections()
		_ = server.Close()
		all.Wait()
	})
}
