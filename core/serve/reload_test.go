package serve

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/degrade"
	"github.com/seakeep/seakeep/core/limit"
	"github.com/seakeep/seakeep/core/quota"
	"github.com/seakeep/seakeep/core/shed"
)

const ms = core.Instant(time.Millisecond)

func words(t *testing.T, text string) Config {
	t.Helper()
	c, err := settings(strings.Fields(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func made(t *testing.T, c Config) *Door {
	t.Helper()
	d, err := New(c, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func reloaded(t *testing.T, now core.Instant, old *Door, c Config) *Door {
	t.Helper()
	d, err := old.Next(c, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	d.Adopt(now)
	return d
}

// begin lets a request in, or fails.
func begin(t *testing.T, now core.Instant, d *Door, req Request) *Visit {
	t.Helper()
	v := &Visit{}
	if req.Deadline == 0 {
		req.Deadline = core.Never
	}
	if act := v.Begin(now, d, req); act.Verdict != Admitted {
		t.Fatalf("%+v is %v: %v", req, act.Verdict, v.Reason())
	}
	return v
}

// Requests that came in by the old settings end after the reload. What the old
// limit learns from them must not become the number of slots.
func TestAnOldLimitIsNotHeardAfterAReload(t *testing.T) {
	old := made(t, words(t, "aimd=50"))
	v := begin(t, 0, old, Request{})
	d := reloaded(t, ms, old, words(t, "limit=5"))
	for i := range core.Instant(10) { // each is a window of its own, and moves the old limit
		v.End((10+i)*ms, core.Result{Outcome: core.Timeout})
		*v = Visit{door: old, verdict: Admitted, held: true, deadline: core.Never, admitted: i * ms}
		if !d.slots.TryAcquire((10+i)*ms, v.place) {
			t.Fatal("no slot")
		}
	}
	if before := old.limit.Limit(); before == 50 {
		t.Error("the old limit has not moved, so this test shows nothing")
	}
	if n := d.Snapshot(time20).Slots.Limit; n != 5 {
		t.Errorf("there are %d slots, want 5", n)
	}
	old.meter.served(time.Second)
	old.sweepAt.Store(0)
	old.Sweep(time20) // a request that has read the old settings just before the reload
	if n := d.Snapshot(time20).Slots.Limit; n != 5 {
		t.Errorf("after a late sweep there are %d slots, want 5", n)
	}
}

const time20 = 20 * core.Instant(time.Second)

// A recovery that has cut admission and is then taken out, or given other
// settings, must not leave the cut behind for ever.
func TestACutEndsWithItsRecovery(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"taken out": func(c *Config) { c.Recovery = nil },
		"changed":   func(c *Config) { c.Recovery = &shed.RecoveryConfig{Windows: 7} },
	} {
		c := words(t, "limit=10")
		c.Recovery = &shed.RecoveryConfig{}
		old := made(t, c)
		old.reduce(0, 0.25, 0, old.recovery)
		change(&c)
		d := reloaded(t, ms, old, c)
		if r := d.Snapshot(ms).Shed.Reduced; r < 0.2 || r > 0.3 {
			t.Errorf("%s: all come back at once: %v", name, r)
		}
		if r := d.Snapshot(40 * core.Instant(time.Second)).Shed.Reduced; r != 1 {
			t.Errorf("%s: after 40 s only %v are let in", name, r)
		}
		old.reduce(time20, 0.1, 0, old.recovery)
		if r := d.Snapshot(40 * core.Instant(time.Second)).Shed.Reduced; r != 1 {
			t.Errorf("%s: the old one is still heard: %v", name, r)
		}
	}
}

// What an operator has ordered holds when the file changes the rung that
// carries it out.
func TestOrdersOutliveAReload(t *testing.T) {
	c := words(t, "limit=10 shed=20ms features=a,b,c")
	old := made(t, c)
	old.Reduce(0, 0.4, 0)
	if err := old.Degrade(0, 3); err != nil {
		t.Fatal(err)
	}
	c.Shed = &shed.Config{Target: 30 * time.Millisecond}
	c.Degrade = &degrade.Config{Features: []string{"a", "b"}}
	d := reloaded(t, ms, old, c)
	if s := d.Snapshot(time20); s.Shed.Reduced != 0.4 || !s.Degrade.Forced || s.Degrade.Level != 2 {
		t.Errorf("%v is let in, level %d, forced: %v", s.Shed.Reduced, s.Degrade.Level,
			s.Degrade.Forced)
	}
	d.Reduce(time20, 0.5, 10*time.Second)
	c.Shed = nil
	d = reloaded(t, time20.Add(5*time.Second), d, c)
	for _, after := range []time.Duration{5 * time.Second, 10 * time.Second} {
		want := 0.5 + 0.5*after.Seconds()/10
		if r := d.Snapshot(time20.Add(after)).Shed.Reduced; r < want-0.01 || r > want+0.01 {
			t.Errorf("%v after the order %v is let in, want %v", after, r, want)
		}
	}
}

// A tenant's requests from before a reload count against what it may have, and
// nobody else is taken for it.
func TestTenantsKeepTheirNumbersOverReloads(t *testing.T) {
	with := func(text string, keys int) Config {
		c := words(t, text)
		if c.Tenants != nil {
			c.Tenants.Quota = quota.Config{Keys: keys}
		}
		return c
	}
	for name, between := range map[string][]Config{
		"another bound":  nil,
		"off and on":     {with("limit=10 queue=4 wait=1s", 0)},
		"fewer are kept": {with("limit=10 queue=4 wait=1s tenant=2", 1)},
	} {
		d := made(t, with("limit=10 queue=4 wait=1s tenant=1", 10))
		a := begin(t, 0, d, Request{Tenant: "a"})
		now := ms
		for _, c := range between {
			d = reloaded(t, now, d, c)
			now += ms
		}
		d = reloaded(t, now, d, with("limit=10 queue=4 wait=1s tenant=2", 10))
		b1 := begin(t, now, d, Request{Tenant: "b"})
		b2 := begin(t, now, d, Request{Tenant: "b"}) // a's slot must not be taken for b's
		a2 := begin(t, now, d, Request{Tenant: "a"})
		var v Visit
		if act := v.Begin(now, d, Request{Tenant: "a", Deadline: core.Never}); act.Verdict != WantPlace {
			t.Errorf("%s: a third request of a is %v", name, act.Verdict)
		}
		v.Abort(now)
		for _, v := range []*Visit{b1, a, a2, b2} {
			v.End(now, core.Result{Outcome: core.Success})
		}
		if s := d.Snapshot(now); s.Slots.InUse != 0 || s.Tenants.Top[0].Here != 0 {
			t.Errorf("%s: afterwards %+v %+v", name, s.Slots, s.Tenants)
		}
	}
}

// The lever is an order, and whoever gives one means it, also where shedding
// only watches. A tenant's bound is a share of the slots, and only watches where
// they do.
func TestWatchingRungs(t *testing.T) {
	c := words(t, "limit=1 tenant=1 shed=20ms observe")
	d := made(t, c)
	for range 5 {
		begin(t, 0, d, Request{Tenant: "a"})
	}
	d.Reduce(0, 0, 0)
	var v Visit
	if act := v.Begin(ms, d, Request{Deadline: core.Never}); act.Verdict != Refused ||
		v.Reason() != core.AdmissionReduced {
		t.Errorf("with the lever at 0 it is %v", act.Verdict)
	}
}

// deaf is an observer that cannot stand some kinds of events.
type deaf map[core.EventKind]bool

func (d deaf) Observe(e core.Event) {
	if d[e.Kind] {
		panic(fmt.Sprint(e.Kind))
	}
}

// Whatever an observer does, what the visit had is given back.
func TestAPanickingObserverCostsNoSlot(t *testing.T) {
	for _, k := range []core.EventKind{core.RequestAdmitted, core.RequestQueued, core.RequestRefused,
		core.RequestEnded, core.LimitChanged} {
		d, err := New(words(t, "aimd=1 queue=1 wait=100ms tenant=1"), 1, deaf{k: true})
		if err != nil {
			t.Fatal(err)
		}
		now := core.Instant(0)
		for i := range 20 {
			now += 10 * ms
			var a, b Visit
			for _, v := range []*Visit{&a, &b} {
				guarded(now, v, func() {
					if v.Begin(now, d, Request{Deadline: core.Never, Tenant: fmt.Sprint(i)}).Verdict ==
						WantPlace {
						v.Join(now, nobody{})
					}
				})
			}
			now += ms
			guarded(now, &a, func() { a.End(now, core.Result{Outcome: core.Success}) })
			guarded(now, &b, func() { b.Step(now, CallerLeft) })
			guarded(now, &b, func() { b.End(now, core.Result{Outcome: core.Success}) })
		}
		s := d.Snapshot(now)
		if s.Slots.InUse != 0 || s.Slots.Queued != 0 || s.Tenants.Top[0].Here != 0 {
			t.Errorf("%v: %d slots in use, %d queued, %+v", k, s.Slots.InUse, s.Slots.Queued, s.Tenants.Top[0])
		}
		if n := s.Classes[2]; n.Offered != n.Admitted+n.Refused+n.Left {
			t.Errorf("%v: %+v", k, n)
		}
	}
}

// guarded runs f as a driver does: what panics is given up.
func guarded(now core.Instant, v *Visit, f func()) {
	defer func() {
		if recover() != nil {
			defer func() { _ = recover() }()
			v.Abort(now)
		}
	}()
	f()
}

func TestBeginWantsAClass(t *testing.T) {
	defer func() {
		if r := fmt.Sprint(recover()); !strings.HasPrefix(r, "serve: ") {
			t.Errorf("it says %q", r)
		}
	}()
	(&Visit{}).Begin(0, made(t, Config{}), Request{Class: 99})
}

// A download that takes an hour says nothing about the service, and one that
// began in time was in time. The same for an upload at its sender's pace.
func TestTheCallersPaceIsNotTheServices(t *testing.T) {
	hour := core.Instant(time.Hour)
	for name, slow := range map[string]func(*Visit){
		"download": func(v *Visit) { v.Answered(10 * ms); v.Answered(hour) },
		"upload":   (*Visit).Paced,
	} {
		c := words(t, "limit=10 deadline=1s")
		if name == "upload" {
			c.Timeout.Total = 0
		}
		c.Slots.Limit = limit.Config{Algorithm: limit.AIMD, Initial: 30, Samples: 1, Window: time.Millisecond}
		d := made(t, c)
		v := begin(t, 0, d, Request{})
		slow(v)
		v.End(hour, core.Result{Outcome: core.Success})
		s := d.Snapshot(hour)
		if s.Classes[2].Useful != 1 || s.Latency.Max > 20*time.Millisecond ||
			d.meter.work > 20*time.Millisecond || s.Slots.InUse != 0 {
			t.Errorf("%s: %+v, longest %v, work %v, %+v", name, s.Classes[2], s.Latency.Max, d.meter.work,
				s.Slots)
		}
	}
}
