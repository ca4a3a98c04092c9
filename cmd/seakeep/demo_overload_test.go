package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"testing"

	"github.com/spf13/cobra"
	"go.uber.org/goleak"
)

func TestOverloadFlagsThatCannotBe(t *testing.T) {
	for args, problem := range map[string]string{
		"overload --load":                  "flag needs an argument: --load",
		"overload --load many":             `--load "many": "many" is no number`,
		"overload --load 1,,2":             `"" is no number`,
		"overload --load 100":              "--load 100 is no load",
		"overload --load NaN":              "--load NaN is no load",
		"overload --load 10 --workers 100": "--load 10 is 50000 requests a second",
		"overload --for 0s":                "--for is 0s",
		"overload --warm-up -1s":           "--warm-up is -1s",
		"overload --workers 0":             "--workers is 0",
		"overload more":                    "more",
		"tenants --flood 0":                "--flood is 0",
		"tenants --for 1":                  `"1" for "--for"`,
		"metastable --for 10s":             "give more than 15s",
		"metastable --rate NaN":            "--rate is NaN",
		"metastable --spike 0":             "--spike is 0",
		"metastable --fast":                "unknown flag: --fast",
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

// With --json a program reads standard output, so nothing else may be there.
func TestDemoOverloadJSON(t *testing.T) {
	defer goleak.VerifyNone(t)
	status, stdout, stderr := runDemo(t, "overload --load 0.2 --warm-up 0s --for 1s --seed 7 --json")
	if status != exitOK {
		t.Fatalf("status %d: %s", status, stderr)
	}
	type point struct {
		Load, Offered, Goodput float64
		P99                    *float64                      `json:"p99_ms"`
		Classes                map[string]map[string]float64 `json:"by_class"`
	}
	var r struct {
		Capacity        float64
		Bare, Protected []point
		Holds           []struct{ Held bool }
		Seed            uint64
	}
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("%v in %s", err, stdout)
	}
	if r.Capacity != 200 || len(r.Bare) != 1 || len(r.Protected) != 1 || r.Seed != 7 ||
		len(r.Holds) != 0 {
		t.Fatalf("%+v", r)
	}
	for _, p := range []point{r.Bare[0], r.Protected[0]} {
		sum := 0.0
		for _, name := range []string{"critical_plus", "critical", "sheddable_plus", "sheddable"} {
			c, ok := p.Classes[name]
			if _, has := c["shed"]; !ok || !has || c["ok"] > c["offered"] {
				t.Errorf("%s: %v", name, c)
			}
			sum += c["offered"]
		}
		if p.Load != 0.2 || p.Offered < 20 || p.Offered > 60 || sum < p.Offered-1 || sum > p.Offered+1 {
			t.Errorf("%+v", p)
		}
	}
	expect(t, "standard error", stderr, "A program of 4 workers")
}

// What protects can be printed, read and used elsewhere.
func TestDemoPolicies(t *testing.T) {
	for args, parts := range map[string][]string{
		"overload --policy":   {"service: overload-demo", "criticality:", "shed:"},
		"tenants --policy":    {"service: tenants-demo", "tenants:"},
		"metastable --policy": {"# bounded.yaml\n", "---\n# recovers.yaml\n", "recovery:", "# open.yaml\n"},
	} {
		status, stdout, stderr := runDemo(t, args)
		if status != exitOK || stderr != "" {
			t.Errorf("%s: status %d: %s", args, status, stderr)
		}
		for _, part := range parts {
			expect(t, args, stdout, part)
		}
	}
}

// told is a report by hand.
type told struct{ held bool }

func (told) WriteJSON(w io.Writer) error { return write(w, "json\n") }
func (told) WriteText(w io.Writer) error { return write(w, "text\n") }
func (t told) Held() bool                { return t.held }

func write(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return err
}

// With --check a script need not read the report.
func TestDemoCheck(t *testing.T) {
	for _, tc := range []struct {
		flags  measuring
		held   bool
		stdout string
		fails  bool
	}{
		{measuring{}, false, "text\n", false},
		{measuring{check: true}, true, "text\n", false},
		{measuring{check: true}, false, "text\n", true},
		{measuring{check: true, json: true}, false, "json\n", true},
	} {
		cmd := &cobra.Command{}
		cmd.SetContext(t.Context())
		var stdout, stderr bytes.Buffer
		cmd.SetOut(&stdout)
		cmd.SetErr(&stderr)
		err := tc.flags.run(cmd, func(context.Context, io.Writer) (measured, error) {
			return told{tc.held}, nil
		})
		if (err != nil) != tc.fails || stdout.String() != tc.stdout {
			t.Errorf("%+v: %v and %q", tc, err, stdout.String())
		}
		if tc.flags.json {
			expect(t, "standard error", stderr.String(), "text\n")
		}
	}
}

func TestParseLoads(t *testing.T) {
	for _, text := range []string{"0.5", "0.5,0.8,1,1.5,2,3,10", "1e1"} {
		loads, err := parseLoads(text)
		if again, _ := parseLoads(formatLoads(loads)); err != nil || len(again) != len(loads) {
			t.Errorf("%s: %v, %v", text, loads, err)
		}
	}
}
