package sim

import (
	"testing"

	"github.com/seakeep/seakeep/internal/race"
)

// One host of twenty is silent. By turns it costs a twentieth of the calls; by
// two choices next to none, because a timeout makes it dear.
func TestTwoChoicesLeaveABadHostAlone(t *testing.T) {
	race.OneGoroutine(t)
	lost := func(sets ...string) float64 {
		ok, _ := shipped(t, "one-bad-host", sets...).Endpoint("search").Outcomes.Success()
		return 1 - ok
	}
	turns, two := lost(), lost("dependencies.api.balance.policy=two-choices")
	if turns < 0.045 || turns > 0.055 || two > 0.001 {
		t.Errorf("by turns %.3f %% of the calls fail and by two choices %.3f %%", 100*turns, 100*two)
	}
}

// Each member of a client has a balancer of its own, as each process has; who has
// no policy stands behind one that is everybody's. Members that start together
// do not all begin with the first instance.
func TestBalancersBelongToMembers(t *testing.T) {
	const text = `version: 1
name: members
for: 2s
clients:
  web: {to: search, rate: 400/s, clients: 40, policy: web.yaml}
  one: {to: search, rate: 1/s}
  two: {to: search, rate: 1/s}
services:
  search: {instances: 4, work: 1ms}
`
	s := scenario(t, text,
		"version: 1\nservice: web\ndependencies:\n  search: {balance: {policy: round-robin}}\n")
	w, err := newWorld(s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	to := w.services[0]
	one, two := w.clients[1].members[0], w.clients[2].members[0]
	seen, first := map[any]bool{one.balancer(to): true}, map[int]int{}
	if one.balancer(to) == nil || one.balancer(to) != two.balancer(to) {
		t.Error("two without a policy do not share a balancer")
	}
	for k, m := range w.clients[0].members {
		b := m.balancer(to)
		if b == nil || b != m.balancer(to) {
			t.Fatal("a member has no balancer, or another one each time")
		}
		seen[b] = true
		o := w.newCall(m, nil)
		o.id, o.dest = uint64(k), to
		o.draws = m.draws.Of(o.id, 0)
		first[o.choose(0).index]++
	}
	if len(seen) != 41 {
		t.Errorf("%d balancers of 40 members, and one of those without a policy", len(seen))
	}
	for i := range 4 {
		if n := first[i]; n < 3 || n > 20 {
			t.Errorf("%d of 40 begin with instance %d", n, i)
		}
	}
}
