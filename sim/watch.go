package sim

import (
	"fmt"

	"github.com/seakeep/seakeep/core"
)

// watch returns what hears of a member's decisions; nil if nobody wants to.
func (w *World) watch(of owned) core.Observer {
	if w.trace == nil {
		return nil
	}
	return &watcher{w, of, map[string]string{}}
}

// watcher says whose decision an event is, and passes it on.
type watcher struct {
	world *World
	of    owned
	names map[string]string // in full, by policy
}

// Observe implements core.Observer.
func (w *watcher) Observe(e core.Event) {
	name, known := w.names[e.Policy]
	if !known {
		name = fmt.Sprintf("%s[%d]>%s", w.of.by, w.of.index, e.Policy)
		w.names[e.Policy] = name
	}
	e.Policy = name
	w.world.trace(e)
}
