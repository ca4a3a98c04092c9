package sim

import (
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/serve"
)

// DoorResult is what the doors of a service did, all instances together.
type DoorResult struct {
	Classes [core.Criticalities]serve.Class // by the Index of the class
	Refused []serve.ReasonCount             // in the order of the reasons
}

// mostReasons bounds the table kept per reason.
const mostReasons = 64

// doorCounts is what the doors of a service did: their own counts, which they
// lose when an instance restarts.
type doorCounts struct {
	classes [core.Criticalities]serve.Class
	reasons [mostReasons]uint64
}

// atDoor is the counts of the request's class.
func (j *job) atDoor() *serve.Class {
	return &j.inst.service.count.doors.classes[j.class.Index()]
}

func (j *job) turned(r core.Reason) {
	j.atDoor().Refused++
	j.inst.service.count.doors.reasons[r%mostReasons]++
}

// hasDoor reports whether a service has a door at any time of the run.
func (w *World) hasDoor(s *service) bool {
	for _, f := range w.policiesOf(s) {
		if f != nil && f.Serve != nil {
			return true
		}
	}
	return false
}

// until is what has been counted since then.
func (a *doorCounts) until(b *doorCounts) *DoorResult {
	d := &DoorResult{}
	for i := range d.Classes {
		x, y := &a.classes[i], &b.classes[i]
		d.Classes[i] = serve.Class{Offered: y.Offered - x.Offered, Admitted: y.Admitted - x.Admitted,
			Refused: y.Refused - x.Refused, Left: y.Left - x.Left, Useful: y.Useful - x.Useful}
	}
	for r := range b.reasons {
		if n := b.reasons[r] - a.reasons[r]; n > 0 {
			d.Refused = append(d.Refused, serve.ReasonCount{Reason: core.Reason(r), Count: n})
		}
	}
	return d
}
