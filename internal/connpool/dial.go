package connpool

import (
	"context"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"
)

// grow opens the connections that those who wait need, and those that are kept
// ahead.
func (l *lane) grow() {
	m := l.of.maker.Load()
	want := len(l.waiting)
	if l.shared(m) {
		want = min(want, 1)
	}
	if l.warm && !time.Now().Before(l.again) {
		want = max(want, m.Connections.Warm-len(l.all))
	}
	want -= l.dialing
	if most := m.Connections.Max; most > 0 {
		want = min(want, most-len(l.all)-l.dialing)
	}
	for range want {
		l.dialing++
		go l.dial(m)
	}
}

// shared reports whether a new connection will be HTTP/2, as far as is known:
// it then serves all that wait.
func (l *lane) shared(m *maker) bool { return l.multi || m.multiplexes(l.to.scheme) }

// dial opens a connection. It belongs to nobody: if the request that needed it
// has gone, another may have it.
func (l *lane) dial(m *maker) {
	w := &watched{}
	ctx := context.Background()
	if m.watches(l.to.scheme) {
		ctx = context.WithValue(ctx, watchKey{}, w)
	}
	ctx, cancel := context.WithTimeout(ctx, maxConnect)
	client, err := m.tr.NewClientConn(ctx, l.to.scheme, l.to.host)
	cancel()
	l.mu.Lock()
	l.dialing--
	if err != nil {
		l.counts.Failed++
		l.dialFailed(m, err)
		l.leave()
		return
	}
	now := time.Now()
	c := &conn{ClientConn: client, lane: l, era: m.era, inLane: true, idle: now}
	if w.Conn != nil {
		c.socket = w
	}
	c.multi = client.Available() > 1
	l.multi = c.multi
	if life := m.Connections.Lifetime; life > 0 {
		c.until = now.Add(life - time.Duration(rand.Float64()*m.Connections.Jitter*float64(life)))
		l.due(c.until)
	}
	l.due(now.Add(m.Connections.IdleTime))
	l.counts.Opened++
	l.failed, l.again = 0, time.Time{}
	l.all = append(l.all, c)
	l.note(c)
	if l.multi && len(l.waiting) == 0 && len(l.all) > 1 && !(l.warm && len(l.all) <= m.Connections.Warm) {
		l.drop(c) // the first has served them all
	}
	l.leave()
	client.SetStateHook(func(*http.ClientConn) { l.told(c) })
	l.told(c)
}

// dialFailed tells those that waited for it. One that opens ahead tries again
// later.
func (l *lane) dialFailed(m *maker, err error) {
	failed := len(l.waiting)
	if !l.shared(m) {
		failed = min(failed, 1)
	}
	for _, w := range l.waiting[:failed] {
		w.got <- handed{err: err}
	}
	l.waiting = slices.Delete(l.waiting, 0, failed)
	if l.warm {
		l.failed = min(l.failed+1, 6)
		l.again = time.Now().Add(time.Second << l.failed / 2)
		l.due(l.again)
	}
	l.grow()
}
