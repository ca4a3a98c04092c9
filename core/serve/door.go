package serve

import (
	"math"
	"strconv"
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
	*kept
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

// percent is a share as people write it: 0.07 is 7%, not 7.000000000000001%.
func percent(share float64) string {
	return strconv.FormatFloat(math.Round(1e4*share)/100, 'f', -1, 64) + "%"
}
