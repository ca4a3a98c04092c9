package study

import (
	"slices"
	"testing"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/internal/race"
)

// A slow dependency fills the pool, and requests that do not need it fail.
func TestWhyCascade(t *testing.T) {
	causes := told(t, checkout(t, "", slow))
	expectTale(t, causes, `
		given recommendations: work mean 20ms -> mean 1s (the scenario says so)
		full checkout: all 120 workers busy
		turned checkout refuses: queue of 12 full; turns away
		failing pricing:
		given recommendations: work mean 20ms again
		recovered pricing is back above 99 %`)
	if !slices.IsSortedFunc(causes, func(a, b Cause) int { return int(a.At - b.At) }) {
		t.Errorf("not in the order of time:\n%s", show(causes))
	}
	// 300/s at a second each, 120 less the 12.6 that are busy anyway.
	for _, c := range causes {
		if c.Kind == Full && (c.At < 5200*time.Millisecond || c.At > 5700*time.Millisecond) {
			t.Errorf("full at %v, want about 5.4 s", c.At)
		}
	}
}

// When nothing goes wrong there is nothing to tell.
func TestWhyNothing(t *testing.T) {
	if causes := told(t, checkout(t, "", "")); len(causes) > 0 {
		t.Errorf("\n%s", show(causes))
	}
}

func TestWhyTimeoutsRetriesBudget(t *testing.T) {
	race.OneGoroutine(t)
	const retries = "    timeout: {request: 250ms}\n" +
		"    retry: {attempts: 3, backoff: {base: 40ms}, idempotent: always, budget: "
	expectTale(t, told(t, checkout(t, retries+"none}\n", slow)), `
		given recommendations: work
		late of the calls of checkout to recommendations run into their limit of 250ms until
		retrying checkout retries recommendations: 1`)
	budget := told(t, checkout(t, retries+"{ratio: 10%, floor: 0/s}}\n", slow))
	expectTale(t, budget, `
		late of the calls of checkout to recommendations run into their limit of 250ms until
		spent the retry budget for recommendations is spent:
		given recommendations: work mean 20ms again`)
	if hasKind(told(t, checkout(t, "    timeout: {request: 250ms}\n", slow)), Retrying) {
		t.Error("retries are told where there are none")
	}
}

func TestWhyBreaker(t *testing.T) {
	const rungs = "    timeout: {request: 250ms}\n    fallback: [omit: {}]\n" +
		"    breaker: {window: 20 calls, calls: 10, failures: 50%, trials: 3, open: {for: 3s, jitter: 0%}}\n"
	expectTale(t, told(t, checkout(t, rungs, slow)), `
		given recommendations: work
		breaking the breaker of recommendations opens: 10 of 20 failed
		degraded recommendations: fallbacks answer
		given recommendations: work mean 20ms again
		breaking the breaker of recommendations closes: the trials pass, after`)
	forever := "changes:\n  - {at: 5s, service: recommendations, work: 1s}\n"
	expectTale(t, told(t, checkout(t, rungs, forever)), `
		breaking the breaker of recommendations opens: 10 of
		degraded recommendations: fallbacks answer 100 % of the requests, to the end
		breaking the breaker of recommendations is open when the run ends: its trials have failed`)
}

// A breaker that opens and closes all the time is told of once more, not a
// hundred times.
func TestWhyBreakerFlaps(t *testing.T) {
	race.OneGoroutine(t)
	causes := told(t, checkout(t, "    timeout: {request: 250ms}\n"+
		"    breaker: {window: 20 calls, calls: 10, failures: 50%, trials: 1, open: {for: 200ms, jitter: 0%}}\n",
		"changes:\n  - {at: 5s, service: recommendations, work: {floor: 5ms, mean: 310ms}}\n"))
	expectTale(t, causes, `
		breaking the breaker of recommendations opens:
		breaking the breaker of recommendations closes:
		breaking the breaker of recommendations flaps: it opens`)
	n := 0
	for _, c := range causes {
		if c.Kind == Breaking {
			n++
		}
	}
	if n > 2*most+1 {
		t.Errorf("%d lines about one breaker:\n%s", n, show(causes))
	}
}

func TestWhyBulkhead(t *testing.T) {
	causes := told(t, checkout(t, "    bulkhead: {limit: 40}\n    fallback: [omit: {}]\n",
		"changes:\n  - {at: 5s, service: recommendations, silent: true}\n"))
	expectTale(t, causes, `
		given recommendations takes requests and never answers (the scenario says so)
		full the bulkhead for recommendations is full: 40 calls under way, 9
		degraded recommendations: fallbacks answer 9`)
	if hasKind(causes, Turned) {
		t.Errorf("the pool is full too:\n%s", show(causes))
	}
}

const spiked = `version: 1
name: spiked
for: 60s
clients:
  users: {to: server, rate: 80/s, arrivals: even, patience: 10s, policy: p.yaml}
services:
  server: {workers: 1, queue: fifo, ignore-deadline: true, routes: {query: {work: 10ms}}}
changes:
  - {at: 10s, for: 5s, client: users, rate: 150/s}
`

func spike(t *testing.T, attempts string) *config.Scenario {
	return scenarioOf(t, spiked, map[string]string{"p.yaml": "version: 1\nservice: users\ndependencies:\n" +
		"  server: {timeout: {request: 1s}, retry: {attempts: " + attempts +
		", backoff: {jitter: none, base: 1ms}, idempotent: always, budget: none}}\n"})
}

// The spike passes, the outage stays: that is the end of the tale.
func TestWhyItDoesNotComeBack(t *testing.T) {
	causes := told(t, spike(t, "3"))
	expectTale(t, causes, `
		given users: 80/s -> 150/s (the scenario says so)
		full server: its worker is busy and a queue grows
		waiting server: its queue takes longer than the 1 s that callers wait, up to
		late of the calls of users to server run into their limit of 1s, to the end
		given users: 80/s again
		recovered the run ends and query still fails, 45.0 s after users was itself again: it does not come back by itself`)
	if last := causes[len(causes)-1]; last.Kind != Recovered || last.At != time.Minute {
		t.Errorf("%+v is the last line", last)
	}
	expectTale(t, told(t, spike(t, "1")), `
		given users: 80/s -> 150/s
		failing query:
		given users: 80/s again
		recovered query is back above 99 %,`)
}

// A health check that asks the database takes the whole fleet away.
func TestWhyHealthCheck(t *testing.T) {
	s := scenarioOf(t, `version: 1
name: deep
for: 60s
clients: {users: {to: web, rate: 200/s, patience: 1s, routes: {page: 9, order: 1}}}
services:
  web:
    policy: p.yaml
    instances: 4
    workers: 50
    health: {interval: 2s, timeout: 1s, failures: 2, restart: 10s, deep: true}
    routes: {page: {work: 5ms}, order: {work: 5ms, calls: [database]}}
  database: {work: 5ms}
changes:
  - {at: 20s, for: 6s, service: database, silent: true}
`, map[string]string{"p.yaml": "version: 1\nservice: web\ndependencies: {database: {timeout: {request: 200ms}}}\n"})
	expectTale(t, told(t, s), `
		given database takes requests and never answers
		failing order: 9
		away the health check restarts web: up to 4 of 4 instances are away until
		given database answers again
		recovered page is back above 99 %`)
}

func TestKinds(t *testing.T) {
	seen := map[string]bool{}
	for k := Given; k <= Recovered; k++ {
		if k.String() == "invalid" || seen[k.String()] {
			t.Errorf("kind %d is called %q", k, k)
		}
		seen[k.String()] = true
	}
	if Kind(200).String() != "invalid" {
		t.Error("a kind that there is not has a name")
	}
}
