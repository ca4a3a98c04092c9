package serve

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/bulkhead"
	"github.com/seakeep/seakeep/core/degrade"
	"github.com/seakeep/seakeep/core/limit"
	"github.com/seakeep/seakeep/core/quota"
	"github.com/seakeep/seakeep/core/shed"
)

// kept is what the doors before and after a reload share. Requests that came in
// through an old one end there, while the slots are the new one's already.
type kept struct {
	stats   *Stats
	meter   meter
	sweepAt atomic.Int64
	current atomic.Pointer[Door] // the one in use

	mu    sync.Mutex
	order order
}

// order is what was last said of how much is let in. Whoever gives one must say
// when it ends, or end it himself: it outlives both him and the shedder.
type order struct {
	ramp time.Duration
	at   core.Instant
	by   *shed.Recovery // nil: an operator
}

// New compiles the settings. The seed feeds the limit's draws; the observer may
// be nil. The error lists every bad setting.
func New(cfg Config, seed uint64, o core.Observer) (*Door, error) {
	return (*Door)(nil).Next(cfg, seed, o)
}

// Next compiles the settings that follow d in a live reload: every rung whose
// settings are the same keeps its state, the slots are adjusted in place by
// Adopt. A nil d compiles from nothing. An error leaves d untouched.
func (d *Door) Next(cfg Config, seed uint64, o core.Observer) (*Door, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	old := Door{kept: &kept{stats: newStats()}}
	old.sweepAt.Store(math.MinInt64) // a clock may begin below zero
	if d != nil {
		old = *d
	}
	next := &Door{cfg: cfg, observer: o, kept: old.kept}
	for _, compile := range []func(*Door) error{
		func(old *Door) error { return next.compileSlots(old, seed) },
		next.compileShed, next.compileRecovery, next.compileDegrade,
	} {
		if err := compile(&old); err != nil {
			return nil, err
		}
	}
	if d == nil {
		next.current.Store(next)
	}
	return next, nil
}

func (d *Door) compileSlots(old *Door, seed uint64) (err error) {
	d.quota = old.quota // also while the rung is off: its numbers are in use
	s := d.cfg.Slots
	if s == nil {
		return nil
	}
	if d.limit = old.limit; d.limit == nil || old.cfg.Slots.Limit != s.Limit {
		if d.limit, err = limit.New(s.Limit, seed); err != nil {
			return err
		}
	}
	if d.slots = old.slots; d.slots == nil {
		if d.slots, err = bulkhead.New(d.bulkhead()); err != nil {
			return err
		}
	}
	if t := d.cfg.Tenants; t != nil && d.quota == nil {
		d.quota, err = quota.New(t.Quota)
	}
	return err
}

// bulkhead is the settings of the slots as of now.
func (d *Door) bulkhead() bulkhead.Config {
	return d.cfg.bulkhead(d.limit.Limit(), d.meter.setBy())
}

// bulkhead is the settings of the slots when there are so many, and serving
// takes so long.
func (c *Config) bulkhead(slots int, work time.Duration) bulkhead.Config {
	b := c.Slots.Queue
	b.Limit = slots
	if l := &b.Line; l.Target == 0 {
		l.Target = max(leastTarget, autoTarget*work)
		if l.Interval == 0 {
			l.Interval = max(leastInterval, autoInterval*work)
		}
		l.Interval = max(l.Interval, l.Target)
	}
	if t := c.Tenants; t != nil {
		b.FlowSlots, b.FlowQueue = t.Slots, t.places(b.Queue)
	}
	return b
}

// places is how many requests of one tenant may wait in a queue of this length.
func (t *Tenants) places(length int) int {
	if t.Places > 0 {
		return min(t.Places, length)
	}
	return max(1, length/4)
}

func (d *Door) compileShed(old *Door) (err error) {
	cfg := shed.Config{}
	if d.cfg.Shed != nil {
		cfg = *d.cfg.Shed
	}
	if d.shed = old.shed; d.shed != nil && sameShed(d.cfg.Shed, old.cfg.Shed) {
		return nil
	}
	d.shed, err = shed.New(cfg)
	return err
}

func sameShed(a, b *shed.Config) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

func (d *Door) compileRecovery(old *Door) (err error) {
	if d.cfg.Recovery == nil {
		return nil
	}
	if d.recovery = old.recovery; d.recovery == nil || *old.cfg.Recovery != *d.cfg.Recovery {
		d.recovery, err = shed.NewRecovery(*d.cfg.Recovery)
	}
	return err
}

func (d *Door) compileDegrade(old *Door) (err error) {
	if d.cfg.Degrade == nil {
		return nil
	}
	if d.degrade = old.degrade; d.degrade == nil || !sameDegrade(old.cfg.Degrade, d.cfg.Degrade) {
		d.degrade, err = degrade.New(*d.cfg.Degrade)
	}
	return err
}

func sameDegrade(a, b *degrade.Config) bool {
	return slices.Equal(a.Features, b.Features) && a.On == b.On && a.Off == b.Off &&
		a.Step == b.Step && a.Back == b.Back
}

// Adopt puts the door to use: parts that outlive the reload get its settings,
// and what an operator has ordered holds on where the rung is a new one. Call
// it once, when requests come in through it.
func (d *Door) Adopt(now core.Instant) {
	if old := d.current.Swap(d); old != d {
		d.takeOver(now, old)
	}
	if t := d.cfg.Tenants; t != nil {
		_ = d.quota.Resize(now, t.Quota) // valid: Next has checked
	}
	d.resize(now)
}

// takeOver carries out again what was ordered of rungs that are new. An order
// of a recovery that is gone has nobody who would end it, so it ends over the
// ramp.
func (d *Door) takeOver(now core.Instant, old *Door) {
	if o := old.degrade; o != nil && d.degrade != nil && d.degrade != o {
		if s := o.Snapshot(now); s.Forced {
			_ = d.degrade.Force(now, min(s.Level, len(d.cfg.Degrade.Features)))
		}
	}
	share := old.shed.Snapshot(now).Reduced
	if share >= 1 {
		return
	}
	d.mu.Lock()
	o := d.order
	d.mu.Unlock()
	ramp := time.Duration(0)
	if o.ramp > 0 {
		ramp = max(o.ramp-now.Sub(o.at), 1)
	}
	if o.by != nil && o.by != d.recovery {
		if o.by = nil; ramp == 0 {
			ramp = usualRamp
		}
	} else if d.shed == old.shed {
		return
	}
	d.reduce(now, share, ramp, o.by)
}

// usualRamp is that of a recovery whose settings do not say.
const usualRamp = 30 * time.Second

// reduce gives an order. One by the recovery of a door that is no longer in use
// is not heard.
func (d *Door) reduce(now core.Instant, share float64, ramp time.Duration, by *shed.Recovery) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if by != nil && by != d.current.Load().recovery {
		return
	}
	d.order = order{ramp: ramp, at: now, by: by}
	d.shed.Reduce(now, share, ramp)
}

// resize gives the slots the settings of the door in use.
func (d *Door) resize(now core.Instant) {
	if d.slots == nil || d.current.Load() != d {
		return
	}
	_ = d.slots.Resize(now, d.bulkhead()) // valid: Next has checked
	d.follow(now)
}

// follow makes the slots as many as the limit says. What was set is looked at
// again, because another request may have moved the limit meanwhile, and a
// reload may have put another limit in its place: the last word must be the
// newest.
func (d *Door) follow(now core.Instant) {
	for c := d.current.Load(); c.slots == d.slots; {
		n := c.limit.Limit()
		d.slots.SetLimit(now, n)
		if again := d.current.Load(); again != c {
			again.resize(now)
			return
		}
		if c.limit.Limit() == n {
			return
		}
	}
}
