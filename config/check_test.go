package config

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/budget"
	"github.com/seakeep/seakeep/core/bulkhead"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/deadline"
	"github.com/seakeep/seakeep/core/hedge"
	"github.com/seakeep/seakeep/core/retry"
	"github.com/seakeep/seakeep/core/stale"
	"github.com/seakeep/seakeep/core/throttle"
	"github.com/seakeep/seakeep/core/window"
)

// section reads text as one section, such as a rung.
func section(t *testing.T, text string) *object {
	t.Helper()
	var doc yaml.Node
	if err := yaml.Load([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	d := newDecoder("seakeep.yaml", policyFile)
	return objectOf(&field{d: d, node: doc.Content[0], path: "a.breaker"}, "a section")
}

// A policy may know conditions that the readers do not. What it says then is
// placed at the key, or at the closest section around it.
func TestAPolicysOwnVerdictIsPlaced(t *testing.T) {
	o := section(t, "open:\n  for: 3s\ntrials: 3\n")
	o.check(errors.Join(
		errors.New("Open.For: is too odd; give an even time"),
		fmt.Errorf("wrapped: %w", errors.New("x")), // a field that nobody mapped
		errors.Join(errors.New("Trials.Calls: is odd"), errors.New("Open.Cap: is lost")),
	), breakerFields)
	want := []string{
		"seakeep.yaml:2:8: a.breaker.open.for: is too odd; give an even time",
		"seakeep.yaml:1:1: a.breaker: x",
		"seakeep.yaml:3:9: a.breaker.trials.calls: is odd",
		"seakeep.yaml:2:3: a.breaker.open.cap: is lost",
	}
	if got := o.d.errs.Error(); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	broken := section(t, "open: {}")
	broken.d.failAt(1, 1, "a.breaker.open.for", "is bad", "")
	broken.check(errors.New("Open.For: follows from that"), breakerFields)
	if len(broken.d.errs) != 1 {
		t.Errorf("a mistake has a second one behind it: %v", broken.d.errs)
	}
}

// Every field that a policy can complain about has a key in the file.
func TestEveryFieldHasAKey(t *testing.T) {
	bad := math.NaN()
	has := func(fields map[string]string, errs ...error) {
		t.Helper()
		for _, e := range split(errors.Join(errs...)) {
			name, _, _ := strings.Cut(e.Error(), ": ")
			if fields[name] == "" {
				t.Errorf("no key for the field of %q", e)
			}
		}
	}
	has(breakerFields, breaker.Config{}.Validate(), breaker.Config{
		Window: window.Config{Calls: -1, Over: -1, Consecutive: -1}, MinCalls: -1, Failures: bad,
		Slow: breaker.Slow{Over: -1, Share: bad}, Ramp: -1, Counts: 9,
		Open:   breaker.Pause{For: -1, Cap: -1, Jitter: bad, Growth: bad},
		Trials: breaker.Trials{Calls: -1, AtOnce: -1, Pass: bad, Wait: -1}}.Validate(),
		breaker.Config{Window: window.Config{Consecutive: 1}, Failures: 1,
			Slow: breaker.Slow{Over: 1, Share: 1}}.Validate())
	has(retryFields, retry.Config{MaxWait: -1, Idempotent: 9, Causes: math.MaxUint16,
		Backoff: retry.Backoff{Base: -1, Cap: -1, Factor: bad, Jitter: 9}}.Validate())
	for kind := range budget.Concurrent + 1 {
		has(budgetFields(kind), budget.Config{Kind: kind, Ratio: bad, Floor: bad, Window: -1,
			MaxTokens: bad}.Validate())
	}
	has(bulkheadFields, bulkhead.Config{Queue: -1, Wait: -1, Holds: 9}.Validate(),
		bulkhead.Config{Limit: 1, Queue: 1}.Validate())
	has(throttleFields, throttle.Config{K: bad, Window: -1, Cap: bad, Minimum: -1}.Validate())
	has(hedgeFields, hedge.Config{After: -1, Quantile: bad, Copies: -1, Budget: bad, Window: -1,
		Minimum: -1, Slow: bad}.Validate())
	has(timeoutFields, deadline.Config{Request: -1, Total: -1, Reserve: -1, Needs: -1}.Validate())
	has(cacheFields, stale.Config{Fresh: -1, Stale: -1, Entries: -1, Bytes: -1}.Validate())
}

// F176: what the readers let through is what the policies take, at both ends.
func TestF176PoliciesTakeTheReadersBounds(t *testing.T) {
	for _, body := range []string{
		"retry: {attempts: 8, backoff: {base: 8760h, cap: 8760h, factor: 100}}",
		"retry: {attempts: 2, budget: {ratio: 100%, floor: 1000000/s, window: 1h}}",
		"retry: {attempts: 1, backoff: {base: 0s, cap: 1us, factor: 1}, max-wait: 1us}",
		"retry: {attempts: 2, budget: {tokens: 1, ratio: 0.1%}}",
		"retry: {attempts: 2, budget: {tokens: 1000, ratio: 100%}}",
		"retry: {attempts: 2, budget: {concurrent: 0%, floor: 1}}",
		"retry: {attempts: 2, budget: {concurrent: 0.1%, floor: 1000000}}",
		"breaker: {window: 1ms, calls: 1, failures: 0.01%, open: {for: 1ms, cap: 1ms, jitter: 99%}}",
		"breaker: {window: 24h, calls: 1000000, failures: 100%, open: {for: 8760h, growth: 100}}",
		"breaker: {window: 100000 calls, calls: 100000, ramp: 8760h, open: {growth: 1, cap: 8760h}}",
		"breaker: {window: 1 calls, failures: none, slow: {over: 1us, share: 0.01%}}",
		"breaker: {failures: 100%, trials: {calls: 1, pass: 0.01%, wait: 1ms}}",
		"breaker: {trials: {calls: 1000, at-once: 64, wait: 8760h}}",
		"breaker: {window: {consecutive: 1000000}, ramp: 1ms}",
		"bulkhead: {limit: 1000000, queue: 1000000}, timeout: {acquire: 1us}",
		"timeout: {request: 8760h, total: 8760h, reserve: 8760h, needs: 8760h}",
		"throttle: {k: 1, window: 10ms, cap: 0.01%, minimum: 1}",
		"throttle: {k: 1000, window: 1h, cap: 99%, minimum: 1000000}",
		"hedge: {after: 1ms, copies: 1, budget: 0.1%, window: 1s, minimum: 1, slow: 1%}",
		"hedge: {after: p50, copies: 4, budget: 100%, window: 1h, minimum: 1000000, slow: 100%}",
		"hedge: {after: p9999}", "hedge: {after: 1h}",
	} {
		f := mustParse(t, dependency(body))
		if _, err := call.New(f.Dependencies[0].Call, 1, nil); err != nil {
			t.Errorf("%s passes Parse, but: %v", body, err)
		}
	}
	watches := func(w window.Config) call.Config {
		return call.Config{Breaker: &breaker.Config{Window: w, Failures: 1,
			Open: breaker.Pause{For: time.Second}}}
	}
	if err := watches(window.Config{Calls: 100_000}).Validate(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []call.Config{
		watches(window.Config{Over: 24*time.Hour + 1}),
		watches(window.Config{Calls: 100_001}),
		watches(window.Config{Consecutive: 1_000_001}),
		{Retry: &retry.Config{Attempts: maxAttempts + 1}},
		{Budget: &budget.Config{Kind: budget.Tokens, MaxTokens: 1001, Ratio: 1}},
		{Budget: &budget.Config{Ratio: 1, Window: 61 * time.Minute}},
		{Throttle: &throttle.Config{K: 1001}}, {Throttle: &throttle.Config{K: 0.999}},
		{Throttle: &throttle.Config{Window: 61 * time.Minute}},
		{Throttle: &throttle.Config{Window: 9 * time.Millisecond}},
		{Hedge: &hedge.Config{Quantile: 0.99991}}, {Hedge: &hedge.Config{Copies: 5}},
		{Hedge: &hedge.Config{Budget: 1.01}}, {Hedge: &hedge.Config{Budget: 0.0009}},
		{Hedge: &hedge.Config{Window: 61 * time.Minute}}, {Hedge: &hedge.Config{Minimum: 1_000_001}},
		{Hedge: &hedge.Config{Slow: 1.01}},
		{Throttle: &throttle.Config{Cap: 0.991}}, {Throttle: &throttle.Config{Minimum: 1_000_001}},
	} {
		if c.Validate() == nil {
			t.Errorf("a policy takes more than the file allows: %+v", c)
		}
	}
}
