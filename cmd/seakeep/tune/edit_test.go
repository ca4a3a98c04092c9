package tune

import (
	"os"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/config"
)

const shared = `version: 1   # kept
service: shop
dependencies:
  a:
    timeout: &times
      connect: 50ms   # why
      request: 150ms
    # about retries
    retry: &retries {attempts: 2, budget: {ratio: 10%, floor: 3/s}}
    bulkhead: &slots {limit: 30}
  b:
    timeout: {<<: *times, request: 200ms}
    retry: *retries
    bulkhead: *slots
  c:
    timeout:
      <<: *times
    retry:
      <<: *retries
    bulkhead: *slots  # its own comment
    breaker: {}
`

func TestSetText(t *testing.T) {
	for _, tc := range []struct {
		keys, value string
		want        []string // lines that are new
	}{
		{"a.timeout.connect", "40ms", []string{"      connect: 40ms   # why",
			"    timeout: {<<: *times, request: 200ms, connect: 50ms}", "      connect: 50ms"}},
		{"b.timeout.request", "170ms", []string{"    timeout: {<<: *times, request: 170ms}"}},
		{"b.timeout.connect", "40ms", []string{"    timeout: {<<: *times, request: 200ms, connect: 40ms}"}},
		{"b.retry.budget.floor", "1/s", []string{"    retry: {<<: *retries, budget: {ratio: 10%, floor: 1/s}}"}},
		{"b.bulkhead.limit", "12", []string{"    bulkhead: {<<: *slots, limit: 12}"}},
		{"a.bulkhead.limit", "12", []string{"    bulkhead: &slots {limit: 12}",
			"    bulkhead: {<<: *slots, limit: 30}", "    bulkhead: {<<: *slots, limit: 30}  # its own comment"}},
		{"c.timeout.request", "99ms", []string{"      request: 99ms"}},
		{"c.breaker.calls", "30", []string{"    breaker: {calls: 30}"}},
		{"c.measured", "{rate: 5/s}", []string{"    measured: {rate: 5/s}"}},
		{"c.hedge.after", "5ms", []string{"    hedge: {after: 5ms}"}},
	} {
		keys := append([]string{"dependencies"}, strings.Split(tc.keys, ".")...)
		got, err := setText([]byte(shared), keys, tc.value)
		if err != nil {
			t.Errorf("%s: %v", tc.keys, err)
			continue
		}
		old := map[string]int{}
		for _, l := range strings.Split(shared, "\n") {
			old[l]++
		}
		var fresh []string
		for _, l := range strings.Split(string(got), "\n") {
			if old[l]--; old[l] < 0 {
				fresh = append(fresh, l)
			}
		}
		if strings.Join(fresh, "\n") != strings.Join(tc.want, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", tc.keys, strings.Join(fresh, "\n"), strings.Join(tc.want, "\n"))
		}
		sameAsSet(t, []byte(shared), got, strings.Join(keys, "."), tc.value)
	}
	for _, keys := range []string{"a.retry.attempts.more", "a.timeout", "a.timeout.total"} {
		if got, err := setText([]byte(shared), append([]string{"dependencies"}, strings.Split(keys, ".")...), "1s"); err == nil {
			t.Errorf("%s is changed:\n%s", keys, got)
		}
	}
}

// What the text comes to is what Set comes to, which writes aliases out.
func sameAsSet(t *testing.T, before, after []byte, path, value string) {
	t.Helper()
	reference, err := config.Set(before, path, value)
	if err != nil {
		t.Fatal(err)
	}
	if diff := differs(reference, after); diff != "" {
		t.Errorf("%s: %s\n%s", path, diff, after)
	}
}

// The example has anchors of every kind. Each of its keys can be changed, or is
// refused with a reason, and what is changed is that key alone.
func TestSetTextInTheExample(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../examples/checkout/seakeep.yaml")
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for _, dep := range []string{"inventory", "pricing", "payments", "fraud", "recommendations", "email"} {
		for path, value := range map[string]string{"timeout.request": "123ms", "timeout.connect": "12ms",
			"bulkhead.limit": "77", "retry.budget.floor": "0.7/s", "breaker.calls": "31", "breaker.slow.over": "97ms",
			"measured.p999": "9s", "connections": "{max: 80}"} {
			keys := append([]string{"dependencies", dep}, strings.Split(path, ".")...)
			got, err := setText(text, keys, value)
			if err != nil {
				t.Logf("%s.%s: %v", dep, path, err)
				continue
			}
			changed++
			sameAsSet(t, text, got, strings.Join(keys, "."), value)
			if strings.Count(string(got), "#") != strings.Count(string(text), "#") {
				t.Errorf("%s.%s: a comment is gone", dep, path)
			}
		}
	}
	if changed < 40 {
		t.Errorf("only %d could be changed", changed)
	}
}

// Of a file that loads a change leaves one that loads, with every line that was
// a comment, and with the value that was to be; or nothing is changed.
func FuzzSetText(f *testing.F) {
	f.Add(shared, "dependencies.a.timeout.connect", "5ms")
	f.Add(shared, "dependencies.c.breaker.calls", "30")
	f.Add(guessed, "dependencies.pricing.timeout.false-timeouts", "1%")
	f.Add("a: {b: 'x'}\n", "a.b", "1")
	f.Add("a:\n- b: 1\n", "a.b", "1")
	f.Fuzz(func(t *testing.T, text, path, value string) {
		_, _ = setText([]byte(text), strings.Split(path, "."), value)
		if _, err := config.Parse("f", []byte(text)); err != nil {
			return
		}
		out, made, left := apply([]byte(text), []change{{path, value}})
		if len(made) == 0 && (string(out) != text || left[path] == nil) {
			t.Fatalf("nothing was made, and the text is\n%s", out)
		}
		if _, err := config.Parse("f", out); err != nil {
			return // the value may be none that a file takes, which Run finds
		}
		if len(made) > 0 {
			sameAsSet(t, []byte(text), out, path, value)
		}
		if a, b := comments(text), comments(string(out)); a != b {
			t.Fatalf("comments\n%s\nare now\n%s", a, b)
		}
	})
}

// comments are the lines that are nothing else.
func comments(text string) string {
	var all []string
	for _, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") {
			all = append(all, line)
		}
	}
	return strings.Join(all, "\n")
}
