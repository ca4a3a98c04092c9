package degrade

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/seakeep/seakeep/core"
)

// Degrader knows which features are off at present. It is safe for use by many
// goroutines. Make one with New.
type Degrader struct {
	features []string       // in the order in which they go; never changed
	place    map[string]int // of each, from 0; never changed

	mu     sync.Mutex
	latest core.Instant
	m      machine
}

// New returns a degrader with every feature on, or the errors of c.Validate.
func New(c Config) (*Degrader, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("degrade: %w", err)
	}
	d := &Degrader{features: slices.Clone(c.Features), latest: math.MinInt64,
		place: make(map[string]int, len(c.Features)), m: newMachine(c.withDefaults())}
	for i, name := range d.features {
		d.place[name] = i
	}
	return d, nil
}

// Report tells the pressure: 0 is idle, 1 is at the target, more is over it.
// Tell it about as often as it changes. What is told holds for Back; after that
// silence counts as calm. A pressure that is not a number is not heard.
func (d *Degrader) Report(now core.Instant, pressure float64) {
	d.lock(now)
	d.m.report(d.latest, pressure)
	d.mu.Unlock()
}

// Level returns how many features of the list are off, the first so many.
func (d *Degrader) Level(now core.Instant) int {
	d.lock(now)
	defer d.mu.Unlock()
	return d.m.levelAt(d.latest)
}

// Allows reports whether a feature is on. What is not in the list always is.
func (d *Degrader) Allows(now core.Instant, feature string) bool {
	i, ok := d.place[feature]
	return !ok || i >= d.Level(now)
}

// Force sets the level by hand. It holds, whatever the pressure, until Auto.
// It is an error, and changes nothing, if the list is not that long.
func (d *Degrader) Force(now core.Instant, level int) error {
	if level < 0 || level > len(d.features) {
		return fmt.Errorf("degrade: level: is %d; give 0 to %d, the number of features",
			level, len(d.features))
	}
	d.lock(now)
	d.m.force(d.latest, level)
	d.mu.Unlock()
	return nil
}

// Auto ends Force. The level stays where it is and moves from there by the
// pressure, at its usual pace.
func (d *Degrader) Auto(now core.Instant) {
	d.lock(now)
	d.m.auto(d.latest)
	d.mu.Unlock()
}

// Floor keeps the level from falling below this, whatever the pressure, until
// the next Floor. Force overrides it. A level beyond the list is all of it.
func (d *Degrader) Floor(now core.Instant, level int) {
	d.lock(now)
	d.m.floor = min(max(level, 0), d.m.most)
	d.mu.Unlock()
}

// Snapshot is a degrader at one moment.
type Snapshot struct {
	Level    int
	Off      []string // the features that are off, in the order in which they went
	Pressure float64  // as last told; 0 once that is too long ago
	Forced   bool     // the level was set by hand
	Floor    int      // the level does not fall below it, unless by hand
}

// Snapshot returns the degrader as it is at now. Off must not be written to.
func (d *Degrader) Snapshot(now core.Instant) Snapshot {
	d.lock(now)
	defer d.mu.Unlock()
	level := d.m.levelAt(d.latest)
	return Snapshot{Level: level, Off: d.features[:level:level],
		Pressure: d.m.pressure, Forced: d.m.forced, Floor: d.m.floor}
}

// lock locks and keeps the latest now, so that the machine never sees time go
// back although goroutines read the clock before they queue for the lock.
func (d *Degrader) lock(now core.Instant) {
	d.mu.Lock()
	d.latest = max(d.latest, now)
}
