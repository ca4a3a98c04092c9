package quota

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/seakeep/seakeep/core"
)

// Overflow is the number that tenants share who cannot be told apart: those
// that come when the table is full of busy ones, and those with overlong keys.
const Overflow = 1

// Table gives tenants their numbers. It is safe for concurrent use; make it
// with New.
type Table struct {
	mu     sync.Mutex
	latest core.Instant
	m      machine
}

// New returns an empty table, or the error of c.Validate.
func New(c Config) (*Table, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("quota: %w", err)
	}
	return &Table{latest: math.MinInt64, m: newMachine(c)}, nil
}

// Enter counts a request of the tenant with this key in, and returns the
// tenant's number: 0 for an empty key, Overflow for one that is not told apart,
// and else one from 2 up that is the tenant's alone until its last request has
// left. Each Enter needs a Leave.
func (t *Table) Enter(now core.Instant, key string) (flow int) {
	t.lock(now)
	flow = t.m.enter(t.latest, key)
	t.mu.Unlock()
	return flow
}

// Leave counts a request out that Enter gave this number. It panics if there
// is none.
func (t *Table) Leave(now core.Instant, flow int) {
	t.lock(now)
	ok := t.m.leave(t.latest, flow)
	t.mu.Unlock()
	if !ok {
		panic("quota: Leave without Enter")
	}
}

// Resize changes the bound, or returns the error of c.Validate and changes
// nothing. Tenants above a smaller bound are forgotten once they are idle.
func (t *Table) Resize(now core.Instant, c Config) error {
	if err := c.Validate(); err != nil {
		return fmt.Errorf("quota: %w", err)
	}
	t.lock(now)
	t.m.resize(c)
	t.mu.Unlock()
	return nil
}

// Tenant is what is known of one tenant.
type Tenant struct {
	Key     string        // empty: without a key, or Overflow
	Flow    int           // its number
	Here    int           // requests that have entered and not left
	Entered uint64        // requests since the tenant was last forgotten
	Idle    time.Duration // since it last entered or left
}

// Snapshot is a table's state at one instant.
type Snapshot struct {
	Keys      int      // tenants told apart
	Most      int      // the bound on them
	None      Tenant   // the requests without a key
	Overflow  Tenant   // the requests of tenants that are not told apart
	Forgotten uint64   // tenants forgotten since New
	Top       []Tenant // those with the most requests here, at most as many as asked for
}

// Snapshot returns the state at now with the n tenants that have the most
// requests here, and of equals those that have sent the most.
func (t *Table) Snapshot(now core.Instant, n int) Snapshot {
	t.lock(now)
	defer t.mu.Unlock()
	m := &t.m
	s := Snapshot{Keys: len(m.numbers), Most: m.cfg.Keys, Forgotten: m.forgotten,
		None: m.told(t.latest, 0), Overflow: m.told(t.latest, Overflow)}
	for i := first; i < len(m.rows) && n > 0; i++ {
		if m.rows[i].key == "" {
			continue
		}
		row := m.told(t.latest, i)
		at, _ := slices.BinarySearchFunc(s.Top, row, larger)
		if at < n {
			s.Top = slices.Insert(s.Top[:min(len(s.Top), n-1)], at, row)
		}
	}
	return s
}

func (m *machine) told(now core.Instant, n int) Tenant {
	t := &m.rows[n]
	out := Tenant{Key: t.key, Flow: n, Here: t.here, Entered: t.entered}
	if t.entered > 0 && t.here == 0 {
		out.Idle = now.Sub(t.seen)
	}
	return out
}

func larger(a, b Tenant) int {
	return cmp.Or(cmp.Compare(b.Here, a.Here), cmp.Compare(b.Entered, a.Entered),
		cmp.Compare(a.Flow, b.Flow))
}

// Share returns how many of limit slots one tenant may hold that gets the
// given share of them: at least one, or it could do nothing.
func Share(limit int, share float64) int {
	return max(1, int(float64(limit)*share))
}

// lock locks and keeps the latest now, so that the machine never sees time go
// back although goroutines read the clock before they queue for the lock.
func (t *Table) lock(now core.Instant) {
	t.mu.Lock()
	if now > t.latest {
		t.latest = now
	}
}
