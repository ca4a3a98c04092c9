package queue

import (
	"fmt"
	"math"
	"testing"

	"github.com/seakeep/seakeep/internal/race"
)

// Every state that up to five entries of two classes and two flows can reach,
// under every order and every rule for a full queue, by every sequence of
// pushing, popping, removing, holding and passing time, is visited and agrees
// with the model. The search ends because nothing new is found.
func TestEverySmallScope(t *testing.T) {
	if race.Enabled || testing.Short() {
		t.Skip("long, and one goroutine only")
	}
	c := Config{Length: 2, Rules: tight}
	c.Floors[1] = 0.5
	for _, c := range every(c) {
		t.Run(c.Order.String()+" "+c.Full.String(), func(t *testing.T) {
			n := explore(t, c)
			t.Logf("%d states", n)
			if n < 700 {
				t.Errorf("visited %d states, want at least 700", n)
			}
		})
	}
}

var smallSteps = []op{{'a', 9, 1, 0}, {'a', 9, 2, 0}, {'a', 9, 1, 1}, {'a', 3, 2, 1}, {kind: 'p'},
	{kind: 'c', n: 3}, {'h', 0, 0, 1}, {'f', 0, 0, 1}, {'r', 0, 0, 0}, {'r', 1, 0, 0}, {'r', 2, 0, 0}}

// explore walks breadth first over the states, each known by the shortest way
// to it, and takes every possible step from each.
func explore(t *testing.T, c Config) int {
	const most = 5 // entries in a life
	seen := map[string]bool{}
	ways := [][]op{nil}
	for len(ways) > 0 {
		way := ways[0]
		ways = ways[1:]
		for _, o := range smallSteps {
			next := append(way[:len(way):len(way)], o)
			p := replay(t, next, c)
			if k := p.key(); len(p.items) <= most && !seen[k] {
				seen[k] = true
				ways = append(ways, next)
			}
		}
	}
	return len(seen)
}

// key names the state that a pair is in, apart from the clock's origin and from
// what can make no difference any more.
func (p *pair) key() string {
	m := p.model
	k := fmt.Sprint(len(p.items), m.held)
	for _, e := range m.entries {
		k += fmt.Sprint(";", e.id, e.class, e.flow, e.end.Sub(m.now), e.why)
		if m.cfg.Order == CoDel {
			k += fmt.Sprint(" ", min(m.now.Sub(e.arrived), m.cfg.Target))
		}
	}
	for _, c := range m.classes {
		k += fmt.Sprint("|", c.turns, c.credit)
		if m.cfg.Order == CoDelLIFO && len(c.turns) > 0 {
			k += fmt.Sprint(" ", min(m.now.Sub(c.since), m.cfg.Interval))
		}
		if m.cfg.Order == CoDel {
			k += c.key(m)
		}
	}
	return k
}

func (c *modelClass) key(m *model) string {
	k := fmt.Sprint(c.firstAbove == math.MinInt64, max(0, c.firstAbove.Sub(m.now)))
	if c.dropping {
		return k + fmt.Sprint(" dropping", c.count, c.lastCount, max(0, c.dropNext.Sub(m.now)))
	}
	if found := c.count - c.lastCount; found > 1 && m.now.Sub(c.dropNext) < 16*m.cfg.Interval {
		return k + fmt.Sprint(" found", found, c.dropNext.Sub(m.now))
	}
	return k
}
