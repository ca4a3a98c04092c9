package config

import "testing"

func TestWarnings(t *testing.T) {
	for _, tc := range []struct{ body, want string }{
		{"timeout: {request: 1s, total: 1s}", ""},
		{"timeout: {request: 250ms, total: 800ms}, retry: {attempts: 3}", ""},
		{"timeout: {request: 2s}, retry: {attempts: 8}", ""},
		{"timeout: {request: 2s, total: 1s}",
			"4:26: warning: dependencies.a.timeout.request: 2s is never reached, because total ends the call " +
				"after 1s; give less than total"},
		{"timeout: {request: 300ms, total: 800ms}, retry: {attempts: 3}",
			"4:66: warning: dependencies.a.retry.attempts: only 2 of 3 attempts fit in total, 800ms, when each " +
				"takes its 300ms; raise timeout.total, or give fewer attempts"},
		{"timeout: {request: 1s, needs: 2s}",
			"4:37: warning: dependencies.a.timeout.needs: an attempt ends after request, 1s, sooner than it " +
				"usually answers, 2s; raise request"},
		{"timeout: {request: 1s}, breaker: {slow: {over: 1s}}", ""},
		{"timeout: {request: 1s}, breaker: {slow: {over: 2s}}",
			"4:54: warning: dependencies.a.breaker.slow.over: no answer takes 2s, because request ends the " +
				"attempt after 1s; give less than timeout.request"},
		{"measured: {rate: 2/s}, breaker: {}", ""},
		{"measured: {rate: 1/m}, breaker: {window: {consecutive: 3}}", ""},
		{"measured: {rate: 1/s}, breaker: {calls: 20}",
			"4:47: warning: dependencies.a.breaker.calls: the breaker never decides: 1/s for 10s is 10 calls, " +
				"less than 20; give fewer calls, or a window of 21s"},
		{"measured: {rate: 1/h}, breaker: {}",
			"4:39: warning: dependencies.a.breaker.calls: the breaker never decides: 0.0002777777778/s for 10s is " +
				"0.00278 calls, less than 20; give fewer calls, or a window of 20h0m1s"},
		// An operation is warned of what it brings about, and of nothing else.
		{"timeout: {total: 1s}, operations: [{name: x, timeout: {request: 2s}}]",
			"4:71: warning: dependencies.a.operations[0].timeout.request: 2s is never reached, because total " +
				"ends the call after 1s; give less than total"},
		{"timeout: {request: 1s}, breaker: {slow: {over: 500ms}}, operations: [{name: x, timeout: {request: 80ms}}]",
			"4:105: warning: dependencies.a.operations[0].breaker.slow.over: no answer takes 500ms, because " +
				"request ends the attempt after 80ms; give less than timeout.request"},
		{"measured: {rate: 1/s}, breaker: {calls: 20}, operations: [{name: x}, {name: y, retry: {attempts: 2}}]",
			"4:47: warning: dependencies.a.breaker.calls: the breaker never decides: 1/s for 10s is 10 calls, " +
				"less than 20; give fewer calls, or a window of 21s"},
	} {
		warnings := mustParse(t, dependency(tc.body)).Warnings()
		got := ""
		for _, w := range warnings {
			got += w.String()
		}
		if tc.want != "" {
			tc.want = "seakeep.yaml:" + tc.want
		}
		if got != tc.want {
			t.Errorf("%s warns\n%q, want\n%q", tc.body, got, tc.want)
		}
	}
}
