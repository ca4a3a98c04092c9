package config

import (
	"slices"
	"strings"
	"time"

	"github.com/seakeep/seakeep/core/degrade"
	"github.com/seakeep/seakeep/core/serve"
	"github.com/seakeep/seakeep/core/shed"
)

func (o *object) shed(c *serve.Config) {
	s, on := o.rung("shed", "{target: 20ms}")
	if !on {
		return
	}
	defer s.close()
	d := &shed.Config{Target: 20 * time.Millisecond, Window: 250 * time.Millisecond}
	c.Shed = d
	if c.Slots == nil && o.lookup("shed.scheduler") == nil {
		o.find("shed").failKey("nothing here shows an overload: there is no queue to look at",
			"add concurrency and queue, or scheduler, such as 20ms")
	}
	s.duration("target", &d.Target, within(10*time.Microsecond, time.Minute, "20ms"))
	s.duration("window", &d.Window, within(10*time.Millisecond, time.Minute, "250ms"))
	scheduler := within(10*time.Microsecond, time.Minute, "20ms")
	scheduler.off = "off"
	s.duration("scheduler", &d.Scheduler, scheduler)
	s.serveMode(c, serve.RungShed)
	s.check(d.Validate(), map[string]string{"Target": "target", "Window": "window",
		"Scheduler": "scheduler"})
}

// degrade reads the list of features to drop: the list alone, or with numbers.
func (o *object) degrade(c *serve.Config) {
	f := o.find("degrade")
	if f == nil || f.is(off) {
		o.note("degrade", f, "off")
		return
	}
	s := o.short("degrade", "features", "a list such as [prefetch, personalization], "+
		"or a section such as {features: [prefetch]}, or "+off)
	defer s.close()
	d := &degrade.Config{On: 1, Step: 5 * time.Second, Back: 30 * time.Second}
	c.Degrade = d
	list := s.require("features", "what can be left out, such as [prefetch, personalization]")
	if list != nil {
		for _, item := range list.items("features such as [prefetch, personalization]") {
			name, ok := textOf(item, nameForm, nameFix)
			if ok && slices.Contains(d.Features, name) {
				item.fail(quote(item.node)+" is in the list already", "remove it")
			} else if ok {
				d.Features = append(d.Features, name)
			}
		}
		s.note("features", list, strings.Join(d.Features, ", "))
	}
	s.factor("on", &d.On, within(0.01, 1000, "1"))
	d.Off = 0.7 * d.On
	s.factor("off", &d.Off, within(0.001, 999, "0.7"))
	s.duration("step", &d.Step, within(10*time.Millisecond, 24*time.Hour, "5s"))
	s.duration("back", &d.Back, within(10*time.Millisecond, 24*time.Hour, "30s"))
	if len(d.Features) > 0 {
		s.check(d.Validate(), map[string]string{"Features": "features", "On": "on", "Off": "off",
			"Step": "step", "Back": "back"})
	}
}

func (o *object) recovery(c *serve.Config) {
	s, on := o.rung("recovery", "{}")
	if !on {
		return
	}
	defer s.close()
	r := &shed.RecoveryConfig{Window: time.Second, Useful: 0.5, Wasted: 0.5, Retries: 0.5,
		Windows: 10, Admit: 0.25, Ramp: 30 * time.Second}
	c.Recovery = r
	s.duration("window", &r.Window, within(10*time.Millisecond, time.Minute, "1s"))
	s.share("useful", &r.Useful, within(0.01, 1, "50%"))
	s.share("wasted", &r.Wasted, within(0.01, 1, "50%"))
	s.share("retries", &r.Retries, within(0.01, 1, "50%"))
	s.integer("windows", &r.Windows, within(1, 1000, "10"))
	s.share("admit", &r.Admit, within(0.01, 1, "25%"))
	s.duration("ramp", &r.Ramp, within(time.Second, time.Hour, "30s"))
	s.check(r.Validate(), map[string]string{"Window": "window", "Useful": "useful",
		"Wasted": "wasted", "Retries": "retries", "Windows": "windows", "Admit": "admit",
		"Ramp": "ramp"})
}
