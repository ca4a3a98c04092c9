package config

import (
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/limit"
	"github.com/seakeep/seakeep/core/queue"
	"github.com/seakeep/seakeep/core/serve"
)

func (o *object) concurrency(c *serve.Config) {
	s, on := o.rung("concurrency", "{max: 400}")
	if !on {
		return
	}
	defer s.close()
	c.Slots = &serve.Slots{}
	l := &c.Slots.Limit
	choose(s, "algorithm", &l.Algorithm, algorithmOptions()...)
	if l.Algorithm == limit.Fixed {
		s.require("limit", "how many requests are served at once, such as 60, "+
			"because the algorithm is fixed")
	}
	count := func(key string, out *int, like string) {
		n := within(1, mostSlots, like)
		n.off = "as the algorithm has it"
		s.integer(key, out, n)
	}
	count("limit", &l.Initial, "20")
	count("min", &l.Min, "8")
	count("max", &l.Max, "400")
	window := positive("1s")
	window.off = "as the algorithm has it"
	s.duration("window", &l.Window, window)
	tolerance := within(1.01, 100, "1.5")
	tolerance.off = "as the algorithm has it"
	s.factor("tolerance", &l.Tolerance, tolerance)
	s.serveMode(c, serve.RungSlots)
	s.check(l.Validate(), limitFields)
}

const mostSlots = 1_000_000

var limitFields = map[string]string{
	"Algorithm": "algorithm", "Initial": "limit", "Min": "min", "Max": "max", "Window": "window",
	"Tolerance": "tolerance",
}

func algorithmOptions() (all []option[limit.Algorithm]) {
	for a := limit.Algorithm(0); a.String() != "invalid"; a++ {
		all = append(all, option[limit.Algorithm]{a.String(), a})
	}
	return all
}

// serveQueue comes after concurrency, because it waits for its slots.
func (o *object) serveQueue(c *serve.Config) {
	s, on := o.rung("queue", "{length: 100}")
	if !on {
		return
	}
	defer s.close()
	if c.Slots == nil {
		if f := o.find("queue"); o.fields["concurrency"] == nil {
			f.failKey("there is nothing to wait for", "add concurrency, such as {max: 400}")
		}
		c.Slots = &serve.Slots{} // refused already; the rest is still read
	}
	q := &c.Slots.Queue
	q.Line.Order, q.Line.Full, q.Wait = queue.CoDelLIFO, queue.DropLowest, 500*time.Millisecond
	s.require("length", "how many requests may wait, such as 100")
	s.integer("length", &q.Queue, within(1, mostSlots, "100"))
	s.duration("wait", &q.Wait, positive("500ms"))
	choose(s, "discipline", &q.Line.Order, option[queue.Order]{"fifo", queue.FIFO},
		option[queue.Order]{"lifo", queue.LIFO}, option[queue.Order]{"codel", queue.CoDel},
		option[queue.Order]{"codel-lifo", queue.CoDelLIFO})
	choose(s, "full", &q.Line.Full, option[queue.Full]{"reject", queue.Reject},
		option[queue.Full]{"drop-oldest", queue.DropOldest},
		option[queue.Full]{"drop-lowest", queue.DropLowest})
	target, interval := positive("20ms"), positive("400ms")
	target.off, interval.off = "4 times what serving takes", "20 times what serving takes"
	s.duration("target", &q.Line.Target, target)
	if q.Line.Target > 0 {
		q.Line.Interval = max(100*time.Millisecond, 5*q.Line.Target)
	}
	s.duration("interval", &q.Line.Interval, interval)
	s.floors(&q.Line.Floors)
	check := *q
	check.Limit = 1
	s.check(check.Validate(), queueFields)
}

var queueFields = map[string]string{
	"Queue": "length", "Wait": "wait", "Line.Order": "discipline", "Line.Full": "full",
	"Line.Target": "target", "Line.Interval": "interval", "Line.Floors": "floors",
}

// floors reads the least shares of the classes.
func (o *object) floors(out *[core.Criticalities]float64) {
	s := o.section("floors", "shares of classes such as {sheddable: 5%}")
	defer s.close()
	for i := range core.Criticalities {
		l := within(0.0, 1, "5%")
		l.off = "none"
		s.share(core.CriticalityAt(i).String(), &out[i], l)
	}
}

func (o *object) tenants(v *Serve) {
	s, on := o.rung("tenants", "{header: X-Tenant, limit: 20}")
	if !on {
		return
	}
	defer s.close()
	t := &serve.Tenants{}
	if v.Door.Slots == nil {
		o.find("tenants").failKey("there are no slots to share",
			"add concurrency, such as {max: 400}")
	} else {
		v.Door.Tenants = t
	}
	s.require("header", "the header that names the tenant, such as X-Tenant")
	s.headerName("header", &v.Tenant, "X-Tenant")
	s.require("limit", "how many requests of one tenant are served at once, such as 20")
	s.integer("limit", &t.Slots, within(1, mostSlots, "20"))
	places := within(1, mostSlots, "10")
	places.off = "a quarter of the queue"
	s.integer("queue", &t.Places, places)
	t.Quota.Keys = 10_000
	s.integer("keys", &t.Quota.Keys, within(1, 1_000_000, "1000"))
}
