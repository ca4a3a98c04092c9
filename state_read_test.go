package seakeep_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/telemetry"
)

// TestMetrics counts what a set's policies do, and reads what they are like.
func TestMetrics(t *testing.T) {
	file, err := config.Parse("seakeep.yaml", []byte(`
version: 1
service: shop
dependencies:
  pricing:
    kind: critical
    timeout: {request: 250ms}
    breaker: {window: 10s, calls: 4, failures: 50%}
    bulkhead: {limit: 7}
    operations:
      - {name: quote, match: {path: /quote}}
`))
	if err != nil {
		t.Fatal(err)
	}
	m := telemetry.New(telemetry.Options{})
	set, err := seakeep.NewSet(file, seakeep.Options{Observer: m})
	if err != nil {
		t.Fatal(err)
	}
	m.Watch(set)
	p := set.MustPolicy("pricing/quote")
	for range 6 {
		_, _ = seakeep.Do(context.Background(), p, func(context.Context) (int, error) {
			return 0, errors.New("broken")
		})
	}
	got := map[string]bool{}
	m.Collect(func(s telemetry.Sample) { got[s.String()] = true })
	for _, want := range []string{
		`seakeep_calls_total{dependency="pricing",operation="quote",outcome="failure"} 4`,
		`seakeep_calls_rejected_total{dependency="pricing",operation="quote",reason="circuit-open"} 2`,
		// The breaker and the slots are the dependency's, whoever's call changes them.
		`seakeep_breaker_transitions_total{dependency="pricing",from="closed",to="open",reason="failure-rate"} 1`,
		`seakeep_breaker_state{dependency="pricing",state="open"} 1`,
		`seakeep_bulkhead_limit{dependency="pricing"} 7`,
	} {
		if !got[want] {
			var all []string
			for line := range got {
				all = append(all, line)
			}
			slices.Sort(all)
			t.Fatalf("%s is not in %q", want, all)
		}
	}
}
