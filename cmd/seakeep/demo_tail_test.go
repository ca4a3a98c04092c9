package main

import (
	"encoding/json"
	"testing"

	"go.uber.org/goleak"
)

func TestTailFlagsThatCannotBe(t *testing.T) {
	for args, problem := range map[string]string{
		"tail --rate NaN":              "--rate is NaN",
		"tail --rate 0":                "--rate is 0; give requests a second",
		"tail --for 1":                 `"1" for "--for"`,
		"tail --for 999ms":             "--for is 999ms",
		"tail --warm-up 2m":            "--warm-up is 2m0s",
		"tail --rate 5000 --for 10m":   "requests a run; give less",
		"tail more":                    "more",
		"tail --seed -1":               `"-1" for "--seed"`,
		"tail --loads 1 --policy":      "unknown flag: --loads",
		"tail --policy --rate 5000000": "--rate is 5e+06",
	} {
		t.Run(args, func(t *testing.T) {
			status, stdout, stderr := runDemo(t, args)
			if status != exitUsage {
				t.Errorf("status %d, want %d", status, exitUsage)
			}
			expect(t, "standard output", stdout, "")
			expect(t, "standard error", stderr, problem)
		})
	}
}

// With --json a program reads standard output, so nothing else may be there. So
// short a run on a machine that may be busy promises nothing.
func TestDemoTailJSON(t *testing.T) {
	defer goleak.VerifyNone(t)
	status, stdout, stderr := runDemo(t, "tail --rate 60 --warm-up 0s --for 1s --seed 7 --json")
	if status != exitOK {
		t.Fatalf("status %d: %s", status, stderr)
	}
	type variant struct {
		P50      float64 `json:"p50_ms"`
		P99      float64 `json:"p99_ms"`
		P999     float64 `json:"p999_ms"`
		Extra    float64 `json:"extra_load"`
		Ejected  []any
		Requests int
	}
	var r struct {
		Variants, Beside map[string]variant
		AllSlow          *variant `json:"all_slow"`
		Budget           float64  `json:"hedge_budget"`
		Holds            []struct{ Held bool }
		Seed             uint64
	}
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("%v in %s", err, stdout)
	}
	if len(r.Variants) != 4 || len(r.Beside) != 1 || r.AllSlow == nil || r.Seed != 7 ||
		r.Budget != 0.05 || len(r.Holds) != 6 {
		t.Errorf("%+v", r)
	}
	for name, v := range r.Variants {
		if v.Requests < 30 || v.Requests > 90 || v.P50 < 5 || v.P99 < v.P50 || v.P999 < v.P99 ||
			v.Ejected == nil || name == "none" && v.Extra != 0 {
			t.Errorf("%s: %+v", name, v)
		}
	}
	expect(t, "standard error", stderr, "20 replicas behind the proxy")
}

// Each variant's file can be printed, read and used elsewhere.
func TestDemoTailPolicies(t *testing.T) {
	status, stdout, stderr := runDemo(t, "tail --policy")
	if status != exitOK || stderr != "" {
		t.Errorf("status %d: %s", status, stderr)
	}
	for _, part := range []string{"# none.yaml\n", "---\n# both.yaml\n", "outlier:", "hedge:",
		"# two-choices.yaml\n", "service: tail-demo"} {
		expect(t, "standard output", stdout, part)
	}
}
