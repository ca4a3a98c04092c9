package connpool

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seakeep/seakeep/config"
)

// Many requests at once, some given up, while connections grow old, are closed
// as too idle, break and cannot be opened: every request ends, there are never
// more connections than there may be, and nothing is left.
func TestStorm(t *testing.T) {
	for seed := range uint64(6) {
		protocol := config.HTTP1
		if seed%2 == 1 {
			protocol = config.H2C
		}
		t.Run(fmt.Sprint(protocol, seed), func(t *testing.T) {
			s := limits(config.Connections{Max: 5, Idle: 3, IdleTime: 200 * time.Millisecond, Lifetime: time.Second,
				Jitter: 0.5, Warm: 2, PingTimeout: 100 * time.Millisecond})
			s.Protocol, s.Acquire = protocol, 80*time.Millisecond
			inBubble(t, s, hello, func(t *testing.T, p *Pool, w *wires) { storm(t, p, w, seed) })
		})
	}
}

func storm(t *testing.T, p *Pool, w *wires, seed uint64) {
	w.delay = 5 * time.Millisecond
	p.Keep(keepServer)
	away := errors.New("away")
	var all sync.WaitGroup
	var most atomic.Int32
	var answered, ended atomic.Int32
	for i := range uint64(40) {
		all.Go(func() {
			r := rand.New(rand.NewPCG(seed, i))
			for range 30 {
				time.Sleep(time.Duration(r.IntN(50)) * time.Millisecond)
				switch r.IntN(40) {
				case 0:
					w.fail.Store(&away)
				case 1, 2:
					w.fail.Store(nil)
				case 3:
					p.CloseIdleConnections()
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(r.IntN(100)+1)*time.Millisecond)
				path := fmt.Sprintf("/%dms", r.IntN(60))
				_, err := ask(ctx, p, "POST", path, strings.NewReader("body"))
				cancel()
				if ended.Add(1); err == nil {
					answered.Add(1)
				}
				for now := w.live.Load(); now > most.Load(); {
					most.Store(now)
				}
			}
		})
	}
	all.Wait()
	w.fail.Store(nil)
	time.Sleep(time.Second)
	st := state(t, p)
	if ended.Load() != 1200 || answered.Load() < 100 || most.Load() > 5 {
		t.Errorf("%d ended, %d answered, at most %d connections", ended.Load(), answered.Load(), most.Load())
	}
	if st.InFlight != 0 || st.Waiting != 0 || st.Open > 3 {
		t.Errorf("%+v", st)
	}
}

var keepServer = []*url.URL{server}
