package foreign

import (
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/call"
)

// hostTo makes a virtual host whose routes are those given.
func hostTo(domains string, routes ...string) string {
	return "- {name: v, domains: " + domains + ", routes: [" + strings.Join(routes, ", ") + "]}\n"
}

func matchNames(d *config.Dependency) string {
	var all []string
	for _, op := range d.Operations {
		text := op.Name
		if m := op.Match; !m.Empty() {
			text += "(" + strings.Join(m.Methods, "+") + m.Host + m.Path
			for _, h := range m.Headers {
				text += " " + h.Name + "=" + h.Value
			}
			text += ")"
		}
		all = append(all, text)
	}
	return strings.Join(all, " ")
}

func TestEnvoyOperations(t *testing.T) {
	const toA = ", route: {cluster: a}}"
	for _, tc := range []struct{ hosts, want string }{
		{hostTo("['*']", "{match: {prefix: /x/}"+toA, "{name: two words, match: {path: /y}"+toA),
			"x(/x/*) two-words(/y)"},
		{hostTo("['*']", "{match: {prefix: /}"+toA, "{match: {prefix: /x}"+toA), ""},
		{hostTo("['*']", "{match: {prefix: /}, redirect: {}}", "{match: {prefix: /x}"+toA), "none"},
		{hostTo("[one.example]", "{match: {prefix: /x}"+toA), "x(/x*)"},
		{hostTo("['*']", "{match: {prefix: /x}"+toA) + hostTo("[one.example, 'one.example:80', 'two:1']",
			"{match: {prefix: /x}"+toA), "x(one.example/x*) x-2(two:1/x*) x-3(/x*)"},
		{hostTo("['*']", "{match: {prefix: /}"+toA) + hostTo("[one.example]", "{match: {prefix: /}"+toA),
			"one.example(one.example)"},
		{hostTo("['*']", "{match: {path_separated_prefix: /api}"+toA), "api(/api*)"},
		{hostTo("['*']", "{match: {safe_regex: {regex: x}}"+toA), "by-name"},
		{hostTo("['*']", "{match: {prefix: /x, grpc: {}}"+toA), "x"},
		{hostTo("['*']", "{match: {prefix: '/x*'}"+toA), "by-name"},
		{hostTo("['*']", "{match: {prefix: /x, headers: [{name: ':method', exact_match: GET}, "+
			"{name: X-K, string_match: {exact: a b}}, {name: ':authority', exact_match: h}]}"+toA),
			"x(GETh/x* X-K=a b)"},
		{hostTo("['*']", "{match: {prefix: /x, headers: [{name: k, exact_match: v, invert_match: true}]}"+toA),
			"x"},
		{hostTo("['*']", "{match: {prefix: /x, headers: [{name: k, prefix_match: v}]}"+toA), "x"},
		{hostTo("['*']", "{match: {prefix: /x, headers: [{name: k, exact_match: v}, {name: K, exact_match: w}]}"+toA),
			"x"},
		{hostTo("['*']", "{match: {prefix: /x, newCondition: 1}"+toA), "x"},
	} {
		_, f := translate(t, Envoy, "virtual_hosts:\n"+tc.hosts)
		got := "none"
		if f != nil {
			got = matchNames(f.Dependency("a"))
		}
		if got != tc.want {
			t.Errorf("%s gives %q, want %q", tc.hosts, got, tc.want)
		}
	}
}

// A condition that an operation cannot have never widens its match.
func TestEnvoyBlockedConditionIsReported(t *testing.T) {
	tr, _ := translate(t, Envoy, "virtual_hosts:\n"+hostTo("['*']",
		"{match: {prefix: /x, runtime_fraction: {default_value: {numerator: 5}}}, route: {cluster: a}}"))
	expectFate(t, tr, "match.runtime_fraction", "approximated", "chosen by name")
	expectFate(t, tr, "match.prefix", "approximated", "another condition")
}

// An operation inherits nothing that Envoy does not give it, and the retries of
// all are in one budget.
func TestEnvoyOperationsInheritNothing(t *testing.T) {
	_, f := translate(t, Envoy, "clusters: [{name: a, circuit_breakers: {thresholds: [{max_retries: 9}]}}]\n"+
		"virtual_hosts:\n"+hostTo("['*']",
		"{match: {prefix: /endless}, route: {cluster: a, timeout: 0s}}",
		"{match: {prefix: /twice}, route: {cluster: a, retry_policy: {retry_on: reset}}}",
		"{match: {prefix: /}, route: {cluster: a, timeout: 3s, retry_policy: {retry_on: 5xx, per_try_timeout: 1s}}}"))
	endless, twice := operation(t, f, "a", "endless"), operation(t, f, "a", "twice")
	all := operation(t, f, "a", "all")
	if endless.Call.Timeout.Total != 0 || endless.Call.Retry != nil {
		t.Errorf("endless has %+v and %+v", endless.Call.Timeout, endless.Call.Retry)
	}
	if twice.Call.Timeout.Total != 15*time.Second || twice.Call.Timeout.Request != 0 ||
		twice.Call.Retry.Causes == all.Call.Retry.Causes {
		t.Errorf("twice has %+v and %+v", twice.Call.Timeout, twice.Call.Retry)
	}
	if all.Match.Path != "/*" || all.Call.Timeout.Total != 3*time.Second ||
		all.Call.Timeout.Request != time.Second {
		t.Errorf("all is %+v", all)
	}
	if b := f.Dependency("a").Call.Budget; b.Floor != 9 ||
		(twice.Own|all.Own)&call.RungRetry != 0 || *twice.Call.Budget != *b {
		t.Errorf("the budget %+v is not shared: %v, %v", b, twice.Own, all.Own)
	}
}

// The route for everything is the dependency itself where nothing in it would
// leak into the other operations.
func TestEnvoyCatchAllIsTheDependency(t *testing.T) {
	tr, f := translate(t, Envoy, "virtual_hosts:\n"+hostTo("['*']",
		"{match: {prefix: /x}, route: {cluster: a, timeout: 1s}}",
		"{name: rest, match: {prefix: /}, route: {cluster: a, retry_policy: {retry_on: reset, num_retries: 2}}}"))
	d := f.Dependency("a")
	if matchNames(d) != "x(/x*)" || d.Call.Retry.Attempts != 3 || d.Call.Timeout.Total != 15*time.Second {
		t.Errorf("the dependency is %+v", d)
	}
	if op := operation(t, f, "a", "x"); op.Call.Retry != nil || op.Call.Timeout.Total != time.Second {
		t.Errorf("the operation is %+v", op)
	}
	expectFate(t, tr, "routes[1].name", "mapped", "needs no name")
}

func TestEnvoyShapes(t *testing.T) {
	for name, text := range map[string]string{
		"a list":       "[{name: a, connect_timeout: 1s}]",
		"one cluster":  "{name: a, connect_timeout: 1s}",
		"camel case":   `{"staticResources": {"clusters": [{"name": "a", "connectTimeout": "1s"}]}}`,
		"a dump":       `{"configs": [{"static_clusters": [{"cluster": {"name": "a", "connect_timeout": "1s"}}]}]}`,
		"documents":    "clusters: [{name: a, connect_timeout: 1s}]\n---\nvirtual_hosts: []\n",
		"an anchor":    "x: &c {connect_timeout: 1s}\nclusters: [{name: a, <<: *c}]\n",
		"tabs in JSON": "{\n\t\"clusters\": [\n\t\t{\"name\": \"a\", \"connect_timeout\": \"1s\"}\n\t]\n}",
	} {
		_, f := translate(t, Envoy, text)
		if d := f.Dependency("a"); d == nil || d.Connect != time.Second {
			t.Errorf("%s gives %+v", name, d)
		}
	}
	for name, text := range map[string]string{
		"breakers":     "circuit_breakers: {thresholds: [{max_requests: 5}]}",
		"thresholds":   "thresholds: [{max_requests: 5}]",
		"both halves":  "circuit_breakers: {thresholds: [{max_requests: 5}]}\nretry_policy: {retry_on: 5xx}",
		"with a route": "circuit_breakers: {thresholds: [{max_requests: 5}]}\nroute: {timeout: 1s}",
	} {
		_, f := translate(t, Envoy, text)
		if d := f.Dependency("upstream"); d == nil || d.Call.Bulkhead.Limit != 5 {
			t.Errorf("%s gives %+v", name, d)
		}
	}
	_, f := translate(t, Envoy, "retry_on: 5xx\nnum_retries: 3\n")
	if r := f.Dependency("upstream").Call.Retry; r == nil || r.Attempts != 4 {
		t.Errorf("a retry policy alone gives %+v", r)
	}
	if tr, f := translate(t, Envoy, "hello: {world: 1}\n"); f != nil || tr.Report.Dropped != 1 {
		t.Errorf("something was made of nothing: %+v", tr)
	}
}
