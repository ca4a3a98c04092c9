package sim

import (
	"testing"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/internal/race"
)

// tryPolicy is the policy of the checkout model, with the rungs that a row
// switches on.
func tryPolicy(t testing.TB, rungs string) *config.File {
	t.Helper()
	text := "version: 1\nservice: checkout\ndependencies:\n"
	for _, name := range []string{"pricing", "inventory", "recommendations"} {
		text += "  " + name + ":\n    kind: optional\n"
		if name == "recommendations" {
			text += rungs
		}
	}
	f, err := config.Parse("try.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

const (
	tryTimeout = "    timeout: {request: 250ms}\n"
	tryRetry   = "    retry: {attempts: 3, backoff: {base: 40ms, cap: 10s, jitter: full}, budget: none, " +
		"idempotent: always}\n"
	tryBudget = "    retry: {attempts: 3, backoff: {base: 40ms, cap: 10s, jitter: full}, " +
		"budget: {ratio: 10%, floor: 0/s}, idempotent: always}\n"
	tryBreaker = "    breaker: {window: 20 calls, calls: 10, failures: 50%, open: {for: 5s, jitter: 0%, " +
		"growth: 1}, trials: 3}\n"
	tryFallback = "    fallback: [omit: {}]\n"
	tryBulkhead = "    bulkhead: {limit: 60}\n"
)

func tryScenario(t testing.TB, rungs string, slow time.Duration, silent bool) *config.Scenario {
	healthy := config.Latency{Shape: config.Exponential, Floor: 5e6, Mean: 20e6}
	route := func(name string) *config.Route {
		return &config.Route{Name: name, Work: config.Latency{Floor: 2e6}, Status: 500,
			Calls: []config.Step{{Dependency: name, To: name}}}
	}
	leaf := func(name string) *config.Service {
		return &config.Service{Name: name, Instances: 1,
			Routes: []*config.Route{{Name: "default", Work: healthy}}}
	}
	c := leaf("recommendations")
	c.Capacity = config.Capacity{Rate: 400, Over: config.Hang}
	if slow > 0 {
		c.Routes[0].Work.Mean = slow
	}
	s := &config.Scenario{Name: "try", Seed: 1, For: 65 * time.Second, Warmup: 10 * time.Second,
		Clients: []*config.Client{{Name: "users", To: "checkout", Rate: 1000, Patience: time.Second,
			Routes: []config.Share{{Name: "pricing", Share: 1}, {Name: "inventory", Share: 1},
				{Name: "recommendations", Share: 1}}}},
		Services: []*config.Service{{Name: "checkout", Policy: tryPolicy(t, rungs), Instances: 1,
			Workers: 200, IgnoreDeadline: true, Queue: config.Queue{Rule: config.FIFO, Length: 20},
			Routes: []*config.Route{route("pricing"), route("inventory"), route("recommendations")}},
			leaf("pricing"), leaf("inventory"), c}}
	if silent {
		s.Changes = []config.Change{{Kind: config.GoSilent, Of: "recommendations"}}
	}
	return s
}

// The rows of the checkout model: what each protection does when one of three
// dependencies gets slow. Expectations are those of the model's own description,
// analytic where there is a formula.
func TestTryRows(t *testing.T) {
	second := time.Second
	for _, row := range []struct {
		name    string
		rungs   string
		slow    time.Duration
		silent  bool
		success float64 // of pricing
		busy    float64 // of checkout's workers
		rate    float64 // of calls to recommendations
		off     [3]float64
	}{
		{"TRY1 healthy", "", 0, false, 1, 22, 333.3, [3]float64{0.001, 0.5, 5}},
		{"TRY2 slow, nothing on", "", second, false, 0.574, 200, 191, [3]float64{0.015, 0.5, 6}},
		{"TRY3 timeout", tryTimeout, second, false, 1, 89.4, 333.3, [3]float64{0.001, 1.5, 5}},
		{"TRY4 retries", tryTimeout + tryRetry, second, false, 0.834, 199.5, 739,
			[3]float64{0.015, 1, 8}},
		{"TRY5 budget", tryTimeout + tryBudget, second, false, 1, 97, 366.7, [3]float64{0.001, 2, 4}},
		{"TRY6 breaker", tryTimeout + tryBudget + tryBreaker + tryFallback, second, false, 1, 15.7, 1.4,
			[3]float64{0.001, 0.5, 1.2}},
		{"TRY7 silent, bulkhead", tryBulkhead + tryFallback, 0, true, 1, 75.4, 0,
			[3]float64{0.001, 1, 0.1}},
		{"TRY8 silent, nothing", "", 0, true, 0, 200, 0, [3]float64{0.001, 0.1, 0.1}},
		{"TRY9 300 ms, timeout", tryTimeout, 300 * time.Millisecond, false, 1, 72, 333.3,
			[3]float64{0.001, 2, 5}},
		{"TRY10 300 ms, retries", tryTimeout + tryRetry, 300 * time.Millisecond, false, 1, 173, 714,
			[3]float64{0.005, 4, 12}},
	} {
		if race.Enabled && row.name != "TRY6 breaker" { // a run is one goroutine: one row will do
			continue
		}
		t.Run(row.name, func(t *testing.T) {
			r, err := Run(tryScenario(t, row.rungs, row.slow, row.silent), Options{})
			if err != nil {
				t.Fatal(err)
			}
			success, _ := r.Endpoint("pricing").Success()
			near(t, "pricing's success", success, row.success, row.off[0])
			near(t, "busy workers", r.Services[0].Busy, row.busy, row.off[1])
			near(t, "calls to recommendations", r.Services[3].Rate, row.rate, row.off[2])
		})
	}
}

func near(t *testing.T, what string, got, want, off float64) {
	t.Helper()
	if got < want-off || got > want+off {
		t.Errorf("%s: %.4g, want %.4g to within %.2g", what, got, want, off)
	}
}
