package alerts

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/promrules"
	"github.com/seakeep/seakeep/internal/race"
)

const anyFile = "version: 1\nservice: shop\nserve: {}\ndependencies:\n  cache: {fallback: [dependency: database]}\n  database: {}\n"

// Each alert fires in the scenario that causes it, and none in the same world
// without the trouble.
func TestAlertsInTheirScenarios(t *testing.T) {
	race.OneGoroutine(t)
	var shown []string
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
			[]string{"Metastable", "ServiceOverloaded"}},
	} {
		shown = append(shown, tc.want...)
		t.Run(tc.name, func(t *testing.T) {
			well, got := tc.in.fired(t, anyFile)
			for _, want := range tc.want {
				if !slices.Contains(got, want) {
					t.Errorf("%s does not fire, %v do", want, got)
				}
			}
			if len(well) > 0 {
				t.Errorf("in health %v fire", well)
			}
		})
	}
	for _, r := range Failures(parse(t, anyFile), Options{}).Rules {
		if r.Alert != "" && !slices.Contains(shown, strings.TrimPrefix(r.Alert, "Seakeep")) {
			t.Errorf("no scenario shows %s firing", r.Alert)
		}
	}
}

// After a short outage and a long one: breakers that had a jitter do not come back
// together, and nobody says so; those without do, whenever it ends.
func TestLockstepOfOutages(t *testing.T) {
	race.OneGoroutine(t)
	few := []string{"clients: 500", "clients: 20"}
	jitter := append(few, "policies/lockstep.yaml", "policies/lockstep-jitter.yaml")
	long := func(words []string) []string { return append(words[:len(words):len(words)], "for: 15s", "for: 200s") }
	for _, tc := range []struct {
		name    string
		replace []string
		want    bool
	}{{"jitter", jitter, false}, {"jitter, long", long(jitter), false}, {"none, long", long(few), true}} {
		in := incident{file: "lockstep-recovery.yaml", scale: 0.04, after: 5 * time.Minute, replace: tc.replace}
		if _, got := in.fired(t, anyFile); slices.Contains(got, "RecoveryInLockstep") != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		} else if slices.Contains(got, "BreakerFlapping") {
			t.Errorf("%s: a trial that fails is no flapping: %v", tc.name, got)
		}
	}
}

// played evaluates the alerts of a file while add gives series their values, every
// scrape, and returns what fires at the end.
func played(t *testing.T, policies string, length time.Duration,
	add func(s *promrules.Series, at time.Duration, now time.Time)) (firing []string) {
	t.Helper()
	rules, err := promrules.Parse([]byte((&File{Groups: []Group{Failures(parse(t, policies), Options{})}}).String()))
	if err != nil {
		t.Fatal(err)
	}
	var s promrules.Series
	p := promrules.NewPlayer(rules, &s)
	defer p.Close()
	for at := time.Duration(0); at <= length; at += scrape {
		add(&s, at, epoch.Add(at))
		if at%Step == 0 {
			if _, err := p.Eval(epoch.Add(at)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, f := range p.Firing() {
		firing = append(firing, strings.TrimSuffix(strings.TrimPrefix(f.Alert, "Seakeep")+" "+f.Labels["fallback_of"], " "))
	}
	return firing
}

type with = map[string]string

// A service that has been metastable for an hour still is, whatever was best in
// the meantime.
func TestMetastableForLong(t *testing.T) {
	got := played(t, anyFile, 80*time.Minute, func(s *promrules.Series, at time.Duration, now time.Time) {
		well, ill := min(at, 20*time.Minute).Seconds(), max(0, at-20*time.Minute).Seconds()
		s.Add("seakeep_requests_good_total", with{"criticality": "critical"}, now, 100*well+10*ill)
		s.Add("seakeep_requests_total", with{"criticality": "critical", "outcome": "success"}, now, 100*(well+ill))
		s.Add("seakeep_deadline_exceeded_total", with{"hop": "serve", "phase": "work"}, now, 90*ill)
	})
	if !slices.Contains(got, "Metastable") {
		t.Error(got)
	}
}

// Twenty keys whose breakers open once in an hour are no flapping; one breaker
// that opens so often is.
func TestFlappingOfKeys(t *testing.T) {
	for _, keys := range []float64{0, 20} {
		got := played(t, anyFile, 40*time.Minute, func(s *promrules.Series, at time.Duration, now time.Time) {
			with := with{"dependency": "database", "from": "closed", "to": "open", "reason": "failure-rate"}
			s.Add("seakeep_breaker_transitions_total", with, now, math.Floor(min(at.Minutes(), 20)))
			for state, n := range map[string]float64{"closed": keys - 1, "open": 1} {
				if keys > 0 {
					s.Add("seakeep_breaker_keys", map[string]string{"dependency": "database", "state": state}, now, n)
				}
			}
		})
		if slices.Contains(got, "BreakerFlapping") != (keys == 0) {
			t.Errorf("%v keys: %v", keys, got)
		}
	}
}

// An operation may have a fallback of its own, and two may ask the same.
func TestFallbacksOfOperations(t *testing.T) {
	const file = `
version: 1
service: shop
dependencies:
  pricing: {operations: [{name: quote, fallback: [dependency: database]}, {name: list}]}
  stock: {fallback: [dependency: database], operations: [{name: list}]}
  database: {}
`
	got := played(t, file, 20*time.Minute, func(s *promrules.Series, at time.Duration, now time.Time) {
		ill := max(0, at-15*time.Minute).Seconds()
		s.Add("seakeep_calls_total", with{"dependency": "pricing", "operation": "quote", "outcome": "failure"}, now, 50*ill)
		s.Add("seakeep_calls_total", with{"dependency": "pricing", "operation": "list", "outcome": "success"}, now,
			500*at.Seconds())
		s.Add("seakeep_calls_total", with{"dependency": "stock", "outcome": "success"}, now, 50*at.Seconds())
		s.Add("seakeep_calls_total", with{"dependency": "database", "outcome": "success"}, now, 5*at.Seconds()+50*ill)
	})
	if !slices.Equal(got, []string{"FallbackOverload pricing/quote"}) {
		t.Error(got)
	}
	if n := strings.Count((&File{Groups: []Group{Failures(parse(t, file), Options{})}}).String(), "fallback_of"); n != 2 {
		t.Errorf("%d alerts of fallbacks", n)
	}
}
