package stale

import (
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/seakeep/seakeep/core"
)

// Status says what Lookup found.
type Status uint8

const (
	// Miss: there is no answer, or its time is over.
	Miss Status = iota
	// Fresh: the answer may be given without calling.
	Fresh
	// Stale: the answer may be given when the call fails, or while another
	// caller renews it.
	Stale
)

// String returns the status in lower case.
func (s Status) String() string {
	names := [...]string{"miss", "fresh", "stale"}
	if int(s) < len(names) {
		return names[s]
	}
	return "invalid"
}

// Cache holds the last good answers by key. It is safe for concurrent use;
// make it with New.
type Cache struct {
	mu     sync.Mutex
	latest core.Instant
	m      machine
}

// New returns an empty cache, or the errors of c.Validate.
func New(c Config) (*Cache, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("stale: %w", err)
	}
	s := &Cache{latest: math.MinInt64}
	s.m.init(c)
	return s, nil
}

// Lookup returns the key's answer, how long ago it was stored, and whether it
// is fresh. A Miss has neither answer nor age.
func (c *Cache) Lookup(now core.Instant, key string) (v any, age time.Duration, s Status) {
	c.lock(now)
	v, age, s = c.m.lookup(c.latest, key)
	c.mu.Unlock()
	return v, age, s
}

// Store keeps v as the key's answer with age zero, in place of an older one.
// Only the answers of successful calls belong here. size is the answer's size
// in bytes; with the key's length it counts towards Config.Bytes. An answer
// that would not fit even alone is not stored, and an older one stays. Store
// panics if size is negative.
func (c *Cache) Store(now core.Instant, key string, v any, size int64) {
	if size < 0 {
		panic("stale: Store with a negative size")
	}
	c.lock(now)
	c.m.store(c.latest, key, v, size)
	c.mu.Unlock()
}

// Lease reports whether the caller is the one to renew the key's answer. If so
// it must call Done afterwards, whatever came of it. If not, another caller is
// at it or has just finished, and the answer of Lookup serves meanwhile. A key
// without an answer gives every caller the lease, as there is nothing to serve.
// A lease not given back within ten seconds goes to the next who asks.
func (c *Cache) Lease(now core.Instant, key string) bool {
	c.lock(now)
	ok := c.m.lease(c.latest, key)
	c.mu.Unlock()
	return ok
}

// Done gives the key's lease back. Called late, after the lease has gone to
// another caller, it lets a third one call as well and does no other harm.
func (c *Cache) Done(now core.Instant, key string) {
	c.lock(now)
	c.m.done(c.latest, key)
	c.mu.Unlock()
}

// Remove forgets the key's answer, because it is known to be wrong.
func (c *Cache) Remove(key string) {
	c.mu.Lock()
	if e := c.m.entries[key]; e != nil {
		c.m.remove(e)
	}
	c.mu.Unlock()
}

// Reconfigure changes ages and bounds and keeps the answers that still fit, or
// returns the errors of conf.Validate and changes nothing. So the time that old
// answers may be used can be stretched in the middle of an outage.
func (c *Cache) Reconfigure(now core.Instant, conf Config) error {
	if err := conf.Validate(); err != nil {
		return fmt.Errorf("stale: %w", err)
	}
	c.lock(now)
	c.m.reconfigure(conf)
	c.mu.Unlock()
	return nil
}

// Snapshot is a cache's state. The totals count since New.
type Snapshot struct {
	Entries            int    // answers held, among them some whose time is over
	Bytes              int64  // room they take, keys included
	Fresh, Stale, Miss uint64 // what lookups found
	Stored, Evicted    uint64 // answers stored, and pushed out by the bounds
	TooLarge           uint64 // answers not stored because of their size
	MaxEntries         int    // the bounds in force
	MaxBytes           int64
}

// Snapshot returns the state at now.
func (c *Cache) Snapshot(now core.Instant) Snapshot {
	c.lock(now)
	defer c.mu.Unlock()
	m := &c.m
	return Snapshot{
		Entries: len(m.entries), Bytes: m.bytes,
		Fresh: m.count.fresh, Stale: m.count.stale, Miss: m.count.misses,
		Stored: m.count.stored, Evicted: m.count.evicted, TooLarge: m.count.tooLarge,
		MaxEntries: m.cfg.Entries, MaxBytes: m.cfg.Bytes,
	}
}

// lock locks and keeps the latest now, so that the machine never sees time go
// back although goroutines read the clock before they queue for the lock.
func (c *Cache) lock(now core.Instant) {
	c.mu.Lock()
	if now > c.latest {
		c.latest = now
	}
}
