package foreign

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestEnvoyReplay(t *testing.T) {
	const on = ", retry_policy: {retry_on: 5xx}}"
	for route, want := range map[string]int64{
		"{match: {prefix: /}, route: {cluster: a" + on + "}":                                        1 << 20,
		"{request_body_buffer_limit: 5000, match: {prefix: /}, route: {cluster: a" + on + "}":       5000,
		"{per_request_buffer_limit_bytes: 0, match: {prefix: /}, route: {cluster: a" + on + "}":     0,
		"{request_body_buffer_limit: 9000000000, match: {prefix: /}, route: {cluster: a" + on + "}": mostReplay,
	} {
		_, f := translate(t, Envoy, "virtual_hosts:\n"+hostTo("['*']", route))
		if got := f.Dependency("a").Replay; got != want {
			t.Errorf("%s keeps %d bytes, want %d", route, got, want)
		}
	}
	_, f := translate(t, Envoy, "virtual_hosts: [{domains: ['*'], request_body_buffer_limit: 7, routes: "+
		"[{match: {prefix: /}, route: {cluster: a"+on+"}]}]")
	if got := f.Dependency("a").Replay; got != 7 {
		t.Errorf("the virtual host's limit becomes %d", got)
	}
}

// A list of conditions without end is told in a few words.
func TestEnvoyManyLosses(t *testing.T) {
	words := strings.Repeat("nonsense,", 200) + "reset"
	tr, _ := translate(t, Envoy, routed("{}", ", retry_policy: {retry_on: '"+words+"'}"))
	expectFate(t, tr, "retry_on", "approximated", "and 194 more")
}

func TestEnvoyValuesThatAreNone(t *testing.T) {
	tr, f := translate(t, Envoy, routed("{max_requests: few, max_pending_requests: some, max_retries: none}",
		", timeout: soon, retry_policy: {retry_on: 5xx, num_retries: several, per_try_timeout: quick, "+
			"retry_back_off: {base_interval: 0s, max_interval: 1}, "+
			"rate_limited_retry_back_off: {reset_headers: [{name: retry-after}], max_interval: x}}"))
	d := f.Dependency("a")
	r := d.Call.Retry
	if d.Call.Bulkhead.Limit != 1024 || d.Call.Timeout.Total != 15*time.Second || r.Attempts != 2 ||
		r.Backoff.Base != 25*ms || r.Backoff.Cap != 250*ms || r.MaxWait != 5*time.Minute ||
		d.Call.Budget.Floor != 3 {
		t.Errorf("the defaults are not in effect: %+v, retry %+v", d.Call, r)
	}
	for _, key := range []string{"max_requests", "max_pending_requests", "max_retries", "route.timeout", "num_retries",
		"per_try_timeout", "base_interval", "policy.retry_back_off.max_interval", "rate_limited_retry_back_off.max_interval"} {
		expectFate(t, tr, key, "dropped", "not a")
	}
}

func TestEnvoyPieces(t *testing.T) {
	for _, tc := range []struct{ text, suffix, fate, note string }{
		{hostTo("['*']", "{match: {prefix: /x, case_sensitive: true}, route: {cluster: a}}"),
			"case_sensitive", "mapped", "every request"},
		{hostTo("[h]", "{match: {prefix: /x, headers: [{name: ':authority', exact_match: k}]}, route: {cluster: a}}") +
			hostTo("[i]", "{match: {prefix: /x}, route: {cluster: a}}"), "virtual_hosts[0].domains[0]", "mapped", "itself"},
		{hostTo("['not a host', h]", "{match: {prefix: /x}, route: {cluster: a}}") +
			hostTo("[i]", "{match: {prefix: /x}, route: {cluster: a}}"), "virtual_hosts[0].domains[0]", "dropped", "not a host"},
		{hostTo("['*']", "{match: {prefix: /x}, route: {cluster: a, cluster: b}}"),
			"route.cluster", "mapped | dropped", ""},
		{hostTo("['*']", "{match: {prefix: /x, prefix: /y}, route: {cluster: a}}"), "prefix", "", ""},
	} {
		tr, _ := translate(t, Envoy, "virtual_hosts:\n"+tc.text)
		if strings.Contains(tc.fate, "|") || tc.fate == "" {
			if got := fateOf(tr, tc.suffix); !strings.Contains(got, "written again") {
				t.Errorf("%s: %q", tc.text, got)
			}
			continue
		}
		expectFate(t, tr, tc.suffix, tc.fate, tc.note)
	}
}

// The endpoints that do not fit are told one by one.
func TestEnvoyManyEndpoints(t *testing.T) {
	var b strings.Builder
	for i := range 70 {
		fmt.Fprintf(&b, "{endpoint: {address: {socket_address: {address: h%d, port_value: 80}}}}, ", i%68)
	}
	tr, f := translate(t, Envoy, "- {name: a, load_assignment: {endpoints: [{lb_endpoints: ["+b.String()+"]}]}}")
	if n := len(f.Dependency("a").Endpoints); n != mostEndpoints || tr.Report.Dropped != 2*(70-n) {
		t.Errorf("%d endpoints, %d settings dropped", n, tr.Report.Dropped)
	}
}
