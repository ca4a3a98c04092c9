package serve

import (
	"math"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/bulkhead"
	"github.com/seakeep/seakeep/core/degrade"
	"github.com/seakeep/seakeep/core/limit"
	"github.com/seakeep/seakeep/core/quota"
	"github.com/seakeep/seakeep/core/shed"
)

// Door is a compiled Config. It is safe for use by many goroutines: each
// policy in it locks inside itself. Its rungs are fixed; a changed file makes a
// new Door that takes over what did not change (Next).
type Door struct {
	cfg      Config
	observer core.Observer
	limit    *limit.Limit
	slots    *bulkhead.Bulkhead
	quota    *quota.Table
	shed     *shed.Shedder // always there: an operator may reduce what is let in
	recovery *shed.Recovery
	degrade  *degrade.Degrader
	stats    *Stats
	meter    *meter
	sweepAt  *atomic.Int64
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
	old := Door{stats: newStats(), meter: &meter{}, sweepAt: new(atomic.Int64)}
	old.sweepAt.Store(math.MinInt64) // a clock may begin below zero
	if d != nil {
		old = *d
	}
	next := &Door{cfg: cfg, observer: o, stats: old.stats, meter: old.meter, sweepAt: old.sweepAt}
	for _, compile := range []func(*Door) error{
		func(old *Door) error { return next.compileSlots(old, seed) },
		next.compileShed, next.compileRecovery, next.compileDegrade,
	} {
		if err := compile(&old); err != nil {
			return nil, err
		}
	}
	return next, nil
}

func (d *Door) compileSlots(old *Door, seed uint64) (err error) {
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
	t := d.cfg.Tenants
	if t == nil {
		return nil
	}
	if d.quota = old.quota; d.quota == nil || *old.cfg.Tenants != *t {
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
	if a == nil || b == nil {
		return a == b
	}
	return slices.Equal(a.Features, b.Features) && a.On == b.On && a.Off == b.Off &&
		a.Step == b.Step && a.Back == b.Back
}

// Adopt puts the new settings of parts that outlive a reload to use. Call it
// once the door is in use.
func (d *Door) Adopt(now core.Instant) {
	if d.slots != nil {
		_ = d.slots.Resize(now, d.bulkhead()) // valid: Next has checked
	}
}

// Config returns the settings. They must not be changed.
func (d *Door) Config() Config { return d.cfg }

// observes reports that a rung which only watches would have refused.
func (d *Door) observes(now core.Instant, v *Visit, rung Rungs, r core.Reason) bool {
	if !d.cfg.Observe.Has(rung) {
		return false
	}
	d.stats.observed.Add(1)
	d.emit(now, v, core.Event{Kind: core.RequestRefused, Reason: r, Observed: true})
	return true
}

// waited tells those who judge by the queue how long a request was in it, and
// whether it is served now. The waits of a tenant that has all the slots it may
// have are its own doing, and say nothing about the others.
func (d *Door) waited(now core.Instant, flow int, wait time.Duration, served bool) {
	if !served && d.recovery != nil {
		d.recovery.Ended(now, false)
	}
	inUse, slots, queued := d.slots.Busy(now)
	d.shed.Busy(now, inUse, slots, queued)
	if t := d.cfg.Tenants; t != nil && flow != 0 && d.quota.Here(flow) > t.Slots {
		return
	}
	d.meter.wait(wait)
	if served {
		d.shed.Report(now, wait)
	} else {
		d.shed.Dropped(now, wait)
	}
}

// tenantFull reports whether a tenant has all it may have, slots and places in
// the queue together. It comes before anything is shed, so that one tenant's
// flood is not taken for the demand of all.
func (d *Door) tenantFull(flow int) bool {
	t := d.cfg.Tenants
	if t == nil || flow == 0 {
		return false
	}
	return d.quota.Here(flow) > t.Slots+t.places(d.cfg.Slots.Queue.Queue)
}

// usualTarget is the wait that counts as pressure 1 where nothing is shed.
const usualTarget = 20 * time.Millisecond

func (d *Door) target() time.Duration {
	if d.cfg.Shed != nil {
		return d.cfg.Shed.Target
	}
	return usualTarget
}

func (d *Door) schedulerTarget() time.Duration {
	if d.cfg.Shed != nil {
		return d.cfg.Shed.Scheduler
	}
	return 0
}

func (d *Door) changed(now core.Instant, k core.EventKind, from, to string) {
	d.emit(now, nil, core.Event{Kind: k, From: from, To: to})
}

func (d *Door) emit(now core.Instant, v *Visit, e core.Event) {
	if d.observer == nil {
		return
	}
	e.At, e.Policy = now, d.cfg.Name
	if v != nil {
		e.Criticality = v.class
	}
	d.observer.Observe(e)
}

func number(n int) string { return strconv.Itoa(n) }

// levelName is a level as events have it: the class, and the cohort within it.
func levelName(l shed.Level) string {
	return l.Class().String() + "/" + number(int(l.Cohort()))
}

func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', -1, 64) + "%" }
