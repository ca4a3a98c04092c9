package bulkhead

import (
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/queue"
)

func TestValidateNamesTheLinesFields(t *testing.T) {
	c := Config{Limit: 1, FlowSlots: -1, FlowQueue: -2, Line: queue.Rules{Order: 9, Full: 9}}
	want := []string{"FlowSlots: is -1;", "FlowQueue: is -2;", "Line.Order: is 9;", "Line.Full: is 9;"}
	got := strings.Split(c.Validate().Error(), "\n")
	if len(got) != len(want) {
		t.Fatalf("errors are %q", got)
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("error %q, want it to begin %q", got[i], want[i])
		}
	}
}

// Who asks about a ticket in the instant in which the queue gives it up hears
// of it by the answer; who does not ask is woken.
func TestADropIsToldOnce(t *testing.T) {
	c := Config{Limit: 1, Queue: 3, Wait: time.Second, Line: queue.Rules{Order: queue.CoDelLIFO}}
	for _, asked := range []string{"poll", "leave", "others"} {
		b := must(c)
		b.TryAcquire(0, Place{})
		w := &echo{b: b}
		ticket, _ := b.Enqueue(0, Place{}, w)
		if ticket.Until() != 100*ms {
			t.Fatalf("the ticket ends at %d, want 100 ms", ticket.Until())
		}
		woken := 0
		switch asked {
		case "poll":
			b.Poll(100*ms, ticket)
		case "leave":
			b.Leave(100*ms, ticket)
		case "others":
			b.Busy(100 * ms)
			woken = 1
		}
		if got := b.Poll(100*ms, ticket); got != Dropped || ticket.Reason() != core.QueueDelay || w.woken != woken {
			t.Errorf("%s: %v for %v, woken %d times", asked, got, ticket.Reason(), w.woken)
		}
	}
}

// Under CoDel the bulkhead sheds what waits too long, and only while it must.
func TestCoDelKeepsTheBulkheadsWaitsShort(t *testing.T) {
	b := must(Config{Limit: 1, Queue: 1000, Wait: time.Minute,
		Line: queue.Rules{Order: queue.CoDel, Target: 20 * time.Millisecond}})
	var waiting []*Ticket
	var arrived []core.Instant
	b.TryAcquire(0, Place{})
	var waits, served time.Duration
	for now := core.Instant(0); now < 60_000*ms; now += ms {
		if now%(8*ms) == 0 { // 125 a second come, 100 are served
			if ticket, _ := b.Enqueue(now, Place{}, nil); ticket != nil {
				waiting, arrived = append(waiting, ticket), append(arrived, now)
			}
		}
		if now%(10*ms) != 0 {
			continue
		}
		b.Release(now, Place{})
		for len(waiting) > 0 {
			s := b.Poll(now, waiting[0])
			if s == Waiting {
				break
			}
			if s == Granted && now > 20_000*ms {
				waits, served = waits+now.Sub(arrived[0]), served+1
			}
			waiting, arrived = waiting[1:], arrived[1:]
			if s == Granted {
				break
			}
		}
		if in, _, _ := b.Busy(now); in == 0 {
			b.TryAcquire(now, Place{})
		}
	}
	got := b.Snapshot(60_000 * ms)
	if mean := waits / served; mean > 60*time.Millisecond || got.Delayed < 1200 || got.Delayed > 1700 {
		t.Errorf("mean wait %v, %d of 7500 dropped; want about the target, and a fifth", mean, got.Delayed)
	}
}

// A low class with a floor is served through the bulkhead, too, and the high
// one loses no more than that.
func TestF131FloorsThroughTheBulkhead(t *testing.T) {
	run := func(floor float64) (high, low int) {
		c := Config{Limit: 1, Queue: 100, Wait: 2 * time.Second, Line: queue.Rules{Full: queue.DropLowest}}
		c.Line.Floors[core.Sheddable.Index()] = floor
		b := must(c)
		b.TryAcquire(0, Place{})
		tickets := map[*Ticket]core.Criticality{}
		for now := core.Instant(0); now < 60_000*ms; now += 50 * ms {
			join := func(class core.Criticality) {
				if ticket, _ := b.Enqueue(now, Place{Class: class}, nil); ticket != nil {
					tickets[ticket] = class
				}
			}
			join(core.CriticalPlus)
			if now%(200*ms) == 0 {
				join(core.Sheddable)
			}
			if now%(100*ms) != 0 {
				continue
			}
			b.Release(now, Place{})
			for ticket, class := range tickets {
				s := b.Poll(now, ticket)
				if s != Waiting {
					delete(tickets, ticket)
				}
				switch {
				case s == Granted && class == core.Sheddable:
					low++
				case s == Granted:
					high++
				}
			}
		}
		return high, low
	}
	if high, low := run(0); low != 0 || high < 598 {
		t.Errorf("strict: %d high and %d low in a minute", high, low)
	}
	if high, low := run(0.1); low < 54 || low > 66 || high < 530 {
		t.Errorf("with a floor of 10 %%: %d high and %d low in a minute, want 540 and 60", high, low)
	}
}

func TestF117SetLimitGrantsAtOnce(t *testing.T) {
	b := must(Config{Limit: 1, Queue: 2, Wait: time.Minute})
	b.TryAcquire(0, Place{})
	one, two := &echo{b: b}, &echo{b: b}
	b.Enqueue(0, Place{}, one)
	b.Enqueue(0, Place{}, two)
	b.SetLimit(0, 3)
	if one.woken != 1 || two.woken != 1 {
		t.Errorf("after growing the waiters were woken %d and %d times", one.woken, two.woken)
	}
	if in, limit, queued := b.Busy(0); in != 3 || limit != 3 || queued != 0 {
		t.Errorf("%d of %d slots in use, %d wait", in, limit, queued)
	}
}

// There are no calls that count for several, so none can be too large (F112) or
// hold up the small ones behind it (F113). What comes nearest is a tenant that
// has its slots: it waits, and nobody waits for it.
func TestF113ASatedTenantHoldsNobodyUp(t *testing.T) {
	b := must(Config{Limit: 4, Queue: 20, Wait: time.Minute, FlowSlots: 1})
	b.TryAcquire(0, Place{Flow: 1})
	for range 10 {
		b.Enqueue(0, Place{Flow: 1, Class: core.CriticalPlus}, nil)
	}
	for flow := 2; flow < 5; flow++ {
		if !b.TryAcquire(0, Place{Flow: flow, Class: core.Sheddable}) {
			t.Errorf("tenant %d gets no slot", flow)
		}
	}
}

func TestFlowsAreCountedExactly(t *testing.T) {
	b := must(Config{Limit: 5, FlowSlots: 2})
	b.TryAcquire(0, Place{Flow: 1})
	defer func() {
		if got := recover(); got != "bulkhead: Release without a slot held" {
			t.Errorf("panic %v", got)
		}
		if in, _, _ := b.Busy(0); in != 1 {
			t.Errorf("%d slots in use, want 1", in)
		}
	}()
	b.Release(0, Place{Flow: 2})
}

func TestTenantsOnTheHotPathAllocateNothing(t *testing.T) {
	b := must(Config{Limit: 5, FlowSlots: 1})
	p := Place{Flow: 7}
	b.TryAcquire(0, p)
	b.Release(0, p)
	if n := testing.AllocsPerRun(100, func() { b.TryAcquire(0, p); b.TryAcquire(0, p); b.Release(0, p) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
