package connpool

import (
	"slices"
	"time"
)

// due says that the lane must be looked at by t.
func (l *lane) due(t time.Time) {
	if l.wakeAt.IsZero() || t.Before(l.wakeAt) {
		l.wakeAt = t
		l.wake.Reset(max(time.Until(t), 0))
	}
}

// woken is what the timer runs.
func (l *lane) woken() {
	l.mu.Lock()
	l.tick()
	l.leave()
}

// tick does what only time changes: connections become too old, wait too long
// or stay silent too long, and others are opened ahead.
func (l *lane) tick() {
	l.wakeAt = time.Time{}
	if l.gone {
		return
	}
	now, m := time.Now(), l.of.maker.Load()
	for _, c := range slices.Clone(l.all) {
		spare := !l.warm || len(l.all) > m.Connections.Warm
		switch {
		case c.silent() && now.Sub(c.doubted) >= m.Connections.PingTimeout:
			l.drop(c)
		case c.over(now, m.era):
			l.note(c)
		case !c.idle.IsZero() && now.Sub(c.idle) >= m.Connections.IdleTime && spare && c.load() == 0:
			l.drop(c)
		}
	}
	l.readNews()
	l.limitIdle(m)
	l.serve(now)
	if l.empty() && !l.warm && l.of.forget(l) {
		l.gone = true
		return
	}
	for _, c := range l.all {
		if c.doubt != 0 {
			l.due(c.doubted.Add(m.Connections.PingTimeout))
		}
		if !c.until.IsZero() && now.Before(c.until) {
			l.due(c.until)
		}
		if !c.idle.IsZero() {
			l.due(later(c.idle.Add(m.Connections.IdleTime), now.Add(idleLook)))
		}
	}
	if l.warm && len(l.all)+l.dialing < m.Connections.Warm {
		l.due(later(l.again, now.Add(idleLook)))
	}
}

// idleLook is how often a lane is looked at, at most, for what has no haste.
const idleLook = 100 * time.Millisecond

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
