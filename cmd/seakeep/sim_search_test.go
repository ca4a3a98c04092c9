package main

import (
	"strings"
	"testing"
)

// What an engineer may ask of the searches that cannot be answered is said
// before anything runs.
func TestSearchFlagsThatCannotBe(t *testing.T) {
	simFiles(t)
	const (
		edge = "edge|tiny.yaml|--vary|services.web.workers|--from|1|--to|9|" +
			"--until|endpoints.page.success > 1%"
		compare    = "compare|tiny.yaml|--set|services.web.workers=20"
		metastable = "metastable|tiny.yaml"
	)
	for _, tc := range []struct {
		args   string
		status int
		stderr string
	}{
		{edge + "|--runs|0", exitUsage, "--runs is 0; give a whole number from 1 to 1000"},
		{edge + "|--runs|-1", exitUsage, "--runs is -1; give"},
		{edge + "|--runs|1000000000", exitUsage, "from 1 to 1000"},
		{edge + "|--within|0", exitUsage, "--within is 0; give a share"},
		{edge + "|--within|NaN", exitUsage, "--within is NaN; give a share"},
		{edge + "|--set|foo", exitUsage, "--set foo: give KEY=VALUE"},
		{edge + "|--set|services.web.workers=-5", exitUsage, "with --set services.web.workers=-5: "},
		{strings.Replace(edge, "tiny", "bad", 1), exitWork, "bad.yaml:"},
		{"edge", exitUsage, "give a scenario file, such as"},
		{compare + "|--runs|0", exitUsage, "--runs is 0; give"},
		{compare + "|--runs|-3", exitUsage, "--runs is -3; give"},
		{"compare", exitUsage, "give a scenario file, such as"},
		{"compare|tiny.yaml", exitUsage, "give a second scenario, or --set"},
		{"compare|-|-", exitUsage, "can be read once only"},
		{"compare|a|b|c", exitUsage, `"c" is left over`},
		{"compare|tiny.yaml|none.yaml", exitWork, "none.yaml: no such file"},
		{metastable + "|--watch|0s", exitUsage, "--watch is 0s; give a time"},
		{metastable + "|--watch|-1s", exitUsage, "--watch is -1s; give a time"},
		{metastable + "|--steps|0", exitUsage, "--steps is 0; give a whole number"},
		{metastable + "|--sizes|1e300", exitUsage, "positive numbers, such as 0.5,1,2, up to 100"},
		{metastable + "|--lengths|1000000h", exitUsage, "up to 24h"},
		{metastable + "|--cuts|x", exitUsage, "give at most 50 times"},
		{metastable + "|--set|name=", exitUsage, "with --set name=: name: is missing"},
		{metastable + "|tiny.yaml", exitUsage, "is left over"},
	} {
		status, stdout, stderr := sim(tc.args, "")
		if status != tc.status || stdout != "" || !strings.Contains(stderr, tc.stderr) {
			t.Errorf("%s: status %d, %q, %q; want %d, %q", tc.args, status, stdout, stderr,
				tc.status, tc.stderr)
		}
	}
}

func TestCompareReadsStandardInput(t *testing.T) {
	simFiles(t)
	status, stdout, stderr := sim("compare|-|--set|services.web.workers=1|--runs|1", simScenario)
	if status != exitOK || stderr != "" {
		t.Fatalf("status %d, %s", status, stderr)
	}
	for _, want := range []string{"A: stdin\nB: stdin with services.web.workers=1\none run each", "unknown"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
}
