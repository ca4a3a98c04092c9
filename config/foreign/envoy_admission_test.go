package foreign

import (
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core/throttle"
)

// admission is a listener's filter with these settings, and a route.
func admission(settings string) string {
	return "http_filters: [{name: a, typed_config: {\"@type\": x.v3.AdmissionControl, " + settings + "}}]\n" +
		"virtual_hosts:\n" + hostTo("['*']", "{match: {prefix: /}, route: {cluster: a}}")
}

func TestEnvoyAdmissionControl(t *testing.T) {
	with := func(c throttle.Config) *throttle.Config {
		c = c.Filled()
		return &c
	}
	for settings, want := range map[string]*throttle.Config{
		"":                     with(throttle.Config{Cap: 0.8}),
		"sampling_window: 60s": with(throttle.Config{Cap: 0.8, Window: time.Minute}),
		"sampling_window: 9000s, max_rejection_probability: {default_value: {value: 100}}": with(
			throttle.Config{Cap: 0.99, Window: time.Hour}),
		"rps_threshold: {default_value: 5}, sampling_window: 4s": with(
			throttle.Config{Cap: 0.8, Window: 4 * time.Second, Minimum: 20}),
		"rps_threshold: {default_value: 0}":                         with(throttle.Config{Cap: 0.8}),
		"rps_threshold: {default_value: 99999999}":                  with(throttle.Config{Cap: 0.8, Minimum: 1_000_000}),
		"sampling_window: soon, rps_threshold: {default_value: x}":  with(throttle.Config{Cap: 0.8}),
		"max_rejection_probability: {default_value: {value: much}}": with(throttle.Config{Cap: 0.8}),
		"enabled: {default_value: true}":                            with(throttle.Config{Cap: 0.8}),
		"enabled: {default_value: false}":                           nil,
		"max_rejection_probability: {default_value: {value: 0}}":    nil,
	} {
		_, f := translate(t, Envoy, admission(settings))
		got := f.Dependency("a").Call.Throttle
		if (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("%q becomes %+v, want %+v", settings, got, want)
		}
	}
}

// What an admission control has and a throttle has not is told.
func TestEnvoyAdmissionControlLosses(t *testing.T) {
	tr, _ := translate(t, Envoy, admission("sr_threshold: {default_value: {value: 95}}, "+
		"aggression: {default_value: 2}, success_criteria: {grpc_criteria: {grpc_success_status: [0]}}, "+
		"rps_threshold: {default_value: 1}"))
	expectFate(t, tr, "sr_threshold", "dropped", "no k does the same")
	expectFate(t, tr, "aggression", "dropped", "one in k")
	expectFate(t, tr, "success_criteria", "dropped", "429, 503, timeouts")
	expectFate(t, tr, "rps_threshold.default_value", "approximated", "requests in the window")
	if strings.Count(tr.Policy, "throttle:") != 1 {
		t.Errorf("the policy is\n%s", tr.Policy)
	}
}
