package config

import (
	"slices"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/internal/race"
)

func TestSet(t *testing.T) {
	const text = "version: 1\n" +
		"dependencies:\n" +
		"  pricing: &p\n" +
		"    timeout: {request: 250ms} # the limit\n" +
		"    operations:\n" +
		"    - {name: quote, retry: {attempts: 2}}\n" +
		"  inventory: *p\n" +
		"  stock: {<<: *p, bulkhead: {limit: 3}, breaker: {trials: 3}, outlier: {consecutive: 3}}\n" +
		"  a.b: {kind: optional}\n"
	for _, tc := range []struct {
		path, value string
		want        string // a part of the new text that the old one has not
		gone        string // a part of the old text that the new one has not
	}{
		{"version", "2", "version: 2\n", "version: 1"},
		{"dependencies.pricing.timeout.request", "1s", "timeout: {request: 1s} # the limit", ""},
		{"dependencies.pricing.timeout.total", "2s", "{request: 250ms, total: 2s}", ""},
		{"dependencies.pricing.retry.attempts", "3", "retry:\n      attempts: 3", ""},
		{"dependencies.pricing.bulkhead", "{limit: 60, queue: 0}", "bulkhead: {limit: 60, queue: 0}", ""},
		{"dependencies.pricing.operations.quote.retry.attempts", "1", "attempts: 1", ""},
		{"dependencies.pricing.operations.0.retry.attempts", "1", "attempts: 1", ""},
		{"dependencies.pricing.operations.0", "{name: x}", "{name: x}", ""},
		{"dependencies.pricing.operations.quote", "", "operations: []", ""},
		{`dependencies."a.b".kind`, "critical", "kind: critical", "optional"},
		{"dependencies.stock.bulkhead", "", "stock: {<<: ", "bulkhead"},
		{"dependencies.stock.outlier.consecutive.local", "2", "consecutive: {errors: 3, local: 2}", ""},
		{"dependencies.stock.breaker.trials.wait", "1s", "trials: {calls: 3, wait: 1s}", ""},
	} {
		out, err := Set([]byte(text), tc.path, tc.value)
		if err != nil {
			t.Errorf("%s=%s: %v", tc.path, tc.value, err)
			continue
		}
		if got := string(out); !strings.Contains(got, tc.want) ||
			tc.gone != "" && strings.Contains(got, tc.gone) {
			t.Errorf("%s=%s gives\n%s", tc.path, tc.value, got)
		}
	}
}

func TestSetRefuses(t *testing.T) {
	const text = "for: 5s\nservices:\n  checkout: {queue: refuse, policy: a.yaml}\nexpect: [a, b]\n"
	for _, tc := range []struct{ path, value, want string }{
		{"", "1", "is not a key"},
		{"services..x", "1", "services..x: is not a key"},
		{`services."x`, "1", "a quote is not closed"},
		{`services."x"y`, "1", "a dot should follow the quote"},
		{"services.chekout.workers", "1", "services.chekout is not there; did you mean checkout?"},
		{"services.other", "{}", "services.other is not there; give one of checkout"},
		{"services.checkout.policy.x", "9", "services.checkout.policy is a.yaml, which is no section; " +
			"give all of it, such as services.checkout.policy={x: ...}"},
		{"services.checkout.workers", "", "services.checkout.workers is not there to be removed"},
		{"services.checkout.cache.hits", "", "services.checkout.cache.hits is not there to be removed"},
		{"expect.2", "c", "expect has no entry 2; give one from 0 to 1"},
		{"expect.c", "c", "expect has no entry c"},
		{"for", "{", `for: "{" is not a value of YAML`},
		{"for", "*x", `for: "*x" is not a value of YAML`},
	} {
		_, err := Set([]byte(text), tc.path, tc.value)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s=%s: %v; want %q", tc.path, tc.value, err, tc.want)
		}
	}
	if _, err := Set([]byte("a: ["), "a", "1"); err == nil {
		t.Error("what is no YAML was edited")
	}
	if _, err := Set([]byte("a: &x [*x]"), "a", "1"); err == nil {
		t.Error("an alias that contains itself was edited")
	}
}

// values returns what is in effect, without where it comes from.
func values(t *testing.T, data []byte) (all []string) {
	t.Helper()
	f, err := Parse("seakeep.yaml", data)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range f.Effective() {
		all = append(all, e.Path+" = "+e.Value)
	}
	return all
}

// A change changes what it names and nothing else, though the file is full of
// anchors, merges and operations that inherit.
func TestSetChangesOneThing(t *testing.T) {
	text := source(t, "../examples/checkout/seakeep.yaml")
	before := values(t, text)
	for _, tc := range []struct{ path, value string }{
		{"dependencies.pricing.timeout.request", "251ms"},
		{"dependencies.inventory.timeout.reserve", "7ms"},
		{"dependencies.recommendations.timeout.connect", "99ms"},
		{"dependencies.inventory.retry.budget.ratio", "20%"},
		{"dependencies.inventory.breaker.open.for", "6s"},
		{"dependencies.recommendations.bulkhead.limit", "25"},
		{"dependencies.recommendations.fallback.order.0.omit.status", "404"},
		{"admin.listen", "127.0.0.1:1"},
	} {
		out, err := Set(text, tc.path, tc.value)
		if err != nil {
			t.Fatal(err)
		}
		var changed []string
		after := values(t, out)
		for _, line := range after {
			if !slices.Contains(before, line) {
				changed = append(changed, line)
			}
		}
		// Pricing's operations inherit from it, and that is meant.
		name := tc.path[strings.LastIndexByte(tc.path, '.')+1:]
		for _, line := range changed {
			own := strings.HasPrefix(line, strings.Join(strings.Split(tc.path, ".")[:2], "."))
			if !own || !strings.Contains(line, name+" = "+tc.value) {
				t.Errorf("%s=%s changed %s", tc.path, tc.value, line)
			}
		}
		if len(changed) == 0 || len(after) != len(before) {
			t.Errorf("%s=%s changed %d lines, %d of %d are left", tc.path, tc.value, len(changed),
				len(after), len(before))
		}
	}
}

// Whatever is set to what it is stays what it is.
func TestSetToItself(t *testing.T) {
	race.OneGoroutine(t)
	text := source(t, "../examples/checkout/seakeep.yaml")
	f, err := Parse("seakeep.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	before, tried := values(t, text), 0
	for _, e := range f.Effective() {
		if e.Source != FromFile || strings.ContainsAny(e.Value, "{[\" ") ||
			strings.HasSuffix(e.Path, "fallback.order") || strings.HasSuffix(e.Path, ".body") {
			continue
		}
		path := strings.NewReplacer("[", ".", "]", "").Replace(e.Path)
		out, err := Set(text, path, e.Value)
		if err != nil {
			t.Errorf("%s=%s: %v", path, e.Value, err)
			continue
		}
		if f, err := Parse("seakeep.yaml", out); err != nil || f == nil {
			continue // shown in another form than it is written: a template's text
		}
		tried++
		if !slices.Equal(values(t, out), before) {
			t.Errorf("%s=%s changed something", path, e.Value)
		}
	}
	if tried < 50 {
		t.Errorf("only %d values were tried", tried)
	}
}

func FuzzSet(f *testing.F) {
	f.Add("a: {b: 1}", "a.b", "2")
	f.Add("a: &x [1, *x]", "a.0", "")
	f.Add("a: &x {b: 1}\nc: {<<: *x}", "c.b", "{d: e}")
	f.Fuzz(func(t *testing.T, data, path, value string) {
		out, err := Set([]byte(data), path, value)
		if err != nil || value == "" {
			return
		}
		if _, err := treeOf(out); err != nil {
			t.Errorf("%q with %s=%s gives %q, which is no YAML: %v", data, path, value, out, err)
		}
	})
}
