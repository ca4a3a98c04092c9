package sim

import (
	"fmt"
	"testing"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/balance"
)

// One of five instances is down for a minute: its client finds it, takes it
// out for as long as the policy says, and lets it back.
func TestOutliersInTheSimulator(t *testing.T) {
	const text = "version: 1\nname: x\nfor: 120s\nwarmup: 0s\nclients:\n" +
		"  c: {to: search, rate: 50/s, policy: policy.yaml, dependency: search}\n" +
		"services:\n  search: {instances: 5, work: 1ms}\n" +
		"changes: [{at: 10s, for: 60s, service: search, instances: [2], down: true}]\n"
	const policy = "version: 1\nservice: x\ndependencies:\n  search:\n" +
		"    balance: {policy: round-robin}\n    outlier: {consecutive: 3, base: 20s%s}\n"
	for _, tc := range []struct {
		mode string
		out  bool
	}{{"", true}, {", mode: observe", false}} {
		w, err := newWorld(scenario(t, text, fmt.Sprintf(policy, tc.mode)), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range w.clients {
			c.start()
		}
		for i := range w.scenario.Changes {
			w.plan(&w.scenario.Changes[i])
		}
		at := func(seconds int64) (state balance.State, ejected uint64) {
			w.Engine.Run(core.Instant(seconds) * 1e9)
			for _, m := range w.members {
				for _, l := range m.lookouts {
					return l.balancer.Snapshot(w.now)[2].State, l.detector.Snapshot(w.now)[2].Ejected
				}
			}
			t.Fatal("nobody looks for outliers")
			return 0, 0
		}
		if s, n := at(9); s != balance.Up || n != 0 {
			t.Errorf("%q, before: %v after %d ejections", tc.mode, s, n)
		}
		if s, n := at(40); (s == balance.Ejected) != tc.out || n == 0 {
			t.Errorf("%q, while it is down: %v after %d ejections", tc.mode, s, n)
		}
		if s, n := at(119); s != balance.Up || n == 0 {
			t.Errorf("%q, at the end: %v after %d ejections", tc.mode, s, n)
		}
	}
}
