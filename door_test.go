package seakeep

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/degrade"
	"github.com/seakeep/seakeep/core/limit"
	"github.com/seakeep/seakeep/core/queue"
	"github.com/seakeep/seakeep/core/serve"
	"github.com/seakeep/seakeep/core/shed"
)

var done = core.Result{Outcome: core.Success}

func doorOf(t *testing.T, c serve.Config) *Door {
	t.Helper()
	c.Name = "shop"
	d, err := NewDoor(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// slots is a fixed number of slots, and a queue for as many.
func slots(n int) *serve.Slots {
	s := &serve.Slots{Limit: limit.Config{Algorithm: limit.Fixed, Initial: n}}
	s.Queue.Queue, s.Queue.Wait, s.Queue.Line.Full = n, time.Second, queue.DropLowest
	return s
}

// Whatever comes and goes, while files come and go: each request is let in,
// refused or has left, and nothing is held at the end.
func TestDoorAddsUp(t *testing.T) {
	shapes := []serve.Config{
		{Slots: slots(3), Tenants: &serve.Tenants{Slots: 2}},
		{Slots: slots(2), Shed: &shed.Config{Target: time.Millisecond, Scheduler: time.Millisecond}},
		{Recovery: &shed.RecoveryConfig{}, Degrade: &degrade.Config{Features: []string{"a"}}},
		{Slots: slots(1), Tenants: &serve.Tenants{Slots: 1}, Observe: serve.RungSlots},
		{Slots: &serve.Slots{Limit: limit.Config{Algorithm: limit.AIMD, Min: 1, Max: 9, Initial: 4, Samples: 1,
			Window: time.Millisecond}}, Tenants: &serve.Tenants{Slots: 3}, Recovery: &shed.RecoveryConfig{Windows: 3}},
	}
	d := doorOf(t, shapes[0])
	var counted [4]atomic.Uint64 // offered, let in, refused, left
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(n), 1))
			for range 300 {
				visit(t, d, random, &counted)
			}
		})
	}
	for i := range 100 {
		c := shapes[i%len(shapes)]
		c.Name = "shop"
		s, err := newDoorState(d.state.Load(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		d.use(s)
		time.Sleep(200 * time.Microsecond)
	}
	all.Wait()
	var sum serve.Class
	n := d.Snapshot()
	for _, c := range n.Classes {
		sum.Offered += c.Offered
		sum.Admitted += c.Admitted
		sum.Refused += c.Refused
		sum.Left += c.Left
	}
	if sum.Offered != counted[0].Load() || sum.Admitted != counted[1].Load() ||
		sum.Refused != counted[2].Load() || sum.Left != counted[3].Load() ||
		sum.Offered != sum.Admitted+sum.Refused+sum.Left {
		t.Errorf("the door says %+v, its callers %v %v %v %v", sum, counted[0].Load(), counted[1].Load(),
			counted[2].Load(), counted[3].Load())
	}
	if n.Slots.InUse != 0 || n.Slots.Queued != 0 || n.Tenants.Top[0].Here != 0 {
		t.Errorf("at the end %+v %+v", n.Slots, n.Tenants)
	}
}

func visit(t *testing.T, d *Door, random *rand.Rand, counted *[4]atomic.Uint64) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	switch random.IntN(4) {
	case 0:
		stop := time.AfterFunc(time.Duration(random.IntN(2000))*time.Microsecond, cancel)
		defer stop.Stop()
	case 1:
		var end context.CancelFunc
		ctx, end = context.WithTimeout(ctx, time.Duration(1+random.IntN(2000))*time.Microsecond)
		defer end()
	}
	counted[0].Add(1)
	v, err := d.Enter(ctx, Arrival{Class: core.CriticalityAt(random.IntN(core.Criticalities)),
		Cohort: uint8(random.IntN(256)), Tenant: fmt.Sprint(random.IntN(4)), Retry: random.IntN(3) == 0})
	var refused *Rejection
	switch {
	case err == nil:
		counted[1].Add(1)
		time.Sleep(time.Duration(random.IntN(300)) * time.Microsecond)
		v.End(core.Result{Outcome: core.Outcome(1 + random.IntN(3))})
		v.End(done) // again is nothing
	case errors.As(err, &refused):
		counted[2].Add(1)
		if !errors.Is(err, ErrRejected) || Explain(err) == "" {
			t.Errorf("%v", err)
		}
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		counted[3].Add(1)
	default:
		t.Errorf("%v", err)
	}
}

// Each refusal says who, why and when, and matches what it stands for.
func TestDoorExplainsItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := serve.Config{Slots: slots(1), Tenants: &serve.Tenants{Slots: 1, Places: 1},
			Shed: &shed.Config{}}
		for _, c := range []struct {
			reason  core.Reason
			ready   func(*serve.Config)
			before  func(*Door)
			arrival Arrival
			left    time.Duration // zero: for ever
			says    string
			timeUp  bool
		}{
			{core.AdmissionReduced, nil, func(d *Door) { _ = d.Admit(0, 0) }, Arrival{}, 0, "0 % of the demand", false},
			{core.DeadlineExceeded, nil, nil, Arrival{}, -1, "time for the answer was up", true},
			{core.DeadlineTooShort, func(c *serve.Config) { c.Timeout.Needs = time.Hour }, nil,
				Arrival{}, time.Minute, "1h0m0s it needs", true},
			{core.TenantLimit, nil, func(d *Door) { fill(d, 2, "a") }, Arrival{Tenant: "a"}, 0, "may have 1 slots", false},
			{core.BulkheadFull, nil, func(d *Door) { fill(d, 2, "") }, Arrival{}, 0, "1 of 1 slots", false},
			{core.QueueTimeout, nil, func(d *Door) { fill(d, 1, "") }, Arrival{}, 0, "1 of 1 slots", true},
			{core.Evicted, nil, func(d *Door) {
				fill(d, 1, "")
				go func() { time.Sleep(time.Millisecond); stay(d, "") }()
			}, Arrival{Class: core.Sheddable}, 0, "1 of 1 slots", false},
		} {
			cfg := base
			if c.ready != nil {
				c.ready(&cfg)
			}
			d := doorOf(t, cfg)
			if c.before != nil {
				c.before(d)
			}
			if c.left != 0 {
				c.arrival.Deadline = Now().Add(c.left)
			}
			_, err := d.Enter(context.Background(), c.arrival)
			var r *Rejection
			if !errors.As(err, &r) || r.Reason != c.reason || r.Policy != "shop" {
				t.Errorf("want %v, got %v", c.reason, err)
				continue
			}
			if !errors.Is(err, ErrRejected) || errors.Is(err, context.DeadlineExceeded) != c.timeUp ||
				errors.Is(err, context.Canceled) {
				t.Errorf("%v matches DeadlineExceeded: %v", err, !c.timeUp)
			}
			if got := Explain(err); !strings.HasPrefix(got, "shop refused the request: ") || !strings.Contains(got, c.says) {
				t.Errorf("%v is explained as %q, want %q in it", c.reason, got, c.says)
			}
			synctest.Wait()
			time.Sleep(time.Hour) // for those that wait
		}
	})
}

// fill lets so many requests come, of which all but the first wait.
func fill(d *Door, n int, tenant string) {
	for range n {
		go stay(d, tenant)
		synctest.Wait()
	}
}

func stay(d *Door, tenant string) {
	if v, err := d.Enter(context.Background(), Arrival{Tenant: tenant}); err == nil {
		time.Sleep(time.Minute)
		v.End(done)
	}
}

// Keys that an attacker invents take no more memory than the bound says.
func TestManyTenantsAreBounded(t *testing.T) {
	d := doorOf(t, serve.Config{Slots: slots(4), Tenants: &serve.Tenants{Slots: 2}})
	come := func(from, to int) {
		for i := from; i < to; i++ {
			v, err := d.Enter(context.Background(), Arrival{Tenant: fmt.Sprintf("%0200d", i)})
			if err != nil {
				t.Fatal(err)
			}
			v.End(done)
		}
	}
	come(0, 10_000)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	come(10_000, 110_000)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 1<<20 {
		t.Errorf("100,000 more tenants take %d bytes", grown)
	}
	if n := d.Snapshot().Tenants; n.Keys != 10_000 || n.Forgotten != 100_000 {
		t.Errorf("%+v", n)
	}
}

func TestAdmitWantsAShare(t *testing.T) {
	d := doorOf(t, serve.Config{})
	nan := 0.0
	nan /= nan
	for _, share := range []float64{-0.1, 1.1, nan} {
		if d.Admit(share, 0) == nil {
			t.Errorf("%v is taken", share)
		}
	}
	if d.Admit(0.5, -1) == nil || d.Admit(0.5, time.Minute) != nil {
		t.Error("ramps")
	}
	if d.Degrade(1) == nil {
		t.Error("a level without a list is taken")
	}
	d.DegradeAuto()
}
