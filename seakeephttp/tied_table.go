package seakeephttp

import (
	"context"
	"sync"
	"time"
)

const (
	// maxTied is how many tied requests that wait are known, and about how many
	// that do so no more. What is beyond it is served as any other request.
	maxTied = 10_000
	// tiedFor is how long at least it is remembered what became of one: much
	// longer than its twin is on its way.
	tiedFor = 5 * time.Second
)

// fate is what became of a tied request that does not wait.
type fate uint8

const (
	unknown fate = iota
	started
	calledOff // or would be, if it came
)

// ties are the tied requests that wait at a door, and what became of others. It
// is safe for use by many goroutines.
type ties struct {
	mu      sync.Mutex
	waiting map[tieID]*waiter
	// What is remembered is in the newer of two maps, until that is full or old
	// and becomes the other, whose contents are forgotten.
	newer, older map[tieID]fate
	turned       time.Time
	counts       TiedCounts
}

// waiter is a tied request that has come in and is not served yet.
type waiter struct {
	id     tieID
	peer   string
	known  bool // it is in the table
	gone   bool // it was called off; under ties.mu
	cancel context.CancelFunc
}

// TiedCounts are since the gate was made.
type TiedCounts struct {
	Registered uint64 // tied requests that came in and could be called off
	Cancelled  uint64 // of those, called off before they were started
	Told       uint64 // twins' doors that were told that one is served here
	Untold     uint64 // those that were not, or did not answer
	TooLate    uint64 // requests that were called off and were served already: work done twice
}

// join takes a request in. It returns false if its twin is served already.
func (t *ties) join(now time.Time, w *waiter) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.fate(now, w.id) == calledOff:
		t.counts.Registered++
		t.counts.Cancelled++
		return false
	case t.waiting[w.id] != nil || len(t.waiting) >= maxTied:
		return true // it cannot be called off
	case t.waiting == nil:
		t.waiting = map[tieID]*waiter{}
	}
	t.waiting[w.id] = w
	w.known = true
	t.counts.Registered++
	return true
}

// leave takes a request out that has its turn, or has lost it. It returns false
// if the request was called off before that.
func (t *ties) leave(now time.Time, w *waiter, turn bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if w.gone {
		return false
	}
	if w.known {
		delete(t.waiting, w.id)
		if turn {
			t.remember(now, w.id, started)
		}
	}
	return true
}

// forget takes a request out that is still in, whatever becomes of it.
func (t *ties) forget(w *waiter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiting[w.id] == w {
		delete(t.waiting, w.id)
	}
}

// callOff ends the wait of a request whose twin is served, and returns what had
// become of it: calledOff if it waited, unknown if it has not come yet.
func (t *ties) callOff(now time.Time, id tieID) fate {
	t.mu.Lock()
	defer t.mu.Unlock()
	if w := t.waiting[id]; w != nil {
		delete(t.waiting, id)
		w.gone = true
		w.cancel()
		t.counts.Cancelled++
		t.remember(now, id, calledOff)
		return calledOff
	}
	was := t.fate(now, id)
	switch was {
	case started:
		t.counts.TooLate++
	case unknown:
		t.remember(now, id, calledOff)
	}
	return was
}

// fate is what is remembered of a request.
func (t *ties) fate(now time.Time, id tieID) fate {
	t.turn(now)
	if f, ok := t.newer[id]; ok {
		return f
	}
	return t.older[id]
}

func (t *ties) remember(now time.Time, id tieID, f fate) {
	t.turn(now)
	if t.newer == nil {
		t.newer = map[tieID]fate{}
	}
	t.newer[id] = f
}

// turn forgets what is old.
func (t *ties) turn(now time.Time) {
	age := now.Sub(t.turned)
	if age >= tiedFor || len(t.newer) >= maxTied/2 {
		if t.older = t.newer; age >= 2*tiedFor {
			t.older = nil
		}
		t.newer, t.turned = nil, now
	}
}

// told counts an attempt to tell a twin's door.
func (t *ties) told(ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if ok {
		t.counts.Told++
	} else {
		t.counts.Untold++
	}
}

func (t *ties) snapshot() TiedCounts {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.counts
}
