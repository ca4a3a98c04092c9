package connpool

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/internal/h2peer"
)

// A connection that has gone dead without a word is found by the first call that
// times out on it: the next has another, and the dead one is closed.
func TestDeadConnection(t *testing.T) {
	dead := func(p *h2peer.Peer) {
		stream, _, _ := p.Request()
		_ = p.Answer(stream, "once")
		p.Deaf = true
		for {
			if _, err := p.Read(); err != nil {
				return
			}
		}
	}
	c := config.Connections{PingTimeout: 2 * time.Second}
	withPeers(t, c, []func(*h2peer.Peer){dead, echoes}, func(t *testing.T, p *Pool, w *wires) {
		get(t, p, "/")
		other := make(chan error, 1)
		go func() {
			_, err := ask(t.Context(), p, "GET", "/patient", nil)
			other <- err
		}()
		time.Sleep(time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), 250*time.Millisecond)
		_, err := ask(ctx, p, "GET", "/", nil)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if s := state(t, p); s.Doubtful != 1 {
			t.Errorf("%+v", s)
		}
		start := time.Now()
		get(t, p, "/")
		if d := time.Since(start); d != 0 || w.opened.Load() != 2 {
			t.Errorf("the next took %v, %d connections", d, w.opened.Load())
		}
		if err := <-other; err == nil || time.Since(start) != c.PingTimeout {
			t.Errorf("the patient call: %v after %v", err, time.Since(start))
		}
		if s := state(t, p); s.Open != 1 || s.Doubtful != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// One that is alive, where only this answer is slow, stays in use.
func TestSlowConnectionIsNotDead(t *testing.T) {
	slow := func(p *h2peer.Peer) {
		for {
			if f, err := p.Read(); err != nil {
				return
			} else if f.Type == h2peer.Headers && f.Stream > 1 {
				_ = p.Answer(f.Stream, "quick")
			}
		}
	}
	withPeers(t, config.Connections{}, []func(*h2peer.Peer){slow}, func(t *testing.T, p *Pool, w *wires) {
		ctx, cancel := context.WithTimeout(t.Context(), 250*time.Millisecond)
		_, err := ask(ctx, p, "GET", "/", nil)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if s := state(t, p); s.Doubtful != 0 || s.Open != 1 {
			t.Errorf("%+v", s)
		}
		if got := get(t, p, "/"); got != "quick" || w.opened.Load() != 1 {
			t.Errorf("%q, %d connections", got, w.opened.Load())
		}
	})
}

// With ping a connection is found dead while nobody asks.
func TestPing(t *testing.T) {
	dead := func(p *h2peer.Peer) {
		stream, _, _ := p.Request()
		_ = p.Answer(stream, "once")
		p.Deaf = true
		for {
			if _, err := p.Read(); err != nil {
				return
			}
		}
	}
	c := config.Connections{Ping: 10 * time.Second, PingTimeout: time.Second}
	withPeers(t, c, []func(*h2peer.Peer){dead, echoes}, func(t *testing.T, p *Pool, w *wires) {
		get(t, p, "/")
		time.Sleep(10500 * time.Millisecond)
		if s := state(t, p); s.Open != 1 {
			t.Errorf("%+v", s)
		}
		time.Sleep(time.Second)
		if s := state(t, p); s.Open != 0 {
			t.Errorf("%+v", s)
		}
	})
}
