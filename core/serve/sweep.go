package serve

import (
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/shed"
)

// sweepEvery is how often the door looks at what no single request shows. It is
// done by whichever request comes first after that, so nothing needs a timer.
const sweepEvery = 100 * time.Millisecond

// Scheduler tells how long the driver's goroutines wait for a processor.
func (d *Door) Scheduler(now core.Instant, latency time.Duration) {
	d.shed.Scheduler(now, latency)
	d.meter.scheduler(latency)
}

// Reduce is the operator's lever: it lets in this share of the demand at once,
// the most important first, and everything again over the ramp. Without a ramp
// it stays until the next Reduce; a share of 1 ends it.
func (d *Door) Reduce(now core.Instant, share float64, ramp time.Duration) {
	before := d.shed.Snapshot(now).Reduced
	d.reduce(now, share, ramp, nil)
	d.emit(now, nil, core.Event{Kind: core.RecoveryChanged, Reason: core.Operator,
		From: percent(before), To: percent(share), Took: ramp})
}

// Degrade sets by hand how many features of the list are off.
func (d *Door) Degrade(now core.Instant, level int) error {
	if d.degrade == nil {
		return errNoFeatures
	}
	d.tellLevel(now)
	if err := d.degrade.Force(now, level); err != nil {
		return err
	}
	if before := int(d.meter.level.Swap(int64(level))); before != level {
		d.emit(now, nil, core.Event{Kind: core.DegradeChanged, Reason: core.Operator,
			From: number(before), To: number(level)})
	}
	return nil
}

// DegradeAuto gives the level of degradation back to the pressure.
func (d *Door) DegradeAuto(now core.Instant) {
	if d.degrade != nil {
		d.degrade.Auto(now)
	}
}

// DegradeFloor keeps at least so many features off, whatever the pressure: the
// policy of an error budget wants it. It does nothing without a list.
func (d *Door) DegradeFloor(now core.Instant, level int) {
	if d.degrade != nil {
		d.degrade.Floor(now, level)
		d.tellLevel(now)
	}
}

// Allows reports whether a feature is on. One that the list does not name is.
func (d *Door) Allows(now core.Instant, feature string) bool {
	return d.degrade == nil || d.degrade.Allows(now, feature)
}

// Dropped returns the features that are off, the first of the list first; nil
// while all are on. The result must not be changed.
func (d *Door) Dropped(now core.Instant) []string {
	if d.degrade == nil {
		return nil
	}
	if n := d.degrade.Level(now); n > 0 {
		return d.cfg.Degrade.Features[:n:n]
	}
	return nil
}

// The target and the interval of the queue, where the settings leave them open,
// in times that serving takes. Those of the literature, 5 ms and 100 ms, are for
// work of a millisecond; with slower work they would drop what could have been
// served.
const (
	autoTarget    = 4
	autoInterval  = 20
	leastTarget   = 5 * time.Millisecond
	leastInterval = 100 * time.Millisecond
)

// tune sets the queue by how long serving takes.
func (d *Door) tune(now core.Instant) {
	if d.slots == nil || d.cfg.Slots.Queue.Line.Target != 0 {
		return
	}
	if _, changed := d.meter.retune(); changed {
		d.resize(now)
	}
}

// tellLevel tells if the level is another than was told last. It also falls by
// itself, when somebody asks for it.
func (d *Door) tellLevel(now core.Instant) {
	after := int64(d.degrade.Level(now))
	if before := d.meter.level.Swap(after); before != after {
		d.changed(now, core.DegradeChanged, number(int(before)), number(int(after)))
	}
}

// Sweep looks at what no single request shows, at most once in 100 ms. Every
// request does it; a driver may do it beside them, so that an idle service
// recovers too.
func (d *Door) Sweep(now core.Instant) {
	due := d.sweepAt.Load()
	if now < core.Instant(due) || !d.sweepAt.CompareAndSwap(due, int64(now.Add(sweepEvery))) {
		return
	}
	if d.slots != nil {
		inUse, slots, queued := d.slots.Busy(now)
		d.shed.Busy(now, inUse, slots, queued)
	}
	d.tune(now)
	if d.recovery != nil {
		if order, changed := d.recovery.Sweep(now); changed {
			before := d.shed.Snapshot(now).Reduced
			d.reduce(now, order.Share, order.Ramp, d.recovery)
			d.emit(now, nil, core.Event{Kind: core.RecoveryChanged, From: percent(before),
				To: percent(order.Share), Took: order.Ramp})
		}
	}
	if d.degrade != nil {
		d.degrade.Report(now, d.meter.pressure(d.target(), d.schedulerTarget()))
		d.tellLevel(now)
	}
	if d.cfg.Shed == nil {
		return
	}
	cut := d.shed.Snapshot(now).Cut
	if before := d.meter.cut.Swap(int64(cut)); before != int64(cut) {
		d.changed(now, core.ShedChanged, levelName(shed.Level(before)), levelName(cut))
	}
}
