package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	shop       = "version: 1\nservice: shop\ndependencies:\n"
	goodPolicy = shop + "  a: {}\n"
	warnPolicy = shop + "  a: {timeout: {request: 2s, total: 1s}}\n  b: {}\n"
	badPolicy  = "version: 2\nservice: shop\ndependencies:\n  a: {timeout: {request: 400}}\n"
)

// policyFiles writes files into a new folder and goes there.
func policyFiles(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	texts := map[string]string{"good": goodPolicy, "warn": warnPolicy, "bad": badPolicy}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

const (
	badText = "bad.yaml:1:10: version: 2 is not known here; use 1\n" +
		"    1 | version: 2\n      |          ^\n" +
		"bad.yaml:4:26: dependencies.a.timeout.request: 400 has no unit; " +
		"give a time from 1µs to 8760h, such as 250ms\n" +
		"    4 |   a: {timeout: {request: 400}}\n      |                          ^\n"
	warnText = "warn.yaml:4:26: warning: dependencies.a.timeout.request: 2s is never reached, " +
		"because total ends the call after 1s; give less than total\n" +
		"    4 |   a: {timeout: {request: 2s, total: 1s}}\n      |                          ^\n"
)

func TestValidate(t *testing.T) {
	policyFiles(t)
	for _, tc := range []struct {
		args, stdin    string
		status         int
		stdout, stderr string
	}{
		{"good.yaml", "", exitOK, "good.yaml: ok, 1 dependency\n", ""},
		{"warn.yaml", "", exitOK, "warn.yaml: ok, 2 dependencies, 1 warning\n", warnText},
		{"bad.yaml", "", exitWork, "", badText + "seakeep: bad.yaml cannot be used\n"},
		{"good.yaml bad.yaml warn.yaml", "", exitWork,
			"good.yaml: ok, 1 dependency\nwarn.yaml: ok, 2 dependencies, 1 warning\n",
			badText + warnText + "seakeep: 1 of 3 files cannot be used\n"},
		{"-", goodPolicy, exitOK, "stdin: ok, 1 dependency\n", ""},
		{"-", "", exitWork, "", "stdin:1:1: the file is empty; " +
			"start with version: 1, service:, and dependencies: or serve:\n    1 | \n      | ^\n" +
			"seakeep: stdin cannot be used\n"},
		{"none.yaml", "", exitWork, "",
			"open none.yaml: no such file or directory\nseakeep: none.yaml cannot be used\n"},
		{"", "", exitUsage, "", "seakeep: give a policy file, such as seakeep.yaml, " +
			"or - for standard input\nRun 'seakeep validate --help' for usage.\n"},
		{"- -", "", exitUsage, "", "seakeep: standard input, -, can be read once only\n" +
			"Run 'seakeep validate --help' for usage.\n"},
		{"-o xml good.yaml", "", exitUsage, "", "seakeep: --output is \"xml\"; use text or json\n" +
			"Run 'seakeep validate --help' for usage.\n"},
	} {
		args := append([]string{"validate"}, strings.Fields(tc.args)...)
		status, stdout, stderr := runCommand(tc.stdin, args...)
		if status != tc.status || stdout != tc.stdout || stderr != tc.stderr {
			t.Errorf("validate %s: status %d, want %d\nstdout:\n%s\nwant:\n%s\n"+
				"stderr:\n%s\nwant:\n%s",
				tc.args, status, tc.status, stdout, tc.stdout, stderr, tc.stderr)
		}
	}
}

func TestValidateJSON(t *testing.T) {
	policyFiles(t)
	status, stdout, stderr := runCommand("", "validate", "--output", "json", "--values",
		"bad.yaml", "warn.yaml", "none.yaml")
	if status != exitWork || stderr != "seakeep: 2 of 3 files cannot be used\n" {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
	type mistake struct {
		File, Path, Problem, Fix string
		Line, Column             int
	}
	var report struct {
		Files []struct {
			File, Service    string
			OK               bool
			Dependencies     int
			Errors, Warnings []mistake
			Values           []inEffect
		}
	}
	if err := json.Unmarshal([]byte(stdout), &report); err != nil || len(report.Files) != 3 {
		t.Fatalf("%v in\n%s", err, stdout)
	}
	bad, warn, none := report.Files[0], report.Files[1], report.Files[2]
	want := mistake{"bad.yaml", "dependencies.a.timeout.request", "400 has no unit",
		"give a time from 1µs to 8760h, such as 250ms", 4, 26}
	if bad.OK || bad.File != "bad.yaml" || len(bad.Errors) != 2 || bad.Errors[1] != want {
		t.Errorf("the bad file is reported as %+v", bad)
	}
	if !warn.OK || warn.Dependencies != 2 || warn.Service != "shop" || len(warn.Warnings) != 1 ||
		warn.Warnings[0].Line != 4 || warn.Errors == nil {
		t.Errorf("the file with a warning is reported as %+v", warn)
	}
	if none.OK || len(none.Errors) != 1 || none.Errors[0].Line != 0 {
		t.Errorf("the file that is not there is reported as %+v", none)
	}
	found := false
	for _, v := range warn.Values {
		found = found || v == inEffect{"dependencies.a.timeout.request", "2s", "file", 4}
	}
	if !found || len(bad.Values) != 0 {
		t.Errorf("the values in effect are %+v", warn.Values)
	}
}

// F171: whether a value was given or is a default stays visible.
func TestF171ValidateShowsWhereValuesComeFrom(t *testing.T) {
	policyFiles(t)
	status, stdout, _ := runCommand("", "validate", "--values", "warn.yaml")
	if status != exitOK {
		t.Fatalf("status %d", status)
	}
	for _, want := range []string{"dependencies.a.timeout.request 2s (file, line 4)",
		"dependencies.a.timeout.reserve 0s (default)", "dependencies.b.breaker off (default)"} {
		if !strings.Contains(strings.Join(strings.Fields(stdout), " "), want) {
			t.Errorf("%q is not in\n%s", want, stdout)
		}
	}
}

// The example that the documents point to needs no warning.
func TestValidateExample(t *testing.T) {
	status, stdout, stderr := runCommand("", "validate", "../../examples/checkout/seakeep.yaml")
	if status != exitOK || stderr != "" || !strings.HasSuffix(stdout, ": ok, 6 dependencies\n") {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}

// A scenario is judged with the policy files that it names.
func TestValidateScenario(t *testing.T) {
	const cascade = "../../testdata/scenarios/checkout-cascade.yaml"
	status, stdout, stderr := runCommand("", "validate", "--scenario", cascade)
	if status != exitOK || !strings.HasSuffix(stdout, ": ok, 4 services, 1 client\n") {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
	if status, _, _ := runCommand("", "validate", cascade); status != exitWork {
		t.Errorf("a scenario passed for a policy: status %d", status)
	}
}
