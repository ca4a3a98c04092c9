package config

import "time"

// capacity reads the gate on calls a second.
func (o *object) capacity() (c Capacity) {
	f := o.find("capacity")
	if f == nil || f.is(off) {
		o.note("capacity", f, "off")
		return c
	}
	s := o.section("capacity", "a section such as {rate: 400/s, over: hang}, or "+off)
	defer s.close()
	s.require("rate", "how many calls a second it takes, such as 400/s")
	s.rate("rate", &c.Rate, within(1, fastest, "400/s"))
	choose(s, "over", &c.Over, option[Over]{"hang", Hang}, option[Over]{"refuse", Turn})
	return c
}

// readThrough reads what makes the service a cache.
func (o *object) readThrough(s *Service) {
	f := o.find("cache")
	if f == nil {
		o.note("cache", nil, "off")
		return
	}
	c := o.section("cache", "a section such as {hits: 95%, fill: 10000}")
	defer c.close()
	m := &CacheModel{}
	s.Cache = m
	c.require("hits", "what share it answers once it is warm, such as 95%")
	c.share("hits", &m.Hits, within[float64](0, 1, "95%"))
	c.require("fill", "after how many misses a cold cache answers 63% of that, such as 10000")
	c.integer("fill", &m.Fill, within[int](1, 1e9, "10000"))
	for _, r := range s.Routes {
		if len(r.Calls) > 0 {
			return
		}
	}
	if !c.broken && !o.broken && o.d.failures == o.clean {
		f.failKey("what the cache does not hold is to be had nowhere",
			"add calls, which a miss makes")
	}
}

// health reads the check that restarts instances.
func (o *object) health(s *Service) {
	if o.find("health") == nil {
		o.note("health", nil, "off")
		return
	}
	h := o.section("health", "a section such as {interval: 10s, restart: 20s}")
	defer h.close()
	m := &HealthModel{Interval: 10 * time.Second, Timeout: time.Second, Failures: 3}
	s.Health = m
	h.duration("interval", &m.Interval, within(time.Millisecond, time.Hour, "10s"))
	h.duration("timeout", &m.Timeout, within(time.Millisecond, time.Hour, "1s"))
	h.integer("failures", &m.Failures, within(1, 1000, "3"))
	h.require("restart", "how long a restarted instance is away, such as 20s")
	h.duration("restart", &m.Restart, within(time.Millisecond, day, "20s"))
	h.boolean("deep", &m.Deep)
}

// network reads what happens on the way to the service.
func (o *object) network(n *Network) {
	s := o.section("network", "a section such as {delay: 1ms, loss: 0.1%}")
	defer s.close()
	s.latency("delay", &n.Delay)
	s.share("loss", &n.Loss, within[float64](0, 1, "0.1%"))
}
