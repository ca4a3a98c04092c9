package connpool

import (
	"context"
	"errors"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/seakeep/seakeep/config"
)

func TestAConnectionIsUsedAgain(t *testing.T) {
	for _, protocol := range []config.Protocol{config.HTTP1, config.H2C} {
		t.Run(protocol.String(), func(t *testing.T) {
			s := Settings{Protocol: protocol}
			inBubble(t, s, hello, func(t *testing.T, p *Pool, w *wires) {
				want := map[config.Protocol]string{config.HTTP1: "HTTP/1.1", config.H2C: "HTTP/2.0"}[protocol]
				for range 5 {
					if got := get(t, p, "/"); got != want {
						t.Errorf("answered over %q, want %q", got, want)
					}
				}
				if s := state(t, p); s.Opened != 1 || s.Idle != 1 || s.InFlight != 0 {
					t.Errorf("%+v", s)
				}
			})
		})
	}
}

// HTTP/1.1 has a call on each connection, HTTP/2 all on one.
func TestCallsAtOnce(t *testing.T) {
	for _, c := range []struct {
		protocol config.Protocol
		open     int
	}{{config.HTTP1, 20}, {config.H2C, 1}} {
		inBubble(t, Settings{Protocol: c.protocol}, hello, func(t *testing.T, p *Pool, w *wires) {
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() { get(t, p, "/1s") })
			}
			time.Sleep(500 * time.Millisecond)
			if s := state(t, p); s.Open != c.open || s.InFlight != 20 {
				t.Errorf("%v: %+v", c.protocol, s)
			}
			all.Wait()
			if s := state(t, p); s.InFlight != 0 || s.Idle != c.open {
				t.Errorf("%v: %+v", c.protocol, s)
			}
		})
	}
}

// A call that waits for a connection longer than acquire gives up, with an error
// of its own, and nothing was sent. Those that wait are served in turn.
func TestAcquire(t *testing.T) {
	s := limits(config.Connections{Max: 2})
	s.Acquire = 50 * time.Millisecond
	inBubble(t, s, hello, func(t *testing.T, p *Pool, w *wires) {
		var all sync.WaitGroup
		for _, path := range []string{"/30ms", "/1s"} {
			all.Go(func() { get(t, p, path) })
		}
		time.Sleep(time.Millisecond)
		start := time.Now()
		all.Go(func() {
			get(t, p, "/100ms") // in the place of the first
			if d := time.Since(start); d != 129*time.Millisecond {
				t.Errorf("the second in line took %v", d)
			}
		})
		time.Sleep(time.Millisecond)
		start2 := time.Now()
		_, err := ask(t.Context(), p, "GET", "/", nil)
		var full *AcquireError
		if d := time.Since(start2); !errors.As(err, &full) || !NeverSent(err) || d != s.Acquire {
			t.Errorf("%v after %v", err, d)
		}
		if want := "all 2 connections to server:80 were in use for 50ms"; err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		_, err = ask(WithAcquire(t.Context(), 200*time.Millisecond), p, "GET", "/", nil)
		if err != nil {
			t.Errorf("with more patience: %v", err)
		}
		all.Wait()
		if s := state(t, p); s.Refused != 1 || s.Opened != 2 || s.Waiting != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// The limit for new connections holds while one is opened, not that for waiting.
func TestAcquireIsNotConnect(t *testing.T) {
	s := limits(config.Connections{Max: 1})
	s.Acquire = 50 * time.Millisecond
	inBubble(t, s, hello, func(t *testing.T, p *Pool, w *wires) {
		w.delay = time.Second
		start := time.Now()
		get(t, p, "/")
		if d := time.Since(start); d != time.Second {
			t.Errorf("took %v", d)
		}
	})
}

// A caller who leaves while a connection is opened leaves it to the next.
func TestWhoLeavesLeavesTheConnection(t *testing.T) {
	inBubble(t, Settings{}, hello, func(t *testing.T, p *Pool, w *wires) {
		w.delay = time.Second
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		if _, err := ask(ctx, p, "GET", "/", nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		time.Sleep(time.Second)
		if s := state(t, p); s.Open != 1 || s.Idle != 1 {
			t.Errorf("%+v", s)
		}
		start := time.Now()
		get(t, p, "/")
		if d := time.Since(start); d != 0 || w.opened.Load() != 1 {
			t.Errorf("took %v, %d connections", d, w.opened.Load())
		}
	})
}

func TestConnectionsThatFail(t *testing.T) {
	for _, protocol := range []config.Protocol{config.HTTP1, config.H2C} {
		inBubble(t, Settings{Protocol: protocol}, hello, func(t *testing.T, p *Pool, w *wires) {
			broken := errors.New("no way")
			w.fail.Store(&broken)
			var all sync.WaitGroup
			for range 5 {
				all.Go(func() {
					if _, err := ask(t.Context(), p, "GET", "/", nil); !errors.Is(err, broken) {
						t.Error(err)
					}
				})
			}
			all.Wait()
			w.fail.Store(nil)
			get(t, p, "/")
			if s := state(t, p); s.Open != 1 || s.Failed == 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestIdleConnectionsEnd(t *testing.T) {
	s := limits(config.Connections{Idle: 3, IdleTime: time.Minute})
	inBubble(t, s, hello, func(t *testing.T, p *Pool, w *wires) {
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() { get(t, p, "/1s") })
		}
		all.Wait()
		if s := state(t, p); s.Idle != 3 || w.live.Load() != 3 {
			t.Errorf("%+v, %d open", s, w.live.Load())
		}
		time.Sleep(30 * time.Second)
		get(t, p, "/")
		time.Sleep(31 * time.Second)
		if s := state(t, p); s.Open != 1 {
			t.Errorf("the one that was used: %+v", s)
		}
		time.Sleep(30 * time.Second)
		if n := len(p.Snapshot()); n != 0 || w.live.Load() != 0 {
			t.Errorf("%d lanes, %d connections", n, w.live.Load())
		}
		get(t, p, "/")
	})
}

// Connections that were opened together go one by one, none before what jitter
// leaves of its time, and none takes a call after it. Calls are not cut.
func TestLifetime(t *testing.T) {
	s := limits(config.Connections{Lifetime: 100 * time.Second, Jitter: 0.5, IdleTime: time.Hour})
	inBubble(t, s, hello, func(t *testing.T, p *Pool, w *wires) {
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { get(t, p, "/1s") })
		}
		all.Wait()
		time.Sleep(48 * time.Second)
		if s := state(t, p); s.Open != 20 {
			t.Errorf("before half of the time: %+v", s)
		}
		time.Sleep(25 * time.Second)
		if s := state(t, p); s.Open < 3 || s.Open > 17 {
			t.Errorf("in the middle: %+v", s)
		}
		get(t, p, "/60s") // longer than any lives
		if s := state(t, p); s.Open != 0 {
			t.Errorf("at the end: %+v", s)
		}
	})
}

// So many are open before anybody asks, and again after they have died.
func TestWarm(t *testing.T) {
	s := limits(config.Connections{Warm: 3, IdleTime: time.Minute, Lifetime: 10 * time.Minute, Jitter: 0.1})
	inBubble(t, s, hello, func(t *testing.T, p *Pool, w *wires) {
		p.Keep([]*url.URL{server})
		if s := state(t, p); s.Idle != 3 {
			t.Errorf("%+v", s)
		}
		time.Sleep(5 * time.Minute)
		if s := state(t, p); s.Idle != 3 || s.Opened != 3 {
			t.Errorf("idle time does not end them: %+v", s)
		}
		time.Sleep(10 * time.Minute)
		if s := state(t, p); s.Open != 3 || s.Opened != 6 {
			t.Errorf("after their lifetime: %+v", s)
		}
		get(t, p, "/")
		if s := state(t, p); s.Opened != 6 {
			t.Errorf("a call opens none: %+v", s)
		}
		p.Keep(nil)
		time.Sleep(2 * time.Minute)
		if w.live.Load() != 0 {
			t.Errorf("%d connections to where they are not kept any more", w.live.Load())
		}
	})
}

// A server that is away is not asked without a pause.
func TestWarmthWaitsForTheServer(t *testing.T) {
	inBubble(t, limits(config.Connections{Warm: 1}), hello, func(t *testing.T, p *Pool, w *wires) {
		away := errors.New("away")
		w.fail.Store(&away)
		p.Keep([]*url.URL{server})
		time.Sleep(10 * time.Minute)
		if s := state(t, p); s.Failed < 10 || s.Failed > 40 {
			t.Errorf("%+v", s)
		}
		w.fail.Store(nil)
		time.Sleep(time.Minute)
		if s := state(t, p); s.Idle != 1 {
			t.Errorf("%+v", s)
		}
	})
}

func TestMaxBoundsHTTP2Connections(t *testing.T) {
	s := limits(config.Connections{Max: 1})
	s.Protocol, s.Acquire = config.H2C, time.Second
	inBubble(t, s, hello, func(t *testing.T, p *Pool, w *wires) {
		get(t, p, "/") // the server's limit, 250 streams, is known
		var all sync.WaitGroup
		for range 260 {
			all.Go(func() { get(t, p, "/300ms") })
		}
		all.Wait()
		if s := state(t, p); s.Opened != 1 || s.Refused != 0 || s.Resent != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// With other settings connections finish what they have begun, and no more.
func TestUse(t *testing.T) {
	inBubble(t, Settings{}, hello, func(t *testing.T, p *Pool, w *wires) {
		var all sync.WaitGroup
		all.Go(func() { get(t, p, "/10s") })
		all.Go(func() { get(t, p, "/1s") })
		time.Sleep(2 * time.Second)
		if s := state(t, p); s.Open != 2 || s.Idle != 1 {
			t.Errorf("%+v", s)
		}
		m := *p.maker.Load()
		m.era++
		p.maker.Store(&m)
		next := m.Settings
		next.Connections.IdleTime = time.Hour
		if err := p.Use(next); err != nil {
			t.Fatal(err)
		}
		l := p.lane(addressOf(server))
		l.tick()
		l.leave()
		if s := state(t, p); s.Open != 1 || s.InFlight != 1 {
			t.Errorf("%+v", s)
		}
		all.Wait()
		if s := state(t, p); s.Open != 0 {
			t.Errorf("%+v", s)
		}
	})
}
