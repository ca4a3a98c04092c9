package bulkhead

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/core/queue"
	"github.com/seakeep/seakeep/internal/race"
)

// Every state that up to three waiters can reach, by every order of acquiring,
// queueing, polling, leaving, releasing, resizing and passing time, is visited
// and agrees with the model, for one slot and two, under every order of the
// queue and every rule for a full one. The search ends because nothing new is
// found, not because it gets tired.
func TestEverySmallScope(t *testing.T) {
	if race.Enabled || testing.Short() {
		t.Skip("long, and one goroutine only")
	}
	one := Config{Limit: 1, Queue: 2, Wait: 3 * tick}
	two := Config{Limit: 2, Queue: 1, Wait: tick}
	plain := []op{{kind: 't', class: 2}, {kind: 'e', class: 2}, {kind: 'r'}}
	explore(t, "three waiters for one slot", 200, plain, one)
	explore(t, "three waiters for two slots", 300, plain, Config{Limit: 2, Queue: 3, Wait: 3 * tick})
	explore(t, "three waiters while the size changes", 600, plain, one, two)

	mixed := append(plain, op{kind: 't', flow: 1, class: 2}, op{kind: 'e', flow: 1, class: 2},
		op{kind: 'e', flow: 1, class: 3}, op{kind: 'r', flow: 1})
	for order := range queue.CoDelLIFO + 1 {
		if order == queue.CoDel {
			continue // the model does not know it
		}
		for full := range queue.DropLowest + 1 {
			c := Config{Limit: 2, Queue: 2, Wait: 3 * tick, FlowSlots: 1}
			c.Line = queue.Rules{Order: order, Full: full, Target: tick, Interval: 2 * tick}
			explore(t, fmt.Sprintf("two flows, %v, %v", order, full), 2000, mixed, c)
		}
	}
}

// key names the state that a pair is in, apart from counts and the clock's
// origin.
func (p *pair) key() string {
	m := p.model
	var b strings.Builder
	fmt.Fprint(&b, m.inUse, m.slots[1], m.cfg, m.turns)
	for i, t := range m.turns {
		if len(t) > 0 && m.cfg.Line.Order == queue.CoDelLIFO {
			fmt.Fprint(&b, " ", min(m.now.Sub(m.since[i]), m.cfg.Line.Interval))
		}
	}
	for _, t := range m.tickets {
		fmt.Fprint(&b, " ", t.phase)
		if t.phase == waiting || t.phase == granted {
			fmt.Fprint(&b, ",", t.place, t.delay)
		}
		if t.phase == waiting {
			fmt.Fprint(&b, ",", t.until.Sub(m.now))
		}
	}
	return b.String()
}

// explore walks breadth first over the states, each known by the shortest way
// to it, and takes every possible step from each. A search of fewer than least
// states has gone wrong.
func explore(t *testing.T, name string, least int, steps []op, sizes ...Config) {
	t.Run(name, func(t *testing.T) {
		const waiters = 3
		steps := append(steps[:len(steps):len(steps)], op{kind: 'c', n: 1})
		for i := range waiters {
			steps = append(steps, op{kind: 'p', n: i}, op{kind: 'l', n: i})
		}
		for i := range sizes {
			if len(sizes) > 1 {
				steps = append(steps, op{kind: 's', n: i})
			}
		}
		seen := map[string]bool{}
		ways := [][]op{nil}
		for len(ways) > 0 {
			way := ways[0]
			ways = ways[1:]
			for _, o := range steps {
				next := append(way[:len(way):len(way)], o)
				p := replay(t, next, sizes...)
				if k := p.key(); len(p.tickets) <= waiters && !seen[k] {
					seen[k] = true
					ways = append(ways, next)
				}
			}
		}
		t.Logf("%d states", len(seen))
		if len(seen) < least {
			t.Errorf("visited %d states, want at least %d", len(seen), least)
		}
	})
}
