package alerts

import (
	"slices"
	"testing"
	"time"
)

const anyFile = "version: 1\nservice: shop\nserve: {}\ndependencies:\n  cache: {fallback: [dependency: database]}\n  database: {}\n"

// Each alert fires in the scenario that causes it, and none in the same world
// without the trouble.
func TestAlertsInTheirScenarios(t *testing.T) {
	if raced {
		t.Skip("an hour of several worlds; without the race detector it runs")
	}
	cascade := []string{"policies/checkout-bare.yaml", "policies/checkout-bulkhead.yaml"}
	for _, tc := range []struct {
		name string
		in   incident
		want []string
	}{
		{"a slow dependency behind a bulkhead", incident{file: "checkout-cascade.yaml", replace: cascade, scale: 0.3,
			after: 5 * time.Minute, limits: map[string]int{"recommendations": 60}}, []string{"PoolExhausted"}},
		{"a slow dependency without one", incident{file: "checkout-cascade.yaml", scale: 0.3, after: 5 * time.Minute},
			[]string{"DependencyHoldsCalls"}},
		{"three layers that retry", incident{file: "retry-storm.yaml", scale: 0.2, after: 5 * time.Minute},
			[]string{"RetryStorm", "RetryRatioHigh"}},
		{"inner limits longer than the outer", incident{file: "testdata/scenarios/out-of-order.yaml", scale: 0.3,
			after: 5 * time.Minute}, []string{"DeadlinesOutOfOrder"}},
		{"breakers without jitter", incident{file: "lockstep-recovery.yaml", scale: 0.04, after: 4 * time.Minute,
			replace: []string{"clients: 500", "clients: 20"}}, []string{"RecoveryInLockstep"}},
		{"a threshold near the normal errors", incident{file: "testdata/scenarios/flapping.yaml",
			after: 8 * time.Minute}, []string{"BreakerFlapping"}},
		{"a fallback that asks a database", incident{file: "fallback-hammers-database.yaml", scale: 0.2,
			after: 5 * time.Minute}, []string{"FallbackOverload"}},
		{"a spike that never ends", incident{file: "metastable-lever.yaml", only: 1, after: 8 * time.Minute},
			[]string{"Metastable"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := tc.in.fired(t, anyFile)
			for _, want := range tc.want {
				if !slices.Contains(got, want) {
					t.Errorf("%s does not fire, %v do", want, got)
				}
			}
			tc.in.quiet, tc.in.after = true, 2*time.Minute
			if got := tc.in.fired(t, anyFile); len(got) > 0 {
				t.Errorf("in health %v fire", got)
			}
		})
	}
}

// With jitter breakers do not come back together, and nobody says so.
func TestJitterIsNoLockstep(t *testing.T) {
	if raced {
		t.Skip("without the race detector it runs")
	}
	in := incident{file: "lockstep-recovery.yaml", scale: 0.04, after: 4 * time.Minute, replace: []string{
		"clients: 500", "clients: 20", "policies/lockstep.yaml", "policies/lockstep-jitter.yaml"}}
	if got := in.fired(t, anyFile); slices.Contains(got, "RecoveryInLockstep") {
		t.Error(got)
	}
}
