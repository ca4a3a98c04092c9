package foreign

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/budget"
	"github.com/seakeep/seakeep/core/bulkhead"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/retry"
)

func TestEnvoyCluster(t *testing.T) {
	tr, f := translate(t, Envoy, `
clusters:
- name: pricing
  connect_timeout: 0.25s
  circuit_breakers:
    thresholds:
    - {priority: HIGH, max_requests: 7}
    - {max_requests: 60, max_pending_requests: 10, max_connections: 5}
  load_assignment:
    endpoints:
    - lb_endpoints:
      - endpoint: {address: {socket_address: {address: 10.0.0.1, port_value: 80}}}
      - endpoint: {address: {socket_address: {address: 10.0.0.1, port_value: 80}}}
      - endpoint: {address: {socket_address: {address: "::1", port_value: 81}}}
      - endpoint: {address: {socket_address: {address: "bad host", port_value: 80}}}
      - endpoint: {address: {socket_address: {address: a.b, port_value: 0}}}
`)
	d := f.Dependency("pricing")
	if d.Connect != 250*ms || d.Acquire != 15*time.Second {
		t.Errorf("connect %v, acquire %v", d.Connect, d.Acquire)
	}
	want := bulkhead.Config{Limit: 60, Queue: 10, Wait: 15 * time.Second, Holds: bulkhead.Attempts}
	if *d.Call.Bulkhead != want {
		t.Errorf("the bulkhead is %+v, want %+v", *d.Call.Bulkhead, want)
	}
	var endpoints []string
	for _, u := range d.Endpoints {
		endpoints = append(endpoints, u.String())
	}
	if !slices.Equal(endpoints, []string{"http://10.0.0.1:80", "http://[::1]:81"}) {
		t.Errorf("the endpoints are %v", endpoints)
	}
	if d.Call.Retry != nil || d.Call.Timeout.Total != 0 {
		t.Error("a cluster without routes has retries or a limit")
	}
	expectFate(t, tr, "max_connections", "dropped", "not connections")
	expectFate(t, tr, "thresholds[0]", "dropped", "one priority")
	expectFate(t, tr, "max_pending_requests", "approximated", "in Envoy for a connection")
	expectFate(t, tr, "lb_endpoints[1].endpoint.address.socket_address", "dropped", "already")
	expectFate(t, tr, "lb_endpoints[3].endpoint.address.socket_address", "dropped", "not a host")
	expectFate(t, tr, "lb_endpoints[4].endpoint.address.socket_address", "dropped", "port")
}

// A limit of 2^32-1 is Istio's way to say none, and 0 refuses everything.
func TestEnvoyLimitsThatAreNone(t *testing.T) {
	tr, f := translate(t, Envoy, `
clusters:
- {name: high, circuit_breakers: {thresholds: [{max_requests: 4294967295, max_pending_requests: 3}]}}
- {name: zero, circuit_breakers: {thresholds: [{max_requests: 0}]}}
- {name: none}
`)
	if f.Dependency("high").Call.Bulkhead != nil || f.Dependency("zero").Call.Bulkhead != nil {
		t.Error("there is a bulkhead for a limit that is none")
	}
	if b := f.Dependency("none").Call.Bulkhead; b == nil || b.Limit != 1024 || b.Queue != 0 {
		t.Errorf("Envoy's default becomes %+v", b)
	}
	expectFate(t, tr, "clusters[0].circuit_breakers.thresholds[0].max_requests", "approximated", "no bulkhead")
	expectFate(t, tr, "clusters[0].circuit_breakers.thresholds[0].max_pending_requests", "dropped", "no bulkhead")
	expectFate(t, tr, "clusters[1].circuit_breakers.thresholds[0].max_requests", "dropped", "0 refuses")
}

// routed makes a configuration with one cluster and one route to it.
func routed(thresholds, route string) string {
	return "clusters: [{name: a, circuit_breakers: {thresholds: [" + thresholds + "]}}]\n" +
		"virtual_hosts: [{name: v, domains: ['*'], routes: [{match: {prefix: /}, route: {cluster: a" +
		route + "}}]}]\n"
}

func TestEnvoyBudgets(t *testing.T) {
	concurrent := func(ratio, floor float64) *budget.Config {
		return &budget.Config{Kind: budget.Concurrent, Ratio: ratio, Floor: floor}
	}
	const on = ", retry_policy: {retry_on: 5xx}"
	for _, tc := range []struct {
		thresholds string
		want       *budget.Config // nil: no budget
		retries    bool
	}{
		{"{}", concurrent(0, 3), true},
		{"{max_retries: 7}", concurrent(0, 7), true},
		{"{max_retries: 0}", nil, false},
		{"{max_retries: 4294967295}", nil, true},
		{"{retry_budget: {}}", concurrent(0.2, 3), true},
		{"{max_retries: 7, retry_budget: {budget_percent: {value: 25.5}}}", concurrent(0.255, 3), true},
		{"{retry_budget: {min_retry_concurrency: 9}}", concurrent(0.2, 9), true},
		{"{retry_budget: {budget_percent: {value: 0}, min_retry_concurrency: 0}}", nil, false},
		{"{retry_budget: {budget_percent: {value: 0.01}, min_retry_concurrency: 1}}", concurrent(0, 1), true},
		{"{retry_budget: {budget_percent: {value: 400}}}", concurrent(1, 3), true},
		{"{retry_budget: {min_retry_concurrency: 4294967295}}", nil, true},
	} {
		_, f := translate(t, Envoy, routed(tc.thresholds, on))
		c := f.Dependency("a").Call
		if (c.Retry != nil) != tc.retries {
			t.Errorf("%s: retries are %+v", tc.thresholds, c.Retry)
		}
		if (c.Budget == nil) != (tc.want == nil) || tc.want != nil && *c.Budget != *tc.want {
			t.Errorf("%s: the budget is %+v, want %+v", tc.thresholds, c.Budget, tc.want)
		}
	}
}

// Where the routes are in another file, a limit on retries still says that
// there are some.
func TestEnvoyBudgetWithoutRoutes(t *testing.T) {
	tr, f := translate(t, Envoy,
		"- {name: a, circuit_breakers: {thresholds: [{retry_budget: {budget_percent: {value: 10}}}]}}")
	c := f.Dependency("a").Call
	if c.Retry == nil || c.Retry.Attempts != 2 || c.Budget.Ratio != 0.1 || c.Budget.Floor != 3 {
		t.Errorf("retry %+v with %+v", c.Retry, c.Budget)
	}
	if !strings.Contains(tr.Policy, "how often routes retry is not in the input") {
		t.Error("nothing says that the attempts are a guess")
	}
	tr, f = translate(t, Envoy, routed("{max_retries: 5}", ""))
	if f.Dependency("a").Call.Retry != nil {
		t.Error("a route without a retry policy retries")
	}
	expectFate(t, tr, "max_retries", "dropped", "no route")
}

func TestEnvoyRetryOn(t *testing.T) {
	const all = "unsent reset timeout unavailable too-many bad-gateway server-error"
	for on, want := range map[string]string{
		"retry_on: 5xx":                                          "unsent reset timeout unavailable bad-gateway server-error",
		"retry_on: gateway-error":                                "unsent reset timeout unavailable bad-gateway",
		"retry_on: reset":                                        "unsent reset timeout",
		"retry_on: connect-failure":                              "unsent",
		"retry_on: refused-stream":                               "unsent",
		"retry_on: reset-before-request":                         "unsent",
		"retry_on: 'resource-exhausted, unavailable, cancelled'": "unavailable too-many",
		"retry_on: deadline-exceeded":                            "timeout",
		"retry_on: internal":                                     "server-error",
		"retry_on: 'connect-failure,503'":                        "unsent unavailable",
		"retry_on: '5xx,429'":                                    all,
		"retry_on: retriable-status-codes, retriable_status_codes: [429, 502, 404]": "too-many bad-gateway",
		"retry_on: connect-failure, retriable_status_codes: [503]":                  "unsent",
		"retry_on: retriable-4xx":                         "",
		"retry_on: 'retriable-headers,envoy-ratelimited'": "",
		"retry_on: ''":                                    "",
		"num_retries: 3":                                  "",
		"retry_on: 5xx, num_retries: 0":                   "",
		"retry_on: retriable-status-codes, retriable_status_codes: [], num_retries: 1":  "",
		"retry_on: retriable-status-codes, retriable_status_codes: [x], num_retries: 1": "",
	} {
		_, f := translate(t, Envoy, routed("{}", ", retry_policy: {"+on+"}"))
		r := f.Dependency("a").Call.Retry
		var got []string
		for c := core.NoCause; r != nil && c <= core.Unknown; c++ {
			if r.Causes.Has(c) {
				got = append(got, c.String())
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s retries %v, want %s", on, got, want)
		}
	}
}

func TestEnvoyRoute(t *testing.T) {
	tr, f := translate(t, Envoy, routed("{}", `, timeout: 2.5s, retry_policy: {retry_on: 5xx,
  num_retries: 4, per_try_timeout: 0.5s, retry_back_off: {base_interval: 0.0001s},
  rate_limited_retry_back_off: {reset_headers: [{name: retry-after}]}}`))
	d := f.Dependency("a")
	if d.Call.Timeout.Total != 2500*ms || d.Call.Timeout.Request != 500*ms {
		t.Errorf("the limits are %+v", d.Call.Timeout)
	}
	r := *d.Call.Retry
	r.Causes = 0
	want := retry.Config{Attempts: 5, MaxWait: 5 * time.Minute, Idempotent: retry.Always,
		Backoff: retry.Backoff{Base: ms, Cap: 10 * ms, Factor: 2, Jitter: retry.Full}}
	if r != want || d.Replay != 1<<20 {
		t.Errorf("retry is %+v with %d bytes, want %+v", r, d.Replay, want)
	}
	expectFate(t, tr, "base_interval", "approximated", "1, 3, 7")
	expectFate(t, tr, "reset_headers[0]", "approximated", "Retry-After is heard")
	if len(d.Operations) != 0 {
		t.Errorf("one route for everything makes operations: %+v", d.Operations)
	}
}

// Envoy's limits: 15s by default, none for 0, and one for an attempt that is
// not shorter than that for the call is ignored (F099).
func TestF099EnvoyTimes(t *testing.T) {
	for route, want := range map[string]call.Config{
		"":                 timed(15*time.Second, 0),
		", timeout: 3s":    timed(3*time.Second, 0),
		", timeout: 0s":    timed(0, 0),
		", timeout: soon":  timed(15*time.Second, 0),
		", timeout: 9999h": timed(15*time.Second, 0),
		", timeout: 3s, retry_policy: {per_try_timeout: 3s}":                   timed(3*time.Second, 0),
		", timeout: 3s, retry_policy: {per_try_timeout: 2.999s}":               timed(3*time.Second, 2999*ms),
		", timeout: 0s, retry_policy: {per_try_timeout: 60s, retry_on: '5xx'}": timed(0, time.Minute),
		", timeout: 999999999s": timed(longest, 0),
	} {
		_, f := translate(t, Envoy, routed("{}", route))
		if got := f.Dependency("a").Call.Timeout; got != want.Timeout {
			t.Errorf("%s: %+v, want %+v", route, got, want.Timeout)
		}
	}
}

func timed(total, request time.Duration) (c call.Config) {
	c.Timeout.Total, c.Timeout.Request = total, request
	return c
}

// operation returns an operation, which must be there.
func operation(t *testing.T, f *config.File, dependency, name string) *config.Operation {
	t.Helper()
	d := f.Dependency(dependency)
	if d == nil || d.Operation(name) == nil {
		t.Fatalf("no operation %s of %s in %+v", name, dependency, d)
	}
	return d.Operation(name)
}
