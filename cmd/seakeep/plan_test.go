package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// The example comes to the page that package review pins.
func TestPlan(t *testing.T) {
	want, err := os.ReadFile("review/testdata/checkout.txt")
	if err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr := runCommand("", "plan", "../../examples/checkout/seakeep.yaml")
	_, page, _ := strings.Cut(stdout, "\n")
	_, pinned, _ := strings.Cut(string(want), "\n")
	if status != exitOK || stderr != "" || page != pinned {
		t.Errorf("status %d, stderr %q, stdout\n%s", status, stderr, stdout)
	}
	data, err := os.ReadFile("../../examples/checkout/seakeep.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, stdout, _ := runCommand(string(data), "plan", "-"); !strings.HasPrefix(stdout, "stdin: checkout\n") {
		t.Errorf("of standard input:\n%s", stdout)
	}
}

func TestPlanJSON(t *testing.T) {
	status, stdout, stderr := runCommand("", "plan", "-o", "json", "../../examples/checkout/seakeep.yaml")
	var sheet struct {
		Service      string
		Dependencies []struct {
			Name  string
			Worst struct{ MS float64 }
		}
	}
	if err := json.Unmarshal([]byte(stdout), &sheet); err != nil || status != exitOK || stderr != "" {
		t.Fatal(status, stderr, err)
	}
	if len(sheet.Dependencies) != 6 || sheet.Service != "checkout" || sheet.Dependencies[0].Worst.MS != 325 {
		t.Errorf("%+v", sheet)
	}
}

func TestPlanOfWhatIsNoPolicy(t *testing.T) {
	policyFiles(t)
	for _, tc := range []struct {
		args   string
		status int
		stderr string
	}{
		{"bad.yaml", exitWork, "bad.yaml:1:10: version: 2 is not known here; use 1"},
		{"none.yaml", exitWork, "open none.yaml: no such file or directory"},
		{"", exitUsage, "give one policy file, such as seakeep.yaml, or - for standard input"},
		{"good.yaml bad.yaml", exitUsage, "give one policy file"},
		{"-o xml good.yaml", exitUsage, "--format is \"xml\"; use text, table, md, html, json"},
	} {
		status, stdout, stderr := runCommand("", append([]string{"plan"}, strings.Fields(tc.args)...)...)
		if status != tc.status || stdout != "" || !strings.Contains(stderr, tc.stderr) {
			t.Errorf("plan %s: status %d, stdout %q, stderr %q", tc.args, status, stdout, stderr)
		}
	}
}
