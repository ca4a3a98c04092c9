package study

import (
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/sim"
)

// Figures of doors, by which they are asked for. Those of refusals have the
// names of the reasons.
const (
	Offered  = "offered"
	Admitted = "admitted"
	Left     = "left"
	Useful   = "useful"
)

// DoorReasons are those for which a door turns requests away.
var DoorReasons = [...]core.Reason{core.TenantLimit, core.Shed, core.AdmissionReduced,
	core.BulkheadFull, core.QueueTimeout, core.QueueDelay, core.Evicted, core.DeadlineExceeded,
	core.DeadlineTooShort}

// door gives the rows of a service's doors: one for each class, the most
// important first, and one for the reasons.
func door(v *sim.ServiceResult, seconds float64) (classes []line, refusals line) {
	for i := core.Criticalities - 1; i >= 0; i-- {
		c, name := &v.Door.Classes[i], core.CriticalityAt(i).String()
		classes = append(classes, line{"doors." + v.Name + "." + name, v.Name + " " + name, []measure{
			rate(Offered, c.Offered, seconds),
			rate(Admitted, c.Admitted, seconds),
			rate(Refused, c.Refused, seconds),
			rate(Left, c.Left, seconds),
			rate(Useful, c.Useful, seconds),
		}})
	}
	refusals = line{"doors." + v.Name + ".refused", v.Name, nil}
	for _, r := range DoorReasons {
		n := uint64(0)
		for _, x := range v.Door.Refused {
			if x.Reason == r {
				n = x.Count
			}
		}
		refusals.measures = append(refusals.measures, rate(r.String(), n, seconds))
	}
	return classes, refusals
}

// doorLines gives the rows of all doors of one run.
func doorLines(r *sim.Result) (classes, refusals []line) {
	seconds := (r.For - r.Warmup).Seconds()
	for i := range r.Services {
		if r.Services[i].Door != nil {
			c, why := door(&r.Services[i], seconds)
			classes = append(classes, c...)
			refusals = append(refusals, why)
		}
	}
	return classes, refusals
}
