package study

import (
	"fmt"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/sim"
)

// changes tells what the scenario says happens.
func (t *tale) changes() {
	for i := range t.scenario.Changes {
		c := &t.scenario.Changes[i]
		if c.At > t.run.For {
			continue
		}
		begins, ends := t.inWords(c)
		t.add(c.At, Given, c.Of, begins+" (the scenario says so)")
		end := c.At + c.Length
		if c.Length > 0 && end <= t.run.For {
			t.add(end, Given, c.Of, ends)
			t.ends = append(t.ends, ended{end, c.Of})
		}
	}
}

// Script tells what the scenario says happens, in the order of time.
func Script(s *config.Scenario) []Cause {
	t := &tale{scenario: s, run: &sim.Result{For: s.For}}
	t.changes()
	t.sort(t.causes)
	return t.causes
}

// before is what a change replaces, with the changes that are under way then.
func (t *tale) before(c *config.Change, start func() string,
	of func(other *config.Change) string) string {
	var last *config.Change
	for i := range t.scenario.Changes {
		o := &t.scenario.Changes[i]
		same := o != c && o.Kind == c.Kind && o.Of == c.Of && o.Route == c.Route
		if same && o.At < c.At && (o.Length == 0 || o.At+o.Length > c.At) &&
			(last == nil || o.At >= last.At) {
			last = o
		}
	}
	if last == nil {
		return start()
	}
	return of(last)
}

// inWords says what a change does, and what its end.
func (t *tale) inWords(c *config.Change) (begins, ends string) {
	s := t.scenario.Service(c.Of)
	who := c.Of
	if c.Route != "" {
		who += " " + c.Route
	}
	for k, n := range c.Instances {
		if who += fmt.Sprintf(", %d", n); k == 0 {
			who = fmt.Sprintf("%s instance %d", c.Of, n)
		}
	}
	fromTo := func(what, from, to string) (string, string) {
		return fmt.Sprintf("%s: %s%s -> %s", who, what, from, to),
			fmt.Sprintf("%s: %s%s again", who, what, from)
	}
	switch c.Kind {
	case config.SetRate:
		return fromTo("", t.before(c, func() string {
			return PerSecond.Text(t.scenario.Client(c.Of).Rate)
		}, func(o *config.Change) string { return PerSecond.Text(o.Rate) }), PerSecond.Text(c.Rate))
	case config.SetWork:
		return fromTo("work ", t.before(c, func() string { return inWords(&routeOf(s, c).Work) },
			func(o *config.Change) string { return inWords(&o.Work) }), inWords(&c.Work))
	case config.SetFails:
		return fromTo("failures ", t.before(c, func() string {
			return Share.Text(routeOf(s, c).Fails)
		}, func(o *config.Change) string { return Share.Text(o.Share) }), Share.Text(c.Share))
	case config.SetCapacity:
		return fromTo("capacity ", t.before(c, func() string { return capacityInWords(s.Capacity) },
			func(o *config.Change) string { return capacityInWords(o.Capacity) }),
			capacityInWords(c.Capacity))
	case config.SetAdmission:
		begins = fmt.Sprintf("an operator lets %s of the demand into %s", Share.Text(c.Share), who)
		if c.Ramp > 0 {
			begins += fmt.Sprintf(", and everything after %v", c.Ramp)
		}
		return begins, "an operator lets everything into " + who + " again"
	case config.GoDown:
		return who + " goes down", who + " is back"
	case config.GoSilent:
		return who + " takes requests and never answers", who + " answers again"
	case config.Restart:
		return who + " goes down to be restarted", who + " is back, with cold caches"
	case config.CutNetwork:
		if c.Buffered {
			return "the network holds back what is sent to " + who,
				"the network delivers what it held back for " + who
		}
		return "the network to " + who + " is cut", "the network to " + who + " is mended"
	}
	return who + ": another policy comes into use", who + ": the policy before is in use again"
}

func routeOf(s *config.Service, c *config.Change) *config.Route {
	if r := s.Route(c.Route); r != nil {
		return r
	}
	return s.Routes[0]
}

func capacityInWords(c config.Capacity) string {
	if c.Rate == 0 {
		return "without a limit"
	}
	return PerSecond.Text(c.Rate)
}

// underWay reports whether a change of one of the kinds holds for a service.
func (t *tale) underWay(of string, at time.Duration, kinds ...config.ChangeKind) bool {
	for i := range t.scenario.Changes {
		c := &t.scenario.Changes[i]
		for _, k := range kinds {
			if c.Kind == k && c.Of == of && c.At <= at && (c.Length == 0 || at <= c.At+c.Length) {
				return true
			}
		}
	}
	return false
}
