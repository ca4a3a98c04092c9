package check

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/internal/race"
)

// Each mistake is made in the example that is clean, with other numbers than the
// rules' own files have. It is found, and its changes mend it: no error comes
// that was not there.
func TestMistakesInTheExample(t *testing.T) {
	race.OneGoroutine(t)
	list, err := os.ReadFile("testdata/mistakes.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(list)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		n++
		rule, made, _ := strings.Cut(line, " ")
		t.Run(line, func(t *testing.T) {
			files := mistaken(t, made)
			found := Files(files)
			was := func(f Finding) bool {
				return slices.ContainsFunc(found, func(b Finding) bool { return b.Rule == f.Rule && b.Path == f.Path })
			}
			if !slices.ContainsFunc(found, func(f Finding) bool { return f.Rule == rule }) {
				t.Fatalf("not found; but %v", found)
			}
			for _, f := range found {
				if len(f.Changes) == 0 {
					continue
				}
				for _, left := range Files(mend(t, files, f)) {
					if left.Rule == f.Rule && left.Path == f.Path {
						t.Errorf("%s is still there after %v: %s", f.Rule, f.Changes, left.Why)
					} else if left.Severity == Error && !was(left) {
						t.Errorf("%s: %v makes %s: %s", f.Rule, f.Changes, left.Rule, left.Why)
					}
				}
			}
		})
	}
	if n < 100 {
		t.Errorf("only %d mistakes", n)
	}
}

// What a file leaves to the defaults, or decides for good reasons, is no finding.
func TestSaneSettingsAreSilent(t *testing.T) {
	for _, made := range []string{
		"email.retry = {attempts: 3}", // 3/s of retries at 5/s, as by default
		"fraud.breaker = {window: {consecutive: 5}}",
		"fraud.breaker = {window: {consecutive: 5}, per: key, key: X-Tenant} ; fraud.measured.rate = 49/s",
		"fraud.timeout.request = 120ms ; fraud.timeout.false-timeouts = 1%",
		"fraud.timeout.request = 85ms ; fraud.timeout.false-timeouts = 10%",
		"payments.breaker.window = 2m",
		"payments.retry.backoff.base = 30ms",
		"recommendations.health = {path: /healthz}",
		"recommendations.health = {path: /alliances/livez}",
		"recommendations.outlier = {consecutive: {errors: none, gateway: 3}}",
		"fraud.failover = {to: recommendations}",
		"fraud.bulkhead.queue = 2 ; fraud.timeout.acquire = 20ms",
		"slo = {objectives: [{name: c, objective: 99%, latency: 150ms, dependency: fraud}]}",
		"pricing.retry = {attempts: 2, budget: {tokens: 100, ratio: 10%}}",
	} {
		for _, f := range Files(mistaken(t, made)) {
			t.Errorf("%s: %s: %s: %s", made, f.Path, f.Rule, f.Why)
		}
	}
}

// mistaken is the example with keys that have other values.
func mistaken(t *testing.T, made string) []*config.File {
	t.Helper()
	text, err := os.ReadFile(examples + "/seakeep.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range strings.Split(made, ";") {
		key, value, _ := strings.Cut(set, "=")
		key = strings.TrimSpace(key)
		if !strings.HasPrefix(key, "serve") && !strings.HasPrefix(key, "slo") && !strings.HasPrefix(key, "admin") {
			key = "dependencies." + key
		}
		if text, err = config.Set(text, key, strings.TrimSpace(value)); err != nil {
			t.Fatal(err)
		}
	}
	f, err := config.Parse("mistaken.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	return []*config.File{f}
}

// The policy on the first page that anybody reads is one to copy.
func TestReadmeIsClean(t *testing.T) {
	page, err := os.ReadFile("../../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(page), "```yaml\nversion: 1\nservice")
	text, _, _ = strings.Cut(text, "```")
	f, err := config.Parse("README.md", []byte("version: 1\nservice"+text))
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	for _, f := range Files([]*config.File{f}) {
		t.Errorf("%s: %s: %s", f.Path, f.Rule, f.Why)
	}
}
