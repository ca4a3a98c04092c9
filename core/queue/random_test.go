package queue

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// randomRules draws rules whose floors are binary fractions, so that the
// model's sums are exact and can be compared.
func randomRules(r *rand.Rand) Config {
	c := Config{Length: 1 + r.IntN(8), PerFlow: r.IntN(4)}
	c.Order, c.Full = Order(r.IntN(4)), Full(r.IntN(3))
	c.Interval = time.Duration(1+r.IntN(12)) * time.Millisecond
	c.Target = min(c.Interval, time.Duration(1+r.IntN(4))*time.Millisecond)
	if r.IntN(2) == 0 {
		for range r.IntN(9) {
			c.Floors[r.IntN(4)] += 1.0 / 8
		}
	}
	return c
}

const kinds = "aaaaaapppprhfcccs"

func randomStep(r *rand.Rand) op {
	o := op{kind: kinds[r.IntN(len(kinds))], n: r.IntN(40), class: r.IntN(4), flow: r.IntN(4)}
	switch o.kind {
	case 'c':
		o.n = r.IntN(5)
	case 'h', 'f':
		o.flow = 1 + r.IntN(3)
	}
	return o
}

// Random lives of a queue agree with the model in every answer: who is served,
// who is given up, why, and in which order.
func TestRandomLivesAgreeWithTheModel(t *testing.T) {
	reasons := map[core.Reason]int{}
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 1))
		settings := []Config{randomRules(r), randomRules(r)}
		steps := make([]op, 200)
		for i := range steps {
			steps[i] = randomStep(r)
		}
		for _, e := range replay(t, steps, settings...).model.gone {
			reasons[e.why]++
		}
	}
	for _, why := range []core.Reason{core.QueueTimeout, core.QueueDelay, core.Evicted} {
		if reasons[why] < 100 {
			t.Errorf("only %d entries were given up for %v", reasons[why], why)
		}
	}
}

// A busy server at twice its capacity, where CoDel has much to do.
func TestBusyLivesAgreeWithTheModel(t *testing.T) {
	busy := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		c := randomRules(r)
		c.Order, c.Length, c.PerFlow = CoDel, 60, 0
		var steps []op
		for range 400 {
			for range r.IntN(4) {
				steps = append(steps, op{'a', 500, 1 + r.IntN(2), r.IntN(3)})
			}
			steps = append(steps, op{kind: 'p'}, op{kind: 'c', n: 1})
		}
		p := replay(t, steps, c)
		most := 0
		for i := range p.line.classes {
			most = max(most, p.line.classes[i].codel.count)
		}
		if most >= 3 {
			busy++
		}
	}
	if busy < 40 {
		t.Errorf("only %d of 60 lives saw three drops in a row", busy)
	}
}

// Several classes with floors, all of which wait: each gets its share exactly,
// in the model's order, whoever of them has most to its credit first.
func TestFloorsOfSeveralClasses(t *testing.T) {
	for _, floors := range [][core.Criticalities]float64{
		{0.25, 0.375, 0.375, 0}, {0.375, 0.375, 0.25, 0}, {0.125, 0.5, 0.25, 0}, {0.5, 0.25, 0.125, 0.125},
	} {
		c := Config{Length: 400, Rules: Rules{Floors: floors}}
		var steps []op
		for i := range 400 {
			steps = append(steps, op{'a', 9, i % 4, 0})
		}
		for range 80 {
			steps = append(steps, op{kind: 'p'})
		}
		p := replay(t, steps, c)
		for i, f := range floors[:3] {
			got := 0
			for _, e := range p.entries {
				if e.served && e.class == i {
					got++
				}
			}
			if want := int(80 * f); got < want-2 || got > want+2 {
				t.Errorf("floors %v: class %d gets %d of 80, want %d", floors, i, got, want)
			}
		}
	}
}

// However a life went, afterwards nothing is left of it: no flow, no place in a
// heap or a ring, and a record to use again for each flow there was at once.
func TestEverybodyGoneLeavesNothingBehind(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		steps := make([]op, 120)
		for i := range steps {
			steps[i] = randomStep(r)
		}
		steps = append(steps, op{'f', 0, 0, 1}, op{'f', 0, 0, 2}, op{'f', 0, 0, 3}, op{kind: 'c', n: 1000})
		l := replay(t, steps, randomRules(r)).line
		if l.Len() != 0 || len(l.ends) != 0 || len(l.held) != 0 || l.gone != nil || l.lastGone != nil {
			t.Fatalf("seed %d: %+v", seed, l)
		}
		for i := range l.classes {
			c := &l.classes[i]
			if c.n != 0 || c.turn != nil || len(c.flows) != 0 || len(c.loads) != 0 || c.solo.first != nil {
				t.Fatalf("seed %d: class %d: %+v", seed, i, c)
			}
		}
		spare := 0
		for f := l.spare; f != nil; f = f.next {
			spare++
		}
		if spare > 8 {
			t.Fatalf("seed %d: %d records kept for a queue of at most 8", seed, spare)
		}
	}
}

func FuzzAgainstTheModel(f *testing.F) {
	f.Add([]byte("\x00a1p1c1a2h1p1f1"))
	f.Add([]byte("\x13a9a9a9a9c9p9p9"))
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) < 1 || len(in) > 600 {
			return
		}
		r := rand.New(rand.NewPCG(uint64(in[0]), 4))
		settings := []Config{randomRules(r), randomRules(r)}
		var steps []op
		for i := 1; i+1 < len(in); i += 2 {
			o := op{kind: kinds[int(in[i])%len(kinds)], n: int(in[i+1]) % 50,
				class: int(in[i]) >> 6, flow: int(in[i+1]) >> 6}
			if (o.kind == 'h' || o.kind == 'f') && o.flow == 0 {
				o.flow = 1
			}
			steps = append(steps, o)
		}
		replay(t, steps, settings...)
	})
}
