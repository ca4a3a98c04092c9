package config

import (
	"github.com/seakeep/seakeep/core/bulkhead"
	"github.com/seakeep/seakeep/core/call"
)

// bulkhead comes after timeout, because it takes its wait from there.
func (o *object) bulkhead(s *Settings) {
	b, on := o.rung("bulkhead", "{limit: 60}")
	if !on {
		return
	}
	defer b.close()
	c := &bulkhead.Config{}
	s.Call.Bulkhead = c
	b.require("limit", "how many calls may be in flight at once, such as 60")
	b.integer("limit", &c.Limit, within[int](1, 1e6, "60"))
	b.integer("queue", &c.Queue, within[int](0, 1e6, "0"))
	choose(b, "holds", &c.Holds, option[bulkhead.Holds]{"calls", bulkhead.Calls},
		option[bulkhead.Holds]{"attempts", bulkhead.Attempts})
	b.mode(&s.Call, call.RungBulkhead)
	if c.Queue > 0 {
		c.Wait = s.Acquire
	}
	if f := b.find("queue"); f != nil && c.Queue > 0 && c.Wait == 0 {
		if o.lookup("timeout.acquire") != nil {
			return // it is there and was refused
		}
		f.fail("calls may queue for a slot, but nothing says how long",
			"add timeout.acquire, such as 20ms, or set queue to 0")
		return
	}
	b.check(c.Validate(), bulkheadFields)
}

var bulkheadFields = map[string]string{
	"Limit": "limit", "Queue": "queue", "Wait": "queue", "Holds": "holds",
}
