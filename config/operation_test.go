package config

import (
	"testing"
	"time"

	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/call"
)

func TestOperationsOwnWhatTheyWrite(t *testing.T) {
	const whole = "timeout: {acquire: 1ms, request: 1s}, retry: {attempts: 3}, breaker: {}, " +
		"bulkhead: {limit: 9}, throttle: {}, "
	for body, want := range map[string]call.Rungs{
		"":                                  0,
		"timeout: {request: 2s}":            0,
		"retry: {attempts: 2}":              0,
		"retry: {budget: {ratio: 5%}}":      call.RungRetry,
		"retry: {budget: none}":             0,
		"retry: none":                       0,
		"breaker: {}":                       call.RungBreaker,
		"breaker: {mode: observe}":          call.RungBreaker,
		"breaker: none":                     0,
		"bulkhead: {queue: 1}":              call.RungBulkhead,
		"bulkhead: none":                    0,
		"throttle: {k: 3}":                  call.RungThrottle,
		"throttle: {mode: observe}":         call.RungThrottle,
		"throttle: none":                    0,
		"fallback: [omit: {}]":              0,
		"bulkhead: {limit: 1}, breaker: {}": call.RungBulkhead | call.RungBreaker,
	} {
		if body != "" {
			body = ", " + body
		}
		f := mustParse(t, dependency(whole+"operations: [{name: x"+body+"}]"))
		if got := f.Dependencies[0].Operations[0].Own; got != want {
			t.Errorf("with %q the operation's own rungs are %b, want %b", body, got, want)
		}
	}
	f := mustParse(t, dependency("breaker: {per: operation}, "+
		"operations: [{name: x}, {name: y, breaker: none}]"))
	if ops := f.Dependencies[0].Operations; ops[0].Own != call.RungBreaker || ops[1].Own != 0 {
		t.Errorf("per: operation gives %b and %b", ops[0].Own, ops[1].Own)
	}
	f = mustParse(t, dependency("operations: "+
		"[{name: x, retry: {attempts: 2}, breaker: {}, bulkhead: {limit: 1}, throttle: {}}]"))
	const all = call.RungRetry | call.RungBreaker | call.RungBulkhead | call.RungThrottle
	if got := f.Dependencies[0].Operations[0].Own; got != all {
		t.Errorf("what the dependency has not is the operation's own: %b, want %b", got, all)
	}
}

func TestOperationsAreLaidOverTheDependency(t *testing.T) {
	f := mustParse(t, string(source(t, "testdata/valid/operations.yaml")))
	dep := f.Dependency("pricing")
	same, one := dep.Operation("inherits"), dep.Operation("one-key-each")
	if same.Call.Name != "pricing/inherits" || *same.Call.Breaker != *dep.Call.Breaker ||
		*same.Call.Retry != *dep.Call.Retry || *same.Call.Bulkhead != *dep.Call.Bulkhead ||
		same.Call.Timeout != dep.Call.Timeout || len(same.Fallback.Order) != 1 {
		t.Errorf("inherits differs from its dependency: %+v", same)
	}
	const ms = time.Millisecond
	if to := one.Call.Timeout; to.Request != 80*ms || to.Total != 800*ms {
		t.Errorf("the timeout is %+v", to)
	}
	if b := one.Call.Retry.Backoff; b.Base != 10*time.Millisecond || b.Cap != time.Second {
		t.Errorf("a backoff is not replaced as a whole: %+v", b)
	}
	if b := one.Call.Breaker; b.Failures != 0.4 || b.Open.For != 5000*ms || b.Open.Growth != 2 {
		t.Errorf("the breaker is %+v", b)
	}
	if b := one.Call.Bulkhead; b.Limit != 5 || b.Queue != 5 || b.Wait != 20*time.Millisecond {
		t.Errorf("the bulkhead is %+v", b)
	}
	if c := one.Call.Throttle; c.K != 1.5 || c.Window != time.Minute || c.Cap != 0.9 || c.Minimum != 10 {
		t.Errorf("the throttle is %+v", c)
	}
	if one.Fallback.Exercise != 0.01 || len(one.Fallback.Order) != 1 {
		t.Errorf("the fallback is %+v", one.Fallback)
	}
	none := dep.Operation("off")
	if c := none.Call; c.Retry != nil || c.Budget != nil || c.Breaker != nil || c.Bulkhead != nil ||
		c.Throttle != nil || len(none.Fallback.Order) != 0 || none.Replay != 0 {
		t.Errorf("none leaves %+v", none)
	}
	once := dep.Operation("once")
	if once.Call.Retry.Attempts != 1 || once.Call.Budget != nil {
		t.Errorf("one attempt keeps a budget: %+v", once.Call)
	}
	if w := once.Call.Breaker; w.Window.Consecutive != 3 || w.Failures != 0 || w.MinCalls != 0 {
		t.Errorf("a window of failures in a row keeps the dependency's shares: %+v", w)
	}
}

func TestObserveModes(t *testing.T) {
	f := mustParse(t, dependency("timeout: {mode: observe}, retry: {attempts: 2, mode: observe}, "+
		"breaker: {mode: observe}, bulkhead: {limit: 1, mode: observe}, throttle: {mode: observe}, operations: ["+
		"{name: x, timeout: {mode: enforce}, throttle: {mode: enforce}, breaker: {mode: enforce, counts: calls}}]"))
	dep := f.Dependencies[0]
	const all = call.RungTimeout | call.RungRetry | call.RungBreaker | call.RungBulkhead | call.RungThrottle
	if dep.Call.Observe != all {
		t.Errorf("observed rungs are %b", dep.Call.Observe)
	}
	op := dep.Operations[0].Call
	if op.Observe != call.RungRetry|call.RungBulkhead || op.Breaker.Counts != breaker.Calls {
		t.Errorf("the operation observes %b", op.Observe)
	}
}

func TestMatch(t *testing.T) {
	get := func(name string) string { return map[string]string{"X-Kind": "slow"}[name] }
	for _, tc := range []struct {
		match              Match
		method, host, path string
		want               bool
	}{
		{Match{}, "GET", "a", "/", false},
		{Match{Methods: []string{"GET", "HEAD"}}, "HEAD", "a", "/", true},
		{Match{Methods: []string{"GET"}}, "", "a", "/", true},
		{Match{Methods: []string{"GET"}}, "get", "a", "/", false},
		{Match{Methods: []string{"GET"}}, "POST", "a", "/", false},
		{Match{Path: "/a"}, "GET", "a", "/a", true},
		{Match{Path: "/a"}, "GET", "a", "/a/", false},
		{Match{Path: "/a/*"}, "GET", "a", "/a/", true},
		{Match{Path: "/a/*"}, "GET", "a", "/a/b/c", true},
		{Match{Path: "/a/*"}, "GET", "a", "/a", false},
		{Match{Path: "/a*"}, "GET", "a", "/ab", true},
		{Match{Path: "/*"}, "GET", "a", "*", false},
		{Match{Host: "api.example"}, "GET", "API.Example", "/", true},
		{Match{Host: "api.example"}, "GET", "api.example:8080", "/", true},
		{Match{Host: "api.example:8080"}, "GET", "api.example:8080", "/", true},
		{Match{Host: "api.example:8080"}, "GET", "api.example", "/", false},
		{Match{Host: "api.example"}, "GET", "evil.api.example", "/", false},
		{Match{Host: "[::1]"}, "GET", "[::1]:80", "/", true},
		{Match{Host: "[::1]"}, "GET", "[::1]", "/", true},
		{Match{Headers: []Header{{"X-Kind", "slow"}}}, "GET", "a", "/", true},
		{Match{Headers: []Header{{"X-Kind", "Slow"}}}, "GET", "a", "/", false},
		{Match{Path: "/a", Headers: []Header{{"X-Other", "x"}}}, "GET", "a", "/a", false},
	} {
		if got := tc.match.Matches(tc.method, tc.host, tc.path, get); got != tc.want {
			t.Errorf("%+v matches %s %s %s: %v", tc.match, tc.method, tc.host, tc.path, got)
		}
	}
	f := mustParse(t, string(source(t, "testdata/valid/full.yaml")))
	m := f.Dependency("pricing").Operation("search").Match
	const host = "api.example:8080"
	if !m.Matches("HEAD", host, "/search/x", get) || m.Matches("PUT", host, "/search/x", get) {
		t.Errorf("the match in full.yaml is %+v", m)
	}
	if !f.Dependency("pricing").Operation("by-name-only").Match.Empty() {
		t.Error("an operation without match matches requests")
	}
}
