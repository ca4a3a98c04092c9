package config

import (
	"fmt"
	"strings"
	"testing"
)

// Numbers of things are bounded, so that a small file cannot ask for a large
// world.
func TestScenarioLimits(t *testing.T) {
	many := func(n int, form string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = strings.ReplaceAll(form, "N", fmt.Sprint(i))
		}
		return strings.Join(parts, ", ")
	}
	const one = "a: {work: 1ms}"
	clients := func(n int) string {
		return strings.Replace(world(one), "users: {to: a, rate: 1/s}", many(n, "uN: {to: a, rate: 1/s}"), 1)
	}
	open := policyFor("a: {}, b: {}")
	calls := func(n int) string {
		return world("a: {policy: p, work: 1ms, calls: [" + many(n, "b") + "]}, b: {work: 1ms}")
	}
	for _, tc := range []struct {
		name  string
		most  int
		text  func(n int) string
		wants string
	}{
		{"services", 1000, func(n int) string {
			return world(one + ", " + many(n-1, "sN: {work: 1ms}"))
		}, "services: has more than 1000 services; give fewer"},
		{"clients", 100, clients, "clients: has more than 100 clients"},
		{"routes", 100, func(n int) string {
			return world("a: {routes: {" + many(n, "rN: {work: 1ms}") + "}}")
		}, "services.a.routes: has more than 100 routes"},
		{"calls", 100, calls, "services.a.calls: lists more than 100 calls"},
		{"changes", 1000, func(n int) string {
			return world(one, "changes: ["+many(n, "{at: Nms, service: a, work: 1s}")+"]")
		}, "changes: lists more than 1000 changes"},
		{"expectations", 1000, func(n int) string {
			return world(one, "expect: ["+many(n, "a.b > N")+"]")
		}, "expect: lists more than 1000"},
		{"points", 1000, rising, "has 1001 points"},
		{"parts", 20, func(n int) string {
			return world("a: {work: {mix: [" + many(n, fmt.Sprintf("{share: %.4f%%, floor: 1s}", 100/float64(n))) + "]}}")
		}, "has 21 parts; give up to 20"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := ParseScenario("w.yaml", []byte(tc.text(tc.most)), open); err != nil {
				t.Errorf("%d are refused: %.300v", tc.most, err)
			}
			stageWants(t, tc.text(tc.most+1), open, tc.wants)
		})
	}
}

// rising is a scenario with n quantiles of a time.
func rising(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%.6f: %dms, ", float64(i)/float64(n), i)
	}
	return world("a: {work: {points: {" + b.String() + "}}}")
}

// Eight calls at the same time are as many as a request makes.
func TestParallelCalls(t *testing.T) {
	open := policyFor("b: {}, c: {}")
	text := func(n int) string {
		return world("a: {policy: p, work: 1ms, calls: [c, b" +
			strings.Repeat(", {dependency: b, parallel: true}", n-1) +
			", b, {dependency: c, parallel: true}]}, b: {work: 1ms}, c: {work: 1ms}")
	}
	mustStage(t, text(8), open)
	stageWants(t, text(9), open, "services.a.calls[9]: more than 8 calls at the same time")
	stageWants(t, text(12), open, "services.a.calls[9]: more than 8 calls at the same time")
}

// Each service of a chain calls the next one twice: the calls of one request
// double with every link.
func TestCallsOfOneRequestAreBounded(t *testing.T) {
	chain := func(n int) string {
		var b strings.Builder
		for i := range n {
			name := "a"
			if i > 0 {
				name = fmt.Sprintf("s%d", i)
			}
			fmt.Fprintf(&b, "%s: {policy: p, work: 1ms, calls: [&c%d {dependency: x, to: s%d}, *c%d]}, ", name, i, i+1, i)
		}
		fmt.Fprintf(&b, "s%d: {work: 1ms}", n)
		return world(b.String())
	}
	open := policyFor("x: {}")
	mustStage(t, chain(12), open) // 2+4+...+4096 = 8190 calls
	stageWants(t, chain(13), open, "w.yaml:4:23: clients.users.to: a request for default makes more than 10000 calls in all")
	// Counted one by one, these would take longer than the world will last.
	stageWants(t, chain(300), open, "more than 10000 calls")
}

// Files that would take squares and cubes of their size if read carelessly are
// refused all the same.
func TestHostileScenarios(t *testing.T) {
	var deps, steps strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&deps, "d%d: {fallback: [dependency: d%d]}, ", i, i+1)
	}
	deps.WriteString("d5000: {}")
	for i := range 100 {
		fmt.Fprintf(&steps, "{dependency: d%d, to: b}, ", i)
	}
	chain := world("a: {policy: p, work: 1ms, calls: ["+steps.String()+"]}, b: {work: 1ms}", "expect: [a.b > 1]")
	var numbers, changes strings.Builder
	for i := range 64 {
		fmt.Fprintf(&numbers, "%d, ", i)
	}
	for i := range 999 {
		fmt.Fprintf(&changes, "{at: %dms, for: 50s, service: a, instances: *n, down: true}, ", i)
	}
	overlaps := world("a: {instances: 64, work: 1ms}", "changes: [{at: 0s, service: a, "+
		"instances: &n ["+numbers.String()+"], silent: true}, "+changes.String()+"]")
	for text, wants := range map[string]string{chain: "no service has that name",
		overlaps: "overlaps in part with changes[1]"} {
		_, err := ParseScenario("w.yaml", []byte(text), policyFor(deps.String()))
		if all, _ := err.(Errors); len(all) < 99 || !strings.Contains(all[0].Problem, wants) {
			t.Errorf("want %q about all of it, got %d mistakes: %.200v", wants, len(all), err)
		}
	}
}

func TestScenarioWarnings(t *testing.T) {
	open := policyFor("b: {fallback: [dependency: c]}, c: {}, d: {}")
	const idle = ": warning: services.%s: nobody calls this service; add a client or a call, or remove it"
	for _, tc := range []struct {
		text  string
		wants []string
	}{
		{world("a: {work: 1ms}"), nil},
		{world("a: {work: 1ms}, b: {work: 1ms}"), []string{"w.yaml:5:28" + fmt.Sprintf(idle, "b")}},
		{world("a: {policy: p, work: 1ms, calls: [b]}, b: {work: 1ms}, c: {work: 1ms}"), nil},
		{world("a: {work: 1ms}, b: {policy: p, work: 1ms, calls: [d]}, d: {work: 1ms}"),
			[]string{"w.yaml:5:28" + fmt.Sprintf(idle, "b"), "w.yaml:5:67" + fmt.Sprintf(idle, "d")}},
		{world("a: {work: 1ms}", "changes: [{at: 90s, for: 10s, service: a, down: true}, "+
			"{at: 95s, for: 10s, service: a, work: 1s}]"),
			[]string{"w.yaml:6:71: warning: changes[1].for: it outlasts the run, which ends at 1m40s; " +
				"leave for out, or make the run longer"}},
	} {
		var got []string
		for _, w := range mustStage(t, tc.text, open).Warnings() {
			got = append(got, w.String())
		}
		if strings.Join(got, "\n") != strings.Join(tc.wants, "\n") {
			t.Errorf("warned of\n%s\nwant\n%s\nin %s", strings.Join(got, "\n"), strings.Join(tc.wants, "\n"), tc.text)
		}
	}
}

// The dependency that a fallback asks is answered where the service's own calls
// of it go, or by the service of its name.
func TestFallbacksFindTheirService(t *testing.T) {
	open := policyFor("b: {fallback: [dependency: c]}, c: {fallback: [omit: {}]}")
	mustStage(t, world("a: {policy: p, work: 1ms, calls: [b, {dependency: c, to: x}]}, b: {work: 1ms}, x: {work: 1ms}"), open)
	stageWants(t, world("a: {policy: p, work: 1ms, calls: [b]}, b: {work: 1ms}"), open,
		"services.a.calls[0]: the fallback of b asks c, and no service has that name")
	back := world("a: {policy: p, work: 1ms, calls: [{dependency: b, to: d}]}, d: {work: 1ms}, " +
		"c: {policy: p, work: 1ms, calls: [{dependency: c, to: a}]}")
	stageWants2(t, back, open, "services.a.calls[0].dependency: the fallback c leads back to a",
		"services.c.calls[0].to: the call leads back to c")
}

// A policy that comes during the run is held to the same as the first.
func TestSwappedPolicies(t *testing.T) {
	open := func(path string) ([]byte, error) {
		if path == "new" {
			return policyFor("b: {fallback: [dependency: c]}, c: {}")(path)
		}
		return policyFor("b: {}")(path)
	}
	const swap = "changes: [{at: 1s, service: a, policy: new}]"
	mustStage(t, world("a: {policy: p, work: 1ms, calls: [b]}, b: {work: 1ms}, c: {work: 1ms}", swap), open)
	stageWants(t, world("a: {policy: p, work: 1ms, calls: [b]}, b: {work: 1ms}", swap), open,
		"changes[0].policy: the fallback of b asks c, and no service has that name")
	stageWants2(t, world("a: {policy: p, work: 1ms, calls: [b]}, b: {work: 1ms}, "+
		"c: {policy: p, work: 1ms, calls: [{dependency: b, to: a}]}", swap), open,
		"services.c.calls[0].to: the call leads back to c",
		"changes[0].policy: the fallback c leads back to a")
}

// stageWants2 fails unless exactly these two mistakes are found.
func stageWants2(t *testing.T, text string, open func(string) ([]byte, error), first, second string) {
	t.Helper()
	_, err := ParseScenario("w.yaml", []byte(text), open)
	all, _ := err.(Errors)
	if len(all) != 2 || !strings.Contains(all[0].Error(), first) || !strings.Contains(all[1].Error(), second) {
		t.Errorf("want %q and %q, got %v", first, second, err)
	}
}
