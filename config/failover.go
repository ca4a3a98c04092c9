package config

import (
	"time"

	"github.com/seakeep/seakeep/core/failover"
)

// Failover says when calls go to another dependency, and which.
type Failover struct {
	To    string // the dependency that is the second provider
	Write Writes
	// Observe has it decide and report, and all calls stay where they are.
	Observe bool
	failover.Config
}

// Writes says which calls that may not run twice go to the second provider.
// Whoever makes a call cannot know whether somebody has made it before, at the
// first provider.
type Writes uint8

const (
	// Stay keeps all of them at the first provider.
	Stay Writes = iota
	// Keyed lets those go that have an idempotency key, because both providers
	// know the same keys. Those without one stay.
	Keyed
)

// failover reads when calls move to a second provider; nil if they never do.
func (o *object) failover() *Failover {
	s, on := o.rung("failover", "{to: backup, share: 20%, window: 30s}")
	if !on {
		return nil
	}
	defer s.close()
	c := &Failover{Config: failover.Config{}.Filled()}
	s.require("to", "the name of the dependency that is the second provider")
	f := s.text("to", &c.To, nameForm, "the name of another dependency")
	s.note("to", f, c.To)
	if f != nil {
		o.d.links = append(o.d.links, link{from: o.d.current, to: c.To, at: f, word: "failover"})
	}
	s.share("share", &c.Share, some("20%"))
	s.duration("window", &c.Window, within(10*time.Millisecond, time.Hour, "30s"))
	s.integer("calls", &c.Calls, within[int](1, 1e6, "20"))
	choose(s, "writes", &c.Write, option[Writes]{"stay", Stay}, option[Writes]{"keyed", Keyed})
	s.back(c)
	c.Observe = s.observes()
	s.check(c.Validate(), failoverFields)
	return c
}

// back reads the way back: a bare time, or a section.
func (o *object) back(c *Failover) {
	s := o.short("back", "after", "a time such as 60s, or a section such as {after: 60s, step: 10s}")
	defer s.close()
	b := &c.Back
	b.Share = c.Share / 2
	wait := within(10*time.Millisecond, 24*time.Hour, "60s")
	s.duration("after", &b.After, wait)
	s.share("begin", &b.Begin, some("5%"))
	wait.like = "10s"
	s.duration("step", &b.Step, wait)
	s.integer("calls", &b.Calls, within[int](1, 1e6, "10"))
	s.share("share", &b.Share, some("10%"))
	if b.Share > c.Share {
		s.refuse("share", showShare(b.Share)+" is more than the failover's share, "+
			showShare(c.Share)+", so that calls would come back to what they would leave again",
			"give less")
	}
}

// failoverFields are the keys of the failover's fields.
var failoverFields = map[string]string{
	"Share": "share", "Window": "window", "Calls": "calls", "Back.After": "back.after",
	"Back.Begin": "back.begin", "Back.Step": "back.step", "Back.Calls": "back.calls",
	"Back.Share": "back.share",
}
