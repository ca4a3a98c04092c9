package breaker

import (
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seakeep/seakeep/core"
)

// freeLooks is how many breakers a search may look at in vain.
const freeLooks = 64

// Keyed is a bounded set of breakers of one kind, one a key: a tenant, a
// provider, an operation. It is safe for concurrent use.
type Keyed struct {
	cfg   Config
	limit int
	seed  uint64
	rest  time.Duration // a breaker used within this is not forgotten

	mu      sync.Mutex
	last    core.Instant
	barren  core.Instant // until then no search for one to forget is worth its time
	entries map[string]*entry
	newest  *entry // ends of a list in the order of last use
	eldest  *entry
}

type entry struct {
	key          string
	breaker      *Breaker
	used         core.Instant
	newer, elder *entry
}

// NewKeyed returns an empty set that holds at most limit breakers.
func NewKeyed(c Config, limit int, seed uint64) (*Keyed, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if limit < 1 {
		panic("breaker: NewKeyed needs a limit of 1 or more")
	}
	return &Keyed{
		cfg: c, limit: limit, seed: seed,
		rest: max(c.Window.Over, c.Open.For),
		last: math.MinInt64, barren: math.MinInt64,
		entries: make(map[string]*entry),
	}, nil
}

// Get returns the breaker of a key, and makes it if there is none. At the
// limit the one that was not used for the longest time is forgotten, if it is
// closed by its own decision, was not used for as long as its window and its
// open time last, and no growth of its open time is remembered. If there is
// no such breaker, ok is false and core.KeysExhausted is the reason: a breaker
// that is open, half-open or forced is never forgotten.
func (k *Keyed) Get(now core.Instant, key string) (b *Breaker, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last = max(k.last, now)
	if e := k.entries[key]; e != nil {
		e.used = k.last
		if e != k.newest {
			k.unlink(e)
			k.link(e)
		}
		return e.breaker, true
	}
	if len(k.entries) >= k.limit && !k.evict(k.last) {
		return nil, false
	}
	e := &entry{key: key, breaker: new(Breaker), used: k.last}
	e.breaker.init(k.cfg, k.seed^hash(key))
	k.entries[key] = e
	k.link(e)
	return e.breaker, true
}

// Find returns the breaker of a key if there is one. To be found is not to be
// used.
func (k *Keyed) Find(key string) (b *Breaker, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	e, ok := k.entries[key]
	if !ok {
		return nil, false
	}
	return e.breaker, true
}

// evict forgets the breaker longest unused among those that may go. When many
// were looked at in vain it is not tried again for a while: a flood of new keys
// must not make the known ones wait for the lock.
func (k *Keyed) evict(now core.Instant) bool {
	if now < k.barren {
		return false
	}
	looked := 0
	for e := k.eldest; e != nil && now.Sub(e.used) >= k.rest; e = e.newer {
		if e.breaker.idle(now, k.rest) {
			k.unlink(e)
			delete(k.entries, e.key)
			return true
		}
		looked++
	}
	if looked > freeLooks {
		k.barren = now.Add(k.rest / 16)
	}
	return false
}

// Len returns the number of breakers.
func (k *Keyed) Len() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.entries)
}

// Snapshot reads all breakers, sorted by key. To be read is not to be used.
func (k *Keyed) Snapshot(now core.Instant) []Snapshot {
	k.mu.Lock()
	all := make([]entry, 0, len(k.entries))
	for e := k.newest; e != nil; e = e.elder {
		all = append(all, entry{key: e.key, breaker: e.breaker})
	}
	k.mu.Unlock()
	slices.SortFunc(all, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	snaps := make([]Snapshot, len(all))
	for i, e := range all {
		snaps[i] = e.breaker.Snapshot(now)
		snaps[i].Key = e.key
	}
	return snaps
}

func (k *Keyed) link(e *entry) {
	e.newer, e.elder = nil, k.newest
	if k.newest != nil {
		k.newest.newer = e
	} else {
		k.eldest = e
	}
	k.newest = e
}

func (k *Keyed) unlink(e *entry) {
	if e.newer != nil {
		e.newer.elder = e.elder
	} else {
		k.newest = e.elder
	}
	if e.elder != nil {
		e.elder.newer = e.newer
	} else {
		k.eldest = e.newer
	}
}

// hash is FNV-1a. It gives each key a jitter of its own that does not depend
// on the order in which keys appear.
func hash(key string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(key) {
		h = (h ^ uint64(key[i])) * 1099511628211
	}
	return h
}
