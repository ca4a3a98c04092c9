package call

import (
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/throttle"
)

// refused makes calls that the dependency refuses.
func refused(p *Plan, now core.Instant, calls int) {
	for range calls {
		var c Call
		c.Begin(now, p, &Request{Deadline: core.Never, Draw: 1})
		c.Step(now, &Event{Kind: Returned, Result: outcomes["busy"]})
	}
}

func counted(p *Plan, now core.Instant) int64 {
	return p.Snapshot(now).Throttle.Classes[core.Critical.Index()].Requests
}

// A reload keeps what was counted, and the new numbers judge it.
func TestThrottleOutlivesReloads(t *testing.T) {
	config := func(c throttle.Config) Config { return Config{Name: "dep", Throttle: &c} }
	first, err := New(config(throttle.Config{Minimum: 100}), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	refused(first, 0, 20)
	var c Call
	if act := c.Begin(0, first, &Request{Deadline: core.Never}); act.Verdict != Running {
		t.Errorf("below the minimum a call is %v", act.Verdict)
	}
	next, err := first.Next(config(throttle.Config{Minimum: 10}), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	next.Adopt(1)
	if n := counted(next, 1); n != 20 {
		t.Errorf("after a reload %d requests are known of 20", n)
	}
	if act := c.Begin(1, next, &Request{Deadline: core.Never}); act.Verdict != Rejected ||
		c.Reason() != core.Throttled || c.RetryAfter() != 0 {
		t.Errorf("above the minimum a call is %v for %v", act.Verdict, c.Reason())
	}
	if s := next.Why(1, "", core.Throttled); s.Throttle == nil || s.Throttle.Window != 30*time.Second {
		t.Errorf("the reason is %+v", s.Throttle)
	}
	off, err := next.Next(Config{Name: "dep"}, 1, nil)
	if err != nil || off.Throttled() || off.Snapshot(1).Throttle != nil {
		t.Errorf("a throttle that is left out is on: %v", err)
	}
	if s := off.Why(1, "", core.Throttled); s.Throttle != nil {
		t.Error("a throttle that is off is a reason")
	}
	on, err := off.Next(config(throttle.Config{}), 1, nil)
	if err != nil || counted(on, 1) != 0 {
		t.Errorf("a throttle that comes back knows of requests: %v", err)
	}
	if _, err := first.Next(config(throttle.Config{K: 0.5}), 1, nil); err == nil {
		t.Error("a bad setting is put to use")
	}
}

// An operation counts together with the whole, unless its throttle is its own.
func TestThrottleIsShared(t *testing.T) {
	plan := func(name string, c *throttle.Config) *Plan {
		p, err := New(Config{Name: name, Throttle: c}, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	some := &throttle.Config{Minimum: 5}
	whole, part, own, off := plan("dep", some), plan("dep/a", some), plan("dep/b", some), plan("dep/c", nil)
	part.Share(whole, 0)
	own.Share(whole, RungThrottle)
	off.Share(whole, 0)
	refused(part, 0, 3)
	refused(own, 0, 2)
	refused(off, 0, 9)
	refused(whole, 0, 1)
	if counted(whole, 0) != 4 || counted(part, 0) != 4 || counted(own, 0) != 2 {
		t.Errorf("the whole has %d, the part %d and the one of its own %d",
			counted(whole, 0), counted(part, 0), counted(own, 0))
	}
	if off.Throttled() {
		t.Error("an operation that has switched the throttle off has one")
	}
	next, err := part.Next(Config{Name: "dep/a", Throttle: some}, 1, nil)
	if err != nil || counted(next, 0) != 0 {
		t.Errorf("a plan by itself keeps what belonged to the whole: %v", err)
	}
}

// The throttle costs no garbage either.
func TestThrottledCallAllocates(t *testing.T) {
	p, err := New(Config{Throttle: &throttle.Config{}}, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	now := core.Instant(0)
	n := testing.AllocsPerRun(1000, func() {
		now++
		refused(p, now, 1)
	})
	if n != 0 {
		t.Errorf("a call allocates %v times", n)
	}
}
