package serve

import (
	"errors"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/bulkhead"
	"github.com/seakeep/seakeep/core/degrade"
	"github.com/seakeep/seakeep/core/limit"
	"github.com/seakeep/seakeep/core/quota"
	"github.com/seakeep/seakeep/core/shed"
	"github.com/seakeep/seakeep/core/window"
)

// errNoFeatures is the answer to an order about a list that is not there.
var errNoFeatures = errors.New("serve: there is no list of features to drop; add degrade")

// topTenants is how many tenants a snapshot names.
const topTenants = 10

// Class is what happened to the requests of one class, since the start.
type Class struct {
	Offered  uint64 // came in
	Admitted uint64 // were let in
	Refused  uint64 // were turned away
	Left     uint64 // their caller was gone before they were let in
	Useful   uint64 // were answered in time, to somebody who still waited
}

// ReasonCount is how often requests were refused for a reason.
type ReasonCount struct {
	Reason core.Reason
	Count  uint64
}

// Snapshot is the state of a door at one instant. A nil rung is off.
type Snapshot struct {
	Name     string
	At       core.Instant
	Classes  [core.Criticalities]Class // by Criticality.Index
	Refused  []ReasonCount
	Observed uint64           // refusals that observe mode let pass
	Latency  window.Quantiles // of the service, recent
	Limit    *limit.Snapshot
	Slots    *bulkhead.Snapshot
	Tenants  *quota.Snapshot
	Shed     shed.Snapshot
	Recovery *shed.RecoverySnapshot
	Degrade  *degrade.Snapshot
}

// Snapshot reads the state of every rung.
func (d *Door) Snapshot(now core.Instant) Snapshot {
	s := Snapshot{Name: d.cfg.Name, At: now, Observed: d.stats.observed.Load(),
		Latency: d.stats.latency.Snapshot(now), Shed: d.shed.Snapshot(now)}
	for i := range s.Classes {
		c := &d.stats.classes[i]
		s.Classes[i] = Class{c.offered.Load(), c.admitted.Load(), c.refused.Load(), c.left.Load(),
			c.useful.Load()}
	}
	for r := range d.stats.reasons {
		if n := d.stats.reasons[r].Load(); n > 0 {
			s.Refused = append(s.Refused, ReasonCount{core.Reason(r), n})
		}
	}
	if d.slots != nil {
		l, b := d.limit.Snapshot(now), d.slots.Snapshot(now)
		s.Limit, s.Slots = &l, &b
	}
	if d.cfg.Tenants != nil {
		q := d.quota.Snapshot(now, topTenants)
		s.Tenants = &q
	}
	if d.recovery != nil {
		r := d.recovery.Snapshot(now)
		s.Recovery = &r
	}
	if d.degrade != nil {
		g := d.degrade.Snapshot(now)
		s.Degrade = &g
	}
	return s
}
