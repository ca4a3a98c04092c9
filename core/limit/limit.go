package limit

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep/core"
)

// Sample is what is known of one request that was served.
type Sample struct {
	// RTT is its service time, from its slot to its end. The time it waited in
	// our own queue is not part of it.
	RTT time.Duration
	// InFlight is how many requests were in flight with it, itself included.
	InFlight int
	// Dropped says that it timed out, or that what is behind us refused it: it
	// is a sign of overload and its time says nothing.
	Dropped bool
}

// Limit is a number that follows samples. It is safe for concurrent use; make
// it with New. It enforces nothing.
type Limit struct {
	current atomic.Int64
	mu      sync.Mutex
	latest  core.Instant
	m       machine
}

// New returns a limit, or the errors of c.Validate. The seed spreads out the
// measurements of limits that were started together; one seed always gives
// the same answers.
func New(c Config, seed uint64) (*Limit, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("limit: %w", err)
	}
	l := &Limit{latest: math.MinInt64, m: newMachine(c.filled(), seed)}
	l.current.Store(int64(l.m.limit))
	return l, nil
}

// Report tells of one request that was served, and returns the limit from now
// on and whether this sample has changed it. Requests that were refused at the
// door, and those whose end says nothing, are not reported. Most samples are
// only counted; one ends the window and moves the limit.
func (l *Limit) Report(now core.Instant, s Sample) (limit int, changed bool) {
	l.mu.Lock()
	if now > l.latest {
		l.latest = now
	}
	before := l.m.limit
	l.m.report(l.latest, s)
	limit = l.m.limit
	if limit != before {
		l.current.Store(int64(limit))
	}
	l.mu.Unlock()
	return limit, limit != before
}

// Limit returns how many requests may be in flight. It takes no lock.
func (l *Limit) Limit() int { return int(l.current.Load()) }

// Snapshot is a limit's state at one instant. The totals count since New.
type Snapshot struct {
	Algorithm Algorithm
	Limit     int
	Baseline  time.Duration // the no-load latency it believes in; 0: none yet
	Latency   time.Duration // of the last window that was judged; 0: none yet
	Gradient  float64       // what the limit was multiplied by then; 0: none yet
	Why       string        // the limit's last move, in a word; see Moves in doc.go
	Samples   uint64
	Changes   uint64 // of the limit
}

// Snapshot returns the state at now.
func (l *Limit) Snapshot(now core.Instant) Snapshot {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now > l.latest {
		l.latest = now
	}
	return l.m.snapshot()
}
