package config

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/window"
)

// coarse are the limits of a time that a breaker counts in.
func coarse(like string) limits[time.Duration] {
	return limits[time.Duration]{min: time.Millisecond, max: longest, like: like}
}

// some are the limits of a share that cannot be zero.
func some(like string) limits[float64] { return limits[float64]{min: 0.0001, max: 1, like: like} }

func (o *object) breaker(s *Settings) (per scope) {
	b, on := o.rung("breaker", "{window: 10s, failures: 50%}")
	if !on {
		return perDependency
	}
	defer b.close()
	c := &breaker.Config{}
	s.Call.Breaker = c
	b.window(&c.Window)
	if c.Window.Consecutive > 0 {
		b.notWith("a window of failures in a row", "calls", "failures", "slow")
	} else {
		c.MinCalls = 20
		if n := c.Window.Calls; n > 0 {
			c.MinCalls = min(c.MinCalls, n)
		}
		b.integer("calls", &c.MinCalls, within[int](1, 1e6, "20"))
		b.failures(&c.Failures)
		b.slow(&c.Slow)
	}
	b.open(&c.Open)
	b.trials(&c.Trials)
	b.duration("ramp", &c.Ramp, natural("10s"))
	choose(b, "counts", &c.Counts, option[breaker.Counts]{"attempts", breaker.Attempts},
		option[breaker.Counts]{"calls", breaker.Calls})
	per = b.per(s)
	b.mode(&s.Call, call.RungBreaker)
	b.together(c)
	return per
}

// together checks settings that rule each other out.
func (o *object) together(c *breaker.Config) {
	if n := c.Window.Calls; n > 0 && c.MinCalls > n {
		problem := "the window never holds %d calls, so the breaker could never decide"
		o.refuse("calls", fmt.Sprintf(problem, c.MinCalls),
			fmt.Sprintf("give %d or less, or a larger window", n))
	}
	if c.Window.Consecutive == 0 && c.Failures == 0 && c.Slow.Over == 0 {
		o.refuse("failures", "nothing would ever open the breaker",
			"give a share such as 50%, or add slow")
	}
	if t := c.Trials; c.Failures > 0 && 1-t.Pass >= c.Failures {
		o.refuse("trials.pass", "trials may fail as often as failures, "+showShare(c.Failures)+
			", opens the breaker, so it would flap", "give more than "+showShare(1-c.Failures))
	}
	o.check(c.Validate(), breakerFields)
}

// breakerFields are the keys of the breaker's fields.
var breakerFields = map[string]string{
	"Window.Over": "window", "Window.Calls": "window", "Window.Consecutive": "window.consecutive",
	"MinCalls": "calls", "Failures": "failures",
	"Slow": "slow", "Slow.Over": "slow.over", "Slow.Share": "slow.share",
	"Open.For": "open.for", "Open.Cap": "open.cap", "Open.Jitter": "open.jitter",
	"Open.Growth": "open.growth", "Trials.Calls": "trials.calls", "Trials.AtOnce": "trials.at-once",
	"Trials.Pass": "trials.pass", "Trials.Wait": "trials.wait", "Ramp": "ramp", "Counts": "counts",
}

var callsForm = regexp.MustCompile(`^([1-9][0-9]*) calls$`)

const windowFix = "give a time from 1ms to 24h such as 10s, up to 100000 calls such as " +
	"100 calls, or {consecutive: 5}"

// window reads what the breaker remembers, in one of three forms.
func (o *object) window(w *window.Config) {
	f := o.find("window")
	if f == nil {
		w.Over = 10 * time.Second
		o.note("window", nil, showDuration(w.Over))
		return
	}
	if f.node.Kind == yaml.MappingNode {
		s := o.section("window", windowFix)
		defer s.close()
		s.require("consecutive", "how many failures in a row open the breaker, such as 5")
		s.integer("consecutive", &w.Consecutive, within[int](1, 1e6, "5"))
		return
	}
	text, ok := f.scalar("a window", windowFix)
	if !ok {
		w.Over = 10 * time.Second
		return
	}
	if m := callsForm.FindStringSubmatch(text); m != nil {
		n, err := strconv.Atoi(m[1])
		if err != nil || n > 100_000 {
			f.fail(quote(f.node)+" is above 100000 calls", windowFix)
			n = 100_000
		}
		w.Calls = n
		o.note("window", f, text)
		return
	}
	over, problem := parseDuration(text)
	switch {
	case problem == "" && over < time.Millisecond:
		problem = "is below 1ms"
	case problem == "" && over > 24*time.Hour:
		problem = "is above 24h"
	case problem == "is not a time":
		problem = "is not a window"
	}
	w.Over = over
	if problem != "" {
		f.fail(quote(f.node)+" "+problem, windowFix)
		w.Over = 10 * time.Second
	}
	o.note("window", f, showDuration(w.Over))
}

// failures reads the share of failed calls, on unless switched off.
func (o *object) failures(share *float64) {
	if f := o.find("failures"); f.is(off) {
		o.note("failures", f, "off")
		return
	}
	*share = 0.5
	o.share("failures", share, some("50%"))
}

func (o *object) slow(c *breaker.Slow) {
	f := o.find("slow")
	if f == nil || f.is(off) {
		o.note("slow", f, "off")
		return
	}
	s := o.section("slow", "a section such as {over: 200ms, share: 50%}, or "+off)
	defer s.close()
	s.require("over", "the time from which a call is slow, such as 200ms")
	s.duration("over", &c.Over, positive("200ms"))
	c.Share = 0.5
	s.share("share", &c.Share, some("50%"))
}

// open reads how long the breaker stays open: a bare time, or a section.
func (o *object) open(p *breaker.Pause) {
	s := o.short("open", "for", "a time such as 30s, or a section such as {for: 30s, growth: 2}")
	defer s.close()
	*p = breaker.Pause{For: 30 * time.Second, Jitter: 0.2, Growth: 2}
	s.duration("for", &p.For, coarse("30s"))
	s.share("jitter", &p.Jitter, within[float64](0, 0.99, "20%"))
	s.factor("growth", &p.Growth, within[float64](1, 100, "2"))
	p.Cap = min(10*p.For, longest)
	s.duration("cap", &p.Cap, coarse("5m"))
	if f := s.find("cap"); f != nil && p.Cap < p.For {
		f.fail(showDuration(p.Cap)+" is less than for, "+showDuration(p.For), "give at least for")
	}
}

// trials reads how a half-open breaker decides: a bare number, or a section.
func (o *object) trials(t *breaker.Trials) {
	s := o.short("trials", "calls",
		"a number such as 3, or a section such as {calls: 3, pass: 100%}")
	defer s.close()
	*t = breaker.Trials{Calls: 3, Pass: 1, Wait: time.Minute}
	s.integer("calls", &t.Calls, within[int](1, 1000, "3"))
	t.AtOnce = min(t.Calls, 64)
	s.integer("at-once", &t.AtOnce, within[int](1, 64, "3"))
	s.share("pass", &t.Pass, some("100%"))
	s.duration("wait", &t.Wait, coarse("30s"))
}

// scope is what shares one breaker.
type scope uint8

const (
	perDependency scope = iota
	perOperation
	perKey
)

// per reads what shares one breaker, and what belongs to it.
func (o *object) per(s *Settings) (per scope) {
	choose(o, "per", &per, option[scope]{"dependency", perDependency},
		option[scope]{"operation", perOperation}, option[scope]{"key", perKey})
	if per != perKey {
		for _, key := range []string{"key", "keys"} {
			if f := o.find(key); f != nil && !f.inherited {
				f.failKey(key+" means nothing without per: key", "add per: key, or remove it")
			}
		}
		return per
	}
	f := o.text("key", &s.KeyHeader, tokenForm, "the name of a header, such as X-Tenant")
	o.note("key", f, shown(s.KeyHeader))
	s.Call.Keys = 1000
	o.integer("keys", &s.Call.Keys, within[int](1, 100_000, "1000"))
	return per
}
