package telemetry

import (
	"strings"
	"sync"
	"time"

	"github.com/seakeep/seakeep/core"
)

// timeline adds up how long something was in each of its states. It begins with
// the first event or the first look, in the state that the look or the event
// says it was in until then.
type timeline struct {
	words []string

	mu    sync.Mutex
	begun bool
	seq   uint64
	state int
	since core.Instant
	spent [8]time.Duration
}

// changed takes in an event. One that was overtaken by a later one counts as a
// transition and tells nothing of the time. Seq alone does not tell: after a
// reload it may begin anew.
func (t *timeline) changed(e *core.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.begun && e.Seq <= t.seq && e.At <= t.since {
		return
	}
	t.seq = e.Seq
	t.to(e.At, index(t.words, e.To))
}

// seen takes in what a look at the state itself says: a reload may have begun
// another without an event.
func (t *timeline) seen(now core.Instant, state string) (spent [8]time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.to(now, index(t.words, state))
	return t.spent
}

func (t *timeline) to(now core.Instant, to int) {
	switch d := now.Sub(t.since); {
	case !t.begun:
		t.begun, t.since = true, now
	case d > 0:
		t.spent[t.state] += d
		t.since = now
	}
	t.state = to
}

// endpointMarks are the parts of an endpoint's state, as balance.State names it.
type endpointMarks struct{ ejected, unhealthy, draining, gone bool }

func marks(state string) (m endpointMarks) {
	for word := range strings.SplitSeq(state, ", ") {
		switch word {
		case "ejected":
			m.ejected = true
		case "unhealthy":
			m.unhealthy = true
		case "draining":
			m.draining = true
		case "gone":
			m.gone = true
		}
	}
	return m
}

// worst returns the one of endpointStates that counts.
func (m endpointMarks) worst() int {
	switch {
	case m.gone:
		return 4
	case m.draining:
		return 3
	case m.unhealthy:
		return 2
	case m.ejected:
		return 1
	}
	return 0
}
