package gallery

import (
	"math"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/shed"
	"github.com/seakeep/seakeep/sim"
)

// credits is a model of Breakwater (Cho and others, OSDI 2020): a server of ten
// workers that hands out credits, of which a client needs one to send a request.
// Every round trip it gives more of them while the queue is short, and fewer
// the longer it is; what has queued for too long is dropped. With a shedder
// instead of credits, the same step is that of core/shed.
type credits struct {
	sim.Engine
	arrivals, services *sim.Stream

	rate    float64 // requests a second
	pool    float64 // credits there are; unlimited with a shedder
	shedder *shed.Shedder
	out     int // requests sent and not answered
	wanting int // requests that wait at their clients for a credit
	queue   []core.Instant
	busy    int
	served  []int           // by step of settling
	dropped []int           // after they waited, by step
	late    []time.Duration // longest wait of those served, by step
}

const (
	breakWorkers = 10
	breakService = 10 * time.Microsecond
	breakTarget  = 80 * time.Microsecond
	breakTrip    = 10 * time.Microsecond
	breakClients = 1000
	breakGain    = 0.001 // α, of the clients
	breakLoss    = 0.02  // β
	breakFull    = float64(breakWorkers) * 1e9 / float64(breakService)

	// stepAt is when the demand rises, and each how finely is looked.
	stepAt = 20 * ms
	each   = 2 * ms
	watch  = 100 * ms
)

const (
	wishes = iota
	answered
	trip
	rises
)

func newCredits(seed uint64) *credits {
	c := newStep(seed)
	c.pool = breakClients
	c.At(core.Instant(breakTrip), sim.Due, c, trip, 0)
	return c
}

// newStepped has the same step, and core/shed with Breakwater's target.
func newStepped(seed uint64) *credits {
	c := newStep(seed)
	c.pool = math.Inf(1)
	c.shedder = must(shed.New(shed.Config{Target: breakTarget, Window: 10 * ms}))
	return c
}

func newStep(seed uint64) *credits {
	c := &credits{rate: breakFull / 2, arrivals: stream(seed, "arrivals"),
		services: stream(seed, "services")}
	steps := (stepAt+watch)/each + 1
	c.served, c.dropped, c.late = make([]int, steps), make([]int, steps), make([]time.Duration, steps)
	c.At(0, sim.Begins, c, wishes, 0)
	c.At(core.Instant(stepAt), sim.Changes, c, rises, 0)
	return c
}

// settle runs the step and returns after how long it is over for good: nine
// tenths of the capacity are served, all within four times the target, and
// less than a twentieth is sent only to be dropped.
func settle(c *credits) time.Duration {
	c.Run(core.Instant(stepAt + watch))
	at := int((stepAt + watch) / each)
	for at > int(stepAt/each) && c.late[at-1] <= 4*breakTarget &&
		float64(c.served[at-1]) >= 0.9*breakFull*each.Seconds() && c.dropped[at-1] <= c.served[at-1]/20 {
		at--
	}
	return time.Duration(at)*each - stepAt
}

// Fire implements sim.Actor.
func (c *credits) Fire(what int, _ int64) {
	switch what {
	case wishes:
		c.ask()
		gap := c.arrivals.Exp() / c.rate * float64(time.Second)
		c.At(c.Now()+core.Instant(gap), sim.Begins, c, wishes, 0)
	case answered:
		c.busy--
		c.out--
		c.take()
		c.send()
	case trip:
		c.adjust()
		c.send()
		c.At(c.Now().Add(breakTrip), sim.Due, c, trip, 0)
	case rises:
		c.rate = 1.4 * breakFull
	}
}

// ask is a client's wish to send. Clients keep as many wishes as they may send
// at once; more are given up, or the backlog of the step would never end.
func (c *credits) ask() {
	if c.wanting < breakClients {
		c.wanting++
	}
	c.send()
}

// send sends what there are credits for.
func (c *credits) send() {
	for c.wanting > 0 && float64(c.out) < c.pool {
		c.wanting--
		if c.shedder != nil && c.shedder.Admit(c.Now(), c.level()) != core.NoReason {
			continue
		}
		c.out++
		c.queue = append(c.queue, c.Now())
		c.take()
	}
}

func (c *credits) level() shed.Level {
	return shed.LevelOf(core.Critical, uint8(c.services.Uint64()%shed.Cohorts))
}

// take serves who has waited longest. Breakwater's active queue management
// drops who has waited for more than twice the target.
func (c *credits) take() {
	for c.busy < breakWorkers && len(c.queue) > 0 {
		wait := c.Now().Sub(c.queue[0])
		c.queue = c.queue[1:]
		step := int(c.Now() / core.Instant(each))
		if wait > 2*breakTarget && c.shedder == nil {
			c.out--
			c.dropped[step]++
			continue
		}
		c.busy++
		c.served[step]++
		c.late[step] = max(c.late[step], wait)
		if c.shedder != nil {
			c.shedder.Report(c.Now(), wait)
		}
		service := c.services.Exp() * float64(breakService)
		c.At(c.Now()+core.Instant(service), sim.Ends, c, answered, 0)
	}
	if c.shedder != nil {
		c.shedder.Busy(c.Now(), c.busy, breakWorkers, len(c.queue))
	}
}

// adjust is Breakwater's rule, once a round trip.
func (c *credits) adjust() {
	delay := time.Duration(0)
	if len(c.queue) > 0 {
		delay = c.Now().Sub(c.queue[0])
	}
	if delay < breakTarget {
		// Credits beyond one a client would only be kept for the next step.
		c.pool = min(c.pool+max(breakGain*breakClients, 1), breakClients)
		return
	}
	over := float64(delay-breakTarget) / float64(breakTarget)
	c.pool *= max(1-breakLoss*over, 0.5)
}
