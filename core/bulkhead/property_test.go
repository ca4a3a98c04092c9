package bulkhead

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/queue"
)

const kinds = "tteeeeeerrpplccsn"

func randomStep(r *rand.Rand) op {
	o := op{kind: kinds[r.IntN(len(kinds))], n: r.IntN(8), class: r.IntN(4), flow: r.IntN(3)}
	if o.kind == 'e' {
		o.n = max(0, r.IntN(24)-10)
	}
	return o
}

func randomSteps(r *rand.Rand, n int) []op {
	steps := make([]op, n)
	for i := range steps {
		steps[i] = randomStep(r)
	}
	return steps
}

func randomSizes(r *rand.Rand) []Config {
	sizes := make([]Config, 3)
	order := []queue.Order{queue.FIFO, queue.LIFO, queue.CoDelLIFO}[r.IntN(3)]
	for i := range sizes {
		c := Config{Limit: 1 + r.IntN(4), Queue: r.IntN(6), FlowSlots: r.IntN(3), FlowQueue: r.IntN(4)}
		c.Wait = time.Duration(1+r.IntN(12)) * time.Millisecond
		c.Line = queue.Rules{Order: order, Full: queue.Full(r.IntN(3)), Target: tick, Interval: 4 * tick}
		sizes[i] = c
	}
	return sizes
}

// Random lives of a bulkhead agree with the model at every step: who is
// granted and when, who is refused, dropped or expires and why, and how many
// slots are taken by whom.
func TestRandomLivesAgreeWithTheModel(t *testing.T) {
	var sum Snapshot
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := replay(t, randomSteps(r, 150), randomSizes(r)...)
		s := p.b.Snapshot(p.model.now)
		sum.Refused += s.Refused
		sum.Limited += s.Limited
		sum.WaitedOut += s.WaitedOut
		sum.Delayed += s.Delayed
		sum.Evicted += s.Evicted
	}
	if min(sum.Refused, sum.Limited, sum.WaitedOut, sum.Delayed, sum.Evicted) < 200 {
		t.Errorf("some ends are rare: %+v", sum)
	}
}

// However a life went, once everybody has gone all slots are free, and every
// ticket has ended in one of its ways.
func TestEverybodyGoneLeavesNothingBehind(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		p := replay(t, randomSteps(r, 80), randomSizes(r)...)
		for inUse, queued := 1, 0; inUse+queued > 0; inUse, _, queued = p.b.Busy(p.model.now) {
			for _, o := range []op{{kind: 'l', n: r.IntN(8)}, {kind: 'p', n: r.IntN(80)},
				{kind: 'r', flow: r.IntN(3)}} {
				if d := p.do(o); d != "" {
					t.Fatalf("seed %d: %s", seed, d)
				}
			}
		}
		for i, tk := range p.tickets {
			if tk.phase == waiting || tk.phase == granted {
				t.Fatalf("seed %d: ticket %d never ended: phase %d", seed, i, tk.phase)
			}
			if tk.item.Waits() || tk.next != nil {
				t.Fatalf("seed %d: ticket %d still holds on to others", seed, i)
			}
		}
		if m := &p.b.m; m.line.Len() != 0 || len(m.flows.rows) != 0 || len(m.flows.at) != 0 {
			t.Fatalf("seed %d: the queue or the flows are not empty", seed)
		}
	}
}

// With a constant limit the slots in use never pass it, nor those of a flow its
// own; waiters of a class and flow are served in the order they came.
func TestOrderAndLimit(t *testing.T) {
	const limit, each = 3, 2
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 3))
		p := newPair(Config{Limit: limit, Queue: 5, Wait: 9 * time.Millisecond, FlowSlots: each})
		served := map[Place]int{}
		before := []phase{}
		for range 300 {
			o := randomStep(r)
			if o.kind == 'n' || o.kind == 's' {
				continue
			}
			if d := p.do(o); d != "" {
				t.Fatalf("seed %d: %s", seed, d)
			}
			if in, _, _ := p.b.Busy(p.model.now); in > limit || p.b.m.flows.of(1) > each {
				t.Fatalf("seed %d: %d of %d slots in use, %d by a flow", seed, in, limit, p.b.m.flows.of(1))
			}
			for i, tk := range p.tickets {
				if tk.phase != granted || i < len(before) && before[i] == granted {
					continue
				}
				who := Place{Class: tk.item.Class, Flow: tk.flow}
				if tk.item.Value != nil && i < served[who] {
					t.Fatalf("seed %d: ticket %d was granted after ticket %d", seed, i, served[who])
				}
				if tk.item.Value != nil && p.b.latest >= tk.until {
					t.Fatalf("seed %d: ticket %d was granted after its time", seed, i)
				}
				if tk.item.Value != nil {
					served[who] = i
				}
			}
			before = phases(p.tickets)
		}
	}
}

func phases(ts []*Ticket) []phase {
	out := make([]phase, len(ts))
	for i, t := range ts {
		out[i] = t.phase
	}
	return out
}

// A caller with an old reading of the clock changes nothing about time.
func TestTimeNeverGoesBack(t *testing.T) {
	b := must(Config{Limit: 1, Queue: 2, Wait: 10 * time.Millisecond})
	b.TryAcquire(100*ms, Place{})
	late, _ := b.Enqueue(50*ms, Place{}, nil)
	if got, want := late.Until(), core.Instant(110*ms); got != want {
		t.Errorf("a ticket from the past ends at %d, want %d", got, want)
	}
	b.Snapshot(110 * ms)
	if got := b.Poll(60*ms, late); got != Expired {
		t.Errorf("expired ticket is %v when asked with an old clock", got)
	}
}

// The clock's origin means nothing: near both ends of the range and below zero
// a bulkhead does the same.
func TestAnyOrigin(t *testing.T) {
	for _, origin := range []core.Instant{-1 << 63, -5 * ms, 0, 1 << 62} {
		b := must(Config{Limit: 1, Queue: 1, Wait: 10 * time.Millisecond})
		b.TryAcquire(origin, Place{})
		w, _ := b.Enqueue(origin+1*ms, Place{}, nil)
		if got := b.Poll(origin+11*ms-1, w); got != Waiting {
			t.Errorf("origin %d: just before its time the ticket is %v", origin, got)
		}
		if got := b.Poll(origin+11*ms, w); got != Expired {
			t.Errorf("origin %d: at its time the ticket is %v", origin, got)
		}
	}
}

func FuzzAgainstTheModel(f *testing.F) {
	f.Add([]byte("\x00e0e1r0p1"))
	f.Add([]byte("\x13t0e0c9e1r0p0p1l1"))
	f.Add([]byte("\x27t0e0s1p0r0l0e1c5"))
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) == 0 || len(in) > 400 {
			return
		}
		r := rand.New(rand.NewPCG(uint64(in[0]), 4))
		sizes := randomSizes(r)
		var steps []op
		for i := 1; i+1 < len(in); i += 2 {
			steps = append(steps, op{kinds[int(in[i])%len(kinds)], int(in[i+1]) % 16,
				int(in[i]) >> 6, int(in[i+1]) >> 5 % 3})
		}
		replay(t, steps, sizes...)
	})
}
