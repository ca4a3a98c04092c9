package config

import (
	"cmp"
	"time"

	"github.com/seakeep/seakeep/core/balance"
)

// balance reads how one of several endpoints is chosen.
func (o *object) balance(c *balance.Config) {
	b := o.section("balance", "a section such as {policy: two-choices}")
	defer b.close()
	*c = balance.Config{}.Filled()
	choose(b, "policy", &c.Policy, option[balance.Policy]{"two-choices", balance.TwoChoices},
		option[balance.Policy]{"round-robin", balance.RoundRobin})
	b.duration("decay", &c.Decay, within(time.Millisecond, time.Hour, "10s"))
	if b.switchedOff("slow-start") {
		c.SlowStart = balance.Off
	} else {
		b.duration("slow-start", &c.SlowStart, within(time.Millisecond, time.Hour, "30s"))
	}
	if b.switchedOff("panic") {
		c.Panic = balance.Off
	} else {
		b.share("panic", &c.Panic, within(0.0001, 1, "50%"))
	}
	b.zone(&c.Zone, "no zone is preferred")
	b.check(c.Validate(), balanceFields)
}

// balanceFields are the keys of the balancer's fields.
var balanceFields = map[string]string{
	"Policy": "policy", "Decay": "decay", "SlowStart": "slow-start", "Panic": "panic",
}

// switchedOff reports whether a key holds the word none, and notes it.
func (o *object) switchedOff(key string) bool {
	f := o.find(key)
	if !f.is(off) {
		return false
	}
	o.note(key, f, "off")
	return true
}

// zone reads the name of a place.
func (o *object) zone(out *string, without string) {
	f := o.text("zone", out, nameForm, nameFix)
	o.note("zone", f, cmp.Or(*out, without))
}
