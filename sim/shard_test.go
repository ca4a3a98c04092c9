package sim

import (
	"fmt"
	"math/bits"
	"strings"
	"testing"
)

// twenty is a scenario of as many tenants, each with 20 calls a second, whose
// calls go to a service with eight instances of which some are down.
func twenty(down string) string {
	text := "version: 1\nname: x\nfor: 20s\nwarmup: 0s\nclients:\n"
	for n := range 20 {
		text += fmt.Sprintf("  t%d: {to: search, rate: 20/s, tenant: t%d, policy: policy.yaml, "+
			"dependency: search}\n", n, n)
	}
	return text + "services:\n  search: {instances: 8, work: 1ms}\n" +
		"changes: [{at: 0s, service: search, instances: [" + down + "], down: true}]\n"
}

// Of eight instances each tenant meets its own two: with those of one tenant
// down, who has both of them there fails, who has one goes on with the other,
// and nobody else notices. Calls that may overflow all succeed.
func TestShardsInTheSimulator(t *testing.T) {
	const policy = "version: 1\nservice: x\ndependencies:\n  search:\n" +
		"    retry: {attempts: 3, backoff: {base: 0s}, budget: none}\n" +
		"    shards: {size: 2, key: X-Tenant, overflow: %s}\n"
	s := scenario(t, twenty("0"), fmt.Sprintf(policy, "fail"))
	w, err := newWorld(s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	shards := newTenancy(s.Clients[0].Member.File, "search").shards(w.service("search"))
	dead := shards.Of("t0")
	var list []string
	for rest := dead; rest != 0; rest &= rest - 1 {
		list = append(list, fmt.Sprint(bits.TrailingZeros64(rest)))
	}
	for _, overflow := range []string{"fail", "any"} {
		r := run(t, scenario(t, twenty(strings.Join(list, ", ")), fmt.Sprintf(policy, overflow)), 0)
		var shared [3]int
		for _, e := range r.Endpoints {
			n := bits.OnesCount64(shards.Of(e.Client) & dead)
			shared[n]++
			want := 1.0
			if n == 2 && overflow == "fail" {
				want = 0
			}
			if ok, _ := e.Outcomes.Success(); ok != want {
				t.Errorf("overflow %s: %s shares %d of those down and succeeds in %.1f %%", overflow,
					e.Client, n, 100*ok)
			}
		}
		if shared[0] < 5 || shared[1] < 5 || shared[2] < 1 {
			t.Errorf("of 20 tenants %v share none, one and both", shared)
		}
	}
}
