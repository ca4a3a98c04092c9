package sim

import (
	"fmt"
	"testing"
	"time"

	"github.com/seakeep/seakeep/config"
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

func TestTryRows(t *testing.T) {
	for _, row := range []struct {
		name   string
		rungs  string
		slow   time.Duration
		silent bool
	}{
		{"1 healthy", "", 0, false},
		{"2 slow, nothing on", "", time.Second, false},
		{"3 timeout", tryTimeout, time.Second, false},
		{"4 retries", tryTimeout + tryRetry, time.Second, false},
		{"5 budget", tryTimeout + tryBudget, time.Second, false},
		{"6 breaker", tryTimeout + tryBudget + tryBreaker + tryFallback, time.Second, false},
		{"7 silent, bulkhead", tryBulkhead + tryFallback, 0, true},
		{"8 silent, nothing", "", 0, true},
		{"9 300 ms, timeout", tryTimeout, 300 * time.Millisecond, false},
		{"10 300 ms, retries", tryTimeout + tryRetry, 300 * time.Millisecond, false},
	} {
		began := time.Now()
		r, err := Run(tryScenario(t, row.rungs, row.slow, row.silent), Options{})
		if err != nil {
			t.Fatal(err)
		}
		a, c := r.Endpoint("pricing"), r.Endpoint("recommendations")
		p99, _ := a.Latency.Quantile(0.99)
		sa, _ := a.Success()
		sc, _ := c.Success()
		ch, d := r.Services[0], r.Services[3]
		fmt.Printf("%-22s A %.3f p99 %v busy %.1f (max %d) C %.3f fb %d rate %.1f here %.1f ev %d in %v\n",
			row.name, sa, p99, ch.Busy, ch.MostBusy, sc, c.Fallback, d.Rate, d.Here, r.Events,
			time.Since(began))
	}
}
