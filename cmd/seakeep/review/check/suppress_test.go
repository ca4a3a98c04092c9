package check

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/config"
)

// Comments, where they stand, and what is left.
func TestSuppressions(t *testing.T) {
	const dep = "%s\n  a: {timeout: {request: 1s}, bulkhead: {limit: 5}, measured: {rate: 10/s, p99: 100ms}}%s\n"
	for _, c := range []struct{ above, behind, left string }{
		{"", "", "breaker-missing"},
		{"", " # seakeep:ignore breaker-missing: it is a file", ""},
		{"  # seakeep:ignore breaker-missing: it is a file", "", ""},
		{"  # seakeep:ignore breaker-missing: it is a file\n  # on a disk", "", ""},
		{"  # seakeep:ignore breaker-missing: it is a file\n", "", "ignore-unused breaker-missing"}, // a line between
		{"  #   seakeep:ignore   breaker-missing , bulkhead-missing : it is a file", "", "ignore-unused"},
		{"  # seakeep:ignore breaker-missing", "", "ignore-without-reason breaker-missing"},
		{"  # seakeep:ignore breaker-missing:  ", "", "ignore-without-reason breaker-missing"},
		{"  # seakeep:ignore", "", "ignore-unknown breaker-missing"},
		{"  # seakeep:ignore breaker: it is a file", "", "ignore-unknown breaker-missing"},
		{"  # seakeep:ignored breaker-missing: it is a file", "", "breaker-missing"},
		{"  # seakeep:ignore breaker-missing: a\n  # seakeep:ignore breaker-missing: b", "", ""},
		{"  # seakeep:ignore ignore-unused: no", "", "ignore-unused breaker-missing"},
	} {
		text := fmt.Sprintf("version: 1\nservice: s\ndependencies:\n"+dep, c.above, c.behind)
		for _, text := range []string{text, strings.ReplaceAll(text, "\n", "\r\n")} {
			f, err := config.Parse("f", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			var left []string
			for _, v := range Files([]*config.File{f}) {
				left = append(left, v.Rule)
			}
			if got := strings.Join(left, " "); got != c.left {
				t.Errorf("%q behind %q: %q is left, want %q", c.above, c.behind, got, c.left)
			}
		}
	}
}

// A place is where somebody would mend it: at the alias, in the operation.
func TestPlacesOfFindings(t *testing.T) {
	const text = `version: 1
service: s
dependencies:
  a.b:
    kind: critical
    measured: &seen {rate: 10/s, p50: 20ms, p99: 100ms, p999: 200ms}
    timeout: &short {request: 50ms}
    breaker: {}
    bulkhead: &slots {limit: 5}
    operations:
      - name: slow
        match: {path: /slow}
        retry: {attempts: 4, budget: none}
  b:
    measured: *seen
    timeout: *short
    breaker: {}
    bulkhead: *slots
`
	f, err := config.Parse("f", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range Files([]*config.File{f}) {
		got = append(got, fmt.Sprintf("%d:%d %s %s", v.Line, v.Column, v.Rule, v.Path))
	}
	want := []string{
		`7:31 timeout-under-p999 dependencies."a.b".timeout.request`,
		`13:27 retry-too-many dependencies."a.b".operations.slow.retry.attempts`,
		`13:27 total-missing dependencies."a.b".operations.slow.retry.attempts`,
		`13:38 retry-budget-missing dependencies."a.b".operations.slow.retry.budget`,
		`16:14 timeout-under-p999 dependencies.b.timeout.request`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
