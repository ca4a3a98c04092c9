package bulkhead

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Every state that up to three waiters can reach, by every order of acquiring,
// queueing, polling, leaving, releasing, resizing and passing time, is visited
// and agrees with the model. The search ends because nothing new is found, not
// because it gets tired.
func TestEverySmallScope(t *testing.T) {
	wait := 3 * time.Millisecond
	one := Config{Limit: 1, Queue: 2, Wait: wait}
	two := Config{Limit: 2, Queue: 1, Wait: wait / 3}
	scopes := []struct {
		name    string
		waiters int
		sizes   []Config
		atLeast int // a smaller search than this has gone wrong
	}{
		{"three waiters for one slot", 3, []Config{one}, 600},
		{"three waiters for two slots", 3, []Config{{Limit: 2, Queue: 3, Wait: wait}}, 800},
		{"three waiters while the size changes", 3, []Config{one, two}, 1500},
	}
	for _, s := range scopes {
		t.Run(s.name, func(t *testing.T) {
			n := explore(t, s.waiters, s.sizes)
			t.Logf("%d states", n)
			if n < s.atLeast {
				t.Errorf("visited %d states, want at least %d", n, s.atLeast)
			}
		})
	}
}

// key names the state that a pair is in, apart from counts and the clock's
// origin. It holds what the bulkhead has not noticed yet: two states that look
// the same from outside but have an expired waiter in another place differ.
func (p *pair) key() string {
	m, real := &p.model, &p.b.m
	var b strings.Builder
	ahead := real.soonest.Sub(m.now) // beyond the longest wait all is the same
	fmt.Fprint(&b, m.inUse, m.cfg, min(max(ahead, 0), time.Second))
	for i, t := range m.tickets {
		fmt.Fprint(&b, " ", t.phase, p.tickets[i].phase)
		if t.phase == waiting {
			fmt.Fprint(&b, ",", t.until.Sub(m.now))
		}
	}
	return b.String()
}

// explore walks breadth first over the states, each known by the shortest way
// to it, and takes every possible step from each.
func explore(t *testing.T, waiters int, sizes []Config) int {
	steps := []op{{'t', 0}, {'e', 0}, {'r', 0}, {'c', 1}}
	for i := range waiters {
		steps = append(steps, op{'p', i}, op{'l', i})
	}
	for i := range sizes {
		if len(sizes) > 1 {
			steps = append(steps, op{'s', i})
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
				if d := p.snapshot(); d != "" {
					t.Fatalf("%s\nafter %v", d, next)
				}
				seen[k] = true
				ways = append(ways, next)
			}
		}
	}
	return len(seen)
}
